package moments

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/fit"
	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/internal/evidence"
	"gonum.org/v1/gonum/mat"
)

// spoiled is a copy of samples with something changed.
func spoiled(s Sections, spoil func(s *Sections)) Sections {
	s.Time, s.Group, s.States, s.Traits, s.Beside = slices.Clone(s.Time), slices.Clone(s.Group), slices.Clone(s.States), slices.Clone(s.Traits), slices.Clone(s.Beside)
	spoil(&s)
	return s
}

// Samples that tell nothing, or are none, are refused with words.
func TestSamplesThatAreRefused(t *testing.T) {
	f := roller(t, shop(), "habit", "B[2, 2]")
	good := shopWorld(f, 20, 5, 2, 0.1).samples(1)
	for want, spoil := range map[string]func(s *Sections){
		"1 date tells nothing of how people move":    func(s *Sections) { s.Dates, s.Beside = 1, nil; clear(s.Time) },
		"no group was seen at two times":             func(s *Sections) { clear(s.Time) },
		"row 4: a state is NaN":                      func(s *Sections) { s.States[7] = math.NaN() },
		"row 4: a state is +Inf":                     func(s *Sections) { s.States[7] = math.Inf(1) },
		"person 3 of the first sample is NaN":        func(s *Sections) { s.Traits[7] = math.NaN() },
		"time 0, group 1: a number of the decision":  func(s *Sections) { s.Beside[3] = math.NaN() },
		"row 1: time 5, there are 5":                 func(s *Sections) { s.Time[0] = 5 },
		"row 1: time -1, there are 5":                func(s *Sections) { s.Time[0] = -1 },
		"row 1: group 2, there are 2":                func(s *Sections) { s.Group[0] = 2 },
		"numbers of decisions for 5 dates":           func(s *Sections) { s.Beside = s.Beside[1:] },
		"are not of the same rows":                   func(s *Sections) { s.States = s.States[1:] },
		"200 rows, 199 times":                        func(s *Sections) { s.Time = s.Time[1:] },
		"row 3: its weight is -1":                    func(s *Sections) { s.Weight = make([]float64, len(s.Time)); s.Weight[2] = -1 },
		"nobody counts":                              func(s *Sections) { s.Weight = make([]float64, len(s.Time)) },
		"moments of kind 9":                          func(s *Sections) { s.Match = 9 },
		"-1 copies of everybody":                     func(s *Sections) { s.Copies = -1 },
		"1 laws of noise, the model has 0":           func(s *Sections) { s.Noise = append(s.Noise, standard()) },
		"0 states, 0 traits":                         func(s *Sections) { *s = Sections{Exposure: s.Exposure} },
		"one person says nothing of how much people": func(s *Sections) { alone(s, 0) },
		"row 121: group 0, time 3: one person, or":   func(s *Sections) { alone(s, 3) },
		"3 traits, the model takes":                  func(s *Sections) { s.Traits = make([]float64, 5*len(s.Time)) },
		"2402 moments of a group, at most 2400":      func(s *Sections) { often(s, 1202) },
	} {
		if strings.HasPrefix(want, "3 traits") {
			want = "5 traits, the model takes 4"
		}
		_, err := Find(t.Context(), f, spoiled(good, spoil), shopUnknowns(), fit.Options{})
		rowed(t, err)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
		var bad *fit.InputError
		if !errors.As(err, &bad) || bad.Row < -1 || bad.Row >= 0 != strings.HasPrefix(want, "row ") {
			t.Errorf("%#v, want %q", err, want)
		}
	}
	backwards := shopUnknowns()
	backwards[1].Lower = 2
	for want, unknowns := range map[string][]fit.Unknown{"4 unknowns are described": backwards[1:], "B[0,0]: start 0 in [2, +Inf]": backwards} {
		if _, err := Find(t.Context(), f, good, unknowns, fit.Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// often sees the first two people at so many times.
func often(s *Sections, dates int) {
	*s = Sections{Exposure: Exposure{Dates: dates, Beside: make([]float64, 2*dates)}, Match: Means, States: slices.Repeat(s.States[:4], dates), Traits: slices.Repeat(s.Traits[:4], dates)}
	for at := range dates {
		s.Time = append(s.Time, at, at)
	}
}

// alone leaves one person of group 0 at a time.
func alone(s *Sections, time int) {
	seen := 0
	for i, t := range s.Time {
		if t == time && s.Group[i] == 0 {
			if seen++; seen > 1 {
				s.Group[i] = 1
			}
		}
	}
}

// What samples do not tell is named, and has no error that looks like one.
func TestWhatSamplesDoNotTell(t *testing.T) {
	f := roller(t, shop(), "habit", "B[2, 2]")
	w := shopWorld(f, 60, 6, 1, 0.1)
	w.decide = normal(1, 0) // no decision ever moved
	s := w.samples(1)
	got := find(t, f, s, shopUnknowns(), fit.Options{})
	text := ""
	for _, d := range got.Blind {
		text += d.String() + "\n"
	}
	if !strings.Contains(text, "B[0,0] and B[0,1] cannot be told apart") || !strings.Contains(text, "B[1,0] and B[1,1] cannot be told apart") {
		t.Errorf("decisions that never moved: blind\n%s", text)
	}
	for j := range 4 {
		low, high := got.Interval(1+j, 0.95)
		if !math.IsInf(got.Error[1+j], 1) || !math.IsInf(low, -1) || !math.IsInf(high, 1) {
			t.Errorf("%s is %v ± %v", got.Unknowns[1+j].Name, got.Value[1+j], got.Error[1+j])
		}
	}
	if !(got.Error[0] < 0.2) {
		t.Errorf("habit ± %v", got.Error[0])
	}
}

// States that are constant, huge or few end with numbers that say how little is known, or with words; never with a panic, nor with a number that is sure of itself.
func TestHostileSamples(t *testing.T) {
	f := roller(t, formula.Source{Decision: "q", State: "p", Next: "a*p + b*q"}, "a", "b")
	unknowns := []fit.Unknown{fit.Free("a", 0.5), fit.Free("b", 0)}
	w := world{f: f, theta: []float64{0.5, 1}, people: 30, dates: 5, state: normal(1, 1), decide: normal(1, 1), noise: 0.1}
	for _, c := range []struct {
		name  string
		spoil func(s *Sections)
		want  string
	}{
		{"nobody differs", func(s *Sections) {
			for i := range s.States {
				s.States[i] = 3
			}
		}, "cannot be told"},
		{"1e300", func(s *Sections) {
			for i := range s.States {
				s.States[i] *= 1e300
			}
		}, "too large to be squared"},
		{"1e-300", func(s *Sections) {
			for i := range s.States {
				s.States[i] *= 1e-300
			}
		}, "another unit"},
		{"one of 1e300", func(s *Sections) { s.States[31] = 1e300 }, "row 32: a state is 1e+300, too large"},
		{"zero", func(s *Sections) { clear(s.States) }, "cannot be told"},
		{"all alike, where nobody would come to", func(s *Sections) {
			clear(s.Beside)
			for i, t := range s.Time {
				s.States[i] = 10 + float64(t%2)
			}
		}, "moments that are the same of everybody are missed by"},
		{"decisions of 1e300", func(s *Sections) {
			for i := range s.Beside {
				s.Beside[i] *= 1e300
			}
		}, "too large to be squared"},
		{"decisions of zero", func(s *Sections) { clear(s.Beside) }, "b cannot be told: no prediction depends on it"},
		{"two people each", func(s *Sections) {
			var few Sections
			for i, t := range s.Time {
				if i%30 < 2 {
					few.Time, few.States = append(few.Time, t), append(few.States, s.States[i])
				}
			}
			s.Time, s.Group, s.States, s.Traits = few.Time, nil, few.States, nil
		}, "the smallest sample has 2 people"},
	} {
		s := spoiled(w.samples(1), c.spoil)
		got, err := Find(t.Context(), f, s, unknowns, fit.Options{Starts: 1})
		if err != nil {
			if c.want == "" || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, want %q", c.name, err, c.want)
			}
			continue
		}
		said := strings.Join(got.Warnings, "\n")
		for _, d := range got.Blind {
			said += d.String() + "\n"
		}
		if c.want == "" || !strings.Contains(said, c.want) {
			t.Errorf("%s: %v ± %v, want %q, not\n%s", c.name, got.Value, got.Error, c.want, said)
		}
		for j := range got.Value {
			if bad(got.Value[j]) || math.IsNaN(got.Error[j]) {
				t.Errorf("%s: %v ± %v", c.name, got.Value[j], got.Error[j])
			}
		}
	}
}

// Moments are weighed by the inverse of their covariance, or not at all: one that has none is refused, and so is to go on behind the end of a context.
func TestCovariancesThatAreNone(t *testing.T) {
	f := roller(t, shop(), "habit", "B[2, 2]")
	x, err := newMarcher(f, shopWorld(f, 60, 5, 1, 0.1).samples(1), shopUnknowns(), fit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, theta := &matching{marcher: x}, []float64{0.7, 1.2, -0.2, -0.3, 0.9}
	p.roughly()
	p.odd = 5 // of weights before
	if err := p.reweigh(t.Context(), theta); err != nil || !p.sharp || p.odd != 0 {
		t.Fatal(err, p.sharp, p.odd)
	}
	ended, stop := context.WithCancel(t.Context())
	stop()
	if err := p.reweigh(ended, theta); !errors.Is(err, context.Canceled) {
		t.Errorf("behind the end: %v", err)
	}
	p.cohorts[0].targets[0].cov[1] = math.NaN()
	if err := p.reweigh(t.Context(), theta); err == nil || !strings.Contains(err.Error(), "the covariance of moments is none") {
		t.Errorf("of a covariance that is none: %v", err)
	}
}

// By hand: where all people are alike no moment has a weight, and the largest miss is told; where one of two moments differs, with the variance 1/4, its weight is
// 2², and only the other is told. Two that go together but for a share e of their variance 1 have the combinations of the variances 2 and e: the second is that of
// nobody where it is no more than 10⁻¹⁰ of the first.
func TestMomentsThatAreTheSameOfEverybody(t *testing.T) {
	g := &cohort{weight: make([]float64, 4), targets: []target{{mean: []float64{1, -3}}}}
	for _, c := range []struct {
		a, b, both float64 // variances, and the covariance
		told       int
		odd        float64
	}{{0, 0, 0, 0, 5}, {0, 0.25, 0, 1, 3}, {1, 1, 1 - 3e-10, 2, 0}, {1, 1, 1 - 1.5e-10, 1, 8 / math.Sqrt2}, {1, 1, 1, 1, 8 / math.Sqrt2}} {
		s := mat.NewSymDense(2, []float64{c.a, c.both, c.both, c.b})
		l, odd, err := rootOfInverse(s, g, []float64{-2, 2})
		if err != nil || rank(l) != c.told || !(math.Abs(odd-c.odd) <= 1e-6) {
			t.Errorf("%+v: weights %v, odd %v, %v", c, l, odd, err)
			continue
		}
		var of, weighed mat.Dense // combinations that are told have the variance 1
		of.Mul(s, l)
		weighed.Mul(l.T(), &of)
		for i := range 2 {
			if v := weighed.At(i, i); rank(mat.NewDense(2, 1, []float64{l.At(0, i), l.At(1, i)})) > 0 && !(math.Abs(v-1) <= 1e-5) {
				t.Errorf("%+v: combination %d has the variance %v", c, i, v)
			}
		}
	}
}

// Weights say how much people count beside each other: in another unit they make no number and no error another one, those of people at the start neither.
func TestTheUnitOfWeightsSaysNothing(t *testing.T) {
	evidence.OneGoroutine(t)
	f := roller(t, shop(), "habit", "B[2, 2]")
	all := shopWorld(f, 60, 12, 1, 0.1).samples(1)
	in := func(unit float64, n int) (weight []float64) {
		for i := range n {
			weight = append(weight, unit*float64(1+i%3))
		}
		return weight
	}
	first := slices.IndexFunc(all.Time, func(t int) bool { return t > 0 })
	for _, apart := range []bool{false, true} {
		of := func(unit float64) *Matched {
			s := all
			s.Weight = in(unit, len(s.Time))
			if apart { // people at the start, and samples of later times
				s.Start = &Origin{States: s.States[:2*first], Traits: s.Traits[:2*first], Weight: s.Weight[:first]}
				s.States, s.Traits, s.Time, s.Group, s.Weight = s.States[2*first:], s.Traits[2*first:], s.Time[first:], s.Group[first:], in(1, len(s.Time)-first)
			}
			return find(t, f, s, shopUnknowns(), fit.Options{})
		}
		want := of(1)
		for _, unit := range []float64{100, 1e-3, 1e200, 1e-200, 1e-307, 5e307} {
			got := of(unit)
			for j := range got.Value {
				if !(math.Abs(got.Value[j]-want.Value[j]) <= 1e-6) || !(math.Abs(got.Error[j]-want.Error[j]) <= 1e-6) {
					t.Errorf("in %v: %v ± %v, want %v ± %v", unit, got.Value[j], got.Error[j], want.Value[j], want.Error[j])
				}
			}
		}
	}
}
