package moments

import (
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/fit"
	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/stream"
)

func roller(t testing.TB, s formula.Source, unknowns ...string) *formula.Roller {
	t.Helper()
	f, err := s.Roll(unknowns)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// world makes samples: people with states and traits drawn by a law move as a model says under decisions that are drawn for all, and of each group other
// people are seen every time.
type world struct {
	f             *formula.Roller
	theta         []float64
	people, dates int
	groups        int
	traits        int
	copies        int
	noise         float64 // added to every entry of a state, where the model has none
	state, trait  func(s *stream.Stream) float64
	decide        func(s *stream.Stream) float64
}

func normal(mean, deviation float64) func(s *stream.Stream) float64 {
	return func(s *stream.Stream) float64 { return mean + float64(deviation*s.Normal()) }
}

func (w world) samples(seed uint64) (out Sections) {
	f, s := w.f, stream.New(seed, "samples")
	out.Dates, out.Groups = w.dates, max(1, w.groups)
	decide := stream.New(77, "decisions") // of all logs the same
	for range out.Dates * out.Groups * (f.Beside - w.traits) {
		out.Beside = append(out.Beside, w.decide(decide))
	}
	width := f.Beside - w.traits
	row, beside, shocks := make([]float64, f.Width()), make([]float64, f.Beside), make([]float64, f.Shocks())
	for t := range out.Dates {
		for g := range out.Groups {
			for range w.people {
				p := make([]float64, f.States)
				for e := range p {
					p[e] = w.state(s)
				}
				for j := range w.traits {
					beside[j] = w.trait(s)
				}
				for step := range t {
					copy(beside[w.traits:], out.Beside[(step*out.Groups+g)*width:][:width])
					for j := range shocks {
						shocks[j] = s.Normal()
					}
					f.Rows(row, p, w.theta, beside, shocks)
					for e := range p {
						p[e] = row[e] + float64(w.noise*s.Normal())
					}
				}
				out.Time, out.Group = append(out.Time, t), append(out.Group, g)
				out.States, out.Traits = append(out.States, p...), append(out.Traits, beside[:w.traits]...)
			}
		}
	}
	return out
}

func between(u fit.Unknown, low, high float64) fit.Unknown {
	u.Lower, u.Upper = low, high
	return u
}

func standard() population.Number {
	for _, law := range population.NumberLaws() {
		if law.Name == "normal" {
			return population.Number{NumberLaw: law, Of: []float64{0, 1}}
		}
	}
	panic("no normal law")
}

func shop() formula.Source {
	return formula.Source{Decision: "q[2]", State: "p[2]", Trait: "d[2]", Next: "habit*p + (1-habit)*(d - B @ q)"}
}

func shopUnknowns() []fit.Unknown {
	return []fit.Unknown{between(fit.Free("habit", 0.5), 0, 1), fit.Free("B[0,0]", 0), fit.Free("B[0,1]", 0), fit.Free("B[1,0]", 0), fit.Free("B[1,1]", 0)}
}

func shopWorld(f *formula.Roller, people, dates, groups int, noise float64) world {
	return world{f: f, theta: []float64{0.7, 1.2, -0.2, -0.3, 0.9}, people: people, dates: dates, groups: groups, traits: 2, noise: noise, state: normal(2, 1), trait: normal(3, 1), decide: normal(1, 0.5)}
}

func find(t testing.TB, f *formula.Roller, s Sections, unknowns []fit.Unknown, o fit.Options) *Matched {
	t.Helper()
	got, err := Find(t.Context(), f, s, unknowns, o)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// Numbers that made samples are found within four standard errors; by whatever moments, in groups, on any number of workers with the same bits. A true
// model passes its test, a model that denies the noise of the states does not.
func TestNumbersThatMadeSamplesAreFound(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and others have workers share")
	}
	f := roller(t, shop(), "habit", "B[2, 2]")
	for _, c := range []struct {
		name                  string
		match                 Match
		people, dates, groups int
		noise                 float64
		fits                  bool
	}{
		{"as samples allow", 0, 200, 7, 1, 0.3, true},
		{"means in groups", Means, 60, 6, 3, 0.3, true},
		{"squares", Squares, 200, 6, 1, 0, true},
		{"squares and noise", Squares, 200, 6, 1, 0.5, false},
	} {
		w := shopWorld(f, c.people, c.dates, c.groups, c.noise)
		s := w.samples(3)
		s.Match = c.match
		got := find(t, f, s, shopUnknowns(), fit.Options{Starts: 1})
		if fits := got.Chance > 1e-3; fits != c.fits {
			t.Errorf("%s: distance %v of %d, chance %v", c.name, got.Distance, got.Over, got.Chance)
		}
		if again := find(t, f, s, shopUnknowns(), fit.Options{Starts: 1, Workers: 3}); !reflect.DeepEqual(again, got) {
			t.Errorf("%s: %+v by three workers, %+v by one", c.name, again, got)
		}
		if !c.fits {
			continue
		}
		for j, v := range w.theta {
			if off := math.Abs(got.Value[j]-v) / got.Error[j]; !(off < 4) || !(got.Error[j] < 1) {
				t.Errorf("%s: %s is %v ± %v, was %v", c.name, got.Unknowns[j].Name, got.Value[j], got.Error[j], v)
			}
		}
		if len(got.Blind) > 0 || len(got.Seen) != 2*(c.dates-1)*max(1, c.groups) || len(got.Assumes) != 2 {
			t.Errorf("%s: blind %v, %d means seen, %q", c.name, got.Blind, len(got.Seen), got.Assumes)
		}
	}
}

// With as many moments as unknowns a linear model is solved by hand: after one step the mean is a·mean(p) + b·q, and two groups with other decisions give
// two equations. Errors are those of the delta method, with the chance of who was in the first sample.
func TestTwoGroupsAreSolvedByHand(t *testing.T) {
	f := roller(t, formula.Source{Decision: "q", State: "p", Next: "a*p + b*q"}, "a", "b")
	s := Sections{
		Exposure: Exposure{Dates: 2, Groups: 2, Beside: []float64{1, 3}}, Time: []int{0, 0, 0, 1, 1, 0, 0, 1, 1, 1}, Group: []int{0, 0, 0, 0, 0, 1, 1, 1, 1, 1},
		States: []float64{1, 2, 6, 4, 6, 1, 2, 8, 9, 13},
	}
	got := find(t, f, s, []fit.Unknown{fit.Free("a", 0), fit.Free("b", 0)}, fit.Options{})
	// means 3 → 5 and 1.5 → 10: 3a + b = 5, 1.5a + 3b = 10
	a, b := 5/7.5, 22.5/7.5
	if math.Abs(got.Value[0]-a) > 1e-9 || math.Abs(got.Value[1]-b) > 1e-9 {
		t.Errorf("a and b are %v, want %v and %v", got.Value, a, b)
	}
	// variances of means: of what is seen later 2/2 and 7/3, of what is predicted a²·7/3 and a²·0.5/2; a = (3·m₁ − m₂)/7.5, b = (3·m₂ − 1.5·m₁)/7.5
	v1, v2 := 1+a*a*7/3, 7.0/3+a*a*0.25
	ea, eb := math.Sqrt(9*v1+v2)/7.5, math.Sqrt(9*v2+2.25*v1)/7.5
	if math.Abs(got.Error[0]-ea) > 1e-9 || math.Abs(got.Error[1]-eb) > 1e-9 {
		t.Errorf("errors are %v, want %v and %v", got.Error, ea, eb)
	}
	// the smallest sample has two people: the quantile of Student's law with one degree is tan(π·0.475)
	if low, high := got.Interval(0, 0.95); math.Abs(high-low-2*12.706204736*got.Error[0]) > 1e-6 || math.Abs(high+low-2*a) > 1e-9 {
		t.Errorf("a is between %v and %v", low, high)
	}
	if got.Over != 0 || !math.IsNaN(got.Chance) {
		t.Errorf("%d moments more than unknowns, chance %v", got.Over, got.Chance)
	}
}

// Weights are copies: who counts twice counts as two in moments, though not in how sure they are.
func TestWeightsAreCopies(t *testing.T) {
	f := roller(t, formula.Source{Decision: "q", State: "p", Next: "a*p + b*q"}, "a", "b")
	course := Exposure{Dates: 2, Groups: 2, Beside: []float64{1, 3}}
	unknowns := []fit.Unknown{fit.Free("a", 0), fit.Free("b", 0)}
	one := Sections{Exposure: course, Time: []int{0, 0, 1, 1, 0, 0, 1, 1}, Group: []int{0, 0, 0, 0, 1, 1, 1, 1}, States: []float64{1, 2, 4, 6, 1, 2, 8, 9}, Weight: []float64{1, 2, 1, 3, 1, 1, 1, 1}}
	two := Sections{Exposure: course, Time: []int{0, 0, 0, 1, 1, 1, 1, 0, 0, 1, 1}, Group: []int{0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1}, States: []float64{1, 2, 2, 4, 6, 6, 6, 1, 2, 8, 9}}
	x, y := find(t, f, one, unknowns, fit.Options{}), find(t, f, two, unknowns, fit.Options{})
	for j := range x.Value {
		if math.Abs(x.Value[j]-y.Value[j]) > 1e-9 {
			t.Errorf("%v by weights, %v by copies", x.Value, y.Value)
		}
	}
}

// Noise inside a curve moves means: where the model says so it is drawn, and a scale of it that is unknown is found.
func TestNoiseOfTheModelIsDrawn(t *testing.T) {
	source := formula.Source{Decision: "q", State: "p", Trait: "d", Noise: []formula.Shock{{Declaration: "w"}}, Next: "keep*p + (1-keep)*(d + b*q) + size*w"}
	f := roller(t, source, "keep", "b", "size")
	w := world{f: f, theta: []float64{0.6, 2, 0.5}, people: 300, dates: 6, traits: 1, state: normal(0, 1), trait: normal(1, 1), decide: normal(0, 1)}
	s := w.samples(1)
	unknowns := []fit.Unknown{between(fit.Free("keep", 0.5), 0, 1), fit.Free("b", 0), between(fit.Free("size", 1), 0, 5)}
	s.Noise, s.Copies = []population.Number{{NumberLaw: standard().NumberLaw, Of: []float64{0, -1}}}, 4
	var refused *fit.InputError
	if _, err := Find(t.Context(), f, s, unknowns, fit.Options{}); !errors.As(err, &refused) || refused.Row != -1 || !strings.HasPrefix(refused.What, "noise: ") {
		t.Errorf("noise that is no law: %v", err)
	}
	s.Noise = []population.Number{standard()}
	got := find(t, f, s, unknowns, fit.Options{Workers: 2})
	for j, v := range w.theta {
		if off := math.Abs(got.Value[j]-v) / got.Error[j]; !(off < 4) || !(got.Error[j] < 0.3) {
			t.Errorf("%s is %v ± %v, was %v", got.Unknowns[j].Name, got.Value[j], got.Error[j], v)
		}
	}
	if got.Match != Squares || !strings.Contains(strings.Join(got.Assumes, "\n"), "drawn 4 times") {
		t.Errorf("%v matched, %q", got.Match, got.Assumes)
	}
}
