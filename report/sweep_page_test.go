package report

import (
	"fmt"
	"image/color"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/lab/compare"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/report/draw"
	"github.com/kedge-opt/kedge/report/page"
	"github.com/kedge-opt/kedge/report/plot"
)

// around is a spread of ten percent to either side.
func around(v float64) *folder.Spread { return &folder.Spread{Mean: v, Min: 0.9 * v, Max: 1.1 * v} }

// gridSweep is a sweep of two keys: composite has half the gap of vanilla where sigma is small, and no result where lambda is 0.4.
func gridSweep(lambdas, sigmas int) *folder.SweepResult {
	r := &folder.SweepResult{Name: "grid", Seed: 1, Spec: "base: polarized\nover:\n  dynamics.lambda: [0.1, 0.2]\n", Keys: []string{"dynamics.lambda", "dynamics.sigma"}}
	for i := range lambdas {
		for j := range sigmas {
			lambda, sigma := 0.1*float64(i+1), 0.5*float64(j+1)
			r.Cells = append(r.Cells, cellOf(r, lambda, sigma, i == 3))
		}
	}
	return r
}

func cellOf(r *folder.SweepResult, lambda, sigma float64, fails bool) folder.CellResult {
	c := folder.CellResult{ID: fmt.Sprintf("cell-%d", len(r.Cells)), Numbers: []float64{lambda, sigma}}
	for _, n := range c.Numbers {
		c.Values = append(c.Values, strconv.FormatFloat(n, 'g', 12, 64))
	}
	if fails {
		c.Err = "the optimum was not found"
		return c
	}
	gap := lambda * sigma
	method := func(gap float64) folder.SummaryAlgorithm {
		return folder.SummaryAlgorithm{Trials: 5, Planned: 5, Value: around(1 - gap), Gap: around(gap), Distance: around(3 * gap)}
	}
	composite := method(gap / 2)
	if sigma > 1 {
		composite = method(1.05 * gap)
	}
	c.Summary = &folder.Summary{
		Order: []string{"vanilla", "composite"}, Algorithms: map[string]folder.SummaryAlgorithm{"vanilla": method(gap), "composite": composite},
		Stable: &folder.Point{Gap: gap, Distance: gap, Value: 1 - gap}, Notes: []string{"A note."},
	}
	return c
}

func TestSweepPageSaysWhatCameOut(t *testing.T) {
	d := sweepDocument(kind.Standard(), gridSweep(4, 3), nil)
	if want := "The cell with dynamics.lambda = 0.4, dynamics.sigma = 0.5 failed: the optimum was not found"; d.Warnings[0] != want {
		t.Errorf("the first warning is %q", d.Warnings[0])
	}
	if last := d.Warnings[len(d.Warnings)-1]; last != "In 9 cells of 12: A note." {
		t.Errorf("the last warning is %q", last)
	}
	if want := "composite ends closest to the optimum in 6 of 9 cells."; d.Verdict.Headline != want {
		t.Errorf("headline %q", d.Verdict.Headline)
	}
	got := strings.ReplaceAll(strings.Join(d.Verdict.Reasons, "\n"), phrase.ThinSpace, " ")
	want := "In 6 of 9 cells every one of its trials ends closer than any trial of another method.\n" +
		"The least mean gap, 2.50 %, is that of composite with dynamics.lambda = 0.1, dynamics.sigma = 0.5.\n" +
		"Retraining settles between 5.00 % (dynamics.lambda = 0.1, dynamics.sigma = 0.5) and 45.0 % (dynamics.lambda = 0.3, dynamics.sigma = 1.5) from the optimum in value."
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if cells, failed := len(d.Tables[0].Rows), len(d.Tables[1].Rows); cells != 18 || failed != 3 {
		t.Errorf("%d rows of cells and %d of failures", cells, failed)
	}
	if q := d.Question[0].Text; q != "dynamics.lambda (0.1, 0.2, 0.3, 0.4) and dynamics.sigma (0.5, 1, 1.5)." {
		t.Errorf("question %q", q)
	}
}

// A chart is called what it draws.
func TestSweepChartsAreLabelledByTheirColumn(t *testing.T) {
	var got []string
	for _, g := range sweepDocument(kind.Standard(), gridSweep(4, 3), nil).Graphs {
		got = append(got, fmt.Sprintf("%s: %s, %s, %v %v", g.ID, g.Title, g.Label, g.Log, g.Percent))
	}
	want := []string{
		"gap: Gap to the optimum, relative gap, true true", "distance: Distance to the optimum, relative distance ‖u − u★‖ / ‖u★‖, true true",
		"value: Value, value of the settled population, false false",
	}
	if !slices.Equal(got, want) {
		t.Errorf("charts %q", got)
	}
}

