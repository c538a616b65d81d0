"""Specs as dicts, data frames of whatever library is there, what a notebook shows, comparisons and tags."""

import base64
import json
import re
import subprocess
import sys
import tempfile
import textwrap
import unittest
import warnings
from html.parser import HTMLParser
from pathlib import Path

import kedge
from kedge._display import verdict_in
from kedge._spec import document

# A monopolist with one product: buyers d − q, profit (d − q) q, so that the best price is half of the mean of d.
PRICES = {
    "model": {"decision": "q[1]", "state": "p[1]", "trait": "d[1]", "let": {"habit": 0.5}, "next": "habit*p + (1-habit)*(d - q)", "maximize": "dot(p, q)", "subject to": "0 <= q <= 10"},
    "population": {"size": 2, "law": "values", "values": [[3], [5]]},
    "start": {"law": "values", "values": [1]},
    "iterations": 50,
    "trials": 1,
    "algorithms": [{"name": "composite", "step": 0.1}],
}


class Tree(HTMLParser):
    """Whether tags are closed in order, and the texts and attributes between."""

    def __init__(self, text):
        super().__init__()
        self.open, self.texts, self.attributes, self.tags = [], [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag != "img":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag

    def handle_data(self, data):
        self.texts.append(data)


class Notebook(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.root = Path(cls.temporary.name)
        cls.lq2 = kedge.run("lq2", out=cls.root / "lq2", trials=2, iterations=30, tags=["quick", "baseline"])

    def refused(self, message, call, *args, **kwargs):
        with self.assertRaises(kedge.KedgeError) as caught:
            call(*args, **kwargs)
        self.assertIn(message, str(caught.exception))

    def test_specs_as_dicts(self):
        run = kedge.run(PRICES, name="monopoly", out=self.root / "monopoly")
        self.assertEqual(run.summary["case"], "monopoly")
        self.assertAlmostEqual(run.optimum.decision[0], 2, places=8)  # the mean of 3 and 5, halved
        self.assertIn("habit*p", run.spec)
        self.refused("name is '../x'", kedge.run, PRICES, name="../x", out=self.root / "wrong")
        self.refused("name= goes with a spec", kedge.run, "lq2", name="x", out=self.root / "wrong")
        self.refused("monopoly.yaml:18", kedge.run, {**PRICES, "trials": -1}, name="monopoly", out=self.root / "wrong")
        self.refused("iterations is a object", kedge.run, {**PRICES, "iterations": object()}, out=self.root / "wrong")
        self.assertFalse((self.root / "wrong").exists())

    def test_dicts_are_written_as_they_are(self):
        """YAML that JSON can say too is read back by JSON's own reader; the rest is compared with what YAML calls it."""
        odd = {"a b": "yes: no # {x}", "n": [1, 2.5, 1e-300, True, None, "né\n\t\"\\"], "m": [{"k": (1, 2)}, {"k": []}], "e": {}}
        lines = document(odd).splitlines()
        self.assertEqual(lines[0], '"a b": "yes: no # {x}"')
        self.assertEqual(json.loads(lines[1].split(": ", 1)[1]), odd["n"])
        self.assertEqual(lines[2:], ['"m":', '  - {"k": [1, 2]}', '  - {"k": []}', '"e": {}'])
        self.assertEqual(document({"a": {"b": float("inf"), "c": float("-inf"), "d": float("nan")}}), '"a":\n  "b": .inf\n  "c": -.inf\n  "d": .nan\n')

    def test_sweeps_as_dicts(self):
        sweep = kedge.sweep({"base": "lq2", "set": {"trials": 1, "iterations": 5}, "over": {"algorithms.vanilla.step": [0.01, 0.02]}}, name="steps", out=self.root / "steps")
        self.assertEqual(sweep.index["name"], "steps")
        shown = Tree(sweep._repr_html_())
        self.assertEqual(shown.open, [])
        self.assertIn("composite", shown.texts)
        self.assertIn("best algorithms.vanilla.step", shown.texts)

    def test_comparisons(self):
        met = kedge.compare("lq2", methods=["vanilla", "composite"], out=self.root / "met", trials=2, iterations=40, tune=False)
        self.assertEqual([m["method"] for m in met.problems[0]["methods"]], ["vanilla", "composite"])
        self.assertEqual(sorted(map(str, met.table()["method"])), ["composite", "vanilla"])
        self.assertIn("composite ends nearest", met.verdict.headline)
        shown = Tree(met._repr_html_())
        self.assertEqual(shown.open, [])
        self.assertIn("img", shown.tags)
        self.assertEqual(kedge.open_comparison(met.path).comparison, met.comparison)
        self.refused("holds a run, not a compare", kedge.open_comparison, self.lq2.path)
        self.refused("either a case", kedge.compare)
        self.refused("either a case", kedge.compare, "lq2", suite="classics")

    def test_runs_are_shown(self):
        text = self.lq2._repr_html_()
        shown = Tree(text)
        self.assertEqual(shown.open, [])
        self.assertIn(self.lq2.verdict.headline, shown.texts)
        for word in ["lq2", "composite", "optimum (proven)", "gap"]:
            self.assertIn(word, shown.texts)
        figure = re.search(r'src="data:image/svg\+xml;base64,([^"]+)"', text).group(1)
        self.assertEqual(base64.b64decode(figure), (self.lq2.path / "gap.svg").read_bytes())
        self.assertNotIn("http", re.sub(r'src="[^"]+"', "", text))

    def test_what_is_shown_is_escaped(self):
        evil = '<script>alert(1)</script>"&'
        run = kedge.run("lq2", set={"algorithms": [{"name": "x<b>&", "kind": "vanilla", "step": 0.1}]}, out=self.root / "evil", trials=1, iterations=5)
        shown = Tree(run._repr_html_())
        self.assertIn("x<b>&", shown.texts)
        self.assertEqual(shown.tags.count("b"), 2)  # the title and the verdict
        from kedge import _display

        page = _display.page(evil, evil, kedge.Verdict(evil, []), _display.table([evil], [[evil]]), [evil], None)
        self.assertNotIn("<script", page)
        self.assertEqual("".join(Tree(page).texts).count(evil), 6)

    def test_verdicts(self):
        said = verdict_in("# x\n\n## The verdict\n\n**a\\_b won.**\n\n- by 1\\*2\n- clearly\n\n## Methods\n\n- no\n")
        self.assertEqual((said.headline, said.reasons), ("a_b won.", ["by 1*2", "clearly"]))
        self.assertIsNone(verdict_in("# x\n\n## Methods\n"))

    def test_frames_of_whatever_is_there(self):
        program = textwrap.dedent("""
            import sys, warnings

            class Missing:
                def find_spec(self, name, path=None, target=None):
                    if name.split(".")[0] in sys.argv[2:]:
                        raise ModuleNotFoundError(name)

            sys.meta_path.insert(0, Missing())
            import kedge
            with warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always")
                frame = kedge.open(sys.argv[1]).frame()
            print(type(frame).__module__.split(".")[0], [str(w.message).split(",")[0] for w in said if "missing" in str(w.message)], [w.filename for w in said] == ["<string>"] * len(said))
            if type(frame) is kedge.Columns:
                print(repr(frame))
        """)

        def made(*missing):
            return subprocess.run([sys.executable, "-c", program, str(self.lq2.path), *missing], capture_output=True, text=True, check=True).stdout

        self.assertIn("kedge ['pandas", made("pandas", "polars", "pyarrow", "numpy"))
        self.assertIn("without pandas, polars or pyarrow: algorithm", made("pandas", "polars", "pyarrow"))
        for library, gone in [("pandas", []), ("polars", ["pandas"]), ("pyarrow", ["pandas", "polars"])]:
            try:
                __import__(library)
            except ImportError:
                continue
            out = made(*gone)
            self.assertTrue(out.startswith(library), out)
            self.assertEqual("pandas is missing" in out, bool(gone), out)
            self.assertIn("True", out)
        self.refused("library is 'excel'", self.lq2.frame, "excel")
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # a library that is named is no surprise
            for library in ("pandas", "polars", "pyarrow"):
                try:
                    __import__(library)
                except ImportError:
                    self.refused(f"there is no {library}", self.lq2.frame, library)
                else:
                    self.assertTrue(type(self.lq2.frame(library)).__module__.startswith(library))

    def test_tags(self):
        self.assertEqual(self.lq2.tags, ["baseline", "quick"])
        found = kedge.runs(self.root, tags=["quick"])
        self.assertEqual([Path(f["folder"]).name for f in found], ["lq2"])
        self.assertEqual(found[0]["best"]["method"], "composite")
        self.assertEqual(kedge.runs(self.root, tags=["quick"], case="choice"), [])
        self.assertEqual(kedge.runs(self.root, tags=["quick"], verify=True)[0]["state"], "verified")
        file = self.lq2.path / "tags.json"
        text = file.read_text()
        file.write_text(text.replace("quick", "quack"))
        self.refused("not as it was written", lambda: self.lq2.tags)
        file.write_text(text)
        self.refused("is no tag", kedge.run, "lq2", out=self.root / "wrong", tags=["a b"])


if __name__ == "__main__":
    unittest.main()
