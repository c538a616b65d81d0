package plot

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/loop"
	"github.com/kedge-opt/kedge/report/draw"
)

// Values beside cells are in one notation, as they were typed where that is short, and never rounded onto each other.
// What somebody typed is the same word or the same number, however it is written, or the last or first of the numbers.
func TestMatches(t *testing.T) {
	swept := &series{name: "step", words: strings.Fields("1e-1 0.10 2 2.0 -3"), numbers: []float64{0.1, 0.1, 2, 2, -3}}
	counted, named := &series{name: "k", numbers: []float64{5, 0, 5, 2}}, &series{name: "algorithm", words: strings.Fields("last vanilla 5")}
	for _, c := range []struct {
		of         *series
		want, rows string
	}{
		{swept, "0.1", "[0 1]"}, {swept, "1e-1", "[0 1]"}, {swept, "2", "[2 3]"}, {swept, "last", "[2 3]"}, {swept, "first", "[4]"}, {swept, "−3", "[4]"}, {swept, "7", "[]"}, {swept, "x", "[]"}, {swept, "", "[]"},
		{counted, "5", "[0 2]"}, {counted, "last", "[0 2]"}, {counted, "first", "[1]"}, {counted, "1", "[]"}, {counted, "x", "[]"},
		{named, "last", "[0]"}, {named, "vanilla", "[1]"}, {named, "5", "[2]"}, {named, "5.0", "[]"},
		{&series{words: []string{"1", "one", "1.0"}, numbers: []float64{1, math.NaN(), 1}}, "one", "[1]"},
	} {
		rows, matches := []int{}, c.of.matches(c.want)
		for i := range max(len(c.of.words), len(c.of.numbers)) {
			if matches(i) {
				rows = append(rows, i)
			}
		}
		if got := fmt.Sprint(rows); got != c.rows {
			t.Errorf("%q are the rows %s of %s, want %s", c.want, got, c.of.name, c.rows)
		}
	}
}

func TestValuesAreReadable(t *testing.T) {
	for typed, want := range map[string]string{
		"0.01 0.0207 0.042989 0.08944271909999159 0.18 0.386 0.8": "0.01 0.0207 0.043 0.089 0.18 0.386 0.8",
		"0.125 0.25 0.5":             "0.125 0.25 0.5",
		"1e-05 0.001 0.02 -0.5":      "10⁻⁵ 10⁻³ 2·10⁻² −5·10⁻¹",
		"0.00001 0.00215443469003 1": "10⁻⁵ 2.2·10⁻³ 10⁰",
		"0.1234 0.1235 0.13":         "0.1234 0.1235 0.13",
		"0 1e3 20000":                "0 1000 20000",
		"with without":               "with without",
		"−1 2":                       "−1 2",
	} {
		if got := strings.Join(readable(strings.Fields(typed)), " "); got != want {
			t.Errorf("%s is shown as %s, want %s", typed, got, want)
		}
	}
}

func TestKeysHaveWords(t *testing.T) {
	for key, want := range map[string]string{
		"algorithms.learned.learn.dither": "learn dither (learned)", "dynamics.lambda": "λ (dynamics)", "dynamics.lambda2": "λ₂ (dynamics)",
		"iterations": "iterations", "population.size": "size (population)", "algorithms.composite.step": "step (composite)",
	} {
		if got := KeyLabel(key); got != want {
			t.Errorf("%s is called %s, want %s", key, got, want)
		}
	}
}

// twoEntries is a run of two methods with decisions of two entries; only one of the methods has a multiplier.
func twoEntries() *Sheet {
	nan := math.NaN()
	return sheetOf("run",
		&series{name: "algorithm", words: strings.Fields("vanilla vanilla vanilla vanilla composite composite composite composite")},
		&series{name: "k", numbers: []float64{0, 1, 2, 3, 0, 1, 2, 3}}, &series{name: "gap", label: "relative gap", numbers: []float64{8, 7, 6, 5, 4, 3, 2, 1}},
		&series{name: "multiplier_1", numbers: []float64{nan, nan, nan, nan, 1, 2, 3, 4}},
		&series{name: "u_0", decided: &kedge.Called{Name: "u_0", Unit: "EUR"}, numbers: []float64{1, 2, 3, 4, 5, 6, 7, 8}}, &series{name: "u_1", decided: &kedge.Called{Name: "u_1", Unit: "EUR"}, numbers: []float64{-1, -2, -3, -4, -5, -6, -7, -8}})
}

