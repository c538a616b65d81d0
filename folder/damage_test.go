package folder_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/disk"
	"github.com/kedge-opt/kedge/internal/wire"
)

// All that a result says comes back from its folder: nothing of it is zero, so that nothing can be forgotten.
func TestAllOfAResultComesBack(t *testing.T) {
	point := func(v float64) folder.Point {
		return folder.Point{Value: v, Gap: v + 1, Distance: v + 2, Residual: 1e-9, Starts: 3, Spread: 0.5, Decision: []float64{v, 2}, Exact: []bool{true, false}}
	}
	want, one, other := small(), point(10), point(20)
	want.Partial, want.Maximize, want.Optimum, want.Stable, want.Rests, want.Equilibrium = true, true, point(1), point(2), []folder.Point{point(2), point(3)}, &one
	want.Reference, want.OverDraws = &folder.Reference{Steps: 4, Optimum: point(5), True: point(6)}, &folder.OverDraws{Draws: 7, Robust: other}
	want.Names = kedge.Names{Symbol: "q", Decision: []kedge.Called{{Name: "price", Unit: "EUR"}, {Name: "rate"}}}
	want.Answer, want.Notes = &folder.Advice{Text: "Set it.", Source: "optimum"}, []string{"first", "second"}
	want.Sections, want.Diagnoses = []folder.Section{{ID: "a", Title: "b", Verdict: "c", Text: "d", Columns: []string{"e"}, Rows: [][]string{{"f"}}}}, []folder.Diagnosis{{Method: "a", Check: "b", Text: "c", Remedy: "d"}}
	want.Identity = folder.CurrentIdentity(map[string]string{"people.csv": "1"})
	want.Angles = &folder.Angles{Initial: []float64{1}, Optimal: []float64{2}, Final: map[string][]float64{}}
	want.Started, want.Finished, want.Device = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), time.Date(2026, 1, 2, 3, 4, 6, 0, time.UTC), "cpu"
	want.Runs[0].Seconds = 2.5
	for v, i := reflect.ValueOf(*want), 0; i < v.NumField(); i++ {
		if v.Field(i).IsZero() {
			t.Errorf("%s is new: fill it in here", v.Type().Field(i).Name)
		}
	}
	got, err := folder.Open(t.Context(), sealed(t, want), folder.Verified)
	if err != nil {
		t.Fatal(err)
	}
	for a, b, i := reflect.ValueOf(*got), reflect.ValueOf(*want), 0; i < a.NumField(); i++ {
		if !reflect.DeepEqual(a.Field(i).Interface(), b.Field(i).Interface()) {
			t.Errorf("%s was %+v, and is %+v", a.Type().Field(i).Name, b.Field(i).Interface(), a.Field(i).Interface())
		}
	}
}

// What is wrong with a folder, or with a cell in it, is listed by the name of the file, quickly and after all was read.
func TestListNamesWhatIsWrong(t *testing.T) {
	remove := func(name string) func(dir string) error {
		return func(dir string) error { return os.Remove(filepath.Join(dir, name)) }
	}
	replace := func(name string) func(dir string) error {
		return func(dir string) error {
			return errors.Join(remove(name)(dir), os.Mkdir(filepath.Join(dir, name), 0o755))
		}
	}
	write := func(name, text string) func(dir string) error {
		return func(dir string) error { return os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600) }
	}
	for name, x := range map[string]struct {
		make         func() string
		change       func(dir string) error
		quick, whole string
	}{
		"a missing file":      {func() string { return sealed(t, small()) }, remove("series.csv"), "series.csv: missing", "series.csv: missing"},
		"a folder for it":     {func() string { return sealed(t, small()) }, replace("series.csv"), "series.csv: is no plain file", "series.csv: "},
		"no summary":          {func() string { return sealed(t, small()) }, write("summary.json", "{"), "summary.json", "summary.json"},
		"other times":         {func() string { return sealed(t, small()) }, write("times.json", "{}"), "times.json", "times.json"},
		"tags of nobody":      {func() string { return sealed(t, small()) }, write("tags.json", "{}"), "tags.json", "tags.json"},
		"a cell's file":       {func() string { return sweepNamed(t, "ab") }, remove("cells/b/summary.json"), "cells/b/summary.json: missing", "cells/b/summary.json: missing"},
		"a cell's manifest":   {func() string { return sweepNamed(t, "ab") }, remove("cells/b/manifest.json"), "cells/b/manifest.json: missing", "cells/b/manifest.json: missing"},
		"such of other bytes": {func() string { return sweepNamed(t, "ab") }, write("cells/a/manifest.json", "{}"), "cells/a/manifest.json: ", "cells/a/manifest.json: "},
	} {
		dir := x.make()
		if err := x.change(dir); err != nil {
			t.Fatal(name, err)
		}
		for verify, want := range map[bool]string{false: x.quick, true: x.whole} {
			l := listOf(t, verify, dir)
			if len(l.Folders) != 1 || l.Folders[0].State != folder.SomeChanged || !slices.ContainsFunc(l.Folders[0].Problems, func(said string) bool { return strings.Contains(said, want) }) {
				t.Errorf("%s, verified %v: %+v, want %q", name, verify, l, want)
			}
		}
	}
}

