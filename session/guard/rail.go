package guard

import (
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
func (g *Guard) standing(name string) RailState {
	if s := g.Rails[name]; s != nil {
		return *s
	}
	return RailState{}
}

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
		value, low, high, why := g.look(i, in, was, r.Seen.Loss)
		least, most := rail.Least, rail.Most
		if rail.Kind != live.Metric && rail.Kind != live.External {
			zero := 0.0
			least, most = nil, &zero // what is looked at is by how much the bound is broken
		}
		j := Judged{Name: rail.Name, Kind: rail.Kind, Verdict: verdict(value, low, high, least, most), Value: maybe(value), Low: maybe(low), High: maybe(high), Least: rail.Least, Most: rail.Most}
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
func verdict(value, low, high float64, least, most *float64) string {
	if !finite(value) || math.IsNaN(low) || math.IsNaN(high) {
		return Inconclusive
	}
	switch {
	case (least == nil || value >= *least) && (most == nil || value <= *most):
		return Pass
	case least != nil && high < *least || most != nil && low > *most:
		return Fail
	}
	return Inconclusive
}

// JudgeTold is the verdict on a number that somebody tells.
func (g *Guard) JudgeTold(name string, t Metered) (verdictOf string, known bool) {
	for _, rail := range g.Live.Guardrails {
		if rail.Name == name && rail.Kind == live.External {
			v, low, high := t.interval()
			return verdict(v, low, high, rail.Least, rail.Most), true
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

func (t Metered) interval() (value, low, high float64) {
	half := float64(normal99 * t.SE)
	return t.Value, t.Value - half, t.Value + half
}

// look measures what a guardrail is about: its value, and where that is of everybody; or says why nobody knows.
func (g *Guard) look(i int, in Inquiry, was RailState, loss *Gauged) (value, low, high float64, why string) {
	unknown := math.NaN()
	rail, dim, o := &g.Live.Guardrails[i], g.Dims, in.People
	switch rail.Kind {
	case live.Metric:
		s, err := rail.Statistic()
		if err != nil {
			return unknown, unknown, unknown, err.Error()
		}
		x := make([]float64, len(o.P)/dim.State)
		for n := range x {
			x[n] = g.Metrics[i].Eval(nil, nil, kedge.Row(o.P, n, dim.State), o.U, kedge.Row(o.D, n, dim.Trait))
		}
		if !finite(x...) {
			return unknown, unknown, unknown, "its formula gives no finite number for one of the people"
		}
		value, low, high = measure(s, x, o.W)
		return value, low, high, fmt.Sprintf("%d people are too few for so rare a share of them", len(x))
	case live.External:
		if t, told := in.Told[rail.Name]; told {
			value, low, high = t.interval()
			return value, low, high, ""
		}
		return unknown, unknown, unknown, "nobody told it before the close"
	case live.Constraint:
		value, low, high = g.excess(g.Constraints[rail.Of], o)
		return value, low, high, fmt.Sprintf("%d people count and %d are wanted, or its gauge gives no number", len(o.P)/dim.State, 2*folds)
	case live.Value:
		if all := len(o.P)/dim.State + in.Lost; float64(in.Lost) > g.Live.Share*float64(all) {
			return unknown, unknown, unknown, fmt.Sprintf("%d of %d people have no traits, so that nobody knows what they are worth", in.Lost, all)
		}
		value, low, high = was.worse(rail, loss)
		return value, low, high, "the value of the people who count is no finite number"
	}
	value, low, high = was.swings(rail)
	return value, low, high, ""
}

// worse is by how much the loss is larger than it may be beside the first closes; nothing while those are being seen.
func (s RailState) worse(rail *live.Guardrail, loss *Gauged) (value, low, high float64) {
	if loss == nil {
		return math.NaN(), math.NaN(), math.NaN()
	}
	if s.Count < rail.Window {
		return 0, 0, 0
	}
	first := s.Sum / float64(s.Count)
	m := Gauged{Value: loss.Value - first - float64(rail.By*math.Abs(first)), SE: math.Sqrt(float64(loss.SE*loss.SE) + s.Squares/float64(s.Count*s.Count)), N: loss.N}
	low, high = m.interval()
	return m.Value, low, high
}

// swinging is the share of turns above which steps go to and fro.
const swinging = 0.8

// swings is by how much the share of turns that point against the one before is too large; nothing while too few were seen.
func (s RailState) swings(rail *live.Guardrail) (value, low, high float64) {
	if len(s.Against) < rail.Window {
		return 0, 0, 0
	}
	n := 0
	for _, is := range s.Against {
		if is {
			n++
		}
	}
	share := float64(n)/float64(len(s.Against)) - swinging
	return share, share, share
}

// folds is into how many parts a sample is divided to see how certain a constraint is.
const folds = 20

// excess is by how much the worst of some constraints is broken, by its gauge; how certain that is says how it differs between parts of the sample.
func (g *Guard) excess(all []risk.Constraint, o kedge.Observation) (value, low, high float64) {
	value = math.Inf(-1)
	n := len(o.P) / g.Dims.State
	if n < 2*folds {
		return math.NaN(), math.NaN(), math.NaN()
	}
	for _, c := range all {
		c.Sensitivity = nil
		whole, err := assess(c, o)
		if err != nil {
			return math.NaN(), math.NaN(), math.NaN()
		}
		parts := make([]float64, folds)
		for f := range parts {
			var some []int
			for i := f; i < n; i += folds {
				some = append(some, i)
			}
			part := clone(o)
			Only(&part, some, g.Dims)
			if parts[f], err = assess(c, part); err != nil {
				return math.NaN(), math.NaN(), math.NaN()
			}
		}
		if whole > value {
			m := MeanOf(parts, nil)
			m.Value = whole
			value = whole
			low, high = m.interval()
		}
	}
	return value, low, high
}

func clone(o kedge.Observation) kedge.Observation {
	o.P, o.D, o.W, o.Who = slices.Clone(o.P), slices.Clone(o.D), slices.Clone(o.W), slices.Clone(o.Who)
	return o
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
		for i := range step {
			step[i] = iterate[i] - s.Iterate[i]
		}
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
