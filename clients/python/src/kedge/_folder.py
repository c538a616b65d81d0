"""Result folders, as docs/formats of kedge describes them."""

import csv
import hashlib
import io
import json
from pathlib import Path

from ._error import KedgeError
from ._npz import load as load_npz


def open(folder):
    """Open the folder of a finished run."""
    return Run(folder)


def open_sweep(folder):
    """Open the folder of a finished sweep."""
    return Sweep(folder)


class _Folder:
    """A folder with a manifest, which says that it is finished."""

    kind = ""

    def __init__(self, folder):
        self.path = Path(folder)
        if not self.path.is_dir():
            raise KedgeError(f"{self.path}: there is no such folder")
        if not (self.path / "manifest.json").exists():
            raise KedgeError(f"{self.path}: no manifest.json, so the folder is no finished result; run its command again")
        self.manifest = self._json("manifest.json")
        if self.manifest.get("format") not in (1, 2):
            raise KedgeError(f"{self.path}: manifest.json has format {self.manifest.get('format')}, this package reads 1 and 2")
        if self.manifest.get("kind") != self.kind:
            raise KedgeError(f"{self.path} holds a {self.manifest.get('kind')}, not a {self.kind}")

    def __repr__(self):
        return f"<kedge {self.kind} {str(self.path)!r}>"

    def _text(self, name):
        try:
            return (self.path / name).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise KedgeError(f"{self.path / name}: {error}") from error

    def _json(self, name):
        try:
            return json.loads(self._text(name))
        except ValueError as error:
            raise KedgeError(f"{self.path / name}: {error}") from error

    @property
    def files(self):
        """The names of the files, as the manifest has them."""
        return sorted(self.manifest["files"])

    @property
    def spec(self):
        """The spec as run, in YAML."""
        return self._text(self.manifest["spec"])

    def verify(self):
        """Compare every file with its checksum; raise KedgeError with those that differ."""
        wrong = [name for name, file in self.manifest["files"].items() if not self._is_as_written(name, file)]
        if wrong:
            raise KedgeError(f"{self.path}: not as they were written: {', '.join(sorted(wrong))}")

    def _is_as_written(self, name, file):
        path = self.path / name
        if not path.is_file():
            return False
        return "sha256" not in file or hashlib.sha256(path.read_bytes()).hexdigest() == file["sha256"]


class Point:
    """A decision found offline: the optimum, the stable point, or another where retraining would rest.

    value, gap and distance are those of summary.json, where more is said of them. standing is how much is known: "proven", that
    nothing is better; "searched", that nothing better was found from many starts; "stationary", that nothing nearby is. It is None in
    folders of earlier versions. evidence is everything that is known, a dict.
    """

    def __init__(self, found):
        self.decision = found["decision"]
        self.value, self.gap, self.distance = found["value"], found["gap"], found["distance"]
        self.residual, self.starts, self.spread = found["residual"], found["starts"], found["spread"]
        self.evidence = found.get("evidence") or {}

    def __repr__(self):
        return f"<kedge point: value {self.value!r}, {self.standing or 'nothing is known of its standing'}>"

    @property
    def standing(self):
        """proven, searched or stationary; None where nobody says."""
        return self.evidence.get("standing")

    @property
    def bound(self):
        """A value that is proven to be out of reach, None where there is none."""
        return self.evidence.get("bound")

    @property
    def attracting(self):
        """Whether a point of rest draws in who comes near; None where that is not known."""
        return self.evidence.get("attracting")


class Run(_Folder):
    """A finished run: summary, series and arrays are read when they are asked for."""

    kind = "run"

    @property
    def optimum(self):
        """The best decision, with how much is known of it."""
        return Point(self.summary["optimum"])

    @property
    def stable(self):
        """Where retraining settles from the first decision, None when there is no such point."""
        found = self.summary["stable"]
        return Point(found) if found else None

    @property
    def rests(self):
        """All points found where retraining would rest, the stable one first."""
        return [Point(found) for found in self.summary.get("rests") or []]

    @property
    def diagnoses(self):
        """What spoils the result: dicts of method, check, text and remedy. Of a method's own course the page says more."""
        return self.summary.get("diagnoses") or []

    @property
    def summary(self):
        """Where every algorithm ended, and the exact points to compare with."""
        return self._json("summary.json")

    @property
    def times(self):
        """When the run was computed, and the seconds of every algorithm."""
        return self._json("times.json")

    def series(self):
        """What was measured: a dict of columns. NumPy arrays, or lists without NumPy; NaN where nothing was measured."""
        if "series.csv" in self.manifest["files"]:
            return _read_csv(self._text("series.csv"), {"algorithm": str, "trial": int, "k": int}, _number)
        return _read_parquet(self.path / "series.parquet")

    def frame(self):
        """The series as a pandas DataFrame."""
        return _frame(self.series())

    def arrays(self):
        """Decisions, angles and paths by name: NumPy arrays, or nested lists without NumPy."""
        return load_npz(self.path / "arrays.npz")


class Sweep(_Folder):
    """A finished sweep."""

    kind = "sweep"

    @property
    def index(self):
        """name, seed, keys and cells, each with the values of the swept keys as YAML."""
        return self._json("cells.json")

    @property
    def keys(self):
        """The swept keys of the spec."""
        return self.index["keys"]

    @property
    def failures(self):
        """The cells that failed, each with the reason."""
        return self._json("failures.json") if "failures.json" in self.manifest["files"] else []

    def table(self):
        """One row an algorithm of every finished cell: a dict of columns."""
        return _read_csv(self._text("table.csv"), {"cell": str, "algorithm": str}, None)

    def frame(self):
        """The table as a pandas DataFrame."""
        return _frame(self.table())

    def cell(self, name):
        """The folder of one cell."""
        return Run(self.path / "cells" / name)


def _frame(columns):
    try:
        import pandas
    except ImportError as error:
        raise KedgeError("frame() needs pandas: pip install pandas") from error
    return pandas.DataFrame(columns)


def _read_csv(text, kinds, other):
    """The columns of a table, by kind; where none is given, whole numbers, numbers or texts, whatever all fields are."""
    rows = csv.reader(io.StringIO(text, newline=""))
    head = next(rows, [])
    fields = dict(zip(head, zip(*rows)))
    return {name: _column(fields.get(name, ()), kinds.get(name, other)) for name in head}


def _column(fields, kind):
    for convert in (kind,) if kind else (int, _number):
        try:
            return _array([convert(f) for f in fields])
        except ValueError as error:
            if kind:
                raise KedgeError(f"a table is damaged: {error}") from error
    return _array(list(fields))


def _number(field):
    return float(field) if field else float("nan")


def _array(values):
    try:
        import numpy
    except ImportError:
        return values
    return numpy.array(values)


def _read_parquet(path):
    """Cells of a sweep have their series in Parquet alone, for which some library is needed."""
    for read in (_pyarrow, _duckdb, _polars):
        try:
            columns = read(str(path))
        except ImportError:
            continue
        return {n: _array([float("nan") if v is None else v for v in c]) for n, c in columns.items()}
    raise KedgeError(f"{path}: reading Parquet needs pyarrow, duckdb or polars: pip install pyarrow")


def _pyarrow(path):
    import pyarrow.parquet

    return pyarrow.parquet.read_table(path).to_pydict()


def _duckdb(path):
    import duckdb

    result = duckdb.sql("select * from read_parquet($path)", params={"path": path})
    return dict(zip(result.columns, zip(*result.fetchall())))


def _polars(path):
    import polars

    return polars.read_parquet(path).to_dict(as_series=False)
