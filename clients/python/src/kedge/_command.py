"""kedge as a subprocess."""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Union

from ._error import KedgeError
from ._folder import Comparison, PathLike, Run, Sweep
from ._spec import as_file

Target = Union[PathLike, "Mapping[str, Any]"]


def run(
    target: Target,
    set: Mapping[str, Any] | None = None,
    out: PathLike | None = None,
    *,
    name: str | None = None,
    published: bool = False,
    seed: int | None = None,
    trials: int | None = None,
    iterations: int | None = None,
    workers: int | None = None,
    tags: Sequence[str] = (),
    overwrite: bool = False,
    binary: PathLike | None = None,
) -> Run:
    """Run a case or a spec and return its opened folder.

    target is the name of a case, such as "polarized", the path of a YAML file, or a spec as a dict, of which name is the name. set changes
    keys of the spec, as in {"dynamics.lambda": 0.3}. out is the folder of the results, by default runs/NAME, and tags are words to find it
    by with kedge.runs. A folder that holds the finished result of something else is left alone, a KedgeError, unless overwrite is true; sweep
    and compare do the same. A mistake in the spec, a failure or an interrupt raises KedgeError, too.
    """
    flags = {"--seed": seed, "--trials": trials, "--iterations": iterations, "--workers": workers}
    extra = (["--published"] if published else []) + _replacing(overwrite) + [word for tag in tags for word in ("--tag", tag)]
    return Run(_produce("run", target, name, out, "", extra + _given(flags) + _assignments(set), binary))


def sweep(
    target: Target,
    set: Mapping[str, Any] | None = None,
    out: PathLike | None = None,
    *,
    name: str | None = None,
    workers: int | None = None,
    overwrite: bool = False,
    binary: PathLike | None = None,
) -> Sweep:
    """Run a sweep, a file or a dict, and return its opened folder, which is runs/NAME unless out names another."""
    return Sweep(_produce("sweep", target, name, out, "", _given({"--workers": workers}) + _replacing(overwrite) + _assignments(set), binary))


def compare(
    target: Target | None = None,
    methods: str | Sequence[str] | None = None,
    set: Mapping[str, Any] | None = None,
    out: PathLike | None = None,
    *,
    suite: str | None = None,
    name: str | None = None,
    seed: int | None = None,
    trials: int | None = None,
    iterations: int | None = None,
    tuning: int | None = None,
    points: int | None = None,
    tune: bool = True,
    workers: int | None = None,
    overwrite: bool = False,
    binary: PathLike | None = None,
) -> Comparison:
    """Let methods meet on the problem of a spec, tuned alike, and return the opened folder, by default runs/compare-NAME.

    target is what run takes; with suite="classics" there is none. methods are kinds of algorithms with options of their own, as in
    ["composite", "two-point:hold=1"], or "all"; without them those of the spec are compared. tune=False takes the steps of the spec.
    """
    if (target is None) == (suite is None):
        raise KedgeError("compare wants either a case, a file or a spec, or suite=, as in suite='classics'")
    chosen = methods if methods is None or isinstance(methods, str) else ",".join(methods)
    flags = {"--suite": suite, "--methods": chosen, "--seed": seed, "--trials": trials, "--iterations": iterations, "--tuning": tuning, "--points": points, "--workers": workers}
    extra = ([] if tune else ["--no-tune"]) + _replacing(overwrite) + _given(flags) + _assignments(set)
    if target is None:
        out = Path(out) if out is not None else Path("runs") / f"compare-{suite}"
        _execute(["compare", "--out", str(out), *extra], binary)
        return Comparison(out)
    return Comparison(_produce("compare", target, name, out, "compare-", extra, binary))


def runs(*folders: PathLike, tags: Sequence[str] = (), case: str | None = None, verify: bool = False, binary: PathLike | None = None) -> list[dict[str, Any]]:
    """The results in and below folders, by default runs, the newest first: what kedge runs --json says of each."""
    words = [str(folder) for folder in folders] + [word for tag in tags for word in ("--tag", tag)]
    said = _execute(["runs", *words, *_given({"--case": case}), "--json"] + (["--verify"] if verify else []), binary, quiet=False)
    return json.loads(said)["folders"]


def _produce(command: str, target: Target, name: str | None, out: PathLike | None, prefix: str, extra: list[str], binary: PathLike | None) -> Path:
    """Let a command make a folder, and return where it is."""
    with as_file(target, name) as (argument, stem):
        place = Path(out) if out is not None else Path("runs") / (prefix + stem)
        _execute([command, argument, "--out", str(place), *extra], binary)
    return place


def _replacing(overwrite: bool) -> list[str]:
    return ["--overwrite"] if overwrite else []


def _given(flags: dict[str, Any]) -> list[str]:
    return [word for name, value in flags.items() if value is not None for word in (name, str(value))]


def _assignments(changes: Mapping[str, Any] | None) -> list[str]:
    return [word for key, value in (changes or {}).items() for word in ("--set", f"{key}={_yaml(value)}")]


def _yaml(value: Any) -> str:
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


def _execute(args: list[str], binary: PathLike | None, quiet: bool = True) -> str:
    """Run the command to its end and return what it prints; Ctrl-C lets it save what it has before it is passed on."""
    command = find_binary(binary)
    words = [command, *args] + (["--quiet"] if quiet else [])
    try:
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8", errors="replace")
    except OSError as error:
        raise KedgeError(f"cannot run {command}: {error.strerror}") from error
    try:
        stdout, stderr = process.communicate()
    except KeyboardInterrupt:
        process.communicate()
        raise
    if process.returncode != 0:
        said = stderr.strip() or f"kedge ended with exit code {process.returncode} and said nothing"
        raise KedgeError(said, process.returncode, stderr)
    return stdout


def find_binary(binary: PathLike | None = None) -> str:
    """The command: as given, the one that came with the package, the variable KEDGE, or kedge on the path."""
    inside = Path(__file__).parent / "bin" / ("kedge.exe" if os.name == "nt" else "kedge")
    if binary is None and inside.is_file():
        return str(inside)
    name = str(binary or os.environ.get("KEDGE") or "kedge")
    found = shutil.which(name)
    if found is None:
        raise KedgeError(f"there is no command {name}; install a wheel, which brings it, or build it with 'go build ./cmd/kedge' and pass binary=, set the variable KEDGE, or put it on the path")
    return found
