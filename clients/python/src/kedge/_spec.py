"""Specs and sweeps as dicts, written as the YAML that kedge reads."""

from __future__ import annotations

import json
import math
import re
import tempfile
from collections.abc import Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Iterator

from ._error import KedgeError


@contextmanager
def as_file(target: Any, name: str | None) -> Iterator[tuple[str, str]]:
    """The argument of the command for a case, a file or a dict, and the name of its results. The file of a dict is gone afterwards."""
    if not isinstance(target, Mapping):
        if name is not None:
            raise KedgeError("name= goes with a spec that is a dict; a case or a file has its own")
        yield str(target), Path(target).stem
        return
    name = "spec" if name is None else name
    if not re.fullmatch(r"[^\W_][\w.-]{0,99}", name):
        raise KedgeError(f"name is {name!r}, want up to 100 letters, digits and . _ -, of which the first is a letter or a digit")
    with tempfile.TemporaryDirectory(prefix="kedge-") as folder:
        file = Path(folder) / f"{name}.yaml"
        file.write_text(document(target), encoding="utf-8")
        yield str(file), name


def document(spec: Mapping[str, Any]) -> str:
    """A dict as YAML with a line for every entry, so that what kedge says of a line is of use."""
    return "".join(_lines(spec, "", "the spec"))


def _lines(mapping: Mapping[str, Any], indent: str, where: str) -> Iterator[str]:
    for key, value in mapping.items():
        here = f"{indent}{_scalar(str(key), where)}:"
        value = _plain(value)
        inner = str(key) if where == "the spec" else f"{where}.{key}"
        if isinstance(value, Mapping) and value:
            yield here + "\n"
            yield from _lines(value, indent + "  ", inner)
        elif isinstance(value, list) and any(isinstance(v, Mapping) for v in value):
            yield here + "\n"
            for i, entry in enumerate(value):
                yield f"{indent}  - {_flow(entry, f'{inner}.{i}')}\n"
        else:
            yield f"{here} {_flow(value, inner)}\n"


def _flow(value: Any, where: str) -> str:
    value = _plain(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_scalar(str(k), where)}: {_flow(v, f'{where}.{k}')}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_flow(v, f"{where}.{i}") for i, v in enumerate(value)) + "]"
    return _scalar(value, where)


def _plain(value: Any) -> Any:
    """A value of Python's own types: NumPy has its own numbers and arrays."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    return list(value) if isinstance(value, tuple) else value


def _scalar(value: Any, where: str) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        return ".nan" if math.isnan(value) else ".inf" if value > 0 else "-.inf"
    if value is None or isinstance(value, (str, bool, int, float)):
        return json.dumps(value, ensure_ascii=False)
    raise KedgeError(f"{where} is a {type(value).__name__}, want a text, a number, a bool, None, a list or a dict")
