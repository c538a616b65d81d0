package guard

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/problem/live"
	"github.com/kedge-opt/kedge/risk"
)

// The verdicts of guardrails.
const (
	Pass         = "pass"         // the value keeps the bound
	Fail         = "fail"         // even the near end of its interval breaks it
	Inconclusive = "inconclusive" // between the two, or unknown: no step is taken
)

// Judged is a guardrail at a close.
type Judged struct {
	Name    string   `json:"name"`
	Kind    string   `json:"kind"`
	Verdict string   `json:"verdict"`
	Value   *float64 `json:"value,omitempty"`
	Low     *float64 `json:"low,omitempty"` // where the value of everybody is, 99 times in 100
	High    *float64 `json:"high,omitempty"`
	Least   *float64 `json:"least,omitempty"`
	Most    *float64 `json:"most,omitempty"`
	Fails   int      `json:"fails,omitempty"` // one after the other
	Acts    string   `json:"acts,omitempty"`  // what it does now, having failed often enough
	Words   string   `json:"words"`
}

// RailState is what is remembered of a guardrail.
type RailState struct {
	Fails  int  `json:"fails,omitempty"`
	Acting bool `json:"acting,omitempty"`
	Ended  int  `json:"ended,omitempty"` // the close at which a hold ended by itself; 0: none did

	Count   int       `json:"count,omitempty"` // of value: first closes
	Sum     float64   `json:"sum,omitempty"`   // of their losses
	Squares float64   `json:"squares,omitempty"`
	Against []bool    `json:"against,omitempty"` // of swing: whether turns pointed against the one before
	Iterate []float64 `json:"iterate,omitempty"` // after the newest close
	Step    []float64 `json:"step,omitempty"`    // the newest
}

// standing is what is remembered of a guardrail, nothing of one that is new.
func (g *Guard) standing(name string) RailState { return *cmp.Or(g.Rails[name], &RailState{}) }

// after is how a guardrail stands after a verdict at a close.
func (s RailState) after(rail *live.Guardrail, verdict string, close int) RailState {
	switch verdict {
	case Fail:
		s.Fails++
		s.Acting = s.Acting || s.Fails >= rail.After
	case Pass:
		s.Fails = 0
		if s.Acting && (s.Ended == 0 || close-s.Ended > rail.Cool) {
			s.Acting, s.Ended = false, close
		}
	}
	return s
}

// examineRails judges all guardrails.
func (g *Guard) examineRails(in Inquiry, r *Report) {
	for i := range g.Live.Guardrails {
		rail := &g.Live.Guardrails[i]
		was := g.standing(rail.Name)
		seen, why := g.look(i, in, was, r.Seen.Loss)
		least, most := rail.Least, rail.Most
		if rail.Kind != live.Metric && rail.Kind != live.External {
			zero := 0.0
			least, most = nil, &zero // what is looked at is by how much the bound is broken
		}
		j := Judged{Name: rail.Name, Kind: rail.Kind, Verdict: seen.verdict(least, most), Value: maybe(seen.value), Low: maybe(seen.low), High: maybe(seen.high), Least: rail.Least, Most: rail.Most}
		now := was.after(rail, j.Verdict, g.Closes+1)
		j.Fails = now.Fails
		if now.Acting {
			j.Acts = rail.Acts()
		}
		j.Words = words(rail, &j, why)
		r.Rails = append(r.Rails, j)
		if now.Acting && !was.Acting {
			r.Acts = append(r.Acts, Act{rail.Name, rail.Acts(), j.Words})
		}
		if rail.Acts() == live.Warn {
			continue
		}
		if now.Acting || j.Verdict != Pass {
			r.Concerns = append(r.Concerns, Concern{Doubtful: !now.Acting && j.Verdict == Inconclusive, Words: j.Words})
		}
	}
}

func maybe(v float64) *float64 {
	if !finite(v) {
		return nil
	}
	return &v
}

// verdict says whether a value keeps its bounds. What is not known keeps none.
func (r reading) verdict(least, most *float64) string {
	switch {
	case !finite(r.value) || math.IsNaN(r.low) || math.IsNaN(r.high):
		return Inconclusive
	case (least == nil || r.value >= *least) && (most == nil || r.value <= *most):
		return Pass
	case least != nil && r.high < *least || most != nil && r.low > *most:
		return Fail
	}
	return Inconclusive
}

// JudgeTold is the verdict on a number that somebody tells.
func (g *Guard) JudgeTold(name string, t Metered) (verdictOf string, known bool) {
	for _, rail := range g.Live.Guardrails {
		if rail.Name == name && rail.Kind == live.External {
			return t.reading().verdict(rail.Least, rail.Most), true
		}
	}
	return "", false
}

