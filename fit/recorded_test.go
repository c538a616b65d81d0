package fit

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/internal/evidence"
)

// recordedFit is a model with a way to fit it.
type recordedFit struct {
	name string
	f    *formula.Regressor
	o    Options
	to   func(x float64) float64 // what next states are made of; nil: they are as they are
}

func recordedFits(t *testing.T) []recordedFit {
	line := regress(t, formula.Source{Decision: "q", State: "p", Next: "a*p + b*q"}, "a", "b")
	bent := regress(t, formula.Source{Decision: "q", State: "p", Next: "tanh(a*p) + b*q^2"}, "a", "b")
	two := regress(t, formula.Source{Decision: "q", State: "p[2]", Next: "[a*p[0] + b*q, b*p[0] + a*p[1]]"}, "a", "b")
	counts := regress(t, formula.Source{Decision: "q", State: "p", Next: "exp(a*tanh(p) + b*q)"}, "a", "b")
	chances := regress(t, formula.Source{Decision: "q", State: "p", Next: "sigmoid(a*p + b*q)"}, "a", "b")
	own := regressTraits(t, formula.Source{Decision: "q", State: "p", Trait: "d", Next: "a*p + b*q + d"}, "a", "b")
	pair := regressTraits(t, formula.Source{Decision: "q", State: "p", Trait: "d[2]", Next: "a*p + b*q^2 + d[0] + d[1]*q"}, "a", "b")
	bowed := regressTraits(t, formula.Source{Decision: "q", State: "p", Trait: "d", Next: "a*p + b*q + tanh(d)"}, "a", "b")
	both := regressTraits(t, formula.Source{Decision: "q", State: "p[2]", Trait: "d[2]", Next: "a*p + b*q + d"}, "a", "b")
	whole := func(x float64) float64 { return math.Floor(math.Abs(x) + 0.5) }
	yes := func(x float64) float64 { return float64(min(1, max(0, int(x+1.5)))) }
	return []recordedFit{
		{"line", line, Options{}, nil}, {"bent", bent, Options{Starts: 2}, nil}, {"two", two, Options{}, nil}, {"line, times", line, Options{Times: true}, nil},
		{"student", line, Options{Laws: []ErrorLaw{{Student, 3}}}, nil}, {"student and normal", two, Options{Laws: []ErrorLaw{{Student, 5}, {}}}, nil},
		{"counts", counts, Options{Laws: []ErrorLaw{{Kind: Poisson}}}, whole}, {"counts on a line", line, Options{Laws: []ErrorLaw{{Kind: Poisson}}}, whole},
		{"chances", chances, Options{Laws: []ErrorLaw{{Kind: Bernoulli}}}, yes}, {"chances on a line", line, Options{Laws: []ErrorLaw{{Kind: Bernoulli}}}, yes},
		{"fixed", own, Options{Unseen: Fixed, Trait: []float64{0.3}}, nil}, {"fixed pair", pair, Options{Unseen: Fixed}, nil}, {"fixed, times", own, Options{Unseen: Fixed, Times: true}, nil}, {"fixed, bowed", bowed, Options{Unseen: Fixed}, nil},
		{"random", own, Options{Unseen: Random}, nil}, {"random pair", pair, Options{Unseen: Random}, nil}, {"random, times", own, Options{Unseen: Random, Times: true}, nil},
		{"random, origin", own, Options{Unseen: Random, Origin: true}, nil}, {"random, bowed", bowed, Options{Unseen: Random}, nil}, {"random, both", both, Options{Unseen: Random, Origin: true}, nil}, {"again", line, Options{Repeats: 25}, nil}, {"again, student", line, Options{Repeats: 6, Laws: []ErrorLaw{{Student, 3}}}, nil}, {"again, fixed", own, Options{Repeats: 6, Unseen: Fixed}, nil},
	}
}

