package logs

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/stream"
)

const addedSpec = `
model:
  decision: q
  state: p
  trait: d
  let: {habit: "? in [0, 1]", pull: "?"}
  next: habit*p + pull*q + d
  maximize: p - q^2
  subject to: -5 <= q <= 5
data: {file: log.csv, person: who, time: week, decision: q, states: p, effects: person}
`

// answering is a log of a habit of 0.5 and a pull of 2, under decisions by person and week, with so much noise; odd is what a row has in place of its state.
func answering(people, weeks int, noise float64, decision func(who, week int) float64, odd map[int]float64) string {
	s := stream.New(5, "test", "confident")
	var b strings.Builder
	b.WriteString("who,week,q,p,one\n")
	for i := range people {
		p := s.Normal()
		for week := range weeks {
			q := decision(i, week)
			p = 0.5*p + 2*q + noise*s.Normal()
			shown := p
			if v, ok := odd[i*weeks+week]; ok {
				shown = v
			}
			fmt.Fprintf(&b, "c%d,%d,%v,%v,1\n", i, week, q, shown)
		}
	}
	return b.String()
}

// Logs that tell less than a fit could print of them: what cannot be told has a dash, what is sure by rounding alone no interval, and what rests on one row or on one person
// says so. Without that each of these had a number with an interval that the truth was far outside of.
func TestNothingIsSurerThanTheLog(t *testing.T) {
	evidence.OneGoroutine(t)
	s := stream.New(6, "test", "confident")
	drawn := func(int, int) float64 { return s.Normal() }
	byTime := strings.Replace(bareSpec, "traits: one", "traits: one, effects: time", 1)
	nonlinear := strings.Replace(byTime, "pull*q*d", "exp(pull)*q*d", 1)
	wave := func(_, week int) float64 { return float64(week*week%7) - 3 }
	for _, c := range []struct {
		name, spec, log string
		blind, warn     string
		error           [2]float64 // of pull, from and to; none: there is none
	}{
		{"decisions by person, traits of people", addedSpec, answering(24, 10, 0.3, func(who, _ int) float64 { return 0.1 * float64(who) }, nil), "pull cannot be told", "", [2]float64{}},
		{"decisions by time, effects of times", byTime, answering(24, 10, 0.3, wave, nil), "pull cannot be told: q moved for all alike", "", [2]float64{}},
		{"the same, not linear", nonlinear, answering(24, 10, 0.3, wave, nil), "", "only the first time tells", [2]float64{0.001, 1}},
		{"one person", addedSpec, answering(1, 12, 0.3, drawn, nil), "", "no more people (1) than unknowns (2)", [2]float64{0.01, 0.5}},
		{"two people", addedSpec, answering(2, 12, 0.3, drawn, nil), "", "no more people (2) than unknowns (2)", [2]float64{0.01, 0.5}},
		{"without noise", bareSpec, answering(12, 8, 0, drawn, nil), "", "", [2]float64{}},
		{"without noise, within people", addedSpec, answering(12, 8, 0, drawn, nil), "", "", [2]float64{}},
		{"a state that is another unit", bareSpec, answering(12, 8, 0.3, drawn, map[int]float64{17: 1e9}), "", "p is 1e+09 in row 18 of log.csv", [2]float64{0.01, 1e9}},
	} {
		e, err := fitted(t, c.spec, c.log, Options{Starts: 1})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := strings.Join(e.Blind, "; "); (c.blind == "") != (got == "") || !strings.Contains(got, c.blind) {
			t.Errorf("%s: blind for %q, want %q", c.name, got, c.blind)
		}
		if got := strings.Join(e.Warn, "; "); !strings.Contains(got, c.warn) {
			t.Errorf("%s: warnings are %q, want %q", c.name, got, c.warn)
		}
		pull := e.Found[1]
		if known := pull.Error.Known(); known != (c.error[1] > 0) || known && !(float64(pull.Error) > c.error[0] && float64(pull.Error) < c.error[1]) {
			t.Errorf("%s: %+v", c.name, pull)
		}
		if !pull.Error.Known() && (pull.Low.Known() || pull.High.Known() || pull.Note == "") {
			t.Errorf("%s: %+v", c.name, pull)
		}
	}
}
