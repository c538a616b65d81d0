package report

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/report/draw"
	"github.com/kedge-opt/kedge/report/plot"
	"github.com/kedge-opt/kedge/stream"
)

// swept is a sweep over keys with the given values; the gap of a cell is made of them by f.
func swept(values map[string][]string, f func(algorithm string, x []float64) float64) *folder.SweepResult {
	r := &folder.SweepResult{Name: "swept", Keys: slices.Sorted(maps.Keys(values))}
	cells := [][]string{{}}
	for _, key := range r.Keys {
		var longer [][]string
		for _, c := range cells {
			for _, v := range values[key] {
				longer = append(longer, append(slices.Clone(c), v))
			}
		}
		cells = longer
	}
	for i, c := range cells {
		r.Cells = append(r.Cells, sweptCell(fmt.Sprintf("%016x", i), c, f))
	}
	return r
}

func sweptCell(id string, values []string, f func(algorithm string, x []float64) float64) folder.CellResult {
	c := folder.CellResult{ID: id, Values: values, Summary: &folder.Summary{Stable: &folder.Point{Gap: 0.01}, Order: []string{"vanilla", "composite"}, Algorithms: map[string]folder.SummaryAlgorithm{}}}
	for _, v := range values {
		x := math.NaN()
		fmt.Sscan(v, &x)
		c.Numbers = append(c.Numbers, x)
	}
	for _, name := range c.Summary.Order {
		gap := f(name, c.Numbers)
		c.Summary.Algorithms[name] = folder.SummaryAlgorithm{Trials: 3, Gap: &folder.Spread{Mean: gap, Min: gap / 2, Max: 2 * gap}}
	}
	return c
}

// steps is a gap that grows with every key.
func steps(algorithm string, x []float64) float64 {
	gap := 1e-3 * float64(len(algorithm))
	for _, v := range x {
		if phrase.Finite(v) {
			gap *= 1 + v
		}
	}
	return gap
}

func sweeps() map[string]*folder.SweepResult {
	random := swept(map[string][]string{"a": {"1"}}, steps)
	random.Keys, random.Cells = []string{"a", "b"}, nil
	s := stream.New(5)
	for i := range 50 {
		values := []string{fmt.Sprint(s.Float64()), fmt.Sprint(math.Exp(8 * s.Float64()))}
		random.Cells = append(random.Cells, sweptCell(fmt.Sprint(i), values, steps))
	}
	failed := swept(map[string][]string{"x": {"1", "2", "3"}, "y": {"1", "2", "3"}}, steps)
	failed.Cells[4].Summary, failed.Cells[4].Err = nil, "a steady state was not found"
	hostile := []float64{math.NaN(), 0, -1, 1e300, 5e-324, math.Inf(1), 1e-3, -1e300}
	n := 0
	return map[string]*folder.SweepResult{
		"one":   swept(map[string][]string{"step": {"0.001", "0.01", "0.1", "1"}}, steps),
		"two":   swept(map[string][]string{"dynamics.lambda": {"0.1", "0.2", "0.3"}, "dynamics.sigma": {"0.5", "0.25"}}, steps),
		"three": swept(map[string][]string{"a": {"1", "2", "3"}, "b": {"1", "2"}, "c": {"1", "2", "3", "4"}}, steps),
		"words": swept(map[string][]string{"sampling": {"with", "without"}, "step": {"1", "2", "3"}}, steps),
		"names": swept(map[string][]string{"sampling": {"with", "without"}}, steps),
		"none":  swept(map[string][]string{"a": {"1"}}, steps), "empty": {Keys: []string{"a"}},
		"random": random, "failed": failed,
		"hostile": swept(map[string][]string{"x": {"1", "2", "3"}, "y": {"-1e300", "0", "1e300"}}, func(string, []float64) float64 {
			n++
			return hostile[n%len(hostile)]
		}),
		"large": swept(map[string][]string{"x": numbered(40), "y": numbered(30)}, steps),
		"long":  swept(map[string][]string{"x": {"0.00215443469003", "0.00464158883361"}, "y": {strings.Repeat("y", 300), "\x00<b>"}}, steps),
	}
}

