"""Files that other processes may read meanwhile."""

import os
import threading
from contextlib import suppress
from pathlib import Path


def replace_file(path: Path, content: bytes) -> None:
    """Write a file as a whole: whoever reads it finds what was there before or all of this.

    Parameters
    ----------
    path : Path
        Its folder is made where there is none.
    content : bytes
        All of the file.

    Raises
    ------
    OSError
        When it cannot be written; nothing is left behind.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(f".{os.getpid()}.{threading.get_ident()}")
    try:
        temporary.write_bytes(content)
        temporary.replace(path)
    except OSError:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise
