package plot

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/loop"
	"github.com/kedge-opt/kedge/report/draw"
	"github.com/kedge-opt/kedge/stream"
)

// runOf is a run of methods with three trials of turns 0, 5 … 30; with few of them a gap is not known, or is zero.
func runOf(seed uint64, methods ...string) *folder.Result {
	s := stream.New(seed)
	names := kedge.Names{Decision: []kedge.Called{{Name: "apples", Unit: "EUR"}, {Name: "pears", Unit: "kg"}}}
	columns := append([]kedge.Column{{Name: "value", Label: "value"}, {Name: "gap", Label: "relative gap"}, {Name: "distance", Label: "distance"}}, loop.DecisionColumns(2, names.Decision)...)
	r := &folder.Result{Names: names, Individuals: 10}
	for i, name := range methods {
		run := folder.Run{Name: name, Planned: 3}
		for trial := range 3 {
			t := folder.Trial{Index: trial, Finished: true}
			t.Columns, t.Values = columns, make([][]float64, len(columns))
			for k := 0; k <= 30; k += 5 {
				gap := (1 + s.Float64()) / float64(1+(i+1)*k)
				if i == 1 && k == 30 {
					gap = 0
				}
				if i == 2 && k == 10 {
					gap = math.NaN()
				}
				t.K = append(t.K, k)
				for j, v := range []float64{10 - gap, gap, 2 * gap, 3 + gap, -gap} {
					t.Values[j] = append(t.Values[j], v)
				}
			}
			t.Decision = []float64{3, float64(trial)}
			run.Trials = append(run.Trials, t)
		}
		r.Runs = append(r.Runs, run)
	}
	return r
}

// key is a swept key with its values.
type key struct {
	name   string
	values []string
}

// sweepOf is a sweep over keys, in which the cell of number failing fails.
func sweepOf(failing int, methods []string, keys ...key) *folder.SweepResult {
	r := &folder.SweepResult{Name: "sweep"}
	cells := 1
	for _, k := range keys {
		r.Keys = append(r.Keys, k.name)
		cells *= len(k.values)
	}
	for i := range cells {
		c := folder.CellResult{ID: fmt.Sprint("cell-", i)}
		rest := i
		for _, k := range keys {
			value := k.values[rest%len(k.values)]
			rest /= len(k.values)
			number := math.NaN()
			if _, err := fmt.Sscan(value, &number); err != nil {
				number = math.NaN()
			}
			c.Values, c.Numbers = append(c.Values, value), append(c.Numbers, number)
		}
		if i == failing {
			c.Err = "failed"
		} else {
			c.Summary = runOf(uint64(100+i), methods...).Summarize()
		}
		r.Cells = append(r.Cells, c)
	}
	return r
}

var words = regexp.MustCompile(`<text [^>]*x="([^"]*)" y="([^"]*)"[^>]*>([^<]*)</text>`)

// pictured says what a sketch shows: its words where they stand, its numbers, and the sum of its picture.
func pictured(t *testing.T, s draw.Sketch) (lines []string) {
	t.Helper()
	svg, err := s.SVG()
	if err != nil {
		t.Fatal(err)
	}
	lines = append(lines, fmt.Sprintf("  %s: %s: %s zoom %.6g, %g×%g, %d columns, shared %v", s.Name, s.Title, s.Caption, s.Zoom, s.Width, s.Height, s.Columns, s.Shared))
	for _, m := range words.FindAllStringSubmatch(string(svg), -1) {
		lines = append(lines, fmt.Sprintf("    %s %s %s", m[1], m[2], m[3]))
	}
	for _, p := range s.Panels {
		for _, l := range p.Layers {
			switch l := l.(type) {
			case draw.Lines:
				for _, c := range l {
					lines = append(lines, fmt.Sprintf("    line %s banded %v %.6g", c.Name, c.Banded, c.Points))
				}
			case draw.Dots:
				lines = append(lines, fmt.Sprintf("    dots %d %d", len(l.X), len(l.Inks)))
			case draw.Bars:
				lines = append(lines, fmt.Sprintf("    bars %.6g %.6g", l.Counts, l.Mean))
			case draw.Cells:
				lines = append(lines, fmt.Sprintf("    cells %d×%d %.6g", l.Columns, l.Rows, l.Values))
			}
		}
	}
	return append(lines, fmt.Sprintf("    svg %x", sha256.Sum256(svg)))
}

