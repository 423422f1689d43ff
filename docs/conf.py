"""Sphinx configuration: the Markdown files of this folder as a site (``make site``)."""

from pumice import __version__

project = "pumice"
author = "The pumice developers"
release = version = __version__
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["tables.css"]
html_title = f"pumice {release}"
html_show_copyright = False
myst_heading_anchors = 3
suppress_warnings = [
    "myst.xref_missing",  # links to files of the repository; tests/meta checks them
    "toc.not_included",  # operators.md links to its pages; a menu of hundreds would help nobody
]
