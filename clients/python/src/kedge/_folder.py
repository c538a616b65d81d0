"""Result folders, as docs/formats of kedge describes them."""

from __future__ import annotations

import csv
import io
import os
import tempfile
from pathlib import Path
from typing import Any, Union

from . import _display
from ._display import Verdict
from ._error import KedgeError
from ._frames import frame as _frame
from ._npz import load as load_npz
from ._sealed import Sealed

PathLike = Union[str, "os.PathLike[str]"]


def open(folder: PathLike, verified: bool = True) -> Run:
    """Open the folder of a finished run. Every file is checked before anything of it is handed out; without verified it is read as it is."""
    return Run(folder, verified)


def open_sweep(folder: PathLike, verified: bool = True) -> Sweep:
    """Open the folder of a finished sweep, as open does that of a run."""
    return Sweep(folder, verified)


def open_comparison(folder: PathLike, verified: bool = True) -> Comparison:
    """Open the folder of a finished comparison, as open does that of a run."""
    return Comparison(folder, verified)


class _Folder:
    """A folder with a manifest, which says that it is finished and what was written."""

    kind = ""

    path: Path
    manifest: dict[str, Any]

    def __init__(self, folder: PathLike, verified: bool = True) -> None:
        self._hold(Sealed(folder, verified))

    def _hold(self, sealed: Sealed) -> None:
        self._sealed, self.path, self.manifest = sealed, sealed.path, sealed.manifest
        if self.manifest["kind"] != self.kind:
            raise KedgeError(f"{self.path} holds a {self.manifest['kind']}, not a {self.kind}")

    def __repr__(self) -> str:
        return f"<kedge {self.kind} {str(self.path)!r}>"

    @property
    def tags(self) -> list[str]:
        """The tags of the folder, sorted: kedge.run(…, tags=…) and kedge runs tag give them."""
        return self._sealed.tags()

    @property
    def verdict(self) -> Verdict | None:
        """What the report concludes, None where it has no verdict."""
        return _display.verdict_in(self._sealed.text("report.md")) if self._sealed.has("report.md") else None

    def figure(self, name: str) -> bytes:
        """A figure of the folder, such as gap.svg, gap.png or gap.pdf."""
        return self._sealed.read(name)

    def _picture(self) -> bytes | None:
        """The figure that stands for the folder: the gap, or else the first."""
        drawn = [name for name in self.files if name.endswith(".svg")]
        return self.figure("gap.svg" if "gap.svg" in drawn else drawn[0]) if drawn else None

    @property
    def files(self) -> list[str]:
        """The names of the files, as the manifest has them."""
        return sorted(self.manifest["files"])

    @property
    def spec(self) -> str:
        """The spec as run, in YAML."""
        return self._sealed.text(self.manifest.get("spec", "spec.yaml"))

    def verify(self) -> None:
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

    def __init__(self, found: dict[str, Any]) -> None:
        self.decision: list[float] = found["decision"]
        self.value, self.gap, self.distance = found["value"], found["gap"], found["distance"]
        self.residual, self.starts, self.spread = found["residual"], found["starts"], found["spread"]
        self.evidence: dict[str, Any] = found.get("evidence") or {}

    def __repr__(self) -> str:
        return f"<kedge point: value {self.value!r}, {self.standing or 'nothing is known of its standing'}>"

    @property
    def standing(self) -> str | None:
        """proven, searched or stationary; None where nobody says."""
        return self.evidence.get("standing")

    @property
    def bound(self) -> float | None:
        """A value that is proven to be out of reach, None where there is none."""
        return self.evidence.get("bound")

    @property
    def attracting(self) -> bool | None:
        """Whether a point of rest draws in who comes near; None where that is not known."""
        return self.evidence.get("attracting")


class Estimate:
    """A number, its name and unit, and where there is one the ends of its interval, low and high; None where there is none."""

    def __init__(self, found):
        self.name, self.unit, self.value = found.get("name", ""), found.get("unit", ""), found["value"]
        self.low, self.high = found.get("low"), found.get("high")

    def __float__(self):
        return float(self.value)

    def __repr__(self):
        reach = "" if self.low is None else f" ({self.low:.4g} … {self.high:.4g})"
        return f"{self.name + ' = ' if self.name else ''}{self.value:.6g}{' ' + self.unit if self.unit else ''}{reach}"


