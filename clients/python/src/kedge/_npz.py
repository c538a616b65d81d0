"""Archives of NumPy arrays, with and without NumPy."""

import ast
import io
import struct
import zipfile
import zlib

from ._error import KedgeError


def load(path, raw):
    """The arrays of an archive by name, given its bytes: NumPy arrays, or nested lists without NumPy."""
    try:
        import numpy
    except ImportError:
        numpy = None
    try:
        if numpy is not None:
            with numpy.load(io.BytesIO(raw), allow_pickle=False) as archive:
                return {name: archive[name] for name in archive.files}
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            return {name[: -len(".npy")]: _array(archive.read(name)) for name in archive.namelist()}
    except (OSError, ValueError, KeyError, SyntaxError, EOFError, NotImplementedError, struct.error, zlib.error, zipfile.BadZipFile) as error:
        raise KedgeError(f"{path}: {error}") from error


def _array(raw):
    """An array as kedge writes it: version 1.0, float64, C order."""
    if raw[:8] != b"\x93NUMPY\x01\x00":
        raise ValueError("not an array of NumPy's format 1.0")
    (length,) = struct.unpack("<H", raw[8:10])
    head = ast.literal_eval(raw[10 : 10 + length].decode("latin-1"))
    if head["descr"] != "<f8" or head["fortran_order"]:
        raise ValueError(f"an array of type {head['descr']}, want <f8 in C order")
    data = raw[10 + length :]
    return _nest(struct.unpack(f"<{len(data) // 8}d", data), head["shape"])


def _nest(flat, shape):
    if not shape:
        return flat[0]
    if len(shape) == 1:
        return list(flat)
    step = len(flat) // shape[0] if shape[0] else 0
    return [_nest(flat[i * step : (i + 1) * step], shape[1:]) for i in range(shape[0])]
