package plan_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/session/guard"
	"github.com/kedge-opt/kedge/session/plan"
)

// shop has people who settle at d − Bq, half of the way a step.
const shop = `
iterations: 100
model:
  decision: q[2]
  state: p[2]
  trait: d[2]
  let: {B: [[2, 0.25], [0.25, 1]]}
  next: 0.5*p + 0.5*(d - B @ q)
  maximize: dot(p, q)
  subject to: 0 <= q <= 20
population: {size: 10, law: normal, mean: [10, 8], deviation: [1, 1]}
start: {law: values, values: [3, 3]}
algorithms:
  - {name: composite, kind: composite, step: 0.05, batch: 10}
live:
  samples: {least: 1}
  cap: {norm: 0.5}
`

// briefs are plans of shops that differ.
func briefs(t *testing.T) map[string]*plan.Brief {
	t.Helper()
	all := map[string]*plan.Brief{}
	for name, change := range map[string][]string{
		"shop":    nil,
		"capped":  {"cap: {norm: 0.5}", "cap: {norm: 0.7, each: 0.4, day: 1}"},
		"vanilla": {"name: composite, kind: composite", "name: vanilla, kind: vanilla"},
		"costs":   {"maximize: dot(p, q)", "minimize: dot(q, q) - dot(p, d)"},
		"budget":  {"subject to: 0 <= q <= 20", "subject to: [q >= 0, sum(q) <= 7]"},
		"free":    {"subject to: 0 <= q <= 20", "subject to: q[0] >= 1"},
		"learned": {"step: 0.05", "step: 0.05, sensitivity: learned, learn: {dither: 0.1}"},
		"adam":    {"step: 0.05", "step: 0.05, momentum: 0.5"},
		"wild":    {"maximize: dot(p, q)", "maximize: dot(p, log(q - 1))"},
		"traits":  {"  cap: {norm: 0.5}", "  mix: {of: [1], declared: [{of: [0], edges: [9], shares: [0.5, 0.5]}]}"},
	} {
		spec := shop
		if change != nil {
			spec = strings.Replace(shop, change[0], change[1], 1)
		}
		b, err := plan.Of(kind.Standard(), spec)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all[name] = b
	}
	return all
}

// sample is people who answer a decision nearly as the model says.
func sample(r *rand.Rand, n int, u []float64, isWeighted bool) kedge.Observation {
	o := kedge.Observation{U: u}
	for range n {
		d := []float64{10 + r.NormFloat64(), 8 + r.NormFloat64()}
		o.D = append(o.D, d...)
		o.P = append(o.P, d[0]-2*u[0]-0.25*u[1]+0.1*r.NormFloat64(), d[1]-0.25*u[0]-u[1]+0.1*r.NormFloat64())
		if isWeighted {
			o.W = append(o.W, 0.5+r.Float64())
		}
	}
	return o
}

func copied(o kedge.Observation) kedge.Observation {
	o.P, o.D = append([]float64{}, o.P...), append([]float64{}, o.D...)
	if o.W != nil {
		o.W = append([]float64{}, o.W...)
	}
	return o
}

// says is what something comes to, with numbers of nine digits.
func says(t *testing.T, what string, v any, err error) string {
	t.Helper()
	var text bytes.Buffer
	if err := json.NewEncoder(&text).Encode(v); err != nil {
		t.Fatal(what, err)
	}
	if err != nil {
		return fmt.Sprintf("%s: %v", what, err)
	}
	return what + ": " + strings.Join(evidence.Rounded(text.String()), "")
}

