"""``python -m halfcl``: see `halfcl.command`."""

import sys

from halfcl.command import main

if __name__ == "__main__":
    sys.exit(main())