// All entries of the decision are drawn in a panel a method, each a line through its own numbers.
func TestDecisionsAreAllEntries(t *testing.T) {
	s, err := Plot{Y: "decision"}.Sketch(twoEntries())
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Panels) != 2 || s.Panels[1].Title != "composite" || s.Panels[0].Y.Label != "decision, in EUR" || s.Panels[0].Y.Log {
		t.Fatalf("%d panels, %+v", len(s.Panels), s.Panels)
	}
	list := s.Panels[1].Layers[0].(draw.Lines)
	if len(list) != 2 || list[1].Name != "u₁" {
		t.Fatalf("lines %+v", list)
	}
	if got := lists.Of(list[1].Points, func(p draw.LinePoint) float64 { return p.Mean }); !slices.Equal(got, []float64{-5, -6, -7, -8}) {
		t.Errorf("u₁ of composite is drawn as %v", got)
	}
	one, err := Plot{Y: "decision", Where: []string{"algorithm=vanilla", "entry=u_0"}}.Sketch(twoEntries())
	if err != nil || len(one.Panels) != 1 || one.Panels[0].Layers[0].(draw.Lines)[0].Points[3].Mean != 4 {
		t.Errorf("one entry of one method: %+v, %v", one.Panels, err)
	}
	if _, err := (Plot{Y: "decision"}).Sketch(sheetOf("bare", twoEntries().columns[:3]...)); err == nil || !strings.Contains(err.Error(), "record.decisions=true") {
		t.Errorf("without decisions: %v", err)
	}
}

// Numbers that are told apart by an axis, by lines or by colours are in one panel, and entries of a decision are never averaged over.
func TestPanelsAreForWhatIsNotToldApart(t *testing.T) {
	s, err := Plot{Y: "decision", By: "algorithm"}.Sketch(twoEntries())
	if err != nil || len(s.Panels) != 2 || s.Panels[0].Title != "u₀" || s.Panels[1].Layers[0].(draw.Lines)[1].Points[3].Mean != -8 {
		t.Errorf("decisions by method: %+v, %v", s.Panels, err)
	}
	sheet := twoEntries()
	sheet.columns = append(sheet.columns, &series{name: "set.kind", swept: true, words: strings.Fields("box box ball ball box box ball ball")})
	s, err = Plot{Kind: Heat, X: "set.kind", By: "algorithm"}.Sketch(sheet)
	if err != nil || len(s.Panels) != 1 || !slices.Equal(s.Panels[0].Layers[0].(draw.Cells).Values, []float64{7.5, 5.5, 3.5, 1.5}) {
		t.Errorf("methods beside a key: %+v, %v", s.Panels, err)
	}
}

// Points that a logarithmic axis cannot show do not stretch it.
func TestAxesEndWhereThePointsDo(t *testing.T) {
	sheet := twoEntries()
	sheet.columns[2].numbers[7] = 0
	s, err := Plot{Kind: Scatter, X: "u_1", Log: "xy"}.Sketch(sheet)
	if err != nil || s.Panels[0].Y.Min < 0.1 || s.Panels[0].X.Log {
		t.Errorf("from %g to %g, %v", s.Panels[0].Y.Min, s.Panels[0].Y.Max, err)
	}
}

