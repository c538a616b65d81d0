package guard

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/problem/live"
	"github.com/kedge-opt/kedge/risk"
)

// crowd is a shop whose people settle at d − Bq, half of the way a step.
const crowd = `
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
constraints:
  - {name: load, kind: expectation, of: 'p[0]', bound: 4.1}
  - {name: peak, kind: cvar, level: 0.5, of: 'p[1]', bound: 4.9}
algorithms:
  - {name: composite, kind: composite, step: 0.05, batch: 10, dual-step: 0.1}
live:
  trust: {window: 4, between: [0.6, 1.5], otherwise: %s}
  outliers: %s
  mix: %s
  time: {period: %s}
  guardrails:
    - {name: mean, of: 'mean(p[0])', most: 4.2}
    - {name: low, of: 'quantile(dot(p, q), 0.1)', least: 19, after: 1, action: rollback}
    - {name: high, of: 'quantile(p[1], 0.9)', most: 6, least: 3.2, cool-down: 1}
    - {name: many, of: 'share(p[0] > 5)', most: 0.3, action: warn}
    - {name: few, of: 'share(p[1] <= 4)', least: 0.2, after: 3}
    - {name: odd, of: 'mean(log(p[1] - 1.5))', most: 9}
    - {name: told, kind: external, most: 3, action: kill}
    - {name: both, kind: external, least: -1, most: 3}
    - {name: bound, kind: constraint, of: load}
    - {name: tail, kind: constraint, of: peak}
    - {name: worth, kind: value, by: 0.05, window: 3}
    - {name: swing, kind: swing, window: 4}
`

// watch is the guard of the shop with some of its section live, as a loop makes it.
func watch(t *testing.T, otherwise, outliers, mix, period string, watched []bool) *Guard {
	t.Helper()
	s, err := problem.Parse(kind.Standard(), "spec", fmt.Appendf(nil, crowd, otherwise, outliers, mix, period))
	if err != nil {
		t.Fatal(err)
	}
	made, err := problem.BuildLive(s, 0, 0, fstest.MapFS{})
	if err != nil {
		t.Fatal(err)
	}
	d := Duty{Live: s.Live, Dims: made.Dims, Model: made.Model, Informed: made.Informed, Mix: watched, Declared: make([]*live.Mix, 2), Constraints: map[string][]risk.Constraint{}}
	for i := range s.Live.Guardrails {
		rail := &s.Live.Guardrails[i]
		var metric kedge.RowObjective
		if rail.Kind == live.Metric {
			stat, err := rail.Statistic()
			if err != nil {
				t.Fatal(err)
			}
			if metric, err = s.Formula("of", stat.Body, fstest.MapFS{}); err != nil {
				t.Fatal(err)
			}
		}
		d.Metrics = append(d.Metrics, metric)
	}
	for _, c := range made.Constraints {
		d.Constraints[c.Name] = append(d.Constraints[c.Name], c)
	}
	for i := range s.Live.Declared {
		d.Declared[1] = &s.Live.Declared[i]
	}
	return New(d)
}

// answering is a crowd that answers a part of what the model says, and changes.
type answering struct {
	*rand.Rand
	share, shift float64 // of the model's answer; of traits
	weighted     bool
	at           [2]float64 // what it has come to
}

// seen is a sample of it under a decision.
func (a *answering) seen(n int, u []float64) kedge.Observation {
	o := kedge.Observation{U: u, P: make([]float64, 0, 2*n)}
	for j, to := range []float64{2*u[0] + 0.25*u[1], 0.25*u[0] + u[1]} {
		a.at[j] += (to - a.at[j]) / 2
	}
	for i := range n {
		d := []float64{10 + a.shift + a.NormFloat64(), float64(6 + a.IntN(4))}
		if a.IntN(3) == 0 {
			d[1] += math.Round(a.shift)
		}
		o.D = append(o.D, d...)
		o.P = append(o.P, d[0]-a.share*a.at[0]+0.1*a.NormFloat64(), d[1]-a.share*a.at[1]+0.1*a.NormFloat64())
		if a.IntN(60) == 0 {
			o.P[2*i+a.IntN(2)] += 30 * a.NormFloat64()
		}
		if a.weighted {
			o.W = append(o.W, float64(a.IntN(4))/2+float64(i%2))
		}
		o.Who = append(o.Who, uint64(i))
	}
	return o
}