// What plans make of random people and steps is what it was when this was recorded. Other tests say that it is right.
func TestPlansAsRecorded(t *testing.T) {
	var got []string
	all := briefs(t)
	for _, name := range []string{"shop", "capped", "vanilla", "costs", "budget", "free", "learned", "adam", "wild", "traits"} {
		p, r := all[name], rand.New(rand.NewPCG(uint64(len(name)), 3))
		note := func(what string, v any, err error) { got = append(got, name+" "+says(t, what, v, err)) }
		low, high := p.Bounds()
		note("bounds", []any{low, high, p.Start, p.Maximize, p.Duty.Mix, p.Duty.Declared, p.Duty.Informed, len(p.Duty.Metrics)}, nil)
		before := p.Start
		for k, n := range []int{1, 2, 30, 9, 5} {
			u := make([]float64, len(p.Start))
			p.Rule.Center(u)
			seen := sample(r, n, u, k == 2 || k == 4)
			seen.Loss = p.Loss(seen)
			note("loss", []any{seen.Loss, p.Losses(seen)[:1], p.Value(p.Losses(seen), seen.W)}, nil)
			if err := p.Rule.Tell(copied(seen)); err != nil {
				t.Fatal(err)
			}
			next := make([]float64, len(u))
			p.Rule.Center(next)
			why := plan.ReasoningOf(p.Rule, u, seen.U)
			vanilla := p.Vanilla(why, u)
			note("why", []any{why, plan.TermsOf(p.Rule, 0.5), vanilla}, nil)
			cut, reasons, near := p.Capped([]float64{u[0] + r.NormFloat64(), u[1] + r.NormFloat64()}, u, 0.8)
			note("cut", []any{cut, reasons, near, p.Feasible(cut), p.Excess([]float64{-1, 21})}, nil)
			f, err := p.Forecast(copied(seen), before, next, vanilla)
			note("forecast", f, err)
			a, err := p.Answering(copied(seen))
			note("answering", a, err)
			g, err := p.Guess(k, next, copied(seen))
			note("guess", g, err)
			before = u
		}
	}
	evidence.AsRecorded(t, "testdata/plans.txt", got)
}

// A loop is planned of what can decide for people elsewhere, and refused otherwise, for a reason.
func TestSpecsThatAreRefusedAsRecorded(t *testing.T) {
	var got []string
	for _, change := range [][]string{
		{"step: 0.05", "step: 0.05, schedule: horizon"},
		{"kind: composite", "kind: storm"},
		{"step: 0.05", "step: 0.05, sensitivity: learned, learn: {dither: 0.1, form: panel}"},
		{"live:\n", "live:\n  algorithm: another\n"},
		{"live:\n", "live:\n  mix: {of: [2]}\n"},
		{"live:\n", "live:\n  mix: {of: [price]}\n"},
		{"live:\n", "live:\n  mix: {declared: [{of: [7], edges: [1], shares: [0.5, 0.5]}]}\n"},
		{"live:\n", "live:\n  guardrails: [{name: a, of: 'mean(nobody)', most: 1}]\n"},
		{"live:\n", "live:\n  guardrails: [{name: a, of: 'median(p[0])', most: 1}]\n"},
		{"live:\n", "live:\n  guardrails: [{name: a, kind: constraint, of: load}]\n"},
		{"start: {law: values, values: [3, 3]}", "start: {law: file, file: start.csv}"},
		{"law: normal, mean: [10, 8], deviation: [1, 1]", "law: file, file: people.csv"},
		{"let: {B: [[2, 0.25], [0.25, 1]]}", "let: {B: {file: b.csv}}"},
		{"iterations: 100\n", "iterations: 100\nchanges: [{from: 3, set: {kind: ball, radius: 5}}]\n"},
		{"q[2]", "q[10001]"},
		{"iterations: 100\n", "iterations: \n"},
	} {
		_, err := plan.Of(kind.Standard(), strings.Replace(shop, change[0], change[1], 1))
		got = append(got, fmt.Sprintf("%s: %s", strings.Join(strings.Fields(change[1]), " "), strings.ReplaceAll(fmt.Sprint(err), "\n", " | ")))
	}
	evidence.AsRecorded(t, "testdata/refused.txt", got)
}

// A spec whose keys are changed is another, and one without changes stays as it is written, also where it is none.
func TestEdit(t *testing.T) {
	if same, err := plan.Edit(kind.Standard(), "no spec", nil); err != nil || same != "no spec" {
		t.Errorf("%q, %v", same, err)
	}
	other, err := plan.Edit(kind.Standard(), shop, []string{"algorithms.composite.step=0.25", "live.cap.norm=2"})
	if err != nil || !strings.Contains(other, "step: 0.25") || !strings.Contains(other, "norm: 2") {
		t.Errorf("%v: %s", err, other)
	}
	if text, err := plan.Edit(kind.Standard(), shop, []string{"live.cap.nrm=2"}); err == nil || text != "" {
		t.Errorf("%q, %v", text, err)
	}
}

