package moments

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge/fit"
	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/population"
)

// recordedModels are those that samples and means are made of.
func recordedModels(t *testing.T) []world {
	line := formula.Source{Decision: "q", State: "p", Next: "a*p + b*q"}
	own := formula.Source{Decision: "q", State: "p", Trait: "d", Next: "a*p + b*q + (1-a)*d"}
	bowed := formula.Source{Decision: "q", State: "p", Trait: "d", Next: "a*p + b*tanh(q + d)"}
	loud := formula.Source{Decision: "q", State: "p", Next: "a*p + b*q + shake", Noise: []formula.Shock{{Declaration: "shake"}}}
	shaken := formula.Source{Decision: "q", State: "p", Next: "tanh(a*p + b*q + shake)", Noise: []formula.Shock{{Declaration: "shake"}}}
	two := formula.Source{Decision: "q", State: "p[2]", Trait: "d", Next: "[a*p[0] + b*q, b*p[0] + a*p[1] + d]"}
	var list []world
	for i, s := range []formula.Source{line, own, bowed, loud, shaken, two} {
		w := world{f: roller(t, s, "a", "b"), theta: []float64{0.6, 0.8}, state: normal(1, 1), trait: normal(0.5, 1), decide: normal(0.5, 1), noise: 0.2}
		w.traits = []int{0, 1, 1, 0, 0, 1}[i]
		list = append(list, w)
	}
	return list
}

func (m *Matched) told(err error) []string {
	if err != nil {
		return []string{"  " + err.Error()}
	}
	lines := fmt.Sprintf("  %v ± %v, covariance %v, held %v, spread %v, loss %v, %d of %d starts, %d rows of %d, freedom %v\n", m.Value, m.Error, m.Cov, m.Held, m.Spread, m.Loss, m.Agreed, m.Tried, m.Rows, m.People, m.Freedom)
	lines += fmt.Sprintf("  %v: %d moments, %d over, distance %v of chance %.6g, gain %v, blind %v\n", m.Match, m.Moments, m.Over, m.Distance, m.Chance, m.Gain, m.Blind)
	for _, s := range m.Seen {
		lines += fmt.Sprintf("    %+v\n", s)
	}
	for j := range m.Value {
		low, high := m.Interval(j, 0.9)
		lines += fmt.Sprintf("  %.6g … %.6g\n", low, high)
	}
	for _, s := range append(slices.Clone(m.Assumes), m.Warnings...) {
		lines += "  " + s + "\n"
	}
	return evidence.Rounded(lines)
}

// vary makes of samples others: with weights, holes, groups that are seen once, people who start elsewhere, and traits that are not known.
func vary(r *rand.Rand, s Sections, traits int) Sections {
	weigh(r, &s)
	hide(r, &s, traits)
	elsewhere(r, &s, traits)
	kept := some(r, s, traits)
	kept.Match, kept.Copies = Match(r.IntN(4)), r.IntN(4)
	if r.IntN(2) == 0 {
		kept.Beside = kept.Beside[:len(kept.Beside)*(s.Dates-1)/s.Dates]
	}
	return kept
}

func weigh(r *rand.Rand, s *Sections) {
	if r.IntN(3) > 0 {
		return
	}
	for range s.Time {
		s.Weight = append(s.Weight, float64(r.IntN(4)))
	}
}

func hide(r *rand.Rand, s *Sections, traits int) {
	seldom := r.IntN(3) > 0
	for i := range s.Traits {
		if !seldom && s.Time[i/traits] > 0 && r.IntN(9) == 0 {
			s.Traits[i] = math.NaN()
		}
	}
}

// elsewhere lets some samples go on from people of their own.
func elsewhere(r *rand.Rand, s *Sections, traits int) {
	if r.IntN(3) > 0 {
		return
	}
	s.Start = &Origin{Everybody: r.IntN(2) == 0}
	for i := range 12 * s.Groups {
		s.Start.add(r, len(s.States)/len(s.Time), traits, i%s.Groups)
	}
	if r.IntN(2) == 0 {
		s.Start.Weight, s.Traits = nil, nil
	}
}

// add adds somebody of a group.
func (o *Origin) add(r *rand.Rand, states, traits, group int) {
	for range states {
		o.States = append(o.States, 1+r.NormFloat64())
	}
	for range traits {
		o.Traits = append(o.Traits, 0.5+r.NormFloat64())
	}
	o.Group, o.Weight = append(o.Group, group), append(o.Weight, float64(1+len(o.Weight)%3))
}

// some leaves rows out: of a time, of a group, and here and there.
func some(r *rand.Rand, s Sections, traits int) Sections {
	gap := r.IntN(3 * s.Dates)
	kept := Sections{Exposure: s.Exposure, Start: s.Start}
	for i, t := range s.Time {
		if t != gap && (t == 0 || r.IntN(5) > 0) && (s.Groups < 3 || s.Group[i] != 2 || t == 1) {
			kept.take(s, i, traits)
		}
	}
	return kept
}