func numbered(n int) (out []string) {
	for i := range n {
		out = append(out, fmt.Sprint(i))
	}
	return out
}

func TestSweepFiguresSuitTheKeys(t *testing.T) {
	want := map[string]string{
		"one": "gap line", "two": "gap heat", "three": "gap-vanilla heat, gap-composite heat", "words": "gap line", "names": "gap heat",
		"none": "", "empty": "", "random": "gap dots", "failed": "gap heat", "hostile": "gap heat", "large": "gap heat", "long": "gap line",
	}
	for name, r := range sweeps() {
		var got []string
		for _, s := range plot.SweepSketches(r) {
			got = append(got, s.Name+" "+kindOf(s))
			checkSketch(t, name, s)
		}
		if strings.Join(got, ", ") != want[name] {
			t.Errorf("%s: figures %q, want %q", name, got, want[name])
		}
	}
}

func kindOf(s draw.Sketch) string {
	switch s.Panels[0].Layers[0].(type) {
	case draw.Lines:
		return "line"
	case draw.Cells:
		return "heat"
	case draw.Dots:
		return "dots"
	case draw.Bars:
		return "bars"
	}
	return "?"
}

// checkSketch wants a small drawing within its page whose words do not touch.
func checkSketch(t *testing.T, name string, s draw.Sketch) {
	t.Helper()
	svg, err := s.SVG()
	if err != nil {
		t.Fatal(err)
	}
	if len(svg) > 700_000 {
		t.Errorf("%s: %d bytes", name, len(svg))
	}
	d := parse(t, svg)
	t.Run(name+" "+s.Name, func(t *testing.T) {
		d.checkTexts(t)
		d.checkPoints(t)
		d.checkStrokes(t)
	})
}

// Whatever the data and the wishes, a plot is an error in words or a drawing that can be read.
func TestPlotsOfEverything(t *testing.T) {
	sheets := map[string]*plot.Sheet{}
	some := cases()
	delete(some, "choice") // long and like others
	delete(some, "polarized")
	for name, r := range some {
		sheets[name] = plot.RunSheet(name, r)
	}
	for name, r := range sweeps() {
		sheets["sweep "+name] = plot.SweepSheet(name, r)
	}
	drawn := 0
	for _, name := range slices.Sorted(maps.Keys(sheets)) {
		for i, p := range []plot.Plot{
			{}, {Kind: plot.Line, Y: "value", Log: "xy"}, {Kind: plot.Scatter, X: "distance", Width: 227, Height: 142}, {Kind: plot.Hist, X: "gap"},
			{Kind: plot.Hist, X: "distance", Log: "x", Width: 120, Height: 100}, {Facet: "algorithm", Band: plot.Quantiles, Title: "A title"}, {Kind: plot.Scatter, By: "gap"},
		} {
			s, err := p.Sketch(sheets[name])
			if err != nil {
				if m := err.Error(); strings.Contains(m, "%!") || len(m) < 20 {
					t.Errorf("%s: %q", name, m)
				}
				continue
			}
			checkSketch(t, fmt.Sprintf("%s %d", name, i), s)
			drawn++
		}
	}
	if drawn < 100 {
		t.Errorf("only %d plots were drawn", drawn)
	}
}

