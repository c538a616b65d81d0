"""Finished folders, whose files are what was written: docs/formats/manifest.md of kedge says how that is known."""

import hashlib
import json
import os
import re
import stat
from copy import copy
from pathlib import Path

from ._error import KedgeError

_LARGEST_MANIFEST = 256 << 20
_LARGEST_TEXT = 64 << 20
_SUM = b',\n  "sha256": "'  # begins the last line of an object that has its own checksum

_BUILD = {"version": str, "numeric": int, "goarch": str, "goamd64": str, "fma": bool}
_CODE = {"module": str, "revision": str, "modified": bool, "go": str, "system": str, "program": str}
_FILE = {"bytes": int, "sha256": str}
_MANIFEST = {"format": int, "kind": str, "case": str, "seed": int, "spec": str, "build": dict, "files": dict}
_OPTIONAL = {"spec", "numeric", "revision", "modified", "program", "bytes", "sha256"}


class Sealed:
    """A folder with a manifest. Its files are read through it; without verified they are read as they are."""

    def __init__(self, folder, verified=True, inside=None):
        self.path = Path(folder)
        self.verified = verified
        if inside is not None:  # of a sweep, which vouches for the manifest
            self.root, raw = inside
        else:
            self.root = self.path
            raw = self._first()
        self.manifest = parse(raw, self.path / "manifest.json")

    def _first(self):
        """The manifest of a folder that stands for itself."""
        if not self.path.is_dir():
            raise KedgeError(f"{self.path}: there is no such folder")
        if os.path.lexists(self.path / ".kedge" / "commit" / "manifest.json"):
            raise KedgeError(f"{self.path} holds a result that is not in its place yet, since kedge was stopped: run kedge verify {self.path}, which puts it there")
        if not os.path.lexists(self.path / "manifest.json"):
            raise KedgeError(f"{self.path}: no manifest.json, so the folder is no finished result; run its command again")
        raw = self._bytes("manifest.json", _LARGEST_MANIFEST)
        if len(raw) > _LARGEST_MANIFEST:
            raise KedgeError(f"{self.path / 'manifest.json'}: more than {_LARGEST_MANIFEST} bytes, which is all that is read")
        return raw

    def has(self, name):
        """Whether the manifest lists a file."""
        return name in self.manifest["files"]

    def read(self, name):
        """What a file holds, which is what was written."""
        if not self.has(name):
            raise KedgeError(f"{self.path / name}: the manifest does not list it")
        want = self.manifest["files"][name]
        raw = self._bytes(name, self._most(name, want))
        if self.verified and not self._is_written(name, want, raw):
            raise KedgeError(f"{self.path / name}: not as it was written: run its command again, or read it as it is with verified=False")
        return raw

    def _most(self, name, want):
        """The most bytes that are read of a file; those that were written where that is known."""
        if name == "times.json" and "sha256" not in want:
            return _LARGEST_TEXT
        return want.get("bytes", 0) if self.verified else None

    def _is_written(self, name, want, raw):
        if name == "times.json" and "sha256" not in want:
            return self.manifest["format"] == 1 or without_sum(raw) is not None
        return len(raw) == want.get("bytes", 0) and hashlib.sha256(raw).hexdigest() == want["sha256"]

    def text(self, name):
        """What a file holds, as text."""
        return self._decoded(name, lambda raw: raw.decode("utf-8"))

    def json(self, name):
        """What a file holds, as JSON."""
        return self._decoded(name, json.loads)

    def _decoded(self, name, decode):
        try:
            return decode(self.read(name))
        except (ValueError, RecursionError) as error:
            raise KedgeError(f"{self.path / name}: {error}") from error

    def tags(self):
        """The words of tags.json, which no manifest lists: it has its own checksum, which is compared however the folder was opened."""
        if not os.path.lexists(self.path / "tags.json"):
            return []
        bare = without_sum(self._bytes("tags.json", _LARGEST_MANIFEST))
        try:
            tags = json.loads(bare)["tags"] if bare is not None else None
        except (ValueError, KeyError, TypeError):
            tags = None
        if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
            raise KedgeError(f"{self.path / 'tags.json'}: not as it was written: remove it and tag the folder again")
        return tags

    def cell(self, name):
        """The folder of a cell, for whose manifest this one vouches."""
        inner = f"cells/{name}/manifest.json"
        raw = self.read(inner)
        return Sealed(self.path / "cells" / name, self.verified, (self.root, raw))

    def differing(self):
        """The names of the files, also of cells, that are not what was written."""
        strict = copy(self)
        strict.verified = True
        wrong = []
        for name in self.manifest["files"]:
            try:
                strict.read(name)
                if "/" in name:
                    cell = name.split("/")[1]
                    wrong += [f"cells/{cell}/{inner}" for inner in strict.cell(cell).differing()]
            except KedgeError:
                wrong.append(name)
        return sorted(wrong)

    def _bytes(self, name, most):
        """What a plain file in the folder holds, at most so many bytes and one. Pipes and devices are refused without waiting, and so is what leads out."""
        path = self.path / name
        try:
            if not path.resolve().is_relative_to(self.root.resolve()):
                raise KedgeError(f"{path} leads out of the folder")
            handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
            with os.fdopen(handle, "rb") as file:
                if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                    raise KedgeError(f"{path} is no plain file")
                return file.read(-1 if most is None else most + 1)
        except (OSError, RuntimeError, ValueError) as error:
            raise KedgeError(f"{path}: {error}") from error


