"""The script ``halfcl``. Beside the package, so that it can tell what importing that fails for."""

import sys


def main() -> int:
    """Run the command line; the exit status."""
    try:
        from halfcl._command import main as run
    except ImportError as error:
        if error.name != "halfcl":  # by which halfcl tells that the message says it all
            raise
        print(f"halfcl: {error}", file=sys.stderr)
        return 2
    return run()
