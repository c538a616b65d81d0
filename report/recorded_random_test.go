package report

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/report/draw"
	"github.com/kedge-opt/kedge/report/page"
)

// some is one of a list.
func some[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// anyPoint is a point with evidence of any kind.
func anyPoint(r *rand.Rand) folder.Point {
	if r.IntN(8) == 0 {
		return folder.NoPoint()
	}
	p := folder.Point{
		Value: some(r, -2, 3.5, 1e-6, 4e9), Gap: some(r, 0, 1e-13, -1e-13, 0.02, -0.01, math.NaN()), Distance: some(r, 0, 0.1, 0.3), Residual: some(r, 0, 1e-3, 2e-3), Starts: r.IntN(4), Spread: 1e-9,
		Decision: []float64{1, 2, 3, 4, 5, 6, 7, 8, 9}[:some(r, 0, 1, 2, 2, 3, 8, 9)],
	}
	if r.IntN(5) == 0 {
		return p
	}
	e := &folder.Evidence{Standing: some(r, folder.Proven, folder.Searched, folder.Stationary), Why: some(r, "", "it is convex"), Here: r.IntN(3), Places: r.IntN(4), Missed: some(r, 0, 9e-5, 1e-4, 0.03, 1.5), Kink: r.IntN(4) == 0, Jump: r.IntN(6) == 0, Bounded: r.IntN(3) == 0, Reached: r.IntN(2) == 0}
	if r.IntN(2) == 0 {
		bound := p.Value * some(r, 1, 1.1, 1.5, 1.6, 0.5, 1.23456789)
		e.Bound = &bound
	}
	if r.IntN(2) == 0 {
		attracting := r.IntN(2) == 0
		e.Attracting = &attracting
	}
	for range r.IntN(3) {
		e.Eigenvalues = append(e.Eigenvalues, [2]float64{some(r, -0.5, 0, 0.7), 1})
	}
	p.Evidence = e
	return p
}

// anyCourse is a quantity over n turns: it falls, rises, swings, rests, or is not known.
func anyCourse(r *rand.Rand, n int) (list []float64) {
	v, by, swing := some(r, 1, 0.5, 0.02, -0.3, 0, 1e-5), some(r, 0.5, 0.9, 0.97, 1, 1, 1.1), some(r, 0, 0, 0.04, 0.3)
	for i := range n {
		list = append(list, v*(1+swing*float64(i%2)))
		v *= by
	}
	if r.IntN(6) == 0 {
		list[some(r, 0, n/2, n-1)] = math.NaN()
	}
	return list
}

// anyRun is a method with some trials that differ a little, or not at all.
func anyRun(r *rand.Rand, name string, columns []string) folder.Run {
	run := folder.Run{Name: name, Planned: 3, Seconds: float64(r.IntN(90))}
	n, every, noise := 1+r.IntN(12), some(r, 1, 5, 10), some(r, 0, 0.001, 0.2)
	courses := map[string][]float64{}
	for _, c := range columns {
		courses[c] = anyCourse(r, n)
	}
	for trial := range some(r, 0, 1, 1, 2, 3) {
		var turn []int
		var rows []map[string]float64
		for i := range n {
			m := map[string]float64{}
			for _, c := range columns {
				m[c] = courses[c][i] * (1 + noise*r.Float64())
			}
			turn, rows = append(turn, i*every), append(rows, m)
		}
		t := folder.Trial{Index: trial + r.IntN(2), Measured: measured(turn, rows...), Decision: []float64{r.Float64(), 2, -1}}
		if r.IntN(2) == 0 {
			t.Path = anyPath(r)
		}
		run.Trials = append(run.Trials, t)
	}
	if r.IntN(12) == 0 && !slices.Contains(columns, "tracking") {
		run.Trials = append(run.Trials, folder.Trial{Index: 7})
	}
	return run
}

// anyPath is how some people and a decision moved, of all shapes.
func anyPath(r *rand.Rand) *folder.Path {
	p := &folder.Path{K: []int{0, 1, 3}[:1+r.IntN(3)], People: make([]int, some(r, 1, 2, 13))}
	n, m := some(r, 1, 2, 3), some(r, 1, 2, 3, 3)
	for range len(p.K) * len(p.People) {
		row := []float64{r.Float64(), r.Float64(), r.Float64()}[:n]
		if n == 3 && len(p.People) == 2 {
			row = []float64{0.5, 0.25, 0.25}
		}
		p.States = append(p.States, row...)
	}
	for range len(p.K) * m {
		p.Decisions = append(p.Decisions, r.Float64())
	}
	if r.IntN(9) == 0 {
		p.States = p.States[1:]
	}
	return p
}

// anyResult is one whose parts may be there or not.
func anyResult(r *rand.Rand) *folder.Result {
	text, _ := problem.Case(some(r, "lq2", "scalar-pricing"))
	out := &folder.Result{Case: "any", Spec: some(r, string(text), string(text), "unknown: 1"), Seed: 7, Iterations: some(r, 10, 100), Trials: 3, Partial: r.IntN(6) == 0, Individuals: r.IntN(2) * 10, Maximize: r.IntN(2) == 0, Optimum: anyPoint(r), Stable: anyPoint(r)}
	for range some(r, 0, 0, 1, 2, 3) {
		out.Rests = append(out.Rests, anyPoint(r))
	}
	columns := []string{"gap", "distance", "value"}
	for _, more := range [][]string{{"excess_1", "multiplier_1"}, {"excess_1", "multiplier_1", "excess_2", "multiplier_2"}, {"tracking", "regret"}, {"w1_optimal"}, {"nash_distance"}, {"gap_rollout", "distance_rollout"}} {
		if r.IntN(4) == 0 && !slices.Contains(columns, more[0]) {
			columns = append(columns, more...)
		}
	}
	if slices.Contains(columns, "gap_rollout") {
		out.Reference = &folder.Reference{Steps: 5, Optimum: anyPoint(r), True: anyPoint(r)}
	}
	out.Names.State = []kedge.Called{{Name: "stock", Unit: "kg"}, {Name: "trust"}}[:r.IntN(3)]
	for _, name := range []string{"vanilla", "composite", "derivative-free", "own"}[:1+r.IntN(4)] {
		out.Runs = append(out.Runs, anyRun(r, name, columns))
	}
	if r.IntN(3) == 0 {
		out.Notes = append(out.Notes, "A note.")
	}
	for _, method := range []string{"", "vanilla", "composite", "nobody"} {
		if r.IntN(4) == 0 {
			out.Diagnoses = append(out.Diagnoses, folder.Diagnosis{Method: method, Check: some(r, stepCheck, "other"), Text: "Something is wrong.", Remedy: some(r, "", "set it right")})
		}
	}
	if r.IntN(4) == 0 {
		out.Angles = &folder.Angles{Initial: []float64{10, 20, 30}, Final: map[string][]float64{"vanilla": {5, 6, 7}}, Optimal: []float64{1, 2, 3}[:r.IntN(4)]}
	}
	return out
}

// laidOut is everything that a figure says before it is drawn.
func laidOut(s draw.Sketch) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s|%s|%s|%d|%v|%v|%v|%v\n", s.Name, s.Title, s.Caption, s.Columns, s.Shared, s.Square, s.Width, s.Height)
	for _, e := range s.Legend {
		fmt.Fprintf(&b, "legend %s %v %v", e.Words, e.Fresh, e.Dot)
		if e.Sample != nil {
			fmt.Fprintf(&b, "%+v\n", *e.Sample)
		}
	}
	for _, p := range s.Panels {
		fmt.Fprintf(&b, "panel %s|%s|%+v|%+v|%+v\n", p.Title, p.Note, p.X, p.Y, p.Layers)
		for _, a := range p.Beside {
			fmt.Fprintf(&b, "beside %v %q %v\n", a.At, a.Words, a.Sample != nil)
		}
	}
	return b.String()
}