// Wrong says what is wrong with a number that is told, and where; nothing if it can be taken.
func (t Metered) Wrong() (pointer, why string) {
	switch {
	case !finite(t.Value):
		return "/value", fmt.Sprintf("value is %v, want a finite number", t.Value)
	case !finite(t.SE) || t.SE < 0:
		return "/se", fmt.Sprintf("se is %v, want a finite number ≥ 0", t.SE)
	}
	return "", ""
}

func (t Metered) reading() reading { return around(t.Value, float64(normal99*t.SE)) }

// look measures what a guardrail is about, or says why nobody knows.
func (g *Guard) look(i int, in Inquiry, was RailState, loss *Gauged) (r reading, why string) {
	rail, dim, o := &g.Live.Guardrails[i], g.Dims, in.People
	switch rail.Kind {
	case live.Metric:
		s, err := rail.Statistic()
		if err != nil {
			return unknown(), err.Error()
		}
		x := make([]float64, len(o.P)/dim.State)
		for n := range x {
			x[n] = g.Metrics[i].Eval(nil, nil, kedge.Row(o.P, n, dim.State), o.U, kedge.Row(o.D, n, dim.Trait))
		}
		if !finite(x...) {
			return unknown(), "its formula gives no finite number for one of the people"
		}
		return measure(s, x, o.W), fmt.Sprintf("%d people are too few for so rare a share of them", len(x))
	case live.External:
		if t, told := in.Told[rail.Name]; told {
			return t.reading(), ""
		}
		return unknown(), "nobody told it before the close"
	case live.Constraint:
		return g.excess(g.Constraints[rail.Of], o), fmt.Sprintf("%d people count and %d are wanted, or its gauge gives no number", len(o.P)/dim.State, 2*folds)
	case live.Value:
		if all := len(o.P)/dim.State + in.Lost; float64(in.Lost) > g.Live.Share*float64(all) {
			return unknown(), fmt.Sprintf("%d of %d people have no traits, so that nobody knows what they are worth", in.Lost, all)
		}
		return was.worse(rail, loss), "the value of the people who count is no finite number"
	}
	return was.swings(rail), ""
}

// worse is by how much the loss is larger than it may be beside the first closes; nothing while those are being seen.
func (s RailState) worse(rail *live.Guardrail, loss *Gauged) reading {
	if loss == nil {
		return unknown()
	}
	if s.Count < rail.Window {
		return reading{}
	}
	first := s.Sum / float64(s.Count)
	m := Gauged{Value: loss.Value - first - float64(rail.By*math.Abs(first)), SE: math.Sqrt(float64(loss.SE*loss.SE) + s.Squares/float64(s.Count*s.Count)), N: loss.N}
	return m.reading()
}

// swinging is the share of turns above which steps go to and fro.
const swinging = 0.8

// swings is by how much the share of turns that point against the one before is too large; nothing while too few were seen.
func (s RailState) swings(rail *live.Guardrail) reading {
	if len(s.Against) < rail.Window {
		return reading{}
	}
	n := 0
	for _, is := range s.Against {
		if is {
			n++
		}
	}
	return around(float64(n)/float64(len(s.Against))-swinging, 0)
}

// folds is into how many parts a sample is divided to see how certain a constraint is.
const folds = 20

// excess is by how much the worst of some constraints is broken, by its gauge; how certain that is says how it differs between parts of the sample.
func (g *Guard) excess(all []risk.Constraint, o kedge.Observation) reading {
	n, most := len(o.P)/g.Dims.State, reading{value: math.Inf(-1)}
	if n < 2*folds {
		return unknown()
	}
	for _, c := range all {
		c.Sensitivity = nil
		whole, err := assess(c, o)
		if err != nil {
			return unknown()
		}
		parts := make([]float64, folds)
		for f := range parts {
			var some []int
			for i := f; i < n; i += folds {
				some = append(some, i)
			}
			if parts[f], err = assess(c, only(o, some, g.Dims)); err != nil {
				return unknown()
			}
		}
		if whole > most.value {
			most = around(whole, MeanOf(parts, nil).Half(certainty))
		}
	}
	return most
}

func assess(c risk.Constraint, o kedge.Observation) (float64, error) {
	gauge, err := risk.NewGauge(c)
	if err != nil {
		return 0, err
	}
	return gauge.Assess(make([]float64, c.Dims.Decision), o)
}

