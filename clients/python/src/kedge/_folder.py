"""Result folders, as docs/formats of kedge describes them."""

import csv
import io
import tempfile
from pathlib import Path

from ._error import KedgeError
from ._npz import load as load_npz
from ._sealed import Sealed


def open(folder, verified=True):
    """Open the folder of a finished run. Every file is checked before anything of it is handed out; without verified it is read as it is."""
    return Run(folder, verified)


def open_sweep(folder, verified=True):
    """Open the folder of a finished sweep, as open does that of a run."""
    return Sweep(folder, verified)


class _Folder:
    """A folder with a manifest, which says that it is finished and what was written."""

    kind = ""

    def __init__(self, folder, verified=True):
        self._hold(Sealed(folder, verified))

    def _hold(self, sealed):
        self._sealed, self.path, self.manifest = sealed, sealed.path, sealed.manifest
        if self.manifest["kind"] != self.kind:
            raise KedgeError(f"{self.path} holds a {self.manifest['kind']}, not a {self.kind}")

    def __repr__(self):
        return f"<kedge {self.kind} {str(self.path)!r}>"

    @property
    def files(self):
        """The names of the files, as the manifest has them."""
        return sorted(self.manifest["files"])

    @property
    def spec(self):
        """The spec as run, in YAML."""
        return self._sealed.text(self.manifest.get("spec", "spec.yaml"))

    def verify(self):
        """Compare every file, also of cells, with its checksum; raise KedgeError with those that differ."""
        wrong = self._sealed.differing()
        if wrong:
            raise KedgeError(f"{self.path}: not as they were written: {', '.join(wrong)}")


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
        return self._sealed.json("summary.json")

    @property
    def times(self):
        """When the run was computed, and the seconds of every algorithm."""
        return self._sealed.json("times.json")

    def series(self):
        """What was measured: a dict of columns. NumPy arrays, or lists without NumPy; NaN where nothing was measured."""
        if self._sealed.has("series.csv"):
            return _read_csv(self._sealed.text("series.csv"), {"algorithm": str, "trial": int, "k": int}, _number)
        return _read_parquet(self.path / "series.parquet", self._sealed.read("series.parquet"))

    def frame(self):
        """The series as a pandas DataFrame."""
        return _frame(self.series())

    def arrays(self):
        """Decisions, angles and paths by name: NumPy arrays, or nested lists without NumPy."""
        return load_npz(self.path / "arrays.npz", self._sealed.read("arrays.npz"))


class Sweep(_Folder):
    """A finished sweep."""

    kind = "sweep"

    @property
    def index(self):
        """name, seed, keys and cells, each with the values of the swept keys as YAML."""
        return self._sealed.json("cells.json")

    @property
    def keys(self):
        """The swept keys of the spec."""
        return self.index["keys"]

    @property
    def failures(self):
        """The cells that failed, each with the reason."""
        return self._sealed.json("failures.json") if self._sealed.has("failures.json") else []

    def table(self):
        """One row an algorithm of every finished cell: a dict of columns."""
        return _read_csv(self._sealed.text("table.csv"), {"cell": str, "algorithm": str}, None)

    def frame(self):
        """The table as a pandas DataFrame."""
        return _frame(self.table())

    def cell(self, name):
        """The folder of one cell."""
        run = object.__new__(Run)
        run._hold(self._sealed.cell(name))
        return run


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
    rows = list(rows)
    if any(len(row) != len(head) for row in rows):
        raise KedgeError(f"a table is damaged: not every row has {len(head)} fields")
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


def _read_parquet(path, raw):
    """Cells of a sweep have their series in Parquet alone, for which some library is needed."""
    for read in (_pyarrow, _duckdb, _polars):
        try:
            columns = read(raw)
        except ImportError:
            continue
        except Exception as error:  # each library has its own
            raise KedgeError(f"{path}: {error}") from error
        return {n: _array([float("nan") if v is None else v for v in c]) for n, c in columns.items()}
    raise KedgeError(f"{path}: reading Parquet needs pyarrow, duckdb or polars: pip install pyarrow")


def _pyarrow(raw):
    import pyarrow
    import pyarrow.parquet

    return pyarrow.parquet.read_table(pyarrow.BufferReader(raw)).to_pydict()


def _duckdb(raw):
    import duckdb

    with tempfile.TemporaryDirectory() as folder:  # it reads files only, and these bytes are checked
        copy = Path(folder) / "series.parquet"
        copy.write_bytes(raw)
        result = duckdb.sql("select * from read_parquet($path)", params={"path": str(copy)})
        return dict(zip(result.columns, zip(*result.fetchall())))


def _polars(raw):
    import polars

    return polars.read_parquet(io.BytesIO(raw)).to_dict(as_series=False)