// take takes a row of others.
func (s *Sections) take(from Sections, i, traits int) {
	states := len(from.States) / len(from.Time)
	s.Time, s.Group, s.States = append(s.Time, from.Time[i]), append(s.Group, from.Group[i]), append(s.States, from.States[i*states:(i+1)*states]...)
	if from.Traits != nil {
		s.Traits = append(s.Traits, from.Traits[i*traits:(i+1)*traits]...)
	}
	if from.Weight != nil {
		s.Weight = append(s.Weight, from.Weight[i])
	}
}

// unknownsOf are two, free, bound or known beforehand.
func unknownsOf(r *rand.Rand) []fit.Unknown {
	a, b := fit.Free("a", 0.5), fit.Free("b", 0.1)
	known := a
	known.Mean, known.Deviation = 0.3, 0.05
	return [][]fit.Unknown{{between(a, 0, 1), b}, {a, between(b, -1, 0.3)}, {known, b}, {a, b}, {a, b}}[r.IntN(5)]
}

// What small samples say is what they said when it was last looked at: of models that are linear or not, with noise or without, in groups, with weights, gaps,
// and traits that are not known.
func TestSamplesAreAsRecorded(t *testing.T) {
	var lines []string
	models := recordedModels(t)
	for seed := range uint64(48) {
		r := rand.New(rand.NewPCG(seed, 3))
		w := models[int(seed)%len(models)]
		w.people, w.dates, w.groups = 6+r.IntN(50), 2+r.IntN(4), 1+r.IntN(3)
		s := vary(r, w.samples(seed), w.traits)
		for range w.f.Noise {
			s.Noise = append(s.Noise, standard())
		}
		got, err := Find(t.Context(), w.f, s, unknownsOf(r), fit.Options{Starts: r.IntN(2), Seed: seed})
		lines = append(lines, fmt.Sprintf("%d: %d people, %d dates, %d groups", seed, w.people, w.dates, w.groups))
		lines = append(lines, got.told(err)...)
	}
	evidence.AsRecorded(t, "testdata/samples.txt", lines)
}

// The same of means.
func TestMeansAreAsRecorded(t *testing.T) {
	var lines []string
	models := recordedModels(t)
	for seed := range uint64(48) {
		r := rand.New(rand.NewPCG(seed, 4))
		w := models[int(seed)%len(models)]
		dates, groups := 3+r.IntN(6), 1+r.IntN(3)
		if seed%5 == 0 {
			groups = 10 + r.IntN(3)
		}
		if seed%7 == 0 {
			dates, groups = 33, 1
		}
		a := meansAt(r, w, dates, groups)
		for range w.f.Noise {
			a.Noise = append(a.Noise, standard())
		}
		got, err := FindAggregates(t.Context(), w.f, a, unknownsOf(r), fit.Options{Starts: r.IntN(2), Seed: seed})
		lines = append(lines, fmt.Sprintf("%d: %d dates, %d groups", seed, dates, groups))
		lines = append(lines, got.told(err)...)
	}
	evidence.AsRecorded(t, "testdata/means.txt", lines)
}

// meansAt are means of a model about which nothing is right: of numbers that are drawn.
func meansAt(r *rand.Rand, w world, dates, groups int) (a Aggregates) {
	a.Dates, a.Groups, a.Copies = dates, groups, r.IntN(3)
	for range dates * groups * (w.f.Beside - w.traits) {
		a.Beside = append(a.Beside, r.NormFloat64())
	}
	people := 1 + r.IntN(4)
	for i := range people * groups {
		for range w.f.States {
			a.Start.States = append(a.Start.States, 1+r.NormFloat64())
		}
		for range w.traits {
			a.Start.Traits = append(a.Start.Traits, r.NormFloat64())
		}
		a.Start.Group = append(a.Start.Group, i%groups)
		a.Start.Weight = append(a.Start.Weight, float64(1+i%3))
	}
	counts := r.IntN(2) == 0
	from := r.IntN(2)
	for g := range groups {
		p := r.NormFloat64()
		for t := from; t < dates; t++ {
			if t > 0 {
				p = 0.6*p + 0.8*a.Beside[(t-1)*groups+g] + 0.3*r.NormFloat64()
			}
			if t > 1 && r.IntN(8) == 0 {
				continue
			}
			n := 1.0
			if counts {
				n = float64(1 + r.IntN(5))
				a.Count = append(a.Count, n)
			}
			a.Time, a.Group = append(a.Time, t), append(a.Group, g)
			for e := range w.f.States {
				a.Mean = append(a.Mean, n*(p+float64(e)+0.1*r.NormFloat64()))
			}
		}
	}
	if groups == 1 && r.IntN(2) == 0 {
		a.Group, a.Start.Group, a.Groups = nil, nil, 0
	}
	return a
}