class Answer:
    """What a result advises: text says it in a sentence, decision has an Estimate for every entry, in order.

    value is what it earns or costs, interval what the intervals hold or why there are none, retraining what plain retraining would have
    lost (a dict, or None), doubts what may be wrong. source is "optimum", "equilibrium" or the name of the method that was followed.
    """

    def __init__(self, found):
        self.text, self.source, self.interval = found["text"], found["source"], found["interval"]
        self.decision = [Estimate(one) for one in found["decision"]]
        self.value = Estimate(found["value"])
        self.retraining = found.get("retraining")
        self.doubts, self.details = found.get("doubts") or [], found.get("details") or []

    def __getitem__(self, name):
        """The entry of a name, such as answer["apples"], or of a number."""
        if isinstance(name, int):
            return self.decision[name]
        for one in self.decision:
            if one.name == name:
                return one
        raise KeyError(name)

    def __str__(self):
        return "\n".join([self.text, *self.details, *("Doubtful: " + d for d in self.doubts)])

    __repr__ = __str__


class Run(_Folder):
    """A finished run: summary, series and arrays are read when they are asked for."""

    kind = "run"

    @property
    def answer(self) -> "Answer | None":
        """What to do, first of all; None in folders of earlier versions."""
        found = self.summary.get("answer")
        return Answer(found) if found else None

    @property
    def optimum(self) -> Point:
        """The best decision, with how much is known of it."""
        return Point(self.summary["optimum"])

    @property
    def stable(self) -> Point | None:
        """Where retraining settles from the first decision, None when there is no such point."""
        found = self.summary["stable"]
        return Point(found) if found else None

    @property
    def rests(self) -> list[Point]:
        """All points found where retraining would rest, the stable one first."""
        return [Point(found) for found in self.summary.get("rests") or []]

    @property
    def diagnoses(self) -> list[dict[str, Any]]:
        """What spoils the result: dicts of method, check, text and remedy. Of a method's own course the page says more."""
        return self.summary.get("diagnoses") or []

    @property
    def summary(self) -> dict[str, Any]:
        """Where every algorithm ended, and the exact points to compare with."""
        return self._sealed.json("summary.json")

    @property
    def times(self) -> dict[str, Any]:
        """When the run was computed, and the seconds of every algorithm."""
        return self._sealed.json("times.json")

    def series(self) -> dict[str, Any]:
        """What was measured: a dict of columns. NumPy arrays, or lists without NumPy; NaN where nothing was measured."""
        if self._sealed.has("series.csv"):
            return _read_csv(self._sealed.text("series.csv"), {"algorithm": str, "trial": int, "k": int}, _number)
        return _read_parquet(self.path / "series.parquet", self._sealed.read("series.parquet"))

    def frame(self, library: str | None = None) -> Any:
        """The series as a DataFrame of pandas or, where that is missing, of polars, a Table of pyarrow or a dict of columns, with a warning.

        library names one of them, "pandas", "polars" or "pyarrow", and is KedgeError where it is missing.
        """
        return _frame(self.series(), library)

    def _repr_html_(self) -> str:
        """What a notebook shows: the verdict, where every algorithm ended, what spoils the result, and the figure of the gap."""
        s = self.summary

        def row(name: str) -> list[str]:
            ended = s["algorithms"][name]
            means = {key: (ended[key] or {}).get("mean") for key in ("value", "gap", "distance")}
            trials = f"{ended['trials']} of {ended['planned']}" if ended["trials"] < ended["planned"] else str(ended["trials"])
            mark = " (breaks a constraint)" if ended.get("breaks") else ""
            return [name + mark, trials, _display.number(means["value"]), _display.percent(means["gap"]), _display.percent(means["distance"])]

        best = self.optimum
        rows = [row(name) for name in s["order"]] + [[f"optimum ({best.standing or 'unknown standing'})", "", _display.number(best.value), "", ""]]
        about = " · ".join([*(_display.count(s[key + "s"], key) for key in ("iteration", "trial", "individual")), f"seed {s['seed']}"])
        notes = ["stopped before its end: these are the finished trials"] if s["partial"] else []
        notes += [f"{d['text']} → {d['remedy']}" if d.get("remedy") else d["text"] for d in self.diagnoses]
        body = _display.table(["method", "trials", "value", "gap", "distance"], rows)
        return _display.page(s["case"], about, self.verdict, body, notes, self._picture())

    def arrays(self) -> dict[str, Any]:
        """Decisions, angles and paths by name: NumPy arrays, or nested lists without NumPy."""
        return load_npz(self.path / "arrays.npz", self._sealed.read("arrays.npz"))


