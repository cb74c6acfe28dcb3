"""The command line: ``insonate …``, or ``python -m insonate …``."""

import signal
import sys

from . import _insonate


def main() -> None:
    """Runs the command line with the arguments of the process, and exits with its status."""
    # The command handles Ctrl-C itself: it saves what it measured, and exits with status 130.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(_insonate.run_command(sys.argv[1:]))


if __name__ == "__main__":
    main()