// A chart is there where it has a line, be it one alone: of a single method without a gap and of cells where retraining settles nowhere, two are left.
func TestSweepChartsAreThoseOfWhatIsKnown(t *testing.T) {
	r := gridSweep(3, 1)
	for _, c := range r.Cells {
		only := c.Summary.Algorithms["vanilla"]
		only.Gap = nil
		c.Summary.Order, c.Summary.Stable, c.Summary.Algorithms["vanilla"] = []string{"vanilla"}, nil, only
	}
	var got []string
	for _, g := range sweepGraphs(r) {
		got = append(got, fmt.Sprint(g.ID, " of ", len(g.Lines)))
	}
	if want := []string{"distance of 1", "value of 1"}; !slices.Equal(got, want) {
		t.Errorf("charts %q, want %q", got, want)
	}
}

// Three values of the other key are lines of their own, seven are averaged.
func TestSweepChartsShowAtMostSoManyLines(t *testing.T) {
	few, many := sweepDocument(kind.Standard(), gridSweep(9, 3), nil).Graphs[0], sweepDocument(kind.Standard(), gridSweep(9, 7), nil).Graphs[0]
	if len(few.Lines) != 7 || few.Lines[0].Name != "vanilla, sigma 0.5" || few.Along != "λ (dynamics)" {
		t.Errorf("%d lines, the first %q along %s", len(few.Lines), few.Lines[0].Name, few.Along)
	}
	vanilla := many.Lines[0]
	// Over sigma = 0.5, 1, … 3.5 the mean is 2: the mean gap at lambda = 0.1 is 0.2, its least 0.9 · 0.05, its greatest 1.1 · 0.35.
	off := math.Abs(vanilla.Mean.Values[0]-0.2) + math.Abs(vanilla.Low.Values[0]-0.045) + math.Abs(vanilla.High.Values[0]-0.385)
	if len(many.Lines) != 3 || off > 1e-12 {
		t.Errorf("%d lines, the first %.1e off", len(many.Lines), off)
	}
}

// Keys that change together are one axis.
func TestSweepChartsKnowTiedKeys(t *testing.T) {
	r := gridSweep(3, 1)
	for i := range r.Cells {
		r.Cells[i].Values[1], r.Cells[i].Numbers[1] = r.Cells[i].Values[0], r.Cells[i].Numbers[0]
	}
	if lines := sweepDocument(kind.Standard(), r, nil).Graphs[0].Lines; len(lines) != 3 || lines[0].Name != "vanilla" {
		t.Errorf("%d lines, the first %q", len(lines), lines[0].Name)
	}
}

// Sweeps of every shape give pages that stand alone; what people wrote is escaped.
func TestSweepPages(t *testing.T) {
	none, words, hostile := &folder.SweepResult{}, gridSweep(2, 2), gridSweep(2, 2)
	for i := range words.Cells {
		words.Cells[i].Values[0], words.Cells[i].Numbers[0] = "cap", math.NaN()
		words.Cells[i].Numbers[1] = math.NaN()
	}
	hostile.Name, hostile.Keys[0], hostile.Cells[0].Values[0] = "<i>name</i>", "<i>key</i>", "<i>value</i>"
	hostile.Cells[0].Numbers[0], hostile.Cells[1].Err, hostile.Cells[1].Summary = math.NaN(), "<i>error</i>", nil
	for name, r := range map[string]*folder.SweepResult{"none": none, "words": words, "hostile": hostile, "grid": gridSweep(4, 3), "many": gridSweep(20, 20)} {
		page := sweepPage(t, r)
		bare := ours.ReplaceAllString(strings.ReplaceAll(page, `xmlns="http://www.w3.org/2000/svg"`, ""), "")
		if found := foreign.FindString(bare); found != "" || strings.Contains(bare, "<i>") {
			t.Errorf("%s: the page holds %q", name, found)
		}
		nested(t, bare)
	}
}

