package release

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// trial of an installed package: in Python alone, without Go.
const trial = `
import shutil, subprocess, sys, tempfile
from pathlib import Path
import kedge
from kedge._command import find_binary
assert shutil.which("go") is None and shutil.which("kedge") is None
assert Path(find_binary()).parent == Path(kedge.__file__).parent / "bin", find_binary()
with tempfile.TemporaryDirectory() as folder:
    run = kedge.run("polarized", out=Path(folder) / "run", trials=1, iterations=5, set={"population.size": 20, "population.dim": 3, "optimum.starts": 1})
    run.verify()
    assert len(run.answer.decision) == 3 and run.answer.text.startswith("Set "), run.answer
    assert run.summary["iterations"] == 5 and run.summary["individuals"] == 20
said = subprocess.run([sys.executable, "-m", "kedge", "version"], capture_output=True, text=True, check=True).stdout
script = subprocess.run([str(Path(sys.executable).parent / "kedge"), "version"], capture_output=True, text=True, check=True).stdout
assert said == script and said.startswith("kedge " + kedge.__version__), (said, script)
wrong = subprocess.run([sys.executable, "-m", "kedge", "sail"], capture_output=True, text=True)
assert wrong.returncode == 64 and "unknown command" in wrong.stderr, wrong
`

// What is released for this machine can be used without Go: the command of the archive starts, and the wheel runs in an empty
// environment. KEDGE_TORTURE=1 makes it for all targets, as users get it, twice.
func TestReleaseOfThisMachine(t *testing.T) {
	if testing.Short() {
		t.Skip("builds kedge")
	}
	if len(Host().tags()) == 0 {
		t.Skipf("no wheel for %v", Host())
	}
	o := Making{Root: "../..", Out: t.TempDir(), Platforms: []Platform{Host()}, Modified: true, Log: t.Output()}
	compiling := slices.DeleteFunc(strings.Fields(os.Getenv("GOFLAGS")), func(f string) bool { return strings.HasPrefix(f, "-count") }) // which go build has not
	o.flags = append(compiling, "-ldflags=-s -w")                                                                                       // compiled as for other tests, and small
	torture := os.Getenv("KEDGE_TORTURE") != ""
	if torture {
		o.Platforms, o.flags = Platforms(), []string{"-trimpath"}
	}
	o.Key = filepath.Join(t.TempDir(), "key")
	if err := NewKey(o.Key); err != nil {
		t.Fatal(err)
	}
	if err := o.make(t.Context()); err != nil {
		t.Fatal(err)
	}
	made := checkSums(t, o.Out)
	if c, err := Verify(o.Out, o.Key+".pub"); err != nil || len(c.Files) != 3*len(o.Platforms)-len(o.Platforms)/5 || len(c.Missing) != 0 { // no wheel for Windows
		t.Errorf("verified %+v, %v", c, err)
	}
	startArchive(t, o.Out, Host())
	installWheel(t, o.Out)
	if torture {
		if arm := (Platform{"linux", "arm64"}); arm != Host() {
			emulator, err := exec.LookPath("qemu-aarch64-static")
			if err != nil {
				t.Error("arm64 cannot be started here: ", err)
			} else {
				startArchive(t, o.Out, arm, emulator)
			}
		}
		o.Out, o.Root = t.TempDir(), elsewhere(t)
		if err := o.make(t.Context()); err != nil {
			t.Fatal(err)
		}
		if again := checkSums(t, o.Out); again != made {
			t.Errorf("the same tree at two places gives\n%s\nand\n%s", made, again)
		}
	}
}

// checkSums compares SHA256SUMS, which it returns, with the files beside it.
func checkSums(t *testing.T, dist string) string {
	t.Helper()
	list, err := os.ReadFile(filepath.Join(dist, "SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(dist)
	if lines := strings.Count(string(list), "\n"); err != nil || lines != len(files)-2 { // all but the list and its signature
		t.Errorf("%d files but %d checksums (%v)", len(files)-2, lines, err)
	}
	for line := range strings.Lines(string(list)) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		text, err := os.ReadFile(filepath.Join(dist, name))
		if got := fmt.Sprintf("%x", sha256.Sum256(text)); err != nil || got != sum {
			t.Errorf("%s has %s (%v), SHA256SUMS says %s", name, got, err, sum)
		}
	}
	return string(list)
}

// elsewhere is a copy of the tree at another place, whose path must not be in the programs.
func elsewhere(t *testing.T) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "kedge")
	inFolder(t, ".", "cp", "-a", "../..", to)
	return to
}

// startArchive unpacks the archive of a platform and has its program run something, by an emulator where one is given.
func startArchive(t *testing.T, dist string, on Platform, by ...string) {
	t.Helper()
	to, stem := t.TempDir(), on.stem("0.1.0")
	inFolder(t, to, "tar", "-xzf", filepath.Join(dist, stem+".tar.gz"))
	for file, want := range map[string]string{
		"LICENSE": "Apache License", "README.md": "# kedge", "CITATION.cff": "cff-version", "command.md": "## kedge run",
		"completions/kedge.bash": "__start_kedge", "completions/_kedge": "#compdef kedge", "completions/kedge.fish": "complete -c kedge",
	} {
		text, err := os.ReadFile(filepath.Join(to, stem, file))
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s has no %q (%v)", file, want, err)
		}
	}
	kedge := append(by, filepath.Join(to, stem, "kedge"))
	typed := func(args string) string {
		return inFolder(t, to, kedge[0], append(kedge[1:], strings.Fields(args)...)...)
	}
	if out := typed("version"); !strings.HasPrefix(out, "kedge 0.1.0 "+on.Arch) {
		t.Error(out)
	}
	if out := typed("run lq2 --no-check --trials 1 --iterations 5 --out run"); !strings.Contains(out, "optimum: proven") {
		t.Error(out)
	}
}

// installWheel installs the wheel where nothing else is, and tries it with no Go on the path.
func installWheel(t *testing.T, dist string) {
	t.Helper()
	python := os.Getenv("KEDGE_PYTHON")
	if python == "" {
		python = "python3"
	}
	found, err := exec.Command(python, "-c", "import ensurepip, venv, sys; print(sys.executable)").Output()
	if err != nil {
		t.Skip("no Python that can make an environment; set KEDGE_PYTHON to one")
	}
	place := filepath.Join(t.TempDir(), "venv")
	inFolder(t, dist, strings.TrimSpace(string(found)), "-m", "venv", place)
	wheels, err := filepath.Glob(filepath.Join(dist, "*"+Host().tags()[0]+"*.whl"))
	if err != nil || len(wheels) != 1 {
		t.Fatal(wheels, err)
	}
	own := filepath.Join(place, "bin", "python")
	inFolder(t, place, own, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index", wheels[0])
	inFolder(t, place, "env", "PATH=/nowhere", own, "-c", trial)
}

// inFolder runs a command with the programs of the system alone.
func inFolder(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), name, args...)
	c.Dir = dir
	c.Env = []string{"PATH=/usr/bin:/bin", "HOME=" + t.TempDir()}
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}