// What small logs say, by every way to fit them, is what they said when it was last looked at: with holes, weights, few people, rows in any order, and numbers
// that are free, bound, held or known beforehand.
func TestFitsAreAsRecorded(t *testing.T) {
	evidence.OneGoroutine(t)
	var lines []string
	all := recordedFits(t)
	for seed := range uint64(4 * len(all)) {
		c := all[int(seed)%len(all)]
		r := rand.New(rand.NewPCG(seed, 5))
		people := 1 + r.IntN(7)
		l := wander(c.f, []float64{0.5, -0.4}, people, 3+r.IntN(6), 0.3, 0.5, 0.3, 0.1*float64(seed%2), seed, seed%3 == 0)
		c.disturb(r, &l, seed)
		c.o.Seed = seed
		unknowns := someUnknowns(r)
		got, err := Find(t.Context(), c.f, l, unknowns, c.o)
		lines = append(lines, fmt.Sprintf("%d: %s, %d people, %d rows", seed, c.name, people, len(l.Person)))
		if err != nil {
			lines = append(lines, evidence.Rounded("  "+err.Error())...)
			continue
		}
		for j := range unknowns {
			for _, level := range []float64{0.1, 0.9} {
				e, err := got.Interval(t.Context(), j, level)
				lines = append(lines, evidence.Rounded(fmt.Sprintf("  %v of 1: %+v %v", level, e, err))...)
			}
		}
		told := *got
		told.origin, told.Unknowns = nil, nil
		lines = append(lines, evidence.Rounded(fmt.Sprintf("  %+v", told))...)
	}
	evidence.AsRecorded(t, "testdata/recorded.txt", lines)
}

// disturb makes a log of the kind that is fitted, with weights, another order of rows, or decisions that say little.
func (c recordedFit) disturb(r *rand.Rand, l *Log, seed uint64) {
	if c.to != nil {
		for i, v := range l.After {
			l.After[i] = c.to(v)
		}
	}
	if r.IntN(3) == 0 {
		for range l.Person {
			l.Weight = append(l.Weight, float64(r.IntN(4)))
		}
	}
	switch {
	case seed%11 == 3:
		clear(l.Beside)
	case seed%11 == 5:
		for i := range l.Beside {
			l.Beside[i] = 1
		}
	case seed%11 == 7:
		m := c.f.States
		r.Shuffle(len(l.Person), func(a, b int) {
			l.Person[a], l.Person[b], l.Time[a], l.Time[b], l.Beside[a], l.Beside[b] = l.Person[b], l.Person[a], l.Time[b], l.Time[a], l.Beside[b], l.Beside[a]
			for e := range m {
				l.States[a*m+e], l.States[b*m+e] = l.States[b*m+e], l.States[a*m+e]
				l.After[a*m+e], l.After[b*m+e] = l.After[b*m+e], l.After[a*m+e]
			}
		})
	case seed%11 == 9 && c.to == nil && c.f.Traits == 0: // exactly, and not at all
		for i := range l.After {
			l.After[i] = l.States[i] / 2
		}
	}
}

func someUnknowns(r *rand.Rand) []Unknown {
	a, b := Free("a", 0.2), Free("b", 0.1)
	share, narrow, known, above, below := a, b, a, a, b
	share.Lower, share.Upper = 0, 1
	narrow.Lower, narrow.Upper = -0.2, 0.5
	known.Mean, known.Deviation = 0.3, 0.05
	above.Lower, below.Upper = 0.2, 0.1
	return [][]Unknown{{share, b}, {a, narrow}, {known, b}, {above, below}, {a, b}, {a, b}}[r.IntN(6)]
}