// Entries of runs and sweeps are known as what they are called, whatever that is.
func TestDecisionsAreKnownByTheirNames(t *testing.T) {
	names := kedge.Names{Decision: []kedge.Called{{Name: "apples", Unit: "EUR"}, {Name: "pears", Unit: "EUR"}}}
	columns := append([]kedge.Column{{Name: "gap", Label: "gap"}}, loop.DecisionColumns(2, names.Decision)...)
	run := &folder.Result{Names: names, Runs: []folder.Run{{Name: "vanilla", Trials: []folder.Trial{
		{Decision: []float64{3, 4}, Measured: folder.Measured{K: []int{0, 1}, Columns: columns, Values: [][]float64{{9, 8}, {1, 3}, {2, 4}}}},
	}}}}
	cell := func(value string, number float64) folder.CellResult {
		return folder.CellResult{ID: value, Values: []string{value}, Numbers: []float64{number}, Summary: run.Summarize()}
	}
	sweep := &folder.SweepResult{Keys: []string{"step"}, Cells: []folder.CellResult{cell("0.1", 0.1), cell("0.2", 0.2)}}
	for _, c := range []struct {
		sheet *Sheet
		pears []float64
	}{{RunSheet("run", run), []float64{2, 4}}, {SweepSheet("sweep", sweep), []float64{4, 4}}} {
		s, err := Plot{Kind: Line, Y: "decision"}.Sketch(c.sheet)
		if err != nil {
			t.Fatal(c.sheet.Name, err)
		}
		list := s.Panels[0].Layers[0].(draw.Lines)
		if len(list) != 2 || list[1].Name != "pears" || !strings.HasSuffix(s.Panels[0].Y.Label, "decision, in EUR") {
			t.Fatalf("%s: lines %+v, axis %q", c.sheet.Name, list, s.Panels[0].Y.Label)
		}
		if got := lists.Of(list[1].Points, func(p draw.LinePoint) float64 { return p.Mean }); !slices.Equal(got, c.pears) {
			t.Errorf("%s: pears are drawn as %v, want %v", c.sheet.Name, got, c.pears)
		}
	}
}

// A panel without a number is left out.
func TestEmptyPanelsAreDropped(t *testing.T) {
	for _, kind := range []Kind{Line, Scatter} {
		s, err := Plot{Kind: kind, Y: "multiplier_1", Facet: "algorithm"}.Sketch(twoEntries())
		if err != nil || len(s.Panels) != 1 || s.Panels[0].Title != "composite" {
			t.Errorf("%s: %d panels, %v", kind, len(s.Panels), err)
		}
	}
	if s, err := (Plot{Kind: Hist, X: "multiplier_1"}).Sketch(twoEntries()); err != nil || len(s.Panels) != 1 {
		t.Errorf("hist: %d panels, %v", len(s.Panels), err)
	}
}

// Words of one's own: for axes, methods and columns; a method keeps its look under another name.
func TestFiguresAreRenamed(t *testing.T) {
	before, err := Plot{}.Sketch(twoEntries())
	if err != nil {
		t.Fatal(err)
	}
	s, err := Plot{XLabel: "week", Rename: []string{"vanilla=re=training", "gap=loss"}}.Sketch(twoEntries())
	if err != nil {
		t.Fatal(err)
	}
	line, was := s.Panels[0].Layers[0].(draw.Lines)[0], before.Panels[0].Layers[0].(draw.Lines)[0]
	if line.Name != "re=training" || line.Style.Ink != was.Style.Ink || s.Panels[0].X.Label != "week" || s.Panels[0].Y.Label != "loss" {
		t.Errorf("%s over %s, %s in %v, was %v", s.Panels[0].Y.Label, s.Panels[0].X.Label, line.Name, line.Style.Ink, was.Style.Ink)
	}
	if s, err := (Plot{YLabel: "%", Rename: []string{"gap=loss"}}).Sketch(twoEntries()); err != nil || s.Panels[0].Y.Label != "%" {
		t.Errorf("the label of the axis is not the one that was asked for: %v", err)
	}
	for wish, want := range map[string]string{
		"vanila=x": "--rename vanila=x: nothing in the figure is called vanila; did you mean vanilla?", "vanilla": "want OLD=NEW", "=x": "want OLD=NEW", "gap=": "want OLD=NEW",
	} {
		if _, err := (Plot{Rename: []string{wish}}).Sketch(twoEntries()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("--rename %s: %v", wish, err)
		}
	}
	if _, err := (Plot{Rename: []string{"gap=a", "gap=b"}}).Sketch(twoEntries()); err == nil {
		t.Error("two names for one thing")
	}
}
