"""What is handed out is what was written: damage, strange files and manifests of others."""

import hashlib
import json
import os
import random
import shutil
import tempfile
import unittest
from pathlib import Path

import kedge
from kedge._sealed import is_file_name, without_sum


def numbers(columns):
    """Columns or arrays as text with all their bits."""
    flat = lambda v: [flat(x) for x in v] if hasattr(v, "__len__") and not isinstance(v, str) else v.hex() if isinstance(v, float) else str(v)
    return {name: flat(v.tolist() if hasattr(v, "tolist") else v) for name, v in columns.items()}


def told_by(folder):
    """Everything that a run tells."""
    run = kedge.open(folder)
    return [run.manifest, run.spec, run.summary, run.times, numbers(run.series()), numbers(run.arrays()), run.files, repr(run.optimum), repr(run.rests)]


def seal(manifest):
    """A manifest with its own checksum, as kedge writes it."""
    bare = json.dumps({k: v for k, v in manifest.items() if k != "sha256"}, indent=2).encode() + b"\n"
    return bare[: -len("\n}\n")] + b',\n  "sha256": "' + hashlib.sha256(bare).hexdigest().encode() + b'"\n}\n'


class Sealed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.root = Path(cls.temporary.name)
        cls.whole = kedge.run("lq2", out=cls.root / "whole", trials=2, iterations=20).path
        (cls.root / "grid.yaml").write_text("base: lq2\nset: {trials: 1, iterations: 5}\nover:\n  hold: [1, 2]\n")
        cls.grid = kedge.sweep(cls.root / "grid.yaml", out=cls.root / "grid").path

    def copy(self, of):
        place = Path(tempfile.mkdtemp(dir=self.root)) / "out"
        shutil.copytree(of, place)
        return place

    def refused(self, message, call, *args, **kwargs):
        with self.assertRaises(kedge.KedgeError) as caught:
            call(*args, **kwargs)
        self.assertIn(message, str(caught.exception))

    def test_flipped_bits_change_nothing_that_is_told(self):
        told, chance, refusals = told_by(self.whole), random.Random(14), 0
        files = sorted(p.name for p in self.whole.iterdir())
        folder = self.copy(self.whole)
        for i in range(120):
            path = folder / files[i % len(files)]
            raw = path.read_bytes()
            bit = chance.randrange(8 * len(raw))
            path.write_bytes(raw[: bit // 8] + bytes([raw[bit // 8] ^ 1 << bit % 8]) + raw[bit // 8 + 1 :])
            try:
                self.assertEqual(told_by(folder), told, f"bit {bit} of {path.name}")
            except kedge.KedgeError:
                refusals += 1
            with self.assertRaises(kedge.KedgeError, msg=f"bit {bit} of {path.name}"):
                kedge.open(folder).verify()
            path.write_bytes(raw)
        self.assertGreater(refusals, 30)
        self.assertEqual(told_by(folder), told)

    def test_cells_are_checked_through_their_sweep(self):
        name = kedge.open_sweep(self.grid).index["cells"][0]["cell"]
        for file, read in [
            ("cells.json", lambda s: s.index),
            ("table.csv", lambda s: s.table()),
            (f"cells/{name}/manifest.json", lambda s: s.cell(name)),
            (f"cells/{name}/summary.json", lambda s: s.cell(name).summary),
            (f"cells/{name}/series.parquet", lambda s: s.cell(name).series()),
        ]:
            folder = self.copy(self.grid)
            with (folder / file).open("ab") as f:
                f.write(b" ")
            sweep = kedge.open_sweep(folder)
            self.refused("not as it was written", read, sweep)
            self.refused(file, sweep.verify)
        folder = self.copy(self.grid)
        inner = folder / "cells" / name / "manifest.json"
        inner.write_bytes(seal({**json.loads(inner.read_text()), "seed": 77}))  # sealed, but not by this sweep
        self.refused("not as it was written", kedge.open_sweep(folder).cell, name)
        self.refused("the manifest does not list it", kedge.open_sweep(self.grid).cell, "../../whole")

    def test_manifests_are_strict(self):
        manifest = json.loads((self.whole / "manifest.json").read_text())
        some = {"bytes": 1, "sha256": "0" * 64}
        for message, change in [
            ("unknown field extra", {"extra": 1}),
            ("unknown field build.extra", {"build": {**manifest["build"], "extra": 1}}),
            ("code is", {"code": 1}),
            ("has no checksum", {"files": {"summary.json": {}}}),
            ("unknown field files.summary.json.sha257", {"files": {"summary.json": {"bytes": 1, "sha257": "0" * 64}}}),
            ("files names", {"files": {"../whole/summary.json": some}}),
            ("files names", {"files": {"/etc/hostname": some}}),
            ("files are missing", {"files": {}}),
            ("holds a sweep", {"kind": "sweep"}),
            ("format is 3", {"format": 3}),
        ]:
            folder = self.copy(self.whole)
            (folder / "manifest.json").write_bytes(seal({**manifest, **change}))
            self.refused(message, kedge.open, folder)
        folder = self.copy(self.whole)
        (folder / "manifest.json").write_bytes(seal({k: v for k, v in manifest.items() if k != "inputs"}))
        self.refused("inputs is missing", kedge.open, folder)
        for text in [b"", b"[]", b"{", b"[" * 100000, b'{"format": 2, "format": 2}', b"\xff"]:
            (folder / "manifest.json").write_bytes(text)
            self.refused("manifest.json", kedge.open, folder)

    def test_names_stay_in_the_folder(self):
        for name in ["summary.json", "cells/00ff/manifest.json"]:
            self.assertTrue(is_file_name(name), name)
        for name in ["", ".", "..", ".x", "a/b", "../x", "/x", "cells/../manifest.json", "cells/a/b", "a\\b", "manifest.json", "c:x", "a\0"]:
            self.assertFalse(is_file_name(name), name)

    @unittest.skipIf(os.name == "nt", "no links")
    def test_links_out_are_refused(self):
        folder = self.copy(self.whole)
        (folder / "summary.json").unlink()
        (folder / "summary.json").symlink_to(self.whole / "summary.json")  # the same bytes, but of another folder
        self.refused("leads out of the folder", lambda: kedge.open(folder).summary)
        (folder / "manifest.json").unlink()
        (folder / "manifest.json").symlink_to("manifest.json")
        self.refused("manifest.json", kedge.open, folder)

    @unittest.skipUnless(hasattr(os, "mkfifo"), "no pipes")
    def test_pipes_are_refused_at_once(self):
        for name in ["summary.json", "manifest.json"]:
            for verified in [True, False]:
                folder = self.copy(self.whole)
                (folder / name).unlink()
                os.mkfifo(folder / name)
                self.refused("is no plain file", lambda: kedge.open(folder, verified=verified).summary)

    def test_results_on_their_way_are_refused(self):
        folder = self.copy(self.whole)
        (folder / ".kedge" / "commit").mkdir(parents=True)
        (folder / ".kedge" / "commit" / "manifest.json").write_bytes(b"{}")
        self.refused("kedge verify", kedge.open, folder)
        self.refused("kedge verify", kedge.open, folder, verified=False)

    def test_folders_of_the_first_format_open(self):
        folder = self.copy(self.whole)
        manifest = json.loads((folder / "manifest.json").read_text())
        old = {k: v for k, v in manifest.items() if k not in ("code", "inputs", "sha256")}
        old["format"], old["build"] = 1, {k: v for k, v in manifest["build"].items() if k != "numeric"}
        (folder / "manifest.json").write_text(json.dumps(old, indent=2))
        (folder / "times.json").write_bytes(without_sum((folder / "times.json").read_bytes()))
        run = kedge.open(folder)
        self.assertEqual((run.summary, sorted(run.times)), (kedge.open(self.whole).summary, ["device", "finished", "seconds", "started"]))
        run.verify()
        (folder / "series.csv").write_bytes(b"x")
        self.refused("not as it was written", run.series)


if __name__ == "__main__":
    unittest.main()
