package folder_test

import (
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/folder"
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
		Case: "small", Spec: "seed: 1\n", Seed: 1, Iterations: 10, Trials: 2, Individuals: 3, Build: folder.CurrentBuild(),
		Optimum: folder.Point{Decision: []float64{1, 1}}, Stable: folder.Point{Decision: []float64{2, 2}, Gap: 0.1},
		Runs: []folder.Run{{Name: "a", Planned: 2, Trials: []folder.Trial{trial(0), trial(1)}}},
	}
}

func sealed(t *testing.T, r *folder.Result) string {
	t.Helper()
	dir := t.TempDir()
	if err := r.Save(dir); err != nil {
		t.Fatal(err)
	}
	if err := r.Seal(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Whatever columns a series has come back by name, with what they mean.
func TestAReaderTakesWhateverColumnsThereAre(t *testing.T) {
	want := small()
	got, err := folder.Open(sealed(t, want))
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
	if _, err := folder.Open(dir); err == nil || !strings.Contains(err.Error(), "want the columns algorithm, trial and k") {
		t.Errorf("a series without k: %v", err)
	}
	list, err := folder.Verify(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range list {
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
	if s, n := folder.SpreadOfFinite(nil); n != 0 || !math.IsNaN(s.Mean+s.Min+s.Max) || folder.SpreadOf(nil) != nil {
		t.Errorf("of nothing: %+v of %d", s, n)
	}
}

// Of two processes one has the folder.
func TestLocksKeepOthersOut(t *testing.T) {
	dir := t.TempDir()
	mine, err := folder.Acquire(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := folder.Acquire(dir); err == nil || folder.Free(dir) == nil {
		t.Error("a second process took the folder")
	}
	mine.Release()
	if err := folder.Free(dir); err != nil {
		t.Error(err)
	}
}

// A folder that was begun and not finished is made again: what bears its names is its own, hidden or strange files are not.
func TestUnfinishedFoldersAreMadeAgain(t *testing.T) {
	dir := t.TempDir()
	put := func(name string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("{}"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := folder.KindCompare.Begin(dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{folder.CompareFile, "gap.svg", "." + folder.CompareFile + "-1", ".mine.svg", "thesis.tex"} {
		put(name)
	}
	err := folder.Manifest{Kind: folder.KindCompare}.Make(dir, folder.Contents{folder.CompareFile: folder.AsJSON("new")}, func(string) ([]string, error) { return nil, nil })
	if err != nil {
		t.Fatal(err)
	}
	m, err := folder.ReadManifest(dir)
	if err != nil || len(m.Files) != 1 || m.Files[folder.CompareFile].SHA256 == "" {
		t.Errorf("the manifest lists %v (%v)", m, err)
	}
	var left []string
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		left = append(left, e.Name())
	}
	if want := []string{".mine.svg", folder.CompareFile, "manifest.json", "thesis.tex"}; !slices.Equal(left, want) {
		t.Errorf("the folder holds %v, want %v", left, want)
	}
}