class Sweep(_Folder):
    """A finished sweep."""

    kind = "sweep"

    @property
    def index(self) -> dict[str, Any]:
        """name, seed, keys and cells, each with the values of the swept keys as YAML."""
        return self._sealed.json("cells.json")

    @property
    def keys(self) -> list[str]:
        """The swept keys of the spec."""
        return self.index["keys"]

    @property
    def failures(self) -> list[dict[str, Any]]:
        """The cells that failed, each with the reason."""
        return self._sealed.json("failures.json") if self._sealed.has("failures.json") else []

    def table(self) -> dict[str, Any]:
        """One row an algorithm of every finished cell: a dict of columns."""
        return _read_csv(self._sealed.text("table.csv"), {"cell": str, "algorithm": str}, None)

    def frame(self, library: str | None = None) -> Any:
        """The table as Run.frame gives the series."""
        return _frame(self.table(), library)

    def _repr_html_(self) -> str:
        """What a notebook shows: the verdict, the best cell of every algorithm, cells that failed, and the figure."""
        t, keys, index = self.table(), self.keys, self.index
        best: dict[str, int] = {}
        for i, (name, gap) in enumerate(zip(t["algorithm"], t["gap_mean"])):
            if float(gap) == float(gap) and (str(name) not in best or gap < t["gap_mean"][best[str(name)]]):
                best[str(name)] = i
        rows = [[name, *(str(t[key][i]) for key in keys), _display.percent(float(t["gap_mean"][i]))] for name, i in best.items()]
        about = f"{_display.count(len(index['cells']), 'cell')} · {_display.count(len(keys), 'swept key')} · seed {index['seed']}"
        notes = [f"cell {f['cell']} failed: {f['error']}" for f in self.failures[:5]]
        body = _display.table(["method", *(f"best {key}" for key in keys), "gap"], rows)
        return _display.page(index["name"], about, self.verdict, body, notes, self._picture())

    def cell(self, name: str) -> Run:
        """The folder of one cell."""
        run = object.__new__(Run)
        run._hold(self._sealed.cell(name))
        return run


class Comparison(_Folder):
    """A finished comparison of methods on one problem or on a suite, tuned alike."""

    kind = "compare"

    @property
    def comparison(self) -> dict[str, Any]:
        """Everything that compare.json says."""
        return self._sealed.json("compare.json")

    @property
    def problems(self) -> list[dict[str, Any]]:
        """What was compared on: each problem with its methods, a dict each."""
        return self.comparison["problems"]

    def table(self) -> dict[str, Any]:
        """One row a method of every problem: a dict of columns."""
        return _read_csv(self._sealed.text("table.csv"), dict.fromkeys(("problem", "method", "limit", "verdict", "settings"), str), None)

    def frame(self, library: str | None = None) -> Any:
        """The table as Run.frame gives the series."""
        return _frame(self.table(), library)

    def _repr_html_(self) -> str:
        """What a notebook shows: the verdict, where every method ended and whether its theory says so, and a figure."""
        if not self._sealed.has("compare.json"):  # a page about several runs
            return _display.page(str(self.path), "a report of several runs", self.verdict, "", [], self._picture())
        told = self.comparison

        def row(problem: dict[str, Any], m: dict[str, Any]) -> list[str]:
            mean = {key: (m[key] or {}).get("mean") for key in ("to_optimal", "gap")}
            arrived = "✓" if m["arrived"] else "failed" if m["failed"] else "–"
            return [problem["name"], m["method"], m["limit"], arrived, _display.number(mean["to_optimal"]), _display.percent(mean["gap"]), str(m["deployments"]), str(m["samples"])]

        rows = [row(problem, m) for problem in told["problems"] for m in problem["methods"]]
        head = ["problem", "method", "must end", "there", "to the optimum", "gap", "deployed", "people"]
        about = f"{_display.count(len(told['problems']), 'problem')} · {_display.count(len(rows), 'result')}"
        return _display.page(told["name"], about, self.verdict, _display.table(head, rows, words=4), [], self._picture())


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