func sweepPage(t *testing.T, r *folder.SweepResult) string {
	t.Helper()
	figures, err := plot.SweepFigures(r)
	if err != nil {
		t.Fatal(err)
	}
	page, err := sweepDocument(kind.Standard(), r, figures).HTML()
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

// With composite beyond a bound in all nine cells, vanilla is the only one to rank; beyond it in all, nobody is.
func TestSweepsRankNobodyWhoBreaksConstraints(t *testing.T) {
	r := gridSweep(3, 3)
	for _, name := range []string{"composite", "vanilla"} {
		for i := range r.Cells {
			one := r.Cells[i].Summary.Algorithms[name]
			one.Breaks = []folder.Breach{{Constraint: 1, By: 2}, {Constraint: 2, By: 1}}
			r.Cells[i].Summary.Algorithms[name] = one
		}
		j := sweepVerdict(r)
		if name == "vanilla" {
			if j.Headline != "No method keeps the constraints in any cell, so none is ranked." {
				t.Error(j.Headline)
			}
		} else if !strings.Contains(j.Headline, "is that of vanilla") || j.Reasons[0] != "composite breaks constraints in all 9 cells, where it is not ranked." {
			t.Errorf("%+v", j)
		}
	}
}

// Up to six values are named. More are counted, with their range where all are numbers.
func TestValuesOfAKey(t *testing.T) {
	if got := valuesOf(gridSweep(6, 1), 0); got != "0.1, 0.2, 0.3, 0.4, 0.5, 0.6" {
		t.Errorf("six are %q", got)
	}
	r := gridSweep(7, 1)
	if got := valuesOf(r, 0); got != "7 values from 0.1 to 0.7" {
		t.Errorf("seven are %q", got)
	}
	r.Cells[4].Values[0], r.Cells[4].Numbers[0] = "cap", math.NaN()
	if got := valuesOf(r, 0); got != "7 values" {
		t.Errorf("seven with a word are %q", got)
	}
}

// A terminal is told of cells that the sweep does not have where there are some, and only there.
func TestOutcomeOfASweep(t *testing.T) {
	r := gridSweep(4, 3)
	for other, want := range map[int]string{0: "", 2: "note: 2 finished cells left out, not in the sweep; --prune removes such cells\n"} {
		r.Other = []string{"x", "y"}[:other]
		want = "12 cells, 5 of them from before, 3 failed\n" + want + "table: " + filepath.Join("dir", "table.csv") + "\n"
		if got := SweepOutcome(r, 5, "dir").Terminal(page.Terminal{Width: 200}); got != want {
			t.Errorf("%d others: %q, want %q", other, got, want)
		}
	}
	if r.Other = []string{"x"}; !strings.Contains(SweepOutcome(r, 5, "dir").Terminal(page.Terminal{Width: 200}), "note: 1 finished cell left out,") {
		t.Error("one that the sweep does not have is not told")
	}
}

// An axis is logarithmic where numbers are all above 0 and the largest is more than 30 times the least.
func TestWideAxesOfSweeps(t *testing.T) {
	for _, c := range []struct {
		first, last float64
		wide        bool
	}{{1, 30, false}, {1, 30.5, true}, {0, 100, false}, {-1, 100, false}, {-100, -1, false}, {1e-3, 1, true}} {
		r := gridSweep(3, 1)
		for i, v := range []float64{c.first, (c.first + c.last) / 2, c.last} {
			r.Cells[i].Numbers[0], r.Cells[i].Values[0] = v, fmt.Sprint(v)
		}
		for _, g := range sweepGraphs(r) {
			if g.LogX != c.wide {
				t.Errorf("%v to %v: %s is logarithmic: %t", c.first, c.last, g.ID, g.LogX)
			}
		}
	}
}

// A method on a problem is coloured where it arrived at the point that it is proven to end at, and otherwise says why not: one trial that failed is reason enough.
func TestWhereMethodsOfASuiteArrive(t *testing.T) {
	apart, same := &compare.Meeting{Separates: true, Tolerance: 0.5}, &compare.Meeting{Tolerance: 0.5}
	far := &compare.Range{Mean: 1}
	grounds := map[color.NRGBA]string{}
	for _, c := range []struct {
		on   *compare.Meeting
		row  compare.Row
		want string
	}{
		{apart, compare.Row{Limit: "stable", Arrived: true}, "stable"}, {apart, compare.Row{Limit: "myopic", Arrived: true}, "myopic"}, {apart, compare.Row{Limit: "optimal", Arrived: true, ToTarget: far}, "optimal"},
		{same, compare.Row{Limit: "optimal", Arrived: true}, "both"}, {apart, compare.Row{Limit: "optimal", Outside: "no gradient", Failed: 1}, ""},
		{apart, compare.Row{Limit: "stable", Failed: 1, ToTarget: far}, "failed"}, {apart, compare.Row{Limit: "stable"}, "–"},
		{apart, compare.Row{Limit: "stable", ToTarget: far}, "2"}, {same, compare.Row{Limit: "stable", ToTarget: far}, "2"},
	} {
		word, ground := suiteCell(c.on, &c.row)
		if word != c.want {
			t.Errorf("%+v: %q, want %q", c.row, word, c.want)
		}
		onPaper := c.want == "failed" || c.want == "–" || c.want == "2"
		if was, is := grounds[ground]; (ground == draw.Paper()) != onPaper || is && was != word && !onPaper {
			t.Errorf("%q is on %v, as %q", word, ground, was)
		}
		if light := draw.Lightness(ground); light < 0.75 || word == "" && light <= draw.Lightness(draw.Grey()) { // pale enough to be read on, and hardly there without a word
			t.Errorf("%q is on %v, %g light", word, ground, light)
		}
		grounds[ground] = word
	}
}

// A suite of one problem has a column for it, and one of two a column each: methods are those of the first.
func TestSuitesOfFewProblems(t *testing.T) {
	met := compare.Meeting{Name: "lq2", Separates: true, Stable: []float64{-1}, Optimal: []float64{0}, Rows: []compare.Row{{Method: "vanilla", Limit: "stable"}, {Method: "a-long-composite", Limit: "optimal", Arrived: true}}}
	for problems := 1; problems <= 2; problems++ {
		table := suiteTable(&compare.Comparison{Suite: true, Problems: slices.Repeat([]compare.Meeting{met}, problems)})
		if len(table.Columns) != 1+problems || len(table.Rows) != 2 || len(table.Brief) != 1+problems || table.Columns[0].Wide != -16 {
			t.Fatalf("%d problems: %+v", problems, table)
		}
		for i, row := range table.Rows {
			if len(row) != 1+problems || row[0].Text != met.Rows[i].Method || row[problems].Text != met.Letters(&met.Rows[i]) || table.Brief[problems] != problems {
				t.Errorf("%d problems: row %d is %+v", problems, i, row)
			}
		}
	}
}

// Ten failures are told one by one; of more it is told how many there are.
func TestFailuresThatAreTold(t *testing.T) {
	for failed, more := range map[int]string{10: "", 11: "1 more cell failed too; all are in the table of failures."} {
		list := sweepWarnings(gridSweep(4, failed)) // of four values of lambda the last fails
		want := []string{fmt.Sprintf("In %d cells of %d: A note.", 3*failed, 4*failed)}
		if more != "" {
			want = append([]string{more}, want...)
		}
		if rest := list[min(10, len(list)):]; !slices.Equal(rest, want) {
			t.Errorf("%d failed: after ten warnings come %q, want %q", failed, rest, want)
		}
	}
}

// 1500 cells of two methods fill the table, and 1501 are cut.
func TestTablesOfManyCells(t *testing.T) {
	for cells, want := range map[int]bool{1500: false, 1501: true} {
		r := gridSweep(1, 1)
		r.Cells = slices.Repeat(r.Cells, cells)
		table := cellTable(r)
		if cut := strings.HasSuffix(table.About, " Here are the first 3000 rows; all of them are in table.csv."); len(table.Rows) != 3000 || cut != want {
			t.Errorf("%d cells: %d rows, cut: %t", cells, len(table.Rows), cut)
		}
	}
}

// By hand: of numbers six digits are shown, other values as they were written, up to 60 letters of them, and a dash for none.
func TestValuesOfSweptKeys(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		value  string
		number float64
		want   string
	}{
		{"0.123456789", 0.123456789, "0.123457"}, {"1e-3", 1e-3, "0.001"}, {"-0.50", -0.5, "−0.5"}, {"0.0", 0, "0"}, {".inf", inf, ".inf"}, {"-.inf", -inf, "-.inf"}, {"[1, 2]", nan, "[1, 2]"}, {"", nan, "–"},
		{strings.Repeat("é", 60), nan, strings.Repeat("é", 60)}, {strings.Repeat("é", 61), nan, strings.Repeat("é", 60) + "…"},
	} {
		cell := folder.CellResult{Values: []string{"first", c.value}, Numbers: []float64{1, c.number}}
		if got := valueIn(&cell, 1); got != c.want {
			t.Errorf("%s is shown as %q, want %q", c.value, got, c.want)
		}
	}
}