// Plots of runs and sweeps, alone and together, are what they were when they were last looked at, and so is what is said to those that cannot be drawn.
func TestPlotsAreAsRecorded(t *testing.T) {
	three := []string{"vanilla", "composite", "own method"}
	var many []string
	for i := range 13 {
		many = append(many, fmt.Sprint("m", i))
	}
	run, other, crowd := RunSheet("a/run", runOf(1, three...)), RunSheet("b/run", runOf(2, three[:2]...)), RunSheet("crowd", runOf(3, many...))
	step, size := key{"algorithms.composite.step", strings.Fields("0.001 0.01 0.1 1")}, key{"population.size", strings.Fields("10 20 30")}
	flag := key{"set.kind", []string{"box", "ball"}}
	one, two := SweepSheet("one", sweepOf(2, three[:2], step)), SweepSheet("two", sweepOf(-1, three[:2], step, size))
	worded, bare := SweepSheet("worded", sweepOf(-1, three[:1], flag, size)), SweepSheet("bare", sweepOf(-1, three[:2], flag))
	random := key{"population.size", nil}
	for i := range 5 {
		random.values = append(random.values, fmt.Sprint(10+7*i))
	}
	scattered := sweepOf(-1, three[:2], key{"dynamics.lambda2", strings.Fields("0.11 0.29 0.34 0.41 0.58")}, random)
	for i := range scattered.Cells {
		if i%6 != 0 {
			scattered.Cells[i].Summary = nil
		}
	}
	dots := SweepSheet("dots", scattered)
	var lines []string
	for i, c := range []struct {
		Plot
		sheets []*Sheet
	}{
		{Plot{}, []*Sheet{run}}, {Plot{Y: "value", Band: Quantiles}, []*Sheet{run}}, {Plot{Y: "distance", Band: NoBand, Log: "xy"}, []*Sheet{run}}, {Plot{Log: "none", Title: "A title", XLabel: "x", YLabel: "y"}, []*Sheet{run}},
		{Plot{Facet: "algorithm", Width: 300, Height: 200}, []*Sheet{run}}, {Plot{Facet: "algorithm", Width: 300, Height: 60}, []*Sheet{run}}, {Plot{By: "trial", Where: []string{"algorithm=composite"}}, []*Sheet{run}},
		{Plot{X: "trial", Where: []string{"k=last"}}, []*Sheet{run}}, {Plot{X: "trial", Where: []string{"k=first", "trial=1"}}, []*Sheet{run}}, {Plot{X: "value", Where: []string{"k=first", "trial=1", "algorithm=vanilla"}}, []*Sheet{run}}, {Plot{X: "gap", Y: "value", Where: []string{"trial=0"}}, []*Sheet{run}}, {Plot{Y: "decision"}, []*Sheet{run}}, {Plot{Y: "decision", By: "algorithm"}, []*Sheet{run}},
		{Plot{}, []*Sheet{run, other}}, {Plot{By: "folder", Facet: "algorithm"}, []*Sheet{run, other}}, {Plot{Where: []string{"algorithm=vanilla"}, Rename: []string{"a/run=first", "gap=loss"}}, []*Sheet{run, other}}, {Plot{}, []*Sheet{run, one}},
		{Plot{Kind: Scatter, X: "value"}, []*Sheet{run}}, {Plot{Kind: Scatter, X: "value", By: "k"}, []*Sheet{run}}, {Plot{Kind: Scatter, X: "value", By: "trial", Log: "none"}, []*Sheet{run}}, {Plot{Kind: Scatter, X: "apples", Y: "pears", Where: []string{"algorithm=composite"}}, []*Sheet{run}},
		{Plot{Kind: Scatter, Log: "xy", X: "gap", Y: "pears"}, []*Sheet{run}}, {Plot{Kind: Scatter, Log: "xy", X: "gap", Y: "distance"}, []*Sheet{run, other}},
		{Plot{Kind: Hist}, []*Sheet{run}}, {Plot{Kind: Hist, X: "value", By: "trial"}, []*Sheet{run}}, {Plot{Kind: Hist, Log: "x"}, []*Sheet{run}}, {Plot{Kind: Hist, X: "pears", Log: "x"}, []*Sheet{run}},
		{Plot{}, []*Sheet{one}}, {Plot{Band: Quantiles}, []*Sheet{one}}, {Plot{Y: "gap_max", X: "cell"}, []*Sheet{one}}, {Plot{Y: "stable_gap"}, []*Sheet{one}}, {Plot{Y: "decision"}, []*Sheet{one}}, {Plot{Y: "value"}, []*Sheet{one}},
		{Plot{}, []*Sheet{two}}, {Plot{X: "population.size", Log: "none"}, []*Sheet{two}}, {Plot{By: "algorithm"}, []*Sheet{two}}, {Plot{Kind: Line, Band: Quantiles}, []*Sheet{two}}, {Plot{Kind: Line, By: "population.size", Facet: "algorithm"}, []*Sheet{two}}, {Plot{Kind: Heat, X: "set.kind", By: "population.size", Y: "value"}, []*Sheet{worded}}, {Plot{By: "set.kind"}, []*Sheet{worded}},
		{Plot{}, []*Sheet{bare}}, {Plot{Kind: Heat, X: "set.kind"}, []*Sheet{bare}}, {Plot{Kind: Heat, X: "set.kind", By: "algorithm", Rename: []string{"box=cube"}}, []*Sheet{bare}}, {Plot{}, []*Sheet{dots}}, {Plot{Kind: Heat, X: "dynamics.lambda2", By: "population.size", Facet: "algorithm", Y: "value"}, []*Sheet{dots}},
		{Plot{}, nil}, {Plot{Kind: "pie"}, []*Sheet{run}}, {Plot{By: "set.kind", Facet: "folder", X: "value"}, []*Sheet{run, worded}}, {Plot{By: "set.kind", Facet: "folder", X: "value"}, []*Sheet{worded, run}}, {Plot{By: "set.kind", Facet: "folder", X: "value", Where: []string{"folder=a/run"}}, []*Sheet{worded, run}},
		{Plot{Kind: Scatter, X: "value"}, []*Sheet{RunSheet("eight", runOf(4, many[:8]...))}}, {Plot{Kind: "pie", Log: "x"}, []*Sheet{run}}, {Plot{Log: "z", Band: NoBand}, []*Sheet{run}}, {Plot{Facet: "population.size", By: "algorithm", X: "algorithms.composite.step"}, []*Sheet{SweepSheet("sixteen", sweepOf(-1, three[:1], key{"population.size", strings.Fields("1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16")}, step))}}, {Plot{Log: "z"}, []*Sheet{run}}, {Plot{Band: "all"}, []*Sheet{run}}, {Plot{X: "turn"}, []*Sheet{run}}, {Plot{Y: "gab"}, []*Sheet{run}}, {Plot{By: "nothing like it"}, []*Sheet{run}}, {Plot{Facet: "k2"}, []*Sheet{run}},
		{Plot{Where: []string{"gap"}}, []*Sheet{run}}, {Plot{Where: []string{"gap=x"}}, []*Sheet{run}}, {Plot{Where: []string{"algorithm=x"}}, []*Sheet{run}}, {Plot{Where: []string{"nobody=x"}}, []*Sheet{run}}, {Plot{Where: []string{"algorithm=x"}}, []*Sheet{crowd}}, {Plot{Y: "algorithm"}, []*Sheet{run}}, {Plot{X: "algorithm"}, []*Sheet{run}}, {Plot{Kind: Heat, X: "k", By: "trial", Y: "algorithm"}, []*Sheet{run}},
		{Plot{Kind: Heat}, []*Sheet{run}}, {Plot{}, []*Sheet{crowd}}, {Plot{Facet: "gap"}, []*Sheet{run}}, {Plot{Facet: "algorithm"}, []*Sheet{crowd}}, {Plot{By: "gap"}, []*Sheet{run}}, {Plot{Rename: []string{"gap=x", "gap=y"}}, []*Sheet{run}}, {Plot{Rename: []string{"turn=x"}}, []*Sheet{run}}, {Plot{Kind: Hist, X: "optimum_value", Where: []string{"algorithm=vanilla"}}, []*Sheet{bare}}, {Plot{Y: "optimum_value", X: "set.kind", Kind: Heat, By: "algorithm"}, []*Sheet{bare}},
		{Plot{X: "algorithms.composite.step", Y: "optimum_residual"}, []*Sheet{one}}, {Plot{Kind: Scatter, X: "algorithms.composite.step", Y: "optimum_residual"}, []*Sheet{one}},
		{Plot{By: "algorithms.composite.step"}, []*Sheet{two}}, {Plot{Facet: "algorithms.composite.step"}, []*Sheet{two}},
	} {
		s, err := c.Sketch(c.sheets...)
		lines = append(lines, fmt.Sprintf("%d %+v", i, c.Plot))
		if err != nil {
			lines = append(lines, "  refused: "+err.Error())
			continue
		}
		lines = append(lines, pictured(t, s)...)
	}
	for _, s := range []*Sheet{run, two, join([]*Sheet{run, worded})} {
		lines = append(lines, fmt.Sprint("columns of ", s.Name, ": ", s.rows, " ", s.Columns()))
	}
	evidence.AsRecorded(t, "testdata/plots.txt", lines)
}