// Nobody knows what a rule would have made of a step that is not written down, or that it shaped.
func TestVanillaIsUnknown(t *testing.T) {
	p := briefs(t)["shop"]
	sound := plan.Reasoning{From: []float64{3, 3}, Direct: []float64{1, 2}, Answer: []float64{0.5, 0}, Eta: 0.1, Stepped: []float64{2.85, 2.8}}
	if u := p.Vanilla(&sound, []float64{3, 3}); u == nil || u[0] != 2.9 || u[1] != 2.8 {
		t.Errorf("vanilla goes to %v", u)
	}
	if u := p.Vanilla(&sound, []float64{20, 3}); u == nil || math.Abs(u[0]-19.5) > 1e-3 { // as far as the cap lets it
		t.Errorf("from afar it goes to %v", u)
	}
	for name, change := range map[string]func(*plan.Reasoning){
		"no step size":   func(r *plan.Reasoning) { r.Eta = 0 },
		"no direct term": func(r *plan.Reasoning) { r.Direct = nil },
		"no step":        func(r *plan.Reasoning) { r.Stepped = nil },
		"no answer":      func(r *plan.Reasoning) { r.Answer = nil },
		"shaped":         func(r *plan.Reasoning) { r.Stepped = []float64{2.85, 2.8 + 1e-8} },
	} {
		other := sound
		if change(&other); p.Vanilla(&other, []float64{3, 3}) != nil {
			t.Errorf("%s: vanilla goes somewhere", name)
		}
	}
	if p.Vanilla(nil, []float64{3, 3}) != nil {
		t.Error("without reasons it goes somewhere")
	}
}

// A decision stays within the caps on the way from what is live: 3 wanted along (1, 0) and 4 along (0, 1) are 5, of which 0.7 and 0.4 an entry are allowed.
func TestCappedByHand(t *testing.T) {
	p := briefs(t)["capped"]
	for _, c := range []struct {
		u       []float64
		moved   float64
		want    []float64
		reasons string
	}{
		{[]float64{6, 7}, 0, []float64{3.3, 3.4}, "cap.norm binds: 5.00 wanted, 0.700 allowed; cap.each binds: 4.00 wanted, 0.400 allowed; cap.day binds: 5.00 wanted, 1.00 allowed"},
		{[]float64{6, 7}, 0.75, []float64{3.15, 3.2}, "cap.norm binds: 5.00 wanted, 0.700 allowed; cap.each binds: 4.00 wanted, 0.400 allowed; cap.day binds: 5.00 wanted, 0.250 allowed"},
		{[]float64{6, 7}, 2, []float64{3, 3}, "cap.norm binds: 5.00 wanted, 0.700 allowed; cap.each binds: 4.00 wanted, 0.400 allowed; cap.day binds: 5.00 wanted, 0 allowed"},
		{[]float64{3.4, 3}, 0, []float64{3.4, 3}, ""},
		{[]float64{3, 2.5}, 0.75, []float64{3, 2.75}, "cap.each binds: 0.500 wanted, 0.400 allowed; cap.day binds: 0.500 wanted, 0.250 allowed"},
	} {
		cut, reasons, near := p.Capped(c.u, []float64{3, 3}, c.moved)
		if !near || math.Abs(cut[0]-c.want[0]) > 1e-12 || math.Abs(cut[1]-c.want[1]) > 1e-12 || strings.Join(reasons, "; ") != c.reasons {
			t.Errorf("%v after %g: %v, %q, %t", c.u, c.moved, cut, reasons, near)
		}
	}
	cut, reasons, near := p.Capped([]float64{1, 1}, []float64{-5, 1}, 0) // what is live is far from the set
	if near || cut[0] != -5 || reasons[len(reasons)-1] != "no feasible decision is that near to what is live" {
		t.Errorf("%v, %q, %t", cut, reasons, near)
	}
	if cut, _, near := p.Capped([]float64{1, 1}, []float64{-0.1, 1}, 0); !near || math.Abs(cut[0]-0.3) > 1e-12 { // and here it is near
		t.Errorf("%v, %t", cut, near)
	}
}