// foldRails remembers verdicts.
func (g *Guard) foldRails(c Lesson) {
	loss := c.Seen.Loss
	for i := range g.Live.Guardrails {
		rail := &g.Live.Guardrails[i]
		at := slices.IndexFunc(c.Rails, func(j Judged) bool { return j.Name == rail.Name })
		if at < 0 {
			continue
		}
		now := g.standing(rail.Name).after(rail, c.Rails[at].Verdict, g.Closes)
		if rail.Kind == live.Value && now.Count < rail.Window && loss != nil {
			now.Count, now.Sum, now.Squares = now.Count+1, now.Sum+loss.Value, now.Squares+float64(loss.SE*loss.SE)
		}
		if rail.Kind == live.Swing {
			now.stepTo(rail, c.Iterate, c.Stepped)
		}
		if now.Acting && (rail.Acts() == live.GoBack || rail.Acts() == live.Kill) { // it has acted, once
			now.Acting, now.Fails = false, 0
		}
		if g.Rails == nil {
			g.Rails = map[string]*RailState{}
		}
		g.Rails[rail.Name] = &now
	}
}

// stepTo remembers where the rule went.
func (s *RailState) stepTo(rail *live.Guardrail, iterate []float64, stepped bool) {
	if stepped && s.Iterate != nil {
		step := make([]float64, len(iterate))
		rows.Sub(step, iterate, s.Iterate)
		if s.Step != nil {
			s.Against = append(slices.Clone(s.Against), rows.Dot(step, s.Step) < 0)
			s.Against = s.Against[max(0, len(s.Against)-rail.Window):]
		}
		s.Step = step
	}
	s.Iterate = slices.Clone(iterate)
}

// bounds says where a number should be.
func bounds(least, most *float64) string {
	switch {
	case least != nil && most != nil:
		return fmt.Sprintf("between %s and %s", phrase.Brief(*least), phrase.Brief(*most))
	case least != nil:
		return "at least " + phrase.Brief(*least)
	}
	return "at most " + phrase.Brief(*most)
}

// words say how a guardrail is, for somebody who answers for the loop; why is why its value is not known, if it is not.
func words(rail *live.Guardrail, j *Judged, why string) string {
	is := ""
	switch {
	case rail.Kind == live.External && j.Value == nil:
		is = fmt.Sprintf("%s was not told", rail.Name)
	case j.Value == nil:
		is = fmt.Sprintf("%s cannot be judged: %s", rail.Name, why)
	default:
		is = measured(rail, j)
	}
	if j.Verdict == Inconclusive && j.Value != nil {
		is += ": not certain either way"
	}
	switch {
	case j.Verdict == Inconclusive && j.Acts != "":
		is += "; it acts until it passes"
	case j.Verdict == Fail && j.Acts != "":
		is += fmt.Sprintf("; it has failed at %s in a row, and acts", phrase.Count(j.Fails, "close"))
	case j.Verdict == Fail:
		is += fmt.Sprintf("; it acts when %s in a row fail, and this is number %d", phrase.Count(rail.After, "close"), j.Fails)
	case j.Acts != "":
		is += fmt.Sprintf("; it passes, but two holds end at least %s apart, so that it holds on", phrase.Count(rail.Cool, "close"))
	}
	return is
}

// measured says what was seen of a guardrail, and what was wanted.
func measured(rail *live.Guardrail, j *Judged) string {
	number := func(x *float64) string {
		if x == nil {
			return "unknown"
		}
		return phrase.Brief(*x)
	}
	kept := j.Verdict == Pass
	switch rail.Kind {
	case live.Value:
		if kept {
			return fmt.Sprintf("%s: the value is not worse than the first %d closes by more than %s", rail.Name, rail.Window, phrase.Percent(rail.By))
		}
		return fmt.Sprintf("%s: the value is worse than the first %d closes by %s (%s … %s) more than the %s allowed", rail.Name, rail.Window, number(j.Value), number(j.Low), number(j.High), phrase.Percent(rail.By))
	case live.Swing:
		if kept {
			return fmt.Sprintf("%s: steps do not go to and fro", rail.Name)
		}
		return fmt.Sprintf("%s: the decision goes to and fro in %s of %d turns, more than %s", rail.Name, phrase.Percent(*j.Value+swinging), rail.Window, phrase.Percent(swinging))
	case live.Constraint:
		if kept {
			return fmt.Sprintf("%s: constraint %s is kept", rail.Name, rail.Of)
		}
		return fmt.Sprintf("%s: constraint %s is broken by %s (%s … %s)", rail.Name, rail.Of, number(j.Value), number(j.Low), number(j.High))
	}
	return fmt.Sprintf("%s is %s (%s … %s), wanted %s", rail.Name, number(j.Value), number(j.Low), number(j.High), bounds(rail.Least, rail.Most))
}