// summed is the sum of what a document says, in all ways but the page, and of what is drawn.
func summed(d *page.Document, figures []draw.Sketch) string {
	graphs, err := json.Marshal(d.Graphs)
	if err != nil {
		return err.Error()
	}
	text := string(d.Markdown()) + d.Terminal(page.Terminal{Width: 80, Height: 24}) + string(graphs)
	for _, f := range figures {
		text += laidOut(f)
	}
	sum := sha256.Sum256([]byte(text))
	return fmt.Sprintf("%x", sum[:8])
}

// What is said of results of any kind, alone and two together, is what it was when it was last looked at.
func TestAnyResultsAreAsRecorded(t *testing.T) {
	var lines []string
	var before *folder.Result
	for seed := range uint64(160) {
		r := anyResult(rand.New(rand.NewPCG(seed, 8)))
		d := runDocument(kind.Standard(), r, nil)
		list := sketches(r)
		names := make([]string, len(list))
		for i, s := range list {
			names[i] = s.Name
		}
		lines = append(lines, fmt.Sprintf("%d: %s %v", seed, summed(d, list), names), "  "+d.Verdict.Headline, "  "+standing(&r.Optimum, r.Maximize), "  "+standing(&r.Stable, r.Maximize))
		for _, text := range slices.Concat(d.Verdict.Reasons, cautions(diagnosed(r, specOf(kind.Standard(), r)))) {
			lines = append(lines, "    "+text)
		}
		if before != nil && seed%3 == 0 {
			runs := []labelled{newLabelled(kind.Standard(), "a", before), newLabelled(kind.Standard(), "b", r)}
			d := severalRuns(runs, nil)
			lines = append(lines, "  both: "+summed(d, sketches(together(runs)))+" "+d.Verdict.Headline)
		}
		before = r
	}
	evidence.AsRecorded(t, "testdata/any.txt", evidence.Rounded(strings.Join(lines, "\n")))
}
