package logs

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/stream"
)

const bareSpec = `
model:
  decision: q
  state: p
  trait: d
  let: {habit: "? in [0, 1]", pull: "?"}
  next: habit*p + pull*q*d
  maximize: p - q^2
  subject to: -5 <= q <= 5
data: {file: log.csv, person: who, time: week, decision: q, states: p, traits: one}
`

// swinging is a log of a habit of so much, with the errors that it was made with.
func swinging(habit float64) (text string, rows [][3]float64) {
	s := stream.New(5, "test", "bound")
	var b strings.Builder
	b.WriteString("who,week,q,p,one\n")
	for i := range 30 {
		p := s.Normal()
		for t := range 12 {
			q := s.Normal()
			next := habit*p + 2*q + s.Normal()
			if t > 0 {
				rows = append(rows, [3]float64{p, q, next})
			}
			fmt.Fprintf(&b, "c%d,%d,%v,%v,1\n", i, t, q, next)
			p = next
		}
	}
	return b.String(), rows
}

// A habit that would be below 0 is at 0, with an interval from there to where the loss has risen by what Student's law allows. By the formulas of least
// squares, without bounds, that is h + √(h² + q²·se²), h the estimate and se its error; errors by person make it a little longer or shorter.
func TestBoundsHaveIntervals(t *testing.T) {
	log, rows := swinging(-0.12)
	e, err := fitted(t, bareSpec, log, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var pp, pq, qq, py, qy float64
	for _, r := range rows {
		pp, pq, qq, py, qy = pp+r[0]*r[0], pq+r[0]*r[1], qq+r[1]*r[1], py+r[0]*r[2], qy+r[1]*r[2]
	}
	h := (py*qq - qy*pq) / (pp*qq - pq*pq)
	se := math.Sqrt(qq / (pp*qq - pq*pq))
	if h >= 0 {
		t.Fatalf("the habit is %v without its range", h)
	}
	end := func(q float64) float64 { return h + math.Sqrt(h*h+q*q*se*se) }
	got := e.Found[0]
	if got.Value != 0 || got.Low != 0 || !(float64(got.High) > end(1.8) && float64(got.High) < end(2.6)) || got.Error.Known() || !strings.Contains(got.Note, "by profile") {
		t.Errorf("habit is %+v, want 0 … %v to %v", got, end(1.8), end(2.6))
	}
	if !strings.Contains(strings.Join(e.Warn, " "), "habit is at its bound, and so it is in all draws") {
		t.Errorf("nothing is said of draws: %q", e.Warn)
	}
}

// A spec with a log needs neither turns, nor people, nor rules: what is written runs, with a step by how the settled value bends. That value is
// 2q/(1−habit) − q², whose slope changes by 2 an entry: half of the way to its bottom is a step of 0.25.
func TestBareSpecs(t *testing.T) {
	evidence.OneGoroutine(t)
	log, _ := swinging(0.5)
	e, err := fitted(t, bareSpec, log, Options{})
	if err != nil {
		t.Fatal(err)
	}
	files, err := e.Files("out")
	if err != nil {
		t.Fatal(err)
	}
	if text := string(files[SpecFile]); strings.Count(text, "step: 0.2\n") != 2 && strings.Count(text, "step: 0.3\n") != 2 || !strings.Contains(text, "iterations: 2000") {
		t.Errorf("the spec is\n%s", text)
	}
	s, err := problem.Parse(kind.Standard(), SpecFile, files[SpecFile])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := problem.Build(SpecFile, s, fstest.MapFS{"out/people.csv": {Data: files["people.csv"]}, "out/draws.csv": {Data: files[DrawsFile]}}); err != nil {
		t.Error(err)
	}
	own := bareSpec + "algorithms: [{name: composite, step: 0.07, batch: 3}]\n"
	if e, err = fitted(t, own, log, Options{}); err != nil || e.step != 0 {
		t.Errorf("a step of %v where the spec has its own, %v", e.step, err)
	}
	if _, err := problem.Parse(kind.Standard(), "x.yaml", []byte(strings.Replace(bareSpec, "data:", "record:", 1))); err == nil {
		t.Error("a spec without a log needs no rules")
	}
}