// closes lets a guard see a random course of decisions, and says of each what it found, in short and as sums of all of it.
func closes(t *testing.T, g *Guard, seed uint64, isWeighted bool) (list []string) {
	r := rand.New(rand.NewPCG(seed, 4))
	a := &answering{Rand: r, share: []float64{1, 0.3, 1.8, 1}[seed%4], weighted: isWeighted, at: [2]float64{6.75, 3.75}}
	h := &Hindsight{}
	for k := 1; k <= 16; k++ {
		u := []float64{2.5 + r.Float64(), 2.5 + 1.5*float64(k%2)*r.Float64()}
		g.WentLive(u, k%5 == 0)
		if k > 8 && seed%3 == 0 {
			a.shift += 0.4
		}
		seen := a.seen([]int{6, 25, 45, 130, 260, 60, 90, 70}[(k+int(seed))%8], u)
		if k == 6 && seed%5 == 0 {
			seen = a.seen(2*mostLooked+2, u)
		}
		sieved := g.Sieve(&seen)
		in := Inquiry{People: seen, Told: map[string]Metered{"told": {Value: 2 + 2*r.Float64(), SE: 0.3 * r.Float64()}}, Lost: r.IntN(4) / 2}
		if r.IntN(2) == 0 {
			in.Told["both"] = Metered{Value: 5*r.Float64() - 1.5, SE: 0.2}
		}
		for i := range len(seen.P) / 2 {
			in.Losses = append(in.Losses, -seen.P[2*i]*u[0]-seen.P[2*i+1]*u[1])
		}
		report := g.Examine(in)
		mixture := g.Mixture(seen, k%3)
		s := report.Seen
		s.Spread = sieved.Spread
		h.Add(k, report.Rails)
		g.Fold(Lesson{Verdicts{K: k, Counted: len(seen.P) / 2, Outside: sieved.Out, Rails: report.Rails, Ratio: report.Ratio}, u, &s, u, r.IntN(4) > 0})
		if k == 11 && seed%4 == 3 {
			g.Forget()
		}
		short := ""
		for _, j := range report.Rails {
			short += j.Verdict[:1]
			if j.Acts != "" {
				short += strings.ToUpper(j.Acts[:1])
			}
		}
		sum := sha256.New()
		for _, one := range []any{sieved, report, mixture, g.Remembrance, seen.P, seen.Who} {
			text, err := json.Marshal(one)
			if err != nil {
				t.Fatal(err)
			}
			sum.Write(text)
		}
		list = append(list, fmt.Sprintf("%d: %s, %d out, %s, distrusts %t, %d concerns %.6x", k, short, sieved.Out, report.Ratio.verdict(), g.Distrusts(), len(report.Concerns), sum.Sum(nil)))
	}
	return append(list, fmt.Sprintf("%d closes: %d pass, %d fail, %d inconclusive; %d would", h.Closes, h.Pass, h.Fail, h.Inconclusive, len(h.Would)))
}

func (q *AnswerRatio) verdict() string {
	if q == nil {
		return "unasked"
	}
	return fmt.Sprintf("%s after %d", q.Verdict, q.Turns)
}

// What guards of several kinds say of random courses is what it was when this was recorded. Other tests say that it is right.
func TestClosesGoAsRecorded(t *testing.T) {
	var got []string
	for seed := range uint64(20) {
		g := watch(t,
			[]string{"hold", "vanilla", "warn"}[seed%3],
			[]string{"{beyond: 6, share: 0.05}", "{state: [-5, 20], trait: [4, 20], share: 0.03}", "{beyond: .inf}", "{trait: [5, .inf]}"}[seed%4],
			[]string{"{of: [0, 1], alpha: 0.01}", "{declared: [{of: [1], edges: [6, 7, 8], shares: [0.25, 0.25, 0.25, 0.25]}]}", "{}"}[seed%3],
			[]string{"24h", "72h"}[seed/2%2],
			[][]bool{{true, true}, {false, true}, nil}[seed%3])
		if seed == 7 {
			g.Informed = false
		}
		for _, line := range closes(t, g, seed, seed%2 == 1) {
			got = append(got, fmt.Sprintf("%d %s", seed, line))
		}
	}
	evidence.AsRecorded(t, "testdata/closes.txt", got)
}

var number = regexp.MustCompile(`[−-]?[0-9][0-9.e−-]*`)

// The same words as when this was recorded are said of every guardrail, each once but for its numbers.
func TestWordsOfGuardrailsAsRecorded(t *testing.T) {
	var got []string
	said := map[string]bool{}
	for seed := range uint64(4) {
		g := watch(t, "hold", "{beyond: 6}", "{of: [0, 1], alpha: 0.01}", "24h", []bool{true, true})
		r := rand.New(rand.NewPCG(seed, 9))
		a := &answering{Rand: r, share: 1 - 0.3*float64(seed), at: [2]float64{6.75, 3.75}}
		note := func(kind string, words string) {
			if shape := kind + number.ReplaceAllString(words, "#"); words != "" && !said[shape] {
				said[shape] = true
				got = append(got, kind+": "+words)
			}
		}
		for k := range 14 {
			u := []float64{2 + 2*r.Float64(), 2 + 2*r.Float64()}
			g.WentLive(u, false)
			if a.shift = 0; k > 8 {
				a.shift = 2
			}
			seen := a.seen(30+20*(k%3), u)
			sieved := g.Sieve(&seen)
			if sieved.Concern != nil {
				note("people", sieved.Concern.Words)
			}
			in := Inquiry{People: seen, Losses: make([]float64, len(seen.P)/2), Told: map[string]Metered{"told": {Value: 4 * r.Float64(), SE: 0.3}}, Lost: 5 * (k % 2)}
			for i := range in.Losses {
				in.Losses[i] = -seen.P[2*i] * u[0]
			}
			report := g.Examine(in)
			for _, j := range report.Rails {
				note("rail "+j.Name+" "+j.Verdict+" "+j.Acts, j.Words)
			}
			for _, act := range report.Acts {
				note("act", fmt.Sprintf("%s %s: %s", act.Rail, act.Action, act.Words))
			}
			if report.Mix != nil {
				note("mix", report.Mix.Words)
			}
			note("distrust", report.Distrust)
			g.Fold(Lesson{Verdicts{K: k, Rails: report.Rails}, u, &report.Seen, u, true})
		}
	}
	evidence.AsRecorded(t, "testdata/words.txt", got)
}
