"""The one exception of the package."""

from __future__ import annotations


class KedgeError(Exception):
    """What went wrong, with what the command said.

    code is the exit code of the command, None if it did not run; stderr is what it printed there.
    """

    def __init__(self, message: str, code: int | None = None, stderr: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.stderr = stderr
