"""``python -m halfcl``: see `halfcl._command`."""

import sys

from halfcl._command import main

if __name__ == "__main__":
    sys.exit(main())
