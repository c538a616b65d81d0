package fit

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/internal/evidence"
)

// watched writes down the places that a search looks at.
type watched struct {
	evaluator
	seen *[]string
}

func (w watched) at(ctx context.Context, theta, spread, weight []float64, workers int) (*Foothold, error) {
	*w.seen = append(*w.seen, fmt.Sprintf("%.6g", theta))
	return w.evaluator.at(ctx, theta, spread, weight, workers)
}

// The places that searches look at on their way, by every gait, and along the profile of the first number, are those that were recorded.
func TestWaysAreAsRecorded(t *testing.T) {
	evidence.OneGoroutine(t)
	var lines []string
	for i, c := range recordedFits(t) {
		seed := uint64(i)
		r := rand.New(rand.NewPCG(seed, 9))
		l := wander(c.f, []float64{0.5, -0.4}, 5, 6, 0.3, 0.5, 0.3, 0.1, seed, false)
		if c.to != nil {
			for i, v := range l.After {
				l.After[i] = c.to(v)
			}
		}
		c.o.Seed, c.o.Repeats = seed, 0
		p, err := newSearch(c.f, l, someUnknowns(r), c.o)
		if err != nil {
			t.Fatal(c.name, err)
		}
		var seen []string
		p.how = watched{p.how, &seen}
		count := func() string {
			sum := sha256.Sum256([]byte(joined(evidence.Rounded(joined(seen)))))
			defer func() { seen = nil }()
			return fmt.Sprintf("%d looks %x", len(seen), sum[:8])
		}
		for g, gait := range []gait{firstly, nearby, loosely} {
			if g > 0 && c.o.Unseen == Random {
				break
			}
			lines = append(lines, fmt.Sprintf("%s by gait %d", c.name, g))
			end, err := p.descend(t.Context(), startOf(p.unknowns, p.asked, seed, g), nil, 1, gait)
			if err != nil {
				t.Fatal(c.name, err)
			}
			if end == nil {
				lines = append(lines, "  to no end, "+count())
				continue
			}
			lines = append(lines, fmt.Sprintf("  to %.9g with a loss of %.9g, %s", end.Theta, end.Loss, count()))
			if g > 0 {
				continue
			}
			for _, step := range []float64{-0.05, 0.4} {
				o := origin{search: p, best: end}
				at, err := o.climb(t.Context(), 0, step, 2*step, 0.5)
				lines = append(lines, fmt.Sprintf("  climbs to %.9g %v, %s", at, err, count()))
			}
		}
	}
	evidence.AsRecorded(t, "testdata/ways.txt", evidence.Rounded(joined(lines)))
}

func joined(lines []string) (text string) {
	for _, line := range lines {
		text += line + "\n"
	}
	return text
}

// bowl is a loss of two numbers by its errors and their slopes.
type bowl struct {
	name     string
	unknowns []Unknown
	errors   func(x, y float64) (r []float64, slopes [][2]float64)
}

func bowls() []bowl {
	free := []Unknown{Free("x", -1.2), Free("y", 1)}
	bound := []Unknown{{Name: "x", Start: -1.2, Lower: -2, Upper: 0.5}, {Name: "y", Start: 1, Lower: 0.9, Upper: math.Inf(1)}}
	known := []Unknown{{Name: "x", Start: 3, Lower: math.Inf(-1), Upper: math.Inf(1), Mean: 1, Deviation: 0.5}, Free("y", -2)}
	valley := func(x, y float64) ([]float64, [][2]float64) {
		return []float64{10 * (x*x - y), x - 1}, [][2]float64{{20 * x, -10}, {1, 0}}
	}
	flat := func(x, y float64) ([]float64, [][2]float64) { return []float64{x + y - 3}, [][2]float64{{1, 1}} }
	steep := func(x, y float64) ([]float64, [][2]float64) {
		return []float64{x * x * x, y - 2}, [][2]float64{{3 * x * x, 0}, {0, 1}}
	}
	edge := func(x, y float64) ([]float64, [][2]float64) {
		if x > -1 {
			return []float64{math.NaN()}, [][2]float64{{1, 1}}
		}
		return []float64{x, y}, [][2]float64{{1, 0}, {0, 1}}
	}
	round := func(x, y float64) ([]float64, [][2]float64) {
		return []float64{x - 1, y - 2}, [][2]float64{{1, 0}, {0, 1}}
	}
	return []bowl{{"a valley", free, valley}, {"a valley with bounds", bound, valley}, {"a valley and a prior", known, valley}, {"what is not told", free, flat}, {"a flat bottom", known, steep}, {"an edge", free, edge}, {"nothing to begin with", known, edge}, {"a saddle in disguise", free, round}}
}

// The places that Descend looks at, and where it ends, are those that were recorded.
func TestDescentsAreAsRecorded(t *testing.T) {
	var lines []string
	for _, b := range bowls() {
		looked := 0
		at := func(theta []float64) (*Foothold, error) {
			looked++
			r, slopes := b.errors(theta[0], theta[1])
			p := &Foothold{Theta: theta, Normal: make([]float64, 4), Slope: make([]float64, 2)}
			for i, v := range r {
				p.Loss += v * v / 2
				for a := range 2 {
					p.Slope[a] -= v * slopes[i][a]
					for c := a; c < 2; c++ {
						p.Normal[a*2+c] += slopes[i][a] * slopes[i][c]
					}
				}
			}
			if b.name == "a saddle in disguise" { // equations that cannot be solved without damping
				p.Normal[1] = 2
			}
			p.Know(b.unknowns)
			lines = append(lines, fmt.Sprintf("    %.9g %.6g", theta, p.Loss))
			return p, nil
		}
		lines = append(lines, b.name)
		best, agreed, err := Lowest(b.unknowns, Options{Starts: 2, Seed: 3}, func(theta []float64) (*Foothold, error) {
			end, err := Descend(theta, b.unknowns, at)
			if end != nil {
				lines = append(lines, fmt.Sprintf("  to %.9g, free %v", end.Theta, end.Free(b.unknowns)))
			}
			return end, err
		})
		lines = append(lines, fmt.Sprintf("  %d looks, %d agreed, %v %v", looked, agreed, err, best == nil))
	}
	evidence.AsRecorded(t, "testdata/descents.txt", evidence.Rounded(joined(lines)))
}

