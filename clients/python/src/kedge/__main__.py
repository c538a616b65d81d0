"""The command kedge, as python -m kedge and as the script that a wheel installs."""

from __future__ import annotations

import os
import subprocess
import sys

from ._command import find_binary
from ._error import KedgeError


def main() -> int:
    """Hand this process over to the command; where that cannot be done, wait for it and end with its exit code."""
    try:
        command = [find_binary(), *sys.argv[1:]]
        if os.name == "posix":
            os.execv(command[0], command)  # signals and exit codes are those of the command
        return subprocess.call(command)
    except (KedgeError, OSError) as error:
        print(f"kedge: {error}", file=sys.stderr)
        return 64


if __name__ == "__main__":
    sys.exit(main())