// The band of a sweep's line is the range over trials, half to twice the mean here; where a line averages over another key, it
// reaches from the least to the greatest of all.
func TestBandsOfSweepsAreTheirRanges(t *testing.T) {
	for name, factor := range map[string]float64{"one": 1, "two": 1.5 / 1.25} {
		s, err := plot.Plot{Kind: plot.Line, Log: "none"}.Sketch(plot.SweepSheet(name, sweeps()[name]))
		if err != nil {
			t.Fatal(err)
		}
		line := s.Panels[0].Layers[0].(draw.Lines)[0]
		if len(line.Points) < 3 || !line.Banded {
			t.Fatalf("%s: %d points, banded %v", name, len(line.Points), line.Banded)
		}
		for _, r := range line.Points {
			if math.Abs(r.High/r.Low-4*factor) > 1e-9 || !(r.Low < r.Mean && r.Mean < r.High) {
				t.Errorf("%s: %g ≤ %g ≤ %g, want a range of %g", name, r.Low, r.Mean, r.High, 4*factor)
			}
		}
	}
}

func TestPlotsSayWhatIsWrong(t *testing.T) {
	run := plot.RunSheet("run", choiceEvery(1000))
	for _, c := range []struct {
		plot  plot.Plot
		sheet *plot.Sheet
		want  string
	}{
		{plot.Plot{Y: "gpa"}, run, `--y: there is no column "gpa"; did you mean gap? The columns are algorithm, trial, k, value,`},
		{plot.Plot{X: "zzzzzz"}, run, `--x: there is no column "zzzzzz"; the columns are algorithm,`},
		{plot.Plot{Y: "algorithm"}, run, "--y algorithm: holds words (algorithm has vanilla, composite, derivative-free), want a column of numbers"},
		{plot.Plot{Y: "gradient"}, run, "column gradient holds no number to draw over k; it was not measured, or --where leaves nothing"},
		{plot.Plot{Where: []string{"algorithm=newton"}}, run, "--where algorithm=newton: no row has it; algorithm has vanilla, composite, derivative-free"},
		{plot.Plot{Where: []string{"algorithm"}}, run, "--where algorithm: want COLUMN=VALUE"},
		{plot.Plot{Where: []string{"k=7"}}, run, "--where k=7: no row has it; k has 0, 1000, 2000, 3000, 4000, 5000, 6000"},
		{plot.Plot{Kind: plot.Scatter, X: "distance", Facet: "k", Width: 150, Height: 120}, run, "--size: 7 panels need a height of 6.5 cm"},
		{plot.Plot{Kind: "pie"}, run, "--kind pie: want line, scatter, hist or heat"},
		{plot.Plot{Log: "z"}, run, "--log z: want x, y, xy or none"},
		{plot.Plot{Band: "all"}, run, "--band all: want minmax, quantiles or none"},
		{plot.Plot{Kind: plot.Heat}, run, "a heat map needs two keys: say --x and --by"},
		{plot.Plot{By: "trial"}, run, "--by trial: 20 values are too many to tell apart, at most 12; choose some with --where"},
		{plot.Plot{Facet: "trial"}, run, "--facet trial: 20 values are too many panels, at most 16; choose some with --where"},
		{plot.Plot{Kind: plot.Line, Band: plot.Quantiles}, plot.SweepSheet("one", sweeps()["one"]), "--band quantiles: the table of a sweep holds mean, least and greatest only; take minmax"},
	} {
		if _, err := c.plot.Draw(c.sheet); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%+v:\n  got  %v\n  want %s", c.plot, err, c.want)
		}
	}
	if _, err := (plot.Plot{}).Draw(); err == nil {
		t.Error("nothing was drawn without an error")
	}
}

