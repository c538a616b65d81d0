package folder_test

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/disk"
	"github.com/kedge-opt/kedge/internal/room"
	"github.com/kedge-opt/kedge/loop"
)

// small is a result of two trials with a column that kedge knows and one that it does not.
func small() *folder.Result {
	foreign := kedge.Column{Name: "spending", Unit: "€", Label: "what it spends", Chart: "spending", Title: "Spending", Better: kedge.Smaller}
	columns := []kedge.Column{loop.Describe("gap"), foreign, loop.Describe("excess_1")}
	trial := func(i int) folder.Trial {
		m := folder.NewMeasured(columns, 2)
		m.Add(0, []float64{1, 2, -3})
		m.Add(10, []float64{0.5, float64(i), -4})
		return folder.Trial{Index: i, Measured: m, Decision: []float64{1, float64(i)}, Finished: true}
	}
	return &folder.Result{
		Case: "small", Spec: "seed: 1\n", Seed: 1, Iterations: 10, Trials: 2, Individuals: 3, Identity: folder.CurrentIdentity(nil),
		Optimum: folder.Point{Decision: []float64{1, 1}}, Stable: folder.Point{Decision: []float64{2, 2}, Gap: 0.1},
		Runs: []folder.Run{{Name: "a", Planned: 2, Trials: []folder.Trial{trial(0), trial(1)}}},
	}
}