// What cannot be used is refused in the words that are recorded, or at the edge taken.
func TestRefusalsAreAsRecorded(t *testing.T) {
	w := recordedModels(t)[1]
	w.people, w.dates, w.groups = 8, 4, 2
	var lines []string
	for i, spoil := range []func(s *Sections){
		func(s *Sections) { s.States[3] = 1e60 }, func(s *Sections) { s.States[3] = 1.01e60 }, func(s *Sections) { s.States[3] = -1.01e60 },
		func(s *Sections) { s.Beside[3] = 1.01e60 }, func(s *Sections) { s.Beside[5] = math.Inf(-1) }, func(s *Sections) { s.Traits[2] = 1.01e60 }, func(s *Sections) { s.Traits[2] = 1e59 },
		func(s *Sections) { s.Copies = 10000 }, func(s *Sections) { s.Copies = 10001 }, func(s *Sections) { s.Match = Squares + 1 }, func(s *Sections) { s.Match = -1 },
		func(s *Sections) { s.Start = &Origin{States: []float64{1}, Traits: []float64{1}} },
		func(s *Sections) { s.Start = &Origin{States: []float64{1}, Traits: []float64{1}, Everybody: true} },
		func(s *Sections) { s.Start = &Origin{States: []float64{1, 2}, Traits: []float64{1, math.NaN()}} },
		func(s *Sections) { s.Start = &Origin{States: []float64{1, 2}, Traits: []float64{1, 1.01e60}} },
		func(s *Sections) { s.Start = &Origin{States: []float64{1, 2}} },
		func(s *Sections) {
			s.Start = &Origin{States: []float64{1, 2}, Traits: []float64{1, 2}, Group: []int{0}}
		},
		func(s *Sections) {
			s.Start = &Origin{States: []float64{1, 2}, Traits: []float64{1, 2}, Weight: []float64{0}}
		},
		func(s *Sections) {
			s.Start = &Origin{States: []float64{1, 2}, Traits: []float64{1, 2}, Weight: []float64{0, 0}}
		},
		func(s *Sections) {
			s.Start = &Origin{States: []float64{1, 2}, Traits: []float64{1, 2}, Group: []int{1, 1}, Everybody: true}
		},
		func(s *Sections) { s.Group = s.Group[1:] }, func(s *Sections) { s.Weight = []float64{1} }, func(s *Sections) { s.Traits = s.Traits[1:] },
		func(s *Sections) { s.Weight = slices.Repeat([]float64{1}, len(s.Time)); s.Weight[5] = math.Inf(1) },
		func(s *Sections) { s.Group[4] = -1 }, func(s *Sections) { s.Dates = 0 }, func(s *Sections) { s.Noise = []population.Number{{}} },
		func(s *Sections) {
			for i := range s.States {
				s.States[i] *= 1e-61
			}
		},
	} {
		s := w.samples(1)
		spoil(&s)
		got, err := Find(t.Context(), w.f, s, []fit.Unknown{fit.Free("a", 0.5), fit.Free("b", 0.1)}, fit.Options{})
		rowed(t, err)
		if err != nil {
			lines = append(lines, fmt.Sprint(i, ": ", err))
			continue
		}
		lines = append(lines, evidence.Rounded(fmt.Sprint(i, ": ", got.Value, got.Error, got.Warnings))...)
	}
	for i, c := range []struct {
		time, group []int
		groups      int
		beside      []float64
	}{
		{[]int{0, 1 << 20}, nil, 1, make([]float64, 2*65)}, {[]int{3, 4, 5}, nil, 0, []float64{1, 2, 3}}, {[]int{3, 5}, nil, 0, []float64{1, 2}},
		{[]int{0, 1, 0, 2}, []int{0, 0, 1, 1}, 2, []float64{1, 2, 3, 4}}, {[]int{0, 1}, []int{0, -1}, 2, []float64{1, 2}}, {[]int{0, 1}, []int{0, 2}, 2, []float64{1, 2}},
		{[]int{0, 1}, nil, 0, nil}, {[]int{0, 1}, nil, 0, []float64{1, 2, 3}}, {[]int{1, 1, 2, 2, 3}, []int{0, 1, 0, 1, 0}, 2, []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}},
	} {
		for _, answered := range []bool{false, true} {
			got, err := Gather(c.time, c.group, c.groups, c.beside, answered)
			rowed(t, err)
			if len(got.Beside) > 99 {
				got.Beside = nil
			}
			lines = append(lines, fmt.Sprint("gathered ", i, answered, got, err))
		}
	}
	evidence.AsRecorded(t, "testdata/refusals.txt", lines)
}