def without_sum(raw):
    """The text to which its own checksum was added as the last field; None if it is not that text any more."""
    at = raw.rfind(_SUM)
    if at < 0:
        return None
    bare = raw[:at] + b"\n}\n"
    return bare if raw == raw[:at] + _SUM + hashlib.sha256(bare).hexdigest().encode() + b'"\n}\n' else None


def parse(raw, path):
    """A manifest, which has all its fields and no other, and the text that its checksum says."""
    try:
        manifest = json.loads(raw, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise KedgeError(f"{path}: not as it was written: {error}") from error
    form = manifest.get("format") if isinstance(manifest, dict) else None
    if form not in (1, 2):
        raise KedgeError(f"{path}: format is {form}, this package reads 1 and 2; use a later one")
    fields = dict(_MANIFEST)
    if form == 2:
        if without_sum(raw) is None:
            raise KedgeError(f"{path}: not as it was written: its checksum is that of another text")
        fields.update(code=dict, inputs=dict)
        manifest.pop("sha256")
    _strict(manifest, fields, path, "")
    _strict(manifest["build"], _BUILD, path, "build.")
    if form == 2:
        _strict(manifest["code"], _CODE, path, "code.")
        _strict(manifest["inputs"], dict.fromkeys(manifest["inputs"], str), path, "inputs.")
    for name, file in manifest["files"].items():
        _check_file(name, file, path)
    if not manifest["files"]:
        raise KedgeError(f"{path}: not as it was written: files are missing")
    return manifest


def _once(pairs):
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise ValueError("a field stands twice")
    return fields


def _strict(found, fields, path, where):
    """All fields and no other, each of its type."""
    if not isinstance(found, dict):
        raise KedgeError(f"{path}: not as it was written: {where.rstrip('.')} is no object")
    for name in found.keys() - fields.keys():
        raise KedgeError(f"{path}: not as it was written: unknown field {where}{name}")
    for name in fields.keys() - found.keys() - _OPTIONAL:
        raise KedgeError(f"{path}: not as it was written: {where}{name} is missing")
    for name, value in found.items():
        if type(value) is not fields[name]:
            raise KedgeError(f"{path}: not as it was written: {where}{name} is {value!r}")


def _check_file(name, file, path):
    if not is_file_name(name):
        raise KedgeError(f"{path}: files names {name!r}, want a file in the folder or the manifest of a cell")
    _strict(file, _FILE, path, f"files.{name}.")
    if name != "times.json" and not re.fullmatch("[0-9a-f]{64}", file.get("sha256", "")):
        raise KedgeError(f"{path}: not as it was written: {name} has no checksum")


def is_file_name(name):
    """Whether a manifest can list a name: a file in the folder itself, or the manifest of a folder in its cells."""
    parts = name.split("/")
    if len(parts) == 3:
        return parts[0] == "cells" and parts[2] == "manifest.json" and _is_plain(parts[1])
    return len(parts) == 1 and _is_plain(name) and name != "manifest.json"


def _is_plain(name):
    return name != "" and not name.startswith(".") and not re.search(r"[/\\:\0]", name)