// A line through known points is an affine picture of them: equal steps are equally long, and more is higher.
func TestLinesLieWhereTheirNumbersAre(t *testing.T) {
	x, y := []float64{0, 1, 2, 5, 10}, []float64{3, 1, 2, 2.5, 4}
	values := folder.Measured{K: []int{0, 1, 2, 3, 4}, Columns: []kedge.Column{{Name: "x"}, {Name: "y"}}, Values: [][]float64{x, y}}
	run := &folder.Result{Runs: []folder.Run{{Name: "composite", Trials: []folder.Trial{{Measured: values}}}}}
	f, err := plot.Plot{X: "x", Y: "y", Log: "none"}.Draw(plot.RunSheet("run", run))
	if err != nil {
		t.Fatal(err)
	}
	var line [][2]float64
	for _, m := range regexp.MustCompile(`<path d="(M[^A-LN-Z]*(L[^A-Z]*){4})"`).FindAllStringSubmatch(string(f.SVG), -1) {
		line = coordinates(t, m[1])
	}
	if len(line) != 5 {
		t.Fatalf("no line of five points in\n%s", f.SVG)
	}
	for i := range line {
		across, up := (line[i][0]-line[0][0])/(line[4][0]-line[0][0]), (line[i][1]-line[1][1])/(line[4][1]-line[1][1])
		if math.Abs(across-x[i]/10) > 1e-3 || math.Abs(up-(y[i]-1)/3) > 1e-3 {
			t.Errorf("point %d (%g, %g) lies at %.4f, %.4f of the line's extent", i, x[i], y[i], across, up)
		}
	}
	labelled := 0
	for _, label := range parse(t, f.SVG).texts {
		v, err := strconv.ParseFloat(label.text, 64)
		if err != nil || label.left < line[0][0]-10 {
			continue // words, and labels of the vertical axis
		}
		labelled++
		if at := line[0][0] + float64(v/10*(line[4][0]-line[0][0])); math.Abs((label.left+label.right)/2-at) > 0.1 {
			t.Errorf("label %s stands at %.1f, want %.1f", label.text, (label.left+label.right)/2, at)
		}
	}
	if labelled < 4 {
		t.Errorf("%d labels on the horizontal axis", labelled)
	}
}

// A heat map has the darkest colour at its least number, the lightest at its greatest, and an empty cell where one failed.
func TestHeatMapColoursAreItsNumbers(t *testing.T) {
	s := plot.SweepSketches(sweeps()["failed"])[0]
	c := s.Panels[0].Layers[0].(draw.Cells)
	svg, err := s.SVG()
	if err != nil {
		t.Fatal(err)
	}
	low, high := slices.MinFunc(c.Values, byNumber), slices.MaxFunc(c.Values, byNumber)
	if !(draw.Lightness(c.Colour(low)) < draw.Lightness(c.Colour(1.1*low)) && draw.Lightness(c.Colour(high)) > draw.Lightness(c.Colour(0.9*high))) {
		t.Error("more is not lighter")
	}
	for _, v := range c.Values {
		if !strings.Contains(string(svg), ">"+c.Word(v)+"<") {
			t.Errorf("%s is not written in its cell", c.Word(v))
		}
	}
	if n := strings.Count(string(svg), ">–<"); n != 2 {
		t.Errorf("%d cells are empty, want the failed one of either algorithm", n)
	}
	if !strings.Contains(s.Caption, "1 cell failed") || !strings.Contains(s.Caption, "composite comes closest at x = 1, y = 1, to 3.60") {
		t.Errorf("caption %q", s.Caption)
	}
}

// byNumber orders numbers with NaN in the middle of nowhere: it is never least or greatest.
func byNumber(a, b float64) int {
	switch {
	case math.IsNaN(a) || math.IsNaN(b):
		return 0
	case a < b:
		return -1
	}
	return 1
}

func TestPrintedSizes(t *testing.T) {
	s := plot.SweepSketches(sweeps()["one"])[0]
	s.Zoom, s.Width, s.Height = draw.Printed(226.77, 141.73)
	pdf, err := s.PDF()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(pdf), "/MediaBox [0 0 226.77 141.73]") {
		t.Error("a figure of 8 by 5 cm has another page")
	}
	svg, err := s.SVG()
	if err != nil || !strings.Contains(string(svg), `width="226.77pt" height="141.73pt"`) {
		t.Errorf("%.200s", svg)
	}
}