// Figures of sweeps over no, one, two and more keys, of numbers and of words, are what they were when they were last looked at.
func TestSweepFiguresAreAsRecorded(t *testing.T) {
	step, size := key{"algorithms.composite.step", strings.Fields("0.001 0.01 0.1 1")}, key{"population.size", strings.Fields("10 20 30")}
	flag, lambda := key{"set.kind", []string{"box", "ball"}}, key{"dynamics.lambda2", strings.Fields("1e-05 0.2")}
	single := key{"iterations", []string{"7"}}
	var wide key
	wide.name = "other.words"
	for i := range 17 {
		wide.values = append(wide.values, fmt.Sprint("w", i))
	}
	unmeasured := sweepOf(-1, []string{"vanilla"}, size)
	for i := range unmeasured.Cells {
		unmeasured.Cells[i].Summary = nil
	}
	silent := sweepOf(-1, []string{"vanilla", "composite"}, size)
	for i := range silent.Cells {
		a := silent.Cells[i].Summary.Algorithms["vanilla"]
		a.Gap = folder.SpreadOf([]float64{math.NaN()})
		silent.Cells[i].Summary.Algorithms["vanilla"] = a
	}
	two := []string{"vanilla", "composite"}
	var lines []string
	for i, r := range []*folder.SweepResult{
		sweepOf(-1, two, single), sweepOf(1, two, step), sweepOf(-1, two[:1], single, size), sweepOf(0, two, step, size), sweepOf(-1, two, size, flag), sweepOf(-1, two, flag), sweepOf(-1, []string{"vanilla", "Own Method"}, step, size, lambda),
		sweepOf(-1, two, step, size, flag), unmeasured, silent, sweepOf(-1, two[:1], size, wide),
	} {
		list := SweepSketches(r)
		lines = append(lines, fmt.Sprintf("sweep %d over %v: %d figures", i, r.Keys, len(list)))
		for _, s := range list {
			lines = append(lines, pictured(t, s)...)
		}
	}
	figures, err := SweepFigures(sweepOf(-1, two[:1], size))
	if err != nil || len(figures) != 1 || len(figures[0].PNG) == 0 {
		t.Fatal(errors.Join(err), figures)
	}
	for _, v := range []float64{0, 0.001, 0.00099, 9999, 9999.9, 12345, -0.5, -1e-7, 1e4} {
		lines = append(lines, fmt.Sprintf("%g is short %s", v, short(v)))
	}
	for i, name := range []string{"composite", "a-b", "A", "", "ä", strings.Repeat("x", 40), strings.Repeat("x", 41)} {
		lines = append(lines, name+" is filed as "+fileName(name, i))
	}
	for _, typed := range []string{"0", "0 0 1", "0.00009 1", "0.0001 1", "1e6 1", "999999 1", "1.23456 1.23457", "1.2345678901234567 1.2345678901234568", "1e-05 NaN", "-3 3", "0.1234 0.9", "12345 12346", "1000 1001.5", "0.1 0.10000000000000001"} {
		lines = append(lines, typed+" is read as "+strings.Join(readable(strings.Fields(typed)), " "))
	}
	for _, name := range []string{"alpha", "beta12", "gamma", "delta", "epsilon", "eta", "kappa", "mu", "nu", "rho", "sigma", "tau", "theta", "phi", "a.b_c.d_e", "algorithms", "algorithms.x", "algorithms.x.y"} {
		lines = append(lines, name+" is called "+symbol(name)+", "+KeyLabel(name)+", "+indexed(name+"_12"))
	}
	evidence.AsRecorded(t, "testdata/sweeps.txt", lines)
}
