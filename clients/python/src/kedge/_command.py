"""kedge as a subprocess."""

import json
import math
import os
import shutil
import subprocess
from pathlib import Path

from ._error import KedgeError
from ._folder import open as open_run
from ._folder import open_sweep


def run(target, set=None, out=None, *, published=False, seed=None, trials=None, iterations=None, workers=None, binary=None):
    """Run a case or a spec file and return its opened folder.

    target is the name of a case, such as "polarized", or the path of a YAML file. set changes keys of the spec, as in
    {"dynamics.lambda": 0.3}. out is the folder of the results, by default runs/NAME. A mistake in the spec, a failure or an
    interrupt raises KedgeError.
    """
    out = Path(out) if out is not None else Path("runs") / Path(target).stem
    flags = {"--seed": seed, "--trials": trials, "--iterations": iterations, "--workers": workers}
    args = ["run", str(target), "--out", str(out)] + (["--published"] if published else [])
    _execute(args + _given(flags) + _assignments(set), binary)
    return open_run(out)


def sweep(target, set=None, out=None, *, workers=None, binary=None):
    """Run a sweep file and return its opened folder, which is runs/NAME unless out names another."""
    out = Path(out) if out is not None else Path("runs") / Path(target).stem
    args = ["sweep", str(target), "--out", str(out)] + _given({"--workers": workers})
    _execute(args + _assignments(set), binary)
    return open_sweep(out)


def _given(flags):
    return [word for name, value in flags.items() if value is not None for word in (name, str(value))]


def _assignments(changes):
    return [word for key, value in (changes or {}).items() for word in ("--set", f"{key}={_yaml(value)}")]


def _yaml(value):
    """A value as YAML on one line; a text is taken as it is."""
    if hasattr(value, "tolist"):  # NumPy's numbers and arrays
        value = value.tolist()
    if isinstance(value, str):
        return value
    if isinstance(value, float) and math.isinf(value):
        return ".inf" if value > 0 else "-.inf"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_yaml(v) for v in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k}: {_yaml(v)}" for k, v in value.items()) + "}"
    return json.dumps(value)


def _execute(args, binary):
    """Run the command to its end; Ctrl-C lets it save what it has before it is passed on."""
    command = find_binary(binary)
    try:
        process = subprocess.Popen([command, *args, "--quiet"], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, encoding="utf-8", errors="replace")
    except OSError as error:
        raise KedgeError(f"cannot run {command}: {error.strerror}") from error
    try:
        _, stderr = process.communicate()
    except KeyboardInterrupt:
        process.communicate()
        raise
    if process.returncode != 0:
        said = stderr.strip() or f"kedge ended with exit code {process.returncode} and said nothing"
        raise KedgeError(said, process.returncode, stderr)


def find_binary(binary=None):
    """The command: as given, the one that came with the package, the variable KEDGE, or kedge on the path."""
    inside = Path(__file__).parent / "bin" / ("kedge.exe" if os.name == "nt" else "kedge")
    if binary is None and inside.is_file():
        return str(inside)
    name = str(binary or os.environ.get("KEDGE") or "kedge")
    found = shutil.which(name)
    if found is None:
        raise KedgeError(f"there is no command {name}; install a wheel, which brings it, or build it with 'go build ./cmd/kedge' and pass binary=, set the variable KEDGE, or put it on the path")
    return found
