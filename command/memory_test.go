package command

import (
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/internal/room"
	"github.com/kedge-opt/kedge/lab"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
)

// limit sets how much memory there is for a test.
func limit(t *testing.T, bytes int64) {
	t.Helper()
	before := debug.SetMemoryLimit(bytes)
	t.Cleanup(func() { debug.SetMemoryLimit(before) })
}

// What asks for more memory than there is is refused before anybody is drawn, with the key and the figures, and writes nothing. Trials of
// 2³¹−1 took 274 GB, and the process died with the exit code that says that nothing was written.
func TestTooMuchIsRefusedFirst(t *testing.T) {
	t.Chdir(t.TempDir())
	limit(t, 4<<30)
	if err := os.WriteFile("sweep.yaml", []byte("base: lq2\nover:\n  trials: [1, 2147483647]\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("crowds.yaml", []byte("base: polarized\nover:\n  population.size: [10, 100000000]\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for args, key := range map[string]string{
		"run lq2 --trials 2147483647":                                     "trials",
		"run lq2 --set trials=2147483647":                                 "trials",
		"run lq2 --iterations 2147483647 --set record.every=1":            "record.every",
		"run polarized --set population.size=100000000":                   "population.size",
		"check polarized --set population.size=100000000":                 "population.size",
		"certify polarized --set population.size=100000000":               "population.size",
		"compare polarized --set population.size=100000000":               "population.size",
		"compare lq2 --set trials=2147483647":                             "trials",
		"sweep sweep.yaml":                                                "trials",
		"sweep crowds.yaml":                                               "population.size",
		"run polarized --published --set trials=2147483647":               "trials",
		"run lq2 --set population.size=4 --trials 1000000 --memory 100MB": "trials",
	} {
		limit(t, 4<<30) // --memory sets another
		out, code := command(t, strings.Fields(args)...)
		if code != exitUsage || !strings.Contains(out, key+" asks for too much: about ") || !strings.Contains(out, "--memory") {
			t.Errorf("kedge %s: exit code %d, %q; want %d and a word about %s", args, code, out, exitUsage, key)
		}
	}
	if left, _ := filepath.Glob("runs*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// A size is a whole number of bytes, one at least and below 2⁶²: that is 4194304 TiB.
func TestMemorySizes(t *testing.T) {
	for text, want := range map[string]int64{"30GB": 30e9, "2GiB": 2 << 30, "1KiB": 1 << 10, "3MiB": 3 << 20, "1TiB": 1 << 40, "5kB": 5e3, "1TB": 1e12, "1.5 MB": 1.5e6, "12B": 12, "": 0, "30": 0, "-1GB": 0, "nanGB": 0, "infGB": 0, "1e30TB": 0,
		"1B": 1, "0.99B": 0, "0.001kB": 1, "0B": 0, "B": 0, "GB": 0, "1mB": 0, "2GBB": 0, "4194303TiB": 1<<62 - 1<<40, "4194304TiB": 0} {
		if got, err := parseSize(text); got != want || (err == nil) != (want > 0) {
			t.Errorf("%q: %d, %v; want %d", text, got, err, want)
		}
	}
}

// A folder that cannot be written is told before anything is computed: the runs here would take hours.
func TestUnwritableFoldersAreToldFirst(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("file", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("sweep.yaml", []byte("base: polarized\nover:\n  hold: [1000, 2000]\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, code := command(t, append([]string{"run", "lq2", "--out", "done", "--quiet"}, "--iterations", "5", "--trials", "1")...); code != 0 {
		t.Fatal(out)
	}
	for _, args := range []string{
		"run polarized --iterations 1000000 --out file/below", "study theorem-11 --out file/below", "compare polarized --iterations 1000000 --out file/below",
		"sweep sweep.yaml --out file/below", "merge file/below a b", "report done --out file/below", "plot done --out file/below/p.svg",
	} {
		out, code := command(t, strings.Fields(args)...)
		if code != exitUsage || !strings.Contains(out, "file") {
			t.Errorf("kedge %s: exit code %d, %q", args, code, out)
		}
	}
}

func TestADiskThatIsTooSmall(t *testing.T) {
	if !room.Disk(".").Known() {
		t.Skip("nobody knows how much room there is on a disk here")
	}
	s, err := problem.Parse(kind.Standard(), "lq2", must(problem.Case("lq2")), problem.Assign("iterations=2000000000"), problem.Assign("trials=2000000"), problem.Assign("record.every=1"))
	if err != nil {
		t.Fatal(err)
	}
	// 28 bytes a number, 11 and more numbers a turn, 2·10⁹ turns: more than any disk has.
	if err := fitsDisk(".", lab.DiskNeed(s)); err == nil || lab.DiskNeed(s) < 28*11*2e9*2e6 {
		t.Errorf("%v for %g bytes", err, lab.DiskNeed(s))
	}
	if err := fitsDisk(".", 1); err != nil {
		t.Error(err)
	}
}

// A file system without blocks, as that of the processes on Linux, does not say how much room it has: then anything fits.
func TestADiskOfWhichNobodyKnows(t *testing.T) {
	const dir = "/proc/kedge"
	if have := room.Disk(dir); have.Known() {
		t.Skipf("this one has %+v", have)
	}
	for _, need := range []float64{0, 1, 1e30} {
		if err := fitsDisk(dir, need); err != nil {
			t.Errorf("%g bytes: %v", need, err)
		}
	}
}

func must(text []byte, ok bool) []byte {
	if !ok {
		panic("no such case")
	}
	return text
}

// The estimate of a run is within a factor of about two of what the process took at most.
func TestEstimatesAreNear(t *testing.T) {
	if runtime.GOOS != "linux" || testing.Short() {
		t.Skip("the peak is measured by Linux, in the long tier")
	}
	runs := []string{
		"lq2 --trials 1 --iterations 5",
		"lq2 --trials 5000 --iterations 20",
		"lq2 --trials 40 --iterations 4000 --set record.every=1",
	}
	if evidence.Whole() { // of 400 000 people the optimum takes longest
		runs = append(runs, "lq2 --trials 1 --iterations 2 --set population={size:400000,dim:2,law:normal} --set optimum.starts=1")
	}
	for _, args := range runs {
		c, out := process(t, append(append([]string{"run"}, strings.Fields(args)...), "--quiet", "--no-check", "--workers", "2", "--out", filepath.Join(t.TempDir(), "o"))...)
		peak, err := runPeak(c)
		if err != nil {
			t.Fatalf("%s: %v %s", args, err, out)
		}
		words := strings.Fields(args)
		root := newRoot(kind.Standard())
		run, _, _ := root.Find([]string{"run"})
		if err := run.ParseFlags(words[1:]); err != nil {
			t.Fatal(err)
		}
		f := specFlags{kinds: kind.Standard()}
		f.sets, _ = run.Flags().GetStringArray("set")
		s, _, _, err := f.load(run, words[0])
		if err != nil {
			t.Fatal(err)
		}
		estimated := lab.Need(s, 2).Bytes()
		t.Logf("%s: estimated %s, measured %s", args, room.Size(estimated), room.Size(peak))
		if ratio := estimated / peak; ratio < 0.45 || ratio > 2.2 {
			t.Errorf("%s: estimated %s, measured %s", args, room.Size(estimated), room.Size(peak))
		}
	}
}