func taken(t *testing.T, k folder.Kind, dir string) *folder.Taken {
	t.Helper()
	c, err := k.Take(dir)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func sealed(t *testing.T, r *folder.Result) string {
	t.Helper()
	dir := t.TempDir()
	c := taken(t, folder.KindRun, dir)
	defer c.Release()
	if err := r.Save(c, nil); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Whatever columns a series has come back by name, with what they mean.
func TestAReaderTakesWhateverColumnsThereAre(t *testing.T) {
	want := small()
	got, err := folder.Open(t.Context(), sealed(t, want), folder.Verified)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got.Runs, want.Runs) {
		t.Errorf("%+v came back as %+v", want.Runs, got.Runs)
	}
	if a, b := got.Runs[0].Final("spending"), []float64{0, 1}; !reflect.DeepEqual(a, b) {
		t.Errorf("spending ends at %v, want %v", a, b)
	}
}

// What is not there is nothing, not a mistake.
func TestAbsentColumns(t *testing.T) {
	trial := small().Runs[0].Trials[0]
	if trial.Of("value") != nil || trial.Has("value") || !math.IsNaN(trial.Last("value")) || trial.Last("gap") != 0.5 {
		t.Errorf("value is %v, the last gap %v", trial.Of("value"), trial.Last("gap"))
	}
	if got := len((&folder.Result{}).Columns()); got != 9 {
		t.Errorf("a result without trials has %d columns, want the nine of every series", got)
	}
}

// A series without its turns is refused.
func TestSeriesWithoutTurnsAreRefused(t *testing.T) {
	dir := sealed(t, small())
	f, err := os.Create(filepath.Join(dir, "series.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	table := folder.Table{Columns: []folder.Column{{Name: "algorithm", Text: []string{"a"}}, {Name: "trial", Numbers: []float64{0}}, {Name: "gap", Numbers: []float64{1}}}}
	if err := table.WriteParquet(f); err != nil {
		t.Fatal(err)
	}
	f.Close()
	if _, err := folder.Open(t.Context(), dir, folder.Unverified); err == nil || !strings.Contains(err.Error(), "want the columns algorithm, trial and k") {
		t.Errorf("a series without k: %v", err)
	}
	if _, err := folder.Open(t.Context(), dir, folder.Verified); !errors.Is(err, folder.ErrChanged) || !strings.Contains(err.Error(), "series.parquet") {
		t.Errorf("another series: %v", err)
	}
	found, err := folder.Verify(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range found.Files {
		if (c.Problem != "") != (c.File == "series.parquet") {
			t.Errorf("%s: %q", c.File, c.Problem)
		}
	}
}

// A spread by hand; one number that is not finite spoils that of all, and not that of the finite ones.
func TestSpreads(t *testing.T) {
	if s := folder.SpreadOf([]float64{1, 2, 6}); math.Abs(s.Mean-3) > 1e-15 || s.Min != 1 || s.Max != 6 {
		t.Errorf("%+v", s)
	}
	some := []float64{1, math.NaN(), 3, math.Inf(1)}
	if s, n := folder.SpreadOfFinite(some); folder.SpreadOf(some) != nil || s != (folder.Spread{Mean: 2, Min: 1, Max: 3}) || n != 2 {
		t.Errorf("%+v of %d", s, n)
	}
	for _, end := range []float64{math.Inf(1), math.Inf(-1)} {
		if s := folder.SpreadOf([]float64{1, end}); s != nil {
			t.Errorf("with %v: %+v", end, s)
		}
	}
	if s, n := folder.SpreadOfFinite(nil); n != 0 || !math.IsNaN(s.Mean+s.Min+s.Max) || folder.SpreadOf(nil) != nil {
		t.Errorf("of nothing: %+v of %d", s, n)
	}
}

// Of two writers one has the folder, from the first look to the seal.
func TestLocksKeepOthersOut(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made", "for", "it")
	mine := taken(t, folder.KindRun, dir)
	if _, err := folder.KindRun.Take(dir); !errors.Is(err, disk.ErrInUse) || !strings.Contains(err.Error(), fmt.Sprint("process ", os.Getpid())) {
		t.Errorf("a second writer: %v", err)
	}
	mine.Release()
	if _, err := os.Stat(filepath.Dir(filepath.Dir(dir))); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a writer that wrote nothing leaves folders: %v", err)
	}
	taken(t, folder.KindRun, dir).Release()
}

// put writes files of somebody else.
func put(t *testing.T, dir string, names ...string) {
	t.Helper()
	for _, name := range names {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte("mine"), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
}

// Only what the sealed list names is kedge's: figures, hidden files and folders of others stay, whatever they are called.
func TestFilesOfOthersStay(t *testing.T) {
	dir := sealed(t, small())
	others := []string{"mine.svg", "table.csv", ".hidden", ".git/HEAD", "sub/x.pdf", ".kedge/notes.txt"}
	put(t, dir, others...)
	c := taken(t, folder.KindRun, dir)
	if err := small().Save(c, map[string][]byte{"gap.svg": []byte("<svg/>")}); err != nil {
		t.Fatal(err)
	}
	c.Release()
	c = taken(t, folder.KindRun, dir)
	if err := small().Save(c, nil); err != nil {
		t.Fatal(err)
	}
	c.Release()
	for _, name := range others {
		if text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name))); err != nil || string(text) != "mine" {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "gap.svg")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a figure that the new result does not have: %v", err)
	}
	found, err := folder.Verify(t.Context(), dir)
	if err != nil || !slices.Equal(found.Strange, []string{".git", ".hidden", "mine.svg", "sub", "table.csv"}) {
		t.Errorf("strange are %v (%v)", found, err)
	}
}

// A file that has a name which a result needs is not overwritten.
func TestNamesThatAreTakenAreRefused(t *testing.T) {
	dir := sealed(t, small())
	put(t, dir, "gap.svg", "report.md")
	if _, err := folder.KindRun.Take(dir); err == nil || !strings.Contains(err.Error(), "report.md is there and kedge has not written it") {
		t.Errorf("another's report.md: %v", err)
	}
	os.Remove(filepath.Join(dir, "report.md"))
	c := taken(t, folder.KindRun, dir)
	defer c.Release()
	if err := small().Save(c, map[string][]byte{"gap.svg": []byte("<svg/>")}); err == nil || !strings.Contains(err.Error(), "gap.svg is there") {
		t.Errorf("another's gap.svg: %v", err)
	}
	if text, _ := os.ReadFile(filepath.Join(dir, "gap.svg")); string(text) != "mine" {
		t.Errorf("gap.svg holds %q", text)
	}
}

// A manifest that names a file through a link cannot make kedge remove it.
func TestLinksLeadNowhere(t *testing.T) {
	outside, dir := t.TempDir(), sealed(t, small())
	put(t, outside, "x.svg")
	if err := os.Symlink(outside, filepath.Join(dir, "sub")); err != nil {
		t.Skip(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	before := string(text)
	bare := regexp.MustCompile(`(?s),\n  "sha256": "[0-9a-f]{64}"\n}\n$|"code": {.*?},\n|"inputs": {.*?},\n`).ReplaceAllString(before, "")
	bare = strings.Replace(bare, `"format": 2`, `"format": 1`, 1) + "\n}\n"
	bare = strings.Replace(bare, `"series.csv"`, `"sub/x.svg"`, 1)
	if err := os.WriteFile(filepath.Join(dir, "manifest.json"), []byte(bare), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := folder.KindRun.Take(dir); err == nil || !strings.Contains(err.Error(), `files names "sub/x.svg"`) {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(filepath.Join(outside, "x.svg")); err != nil {
		t.Error(err)
	}
}

// Every byte of a manifest counts.
func TestEveryByteOfAManifestCounts(t *testing.T) {
	dir := sealed(t, small())
	path := filepath.Join(dir, "manifest.json")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range text {
		flipped := slices.Clone(text)
		flipped[i] ^= 1 << (i % 8)
		if err := os.WriteFile(path, flipped, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := folder.ReadManifest(dir); err == nil {
			t.Fatalf("a flip in byte %d (%q) goes unseen", i, text[max(0, i-20):i+1])
		}
	}
}

// A process that only looked whether it can write, and died, is no user whose files would be in the way.
func TestAttemptsAreNotInTheWay(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, room.Attempt+"1")
	c, err := folder.KindRun.Take(dir)
	if err != nil {
		t.Fatal(err)
	}
	c.Release()
	put(t, dir, "mine.txt")
	if _, err := folder.KindRun.Take(dir); !errors.Is(err, folder.ErrNotOurs) {
		t.Errorf("a folder with a file of the user is taken: %v", err)
	}
}