// What cannot be used is refused in the words that are recorded, and what is just at the edge is taken.
func TestRefusalsAreAsRecorded(t *testing.T) {
	f := regress(t, formula.Source{Decision: "q", State: "p", Next: "a*p + b*q"}, "a", "b")
	own := regressTraits(t, formula.Source{Decision: "q", State: "p", Trait: "d", Next: "a*p + b*q + d"}, "a", "b")
	wide := regressTraits(t, formula.Source{Decision: "q", State: "p", Trait: "d[21]", Next: "a*p + b*q + sum(d)"}, "a", "b")
	var lines []string
	say := func(name string, got *Fitted, err error) {
		var bad *InputError
		if errors.As(err, &bad) && bad.Row < -1 {
			t.Errorf("%s: of row %d: %v", name, bad.Row, err)
		}
		if err != nil {
			lines = append(lines, name+": "+err.Error())
			return
		}
		lines = append(lines, evidence.Rounded(fmt.Sprint(name, ": ", got.Value, got.Error, got.Blind, got.Words))...)
	}
	for i, spoil := range []func(l *Log, u []Unknown, o *Options){
		func(l *Log, u []Unknown, o *Options) {}, func(l *Log, u []Unknown, o *Options) { l.States[2] = 1e140 }, func(l *Log, u []Unknown, o *Options) { l.States[2] = 1.01e140 },
		func(l *Log, u []Unknown, o *Options) { l.States[2] = math.NaN() }, func(l *Log, u []Unknown, o *Options) { l.Beside[3] = math.Inf(1) }, func(l *Log, u []Unknown, o *Options) { l.After[1] = -1.01e140 },
		func(l *Log, u []Unknown, o *Options) { l.Weight = make([]float64, len(l.Person)) }, func(l *Log, u []Unknown, o *Options) { l.Weight = make([]float64, len(l.Person)); l.Weight[4] = -1 },
		func(l *Log, u []Unknown, o *Options) {
			l.Weight = make([]float64, len(l.Person))
			l.Weight[1], l.Weight[2] = 1, 1
		},
		func(l *Log, u []Unknown, o *Options) {
			l.Weight = make([]float64, len(l.Person))
			l.Weight[1], l.Weight[2], l.Weight[7] = 1, 1, 1
		},
		func(l *Log, u []Unknown, o *Options) { l.Weight = []float64{1} }, func(l *Log, u []Unknown, o *Options) { l.Time = []int{1} }, func(l *Log, u []Unknown, o *Options) { l.Person = l.Person[1:] },
		func(l *Log, u []Unknown, o *Options) { l.Beside = l.Beside[1:] }, func(l *Log, u []Unknown, o *Options) { l.After = l.After[1:] },
		func(l *Log, u []Unknown, o *Options) { o.Unseen = Fixed }, func(l *Log, u []Unknown, o *Options) { o.Trait = []float64{1} }, func(l *Log, u []Unknown, o *Options) { o.Times, l.Time = true, nil },
		func(l *Log, u []Unknown, o *Options) { u[0].Lower = 1 }, func(l *Log, u []Unknown, o *Options) { u[0].Lower = 0.2 }, func(l *Log, u []Unknown, o *Options) { u[0].Upper = 0.2 }, func(l *Log, u []Unknown, o *Options) { u[1].Upper = 0 },
		func(l *Log, u []Unknown, o *Options) { u[1].Start = math.Inf(1) }, func(l *Log, u []Unknown, o *Options) { u[1].Deviation = -1 }, func(l *Log, u []Unknown, o *Options) { u[1].Mean = math.NaN() },
		func(l *Log, u []Unknown, o *Options) { u[0].Lower, u[0].Upper = 0.2, 0.2 },
		func(l *Log, u []Unknown, o *Options) { o.Laws = []ErrorLaw{{}, {}} }, func(l *Log, u []Unknown, o *Options) { o.Laws = []ErrorLaw{{}} }, func(l *Log, u []Unknown, o *Options) { o.Laws = []ErrorLaw{{Kind: Poisson}} },
		func(l *Log, u []Unknown, o *Options) { o.Laws = []ErrorLaw{{Kind: Bernoulli}} }, func(l *Log, u []Unknown, o *Options) { o.Laws, o.Times = []ErrorLaw{{Student, 3}}, true },
	} {
		l := wander(f, []float64{0.5, -0.4}, 3, 5, 0, 0, 0.3, 0, 1, false)
		u, o := []Unknown{Free("a", 0.2), Free("b", 0.1)}, Options{}
		spoil(&l, u, &o)
		got, err := Find(t.Context(), f, l, u, o)
		say(fmt.Sprint(i), got, err)
	}
	l := wander(own, []float64{0.5, -0.4}, 3, 2, 0, 1, 0.3, 0, 1, false)
	u := []Unknown{Free("a", 0.2), Free("b", 0.1)}
	for _, o := range []Options{{}, {Unseen: Fixed}, {Unseen: Fixed, Times: true}, {Unseen: Random}, {Unseen: Random, Times: true}, {Unseen: Fixed, Trait: []float64{math.NaN()}}, {Unseen: Fixed, Trait: []float64{1, 2}}} {
		got, err := Find(t.Context(), own, l, u, o)
		say(fmt.Sprintf("%v, times %v, %v", o.Unseen, o.Times, o.Trait), got, err)
	}
	got, err := Find(t.Context(), own, l, u[:1], Options{Unseen: Fixed})
	say("one unknown", got, err)
	got, err = Find(t.Context(), wide, l, u, Options{Unseen: Fixed})
	say("21 traits", got, err)
	for _, law := range []string{"normal", "student 1", "student 0.5", "student 200", "student 201", "student", "student 4 5", "poisson", "poisson 2", "bernoulli", "bernoulli 2", "normal 1", "", "student x"} {
		w, err := ParseLaw(law)
		lines = append(lines, fmt.Sprint(law, " → ", w, " ", err))
	}
	evidence.AsRecorded(t, "testdata/refusals.txt", lines)
}