// Effects of times are 2000 numbers at most: those of 2001 times, the first of which has none.
func TestMostTimes(t *testing.T) {
	f := regress(t, formula.Source{Decision: "q", State: "p", Next: "a*p + b*q"}, "a", "b")
	for times, fits := range map[int]bool{2001: true, 2002: false} {
		l := Log{States: make([]float64, times), After: make([]float64, times), Beside: make([]float64, times), Person: make([]int, times), Time: make([]int, times)}
		for i := range l.Time {
			l.Time[i] = i
		}
		if _, err := newPersons(f, l, Options{Times: true}); (err == nil) != fits {
			t.Errorf("%d times: %v", times, err)
		}
	}
}

// A row that does not count says nothing of how counts vary, even if the model has no number for it.
func TestCountsThatDoNotCount(t *testing.T) {
	f := regress(t, formula.Source{Decision: "q", State: "p", Next: "exp(a*sqrt(p) + b*q)"}, "a", "b")
	r := rand.New(rand.NewPCG(1, 2))
	var l Log
	for i := range 30 {
		l.States, l.Beside, l.After = append(l.States, float64(r.IntN(5))), append(l.Beside, r.Float64()), append(l.After, float64(r.IntN(4)))
		l.Person, l.Weight = append(l.Person, i/6), append(l.Weight, 1)
	}
	o, u := Options{Laws: []ErrorLaw{{Kind: Poisson}}}, []Unknown{Free("a", 0.1), Free("b", 0.1)}
	want, err := Find(t.Context(), f, l, u, o)
	if err != nil {
		t.Fatal(err)
	}
	l.States, l.Beside, l.After, l.Person, l.Weight = append(l.States, -1), append(l.Beside, 1), append(l.After, 3), append(l.Person, 4), append(l.Weight, 0)
	got, err := Find(t.Context(), f, l, u, o)
	if err != nil {
		t.Fatal(err)
	}
	if !(math.Abs(got.Excess[0]-want.Excess[0]) < 1e-6*want.Excess[0]) || !(math.Abs(got.Value[0]-want.Value[0]) < 1e-6) {
		t.Errorf("%v and %v, want %v and %v", got.Value, got.Excess, want.Value, want.Excess)
	}
	for i := range l.Weight {
		l.Weight[i] /= 128
	}
	if got, err = Find(t.Context(), f, l, u, o); err != nil {
		t.Fatal(err)
	}
	if !(math.Abs(got.Excess[0]-want.Excess[0]) < 1e-6*want.Excess[0]) { // whatever the unit of weights
		t.Errorf("of little weight %v, want %v", got.Excess, want.Excess)
	}
}

// By hand: every second chunk of three and a bit is the first and the third, with all that their rows have.
func TestSomeChunks(t *testing.T) {
	f := regress(t, formula.Source{Decision: "q[3]", State: "p[2]", Next: "[a*p[0] + b*q[0], b*p[0] + a*p[1] + q[1]*q[2]]"}, "a", "b")
	n := 3*chunk + 5
	count := func(each int) (list []float64) {
		for i := range each * n {
			list = append(list, float64(i))
		}
		return list
	}
	x := pooled{f: f, many: 7, l: Log{States: count(2), After: count(2), Beside: count(3), Weight: count(1)}}
	for i := range n {
		x.group = append(x.group, i/1000)
	}
	got := x.some(2)
	for _, c := range []struct {
		name      string
		each      int
		all, some []float64
	}{{"states", 2, x.l.States, got.l.States}, {"states after", 2, x.l.After, got.l.After}, {"beside", 3, x.l.Beside, got.l.Beside}, {"weights", 1, x.l.Weight, got.l.Weight}} {
		if want := slices.Concat(c.all[:c.each*chunk], c.all[2*c.each*chunk:3*c.each*chunk]); !slices.Equal(c.some, want) {
			t.Errorf("%s: %d numbers, want %d", c.name, len(c.some), len(want))
		}
	}
	if want := slices.Concat(x.group[:chunk], x.group[2*chunk:3*chunk]); !slices.Equal(got.group, want) || got.many != 7 {
		t.Errorf("%d groups of %d", len(got.group), got.many)
	}
}

// By hand: people move by the root of the mean square of 3 and -4, entry by entry; where nobody moves, by 1.
func TestHowFarPeopleMove(t *testing.T) {
	f := regress(t, formula.Source{Decision: "q", State: "p[2]", Next: "[a*p[0] + b*q, a*p[1]]"}, "a", "b")
	got := moves(f, Log{States: []float64{1, 5, 2, 6}, After: []float64{4, 5, -2, 6}})
	if want := math.Sqrt(12.5); len(got) != 2 || got[0] != want || got[1] != 1 {
		t.Errorf("%v, want %v and 1", got, want)
	}
}