// Of more people than are looked at some are, and a guess says of how many; nobody is guessed of without anybody.
func TestForecastsOfCrowds(t *testing.T) {
	p, r := briefs(t)["shop"], rand.New(rand.NewPCG(1, 1))
	f, err := p.Forecast(sample(r, 2001, []float64{3, 3}, true), nil, []float64{3, 4}, nil)
	if err != nil || f.People != 2000 || f.Vanilla != nil || f.Stays.U[1] != 3 || f.Decided.U[1] != 4 || f.Stays.Gain != nil || f.Decided.Gain == nil {
		t.Fatalf("%+v, %v", f, err)
	}
	// By hand: people settle at d − Bq, so that they are worth (10 − 6.75)·3 + (8 − 3.75)·3 at (3, 3) and (10 − 7)·3 + (8 − 4.75)·4 at (3, 4) in the mean.
	if math.Abs(f.Stays.Value.Mean-22.5) > 0.3 || math.Abs(f.Decided.Value.Mean-22) > 0.3 || math.Abs(f.Decided.Gain.Mean+0.5) > 0.15 {
		t.Errorf("stays %+v, decided %+v, gain %+v", f.Stays.Value, f.Decided.Value, f.Decided.Gain)
	}
	a, err := p.Answering(sample(r, 501, []float64{3, 3}, false))
	if err != nil || a.People != 500 || len(a.Answers) != 2 || math.Abs(a.Answers[0][0]+2) > 1e-9 || math.Abs(a.Answers[1][0]+0.25) > 1e-9 {
		t.Errorf("%+v, %v", a, err)
	}
	nobody := kedge.Observation{U: []float64{3, 3}}
	if f, err := p.Forecast(nobody, nil, nil, nil); err != nil || f.Words != "nobody has answered yet, or their answers are no longer kept" || f.Stays != nil {
		t.Errorf("of nobody %+v, %v", f, err)
	}
	if a, err := p.Answering(nobody); err != nil || a.Words != "nobody has answered yet, or their answers are no longer kept" || len(a.Answers) > 0 {
		t.Errorf("of nobody %+v, %v", a, err)
	}
}

// A model that does not say where people settle makes no guesses.
func TestModelsThatDoNotSay(t *testing.T) {
	p, r := briefs(t)["shop"], rand.New(rand.NewPCG(1, 1))
	p.Model.Social = true
	seen := sample(r, 4, []float64{3, 3}, false)
	f, err := p.Forecast(copied(seen), nil, []float64{3, 4}, nil)
	if err != nil || f.Words != "the model does not say where people settle" || f.Stays != nil || f.Seen == nil {
		t.Errorf("%+v, %v", f, err)
	}
	if a, err := p.Answering(copied(seen)); err != nil || a.Words != "the model does not say how people answer" {
		t.Errorf("%+v, %v", a, err)
	}
	if g, err := p.Guess(1, []float64{3, 4}, copied(seen)); g != nil || err != nil {
		t.Errorf("%+v, %v", g, err)
	}
	p = briefs(t)["wild"]
	if g, err := p.Guess(1, []float64{0.5, 4}, copied(seen)); g != nil || err != nil {
		t.Errorf("of no finite value %+v, %v", g, err)
	}
	if v := p.Value([]float64{1, math.Inf(1)}, nil); v != nil {
		t.Errorf("of no finite loss %+v", v)
	}
	if v := p.Value([]float64{1}, nil); v != nil {
		t.Errorf("of one person %+v", v)
	}
	p = briefs(t)["vanilla"]
	p.Model.Sensitivity = nil
	if a, err := p.Answering(copied(seen)); err != nil || a.Words != "the model does not say how people answer" {
		t.Errorf("%+v, %v", a, err)
	}
}

// Guards watch what a spec names: metrics, constraints of one name and of its groups, and mixes of some traits.
func TestDuties(t *testing.T) {
	spec := strings.Replace(shop, "algorithms:\n", "constraints:\n  - {name: load, kind: expectation, of: 'p[0]', bound: 7}\n  - {name: loads, kind: expectation, of: 'p[1]', bound: 7}\nalgorithms:\n", 1)
	spec = strings.Replace(spec, "batch: 10}", "batch: 10, dual-step: 0.1}", 1) + "  guardrails: [{name: a, of: 'mean(p[0] + q[1])', most: 1}, {name: b, kind: constraint, of: load}, {name: c, kind: value}]\n  mix: {of: [1]}\n"
	b, err := plan.Of(kind.Standard(), spec)
	if err != nil {
		t.Fatal(err)
	}
	d := b.Duty
	if len(d.Metrics) != 3 || d.Metrics[0] == nil || d.Metrics[1] != nil || d.Metrics[2] != nil || len(d.Constraints) != 1 || len(d.Constraints["load"]) != 1 || !d.Informed {
		t.Errorf("%+v", d)
	}
	if v := d.Metrics[0].Eval(nil, nil, []float64{5, 0}, []float64{0, 2}, []float64{0, 0}); v != 7 {
		t.Errorf("the metric of p[0] = 5 and q[1] = 2 is %g", v)
	}
	if d.Mix[0] || !d.Mix[1] || d.Declared[0] != nil || d.Declared[1] != nil {
		t.Errorf("mixes %v, %v", d.Mix, d.Declared)
	}
	if all := briefs(t); all["shop"].Duty.Mix != nil || all["learned"].Duty.Informed || all["vanilla"].Duty.Informed || guard.New(all["shop"].Duty) == nil {
		t.Error("a shop without mixes watches some, or a rule that learns goes by the model")
	}
}
