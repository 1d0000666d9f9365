"""``python -m mintdim``: the same as the command ``mintdim``."""

import sys

from mintdim.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
