"""`python -m arena`, and `arena` where pip has installed it."""

import sys
from typing import NoReturn


def main() -> NoReturn:
    """Run the command line and exit."""
    try:
        from arena.cli.program import main as run  # takes a moment, in which Ctrl-C may come already

        run()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":  # the processes of `play --jobs` import this module as well
    main()
