"""``python -m pumice`` is the ``pumice`` command."""

import sys

from pumice.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
