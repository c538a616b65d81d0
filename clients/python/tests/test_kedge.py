"""Tests with a real kedge: the variable KEDGE names the command."""

import math
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest
from pathlib import Path

import kedge
from kedge._folder import _read_csv

TINY = {"population.size": 30, "population.dim": 4, "optimum.starts": 2}


def has(library):
    try:
        __import__(library)
    except ImportError:
        return False
    return True


class Folder(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.root = Path(cls.temporary.name)
        cls.run_ = kedge.run("polarized", set=TINY, out=cls.root / "run", trials=2, iterations=20, seed=7)

    def refused(self, message, call, *args, **kwargs):
        with self.assertRaises(kedge.KedgeError) as caught:
            call(*args, **kwargs)
        self.assertIn(message, str(caught.exception))
        return caught.exception

    def test_what_was_asked_for_was_run(self):
        summary = self.run_.summary
        self.assertEqual((summary["seed"], summary["trials"], summary["iterations"]), (7, 2, 20))
        self.assertEqual(summary["individuals"], 30)
        self.assertIn("size: 30", self.run_.spec)
        self.assertEqual(set(self.run_.times["seconds"]), set(summary["algorithms"]))
        self.assertEqual(kedge.open(self.root / "run").summary, summary)
        self.run_.verify()

    def test_the_answer_is_told_by_name(self):
        spec = self.root / "fruit.yaml"
        spec.write_text(textwrap.dedent("""
            iterations: 20
            model: {decision: "q[apples, pears] in EUR", state: "p[2]", trait: "d[2]", next: 0.5*p + 0.5*(d - q), maximize: "dot(p, q)"}
            population: {size: 50, law: normal, mean: [10, 8], deviation: 2}
            algorithms: [{name: composite, step: 0.02, batch: 10}]
            optimum: {starts: 2}
        """))
        answer = kedge.run(spec, out=self.root / "fruit").answer
        apples = answer["apples"]
        self.assertEqual((apples.unit, apples.name), ("EUR", answer[0].name))
        self.assertTrue(apples.low < 5 < apples.high, str(apples))  # (10 − q)q is best at 5
        self.assertTrue(str(answer).startswith("Set apples = "), str(answer))
        self.assertGreater(answer.retraining["lost"], 0)
        self.assertEqual(answer.source, "optimum")
        self.assertRaises(KeyError, lambda: answer["plums"])

    def test_points_say_how_they_are_known(self):
        best, told = self.run_.optimum, self.run_.summary["optimum"]
        self.assertEqual((best.value, best.decision, best.starts), (told["value"], told["decision"], told["starts"]))
        self.assertEqual(best.standing, "searched")  # polarized dynamics have no formulas to bound
        self.assertGreaterEqual(best.starts, best.evidence["here"])
        self.assertIn("searched", repr(best))
        self.assertEqual(self.run_.stable.attracting, True)
        self.assertEqual(self.run_.stable.value, self.run_.rests[0].value)
        self.assertEqual(kedge.run("lq2", out=self.root / "lq2", trials=1, iterations=10).optimum.standing, "proven")

    def test_points_of_earlier_versions_have_no_standing(self):
        old = {k: v for k, v in self.run_.summary["optimum"].items() if k != "evidence"}
        self.assertIsNone(kedge.Point(old).standing)
        self.assertIsNone(kedge.Point(old).bound)

    def test_diagnoses_name_the_key(self):
        long = {"algorithms.composite.step": 5, "set": "{kind: box, lower: -1, upper: 1}"}
        run = kedge.run("lq2", set=long, out=self.root / "long", trials=1, iterations=200)
        self.assertIn("set algorithms.composite.step=", [d["remedy"] for d in run.diagnoses if d["method"] == "composite"][0])

    def test_series_end_where_the_summary_says(self):
        series = self.run_.series()
        last = [float(g) for a, k, g in zip(series["algorithm"], series["k"], series["gap"]) if a == "composite" and k == 20]
        self.assertEqual(len(last), 2)
        self.assertEqual(min(last), self.run_.summary["algorithms"]["composite"]["gap"]["min"])
        self.assertTrue(all(math.isnan(w) for w in series["gradient"]))  # not recorded

    def test_arrays_are_the_summary_s(self):
        arrays = self.run_.arrays()
        self.assertEqual(list(arrays["optimum"]), self.run_.summary["optimum"]["decision"])
        self.assertEqual([len(arrays["decisions_vanilla"]), len(arrays["decisions_vanilla"][0])], [2, 4])

    def test_without_numpy_the_numbers_are_the_same(self):
        program = textwrap.dedent("""
            import sys
            for library in ("numpy", "pandas", "pyarrow"):
                sys.modules[library] = None
            import kedge
            run = kedge.open(sys.argv[1])
            series, arrays = run.series(), run.arrays()
            assert type(series["gap"]) is list and type(arrays["decisions_vanilla"][0]) is list
            print([v.hex() for v in series["gap"]], [v.hex() for row in arrays["decisions_vanilla"] for v in row])
        """)
        out = subprocess.run([sys.executable, "-c", program, str(self.root / "run")], capture_output=True, text=True, check=True).stdout
        series, arrays = self.run_.series(), self.run_.arrays()
        here = [float(v).hex() for v in series["gap"]], [float(v).hex() for row in arrays["decisions_vanilla"] for v in row]
        self.assertEqual(out, "%s %s\n" % here)

    def test_names_stay_texts_and_numbers_numbers(self):
        table = _read_csv("cell,algorithm,x,y\n12e4,nan,1,\n0012,inf,2,0.5\n", {"cell": str, "algorithm": str}, None)
        self.assertEqual([list(map(str, table["cell"])), list(map(str, table["algorithm"]))], [["12e4", "0012"], ["nan", "inf"]])
        self.assertEqual([int(x) for x in table["x"]], [1, 2])
        self.assertTrue(math.isnan(table["y"][0]) and table["y"][1] == 0.5)

    @unittest.skipUnless(has("pandas"), "no pandas")
    def test_frames(self):
        frame = self.run_.frame()
        self.assertEqual(len(frame), len(self.run_.series()["k"]))
        self.assertEqual(str(frame.dtypes["k"]), "int64")

    def test_mistakes_carry_what_kedge_said(self):
        error = self.refused("dynamics.lambda", kedge.run, "polarized", set={"dynamics.lambda": 1.5}, out=self.root / "wrong")
        self.assertEqual(error.code, 64)
        self.assertIn("kedge: ", error.stderr)
        self.assertFalse((self.root / "wrong").exists())
        self.refused("there is no command", kedge.run, "polarized", out=self.root / "wrong", binary="no-such-kedge")

    def test_values_of_all_kinds(self):
        algorithms = [{"name": "mine", "kind": "vanilla", "step": 0.01, "batch": None}]
        run = kedge.run("polarized", set={**TINY, "algorithms": algorithms, "record.gradient": True}, out=self.root / "values", trials=1, iterations=5)
        self.assertEqual(run.summary["order"], ["mine"])
        self.assertFalse(any(math.isnan(v) for v in run.series()["gradient"]))

    def test_folders_that_are_none(self):
        self.refused("there is no such folder", kedge.open, self.root / "nowhere")
        (self.root / "empty").mkdir(exist_ok=True)
        self.refused("run its command again", kedge.open, self.root / "empty")
        self.refused("holds a run, not a sweep", kedge.open_sweep, self.root / "run")

    def test_damage_is_found(self):
        run = kedge.run("lq2", out=self.root / "damaged", trials=1, iterations=5)
        series = (run.path / "series.csv").read_text()
        (run.path / "series.csv").write_text(series.replace(",5,", ",6,"))
        self.refused("series.csv", run.verify)
        self.refused("verified=False", run.series)
        as_it_is = kedge.open(run.path, verified=False)
        self.assertEqual(max(as_it_is.series()["k"]), 6)
        self.refused("series.csv", as_it_is.verify)
        (run.path / "series.csv").write_text(series + "\n")
        self.refused("a table is damaged", as_it_is.series)
        (run.path / "arrays.npz").write_bytes(b"PK")
        self.refused("arrays.npz", run.arrays)
        self.refused("arrays.npz", as_it_is.arrays)

    def test_other_results_are_only_replaced_when_asked(self):
        (self.root / "other.yaml").write_text("base: lq2\nset: {trials: 1, iterations: 6}\nover: {hold: [1]}\n")
        (self.root / "steps.yaml").write_text("base: lq2\nset: {trials: 1, iterations: 5}\nover: {hold: [1]}\n")
        met = {"methods": ["vanilla"], "trials": 1, "iterations": 50, "tune": False}
        for call, first, second in [
            (kedge.run, ("lq2", {"trials": 1, "iterations": 5}), ("lq2", {"trials": 1, "iterations": 6})),
            (kedge.sweep, (self.root / "steps.yaml", {}), (self.root / "other.yaml", {})),
            (kedge.compare, ("lq2", met), ("lq2", met | {"seed": 9})),
        ]:
            out = self.root / ("spared-" + call.__name__)
            call(first[0], out=out, **first[1])
            before = (out / "manifest.json").read_bytes()
            self.refused("--overwrite", call, second[0], out=out, **second[1])
            self.assertEqual((out / "manifest.json").read_bytes(), before)
            call(first[0], out=out, **first[1])  # the same again is fine
            call(second[0], out=out, overwrite=True, **second[1]).verify()
            self.assertNotEqual((out / "manifest.json").read_bytes(), before)

    def test_sweeps(self):
        text = "base: lq2\nset: {trials: 1, iterations: 20}\nover:\n  algorithms.vanilla.step: [0.01, 0.02]\n"
        (self.root / "steps.yaml").write_text(text)
        sweep = kedge.sweep(self.root / "steps.yaml", out=self.root / "sweep")
        self.assertEqual(sweep.keys, ["algorithms.vanilla.step"])
        table = sweep.table()
        self.assertEqual(sorted(set(float(v) for v in table["algorithms.vanilla.step"])), [0.01, 0.02])
        self.assertEqual(sweep.failures, [])
        sweep.verify()
        cell = kedge.open_sweep(self.root / "sweep").cell(sweep.index["cells"][0]["cell"])
        self.assertEqual(cell.summary["iterations"], 20)
        if has("pyarrow") or has("duckdb") or has("polars"):
            self.assertEqual(max(cell.series()["k"]), 20)

    def test_interrupts_let_kedge_save(self):
        program = "import kedge; kedge.run('polarized', set={'population.size': 50, 'optimum.starts': 1}, trials=5000, out=%r)"
        out = self.root / "stopped"
        child = subprocess.Popen([sys.executable, "-c", program % str(out)], stderr=subprocess.DEVNULL, start_new_session=True)
        for _ in range(600):  # until it computes
            if (out / ".kedge").exists():
                break
            time.sleep(0.1)
        time.sleep(3)
        os.killpg(child.pid, signal.SIGINT)  # as a terminal does
        child.wait(60)
        self.assertTrue(kedge.open(out).summary["partial"])


if __name__ == "__main__":
    unittest.main()