// Of several files that are wrong, all are listed, by name.
func TestListSortsWhatIsWrong(t *testing.T) {
	dir := sealed(t, small())
	want := []string{"series.csv: missing", "series.parquet: missing", "spec.yaml: missing", "summary.json: missing"}
	for _, said := range want {
		if err := os.Remove(filepath.Join(dir, strings.TrimSuffix(said, ": missing"))); err != nil {
			t.Fatal(err)
		}
	}
	put(t, dir, "report.html") // so that it is a result
	for range 5 {
		if l := listOf(t, false, dir); len(l.Folders) != 1 || !slices.Equal(l.Folders[0].Problems[len(l.Folders[0].Problems)-len(want):], want) {
			t.Fatalf("%+v", l)
		}
	}
}

// A series, decisions or an index that do not go together are refused by what they are, though every checksum is right.
func TestPartsOfAResultGoTogether(t *testing.T) {
	trials := func(n int) *folder.Result {
		r := small()
		for len(r.Runs[0].Trials) < n {
			r.Runs[0].Trials = append(r.Runs[0].Trials, r.Runs[0].Trials[0])
		}
		return r
	}
	whole, more := sealed(t, trials(2)), sealed(t, trials(3))
	text, err := os.ReadFile(filepath.Join(more, "series.parquet"))
	if err == nil {
		err = os.WriteFile(filepath.Join(whole, "series.parquet"), text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := folder.Open(t.Context(), whole, folder.Verified); !errors.Is(err, folder.ErrChanged) {
		t.Errorf("other bytes: %v", err)
	}
	if _, err := folder.Open(t.Context(), whole, folder.Unverified); err == nil || !strings.Contains(err.Error(), "has shape [2 2], the series have 3 trials") {
		t.Errorf("a series with another trial: %v", err)
	}
	grid := sweepNamed(t, "ab")
	index := filepath.Join(grid, "cells.json")
	text, err = os.ReadFile(index)
	if err != nil {
		t.Fatal(err)
	}
	for was, now := range map[string]string{"\"seed\"\n": "\"seed\", \"more\"\n", `"a"`: `"nosuch"`} {
		if err := os.WriteFile(index, []byte(strings.Replace(string(text), was, now, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := folder.OpenSweep(t.Context(), grid, folder.Unverified); err == nil || !strings.Contains(err.Error(), "values, there are 2 keys") && !strings.Contains(err.Error(), "nosuch") {
			t.Errorf("with %s: %v", now, err)
		}
	}
}

// A saved trial whose columns are of another length than its turns is refused, and nothing of it is taken.
func TestTrialsOfOneLength(t *testing.T) {
	for values, ok := range map[int]bool{2: true, 1: false, 3: false} {
		m := folder.NewMeasured([]kedge.Column{{Name: "gap"}}, 2)
		m.Add(0, []float64{1})
		m.Add(1, []float64{1})
		m.Values[0] = make([]float64, values)
		data, err := (&folder.Trial{Index: 4, Measured: m, Decision: []float64{1}}).AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		var damaged *wire.Error
		var back folder.Trial
		if err := back.UnmarshalBinary(data); (err == nil) != ok || !ok && (!errors.As(err, &damaged) || !strings.Contains(err.Error(), "column gap") || back.Index != 0 || back.Decision != nil) {
			t.Errorf("%d values of two turns: %v, %+v", values, err, back)
		}
	}
}

// Columns without a name, a meaning or a number come back, however many.
func TestEmptyColumnsComeBack(t *testing.T) {
	m := folder.NewMeasured(make([]kedge.Column, 100), 0)
	data, err := (&folder.Trial{Measured: m}).AppendBinary(nil)
	var back folder.Trial
	if err == nil {
		err = back.UnmarshalBinary(data)
	}
	if err != nil || len(back.Columns) != 100 || len(back.Values) != 100 {
		t.Errorf("%d columns come back: %v", len(back.Columns), err)
	}
}

// A cell that is pruned goes, but for what somebody has put in the place of one of its files.
func TestPruningSparesWhatIsNotKedges(t *testing.T) {
	dir := sweepNamed(t, "ab")
	file := filepath.Join(dir, "cells/a/series.parquet")
	if err := errors.Join(os.Remove(file), os.Mkdir(file, 0o755)); err != nil {
		t.Fatal(err)
	}
	put(t, file, "mine")
	if _, err := sweepOn(disk.Disk{}, dir, "b", true); err != nil {
		t.Error(err)
	}
	left, err := os.ReadDir(filepath.Join(dir, "cells/a"))
	if err != nil || len(left) != 1 || left[0].Name() != "series.parquet" {
		t.Errorf("left are %v, %v", left, err)
	}
}

// Over draws a stretch below 0 is none, and one that is not known is told so.
func TestWhatDecisionsCostInTruth(t *testing.T) {
	in := func(v float64) string {
		text, _ := json.Marshal(v)
		return "<" + string(text) + ">"
	}
	for want, stretch := range map[string]*float64{"cannot be told": nil, "<0>": new(-1.0), "<0.25>": new(0.25)} {
		if got := (&folder.OverDraws{Stretch: stretch}).Truly(in); !strings.Contains(got, want) {
			t.Errorf("%q does not say %s", got, want)
		}
	}
}

// Tags that are sealed but not sorted, unknown to kedge, or more than a folder may have, are refused; a folder with as many as it may have takes no more.
func TestTagsAreBounded(t *testing.T) {
	dir := sealed(t, small())
	var most []string
	for i := range 64 {
		most = append(most, "t"+strings.Repeat("x", i%32)+string(rune('a'+i/32)))
	}
	if got, err := folder.Retag(dir, most, nil); err != nil || len(got) != 64 {
		t.Fatalf("%d tags: %v", len(got), err)
	}
	if _, err := folder.Retag(dir, []string{"z"}, nil); err == nil || !strings.Contains(err.Error(), "65 tags, a folder has at most 64") {
		t.Errorf("one more: %v", err)
	}
	if got, err := folder.Retag(dir, []string{"z"}, most[:1]); err != nil || len(got) != 64 {
		t.Errorf("one for another: %d tags, %v", len(got), err)
	}
}

// A folder in which a result of another kind is growing is not free, though nothing is in it yet; and what has a checksum is verified without remarks.
func TestMarkedFoldersAreTaken(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "grid")
	f, err := opened(t, dir, planned("ab"), false)
	if err == nil {
		err = f.Begin()
	}
	if err != nil {
		t.Fatal(err)
	}
	f.Release()
	if err := os.Remove(filepath.Join(dir, "cells")); err != nil {
		t.Fatal(err)
	}
	if c, err := folder.KindRun.Take(dir); err == nil || !strings.Contains(err.Error(), "holds a sweep, not a run") {
		t.Errorf("taken for a run: %v", err)
		c.Release()
	}
	taken(t, folder.KindSweep, dir).Release()
	if err := os.Truncate(filepath.Join(dir, "unfinished.json"), 1<<20+1); err != nil {
		t.Fatal(err)
	}
	if c, err := folder.KindSweep.Take(dir); err == nil || !strings.Contains(err.Error(), "unfinished.json") {
		t.Errorf("with a mark of a megabyte: %v", err)
		c.Release()
	}
	found, err := folder.Verify(t.Context(), sealed(t, small()))
	if err != nil || slices.ContainsFunc(found.Files, func(c folder.Checked) bool { return c.Note != "" || c.Problem != "" }) {
		t.Errorf("%+v, %v", found, err)
	}
	c := taken(t, folder.KindRun, filepath.Join(t.TempDir(), "out"))
	defer c.Release()
	if err := c.Renew(map[string][]byte{"report.html": nil}); !errors.Is(err, folder.ErrUnfinished) {
		t.Errorf("pages of no result: %v", err)
	}
}

// A folder with nothing but a checkpoint is free, one with a file of somebody else in the checkpoint is not.
func TestCheckpointsAreNobodyElses(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, folder.CheckpointDir), 0o755); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(dir, folder.CheckpointDir), folder.CheckpointRun)
	taken(t, folder.KindRun, dir).Release()
	put(t, filepath.Join(dir, folder.CheckpointDir), "mine")
	if c, err := folder.KindRun.Take(dir); !errors.Is(err, folder.ErrNotOurs) {
		t.Errorf("with a file of somebody else: %v", err)
		c.Release()
	}
}

// A page about several folders is a comparison without numbers, in which nothing is wrong; a manifest always says of what inputs, and what results say of theirs is not changed.
func TestManifestsNameInputs(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "pages")
	c := taken(t, folder.KindCompare, dir)
	err := c.Commit(folder.Manifest{}, folder.Contents{}.With(map[string][]byte{"report.html": []byte("page")}), nil)
	c.Release()
	if err != nil {
		t.Fatal(err)
	}
	if l := listOf(t, true, dir); len(l.Folders) != 1 || l.Folders[0].State != folder.AllAsWritten || l.Folders[0].Best != nil {
		t.Errorf("%+v", l)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "manifest.json")); err != nil || !strings.Contains(string(text), `"inputs": {}`) {
		t.Errorf("%s, %v", text, err)
	}
	f, err := opened(t, filepath.Join(t.TempDir(), "grid"), planned("ab"), false)
	if err != nil {
		t.Fatal(err)
	}
	one, other := small(), small()
	one.Identity, other.Identity = folder.CurrentIdentity(map[string]string{"x.csv": "1"}), folder.CurrentIdentity(map[string]string{"y.csv": "2"})
	if err := errors.Join(f.Begin(), f.Put("a", one), f.Put("b", other)); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Finish(nil, false, nil); err != nil || len(one.Inputs) != 1 || len(other.Inputs) != 1 {
		t.Errorf("%v: inputs are %v and %v", err, one.Inputs, other.Inputs)
	}
	if m, err := folder.ReadManifest(f.Dir()); err != nil || m.Inputs["x.csv"] != "1" || m.Inputs["y.csv"] != "2" {
		t.Errorf("of %+v, %v", m, err)
	}
}
