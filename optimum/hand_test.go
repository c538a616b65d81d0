package optimum

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/set"
)

// By hand: where a set has no end the step is the longest of half of what is known to be wide, of how far downhill leads from the start, of the start and of what constraints lack; where it has ends it is half of the widest alone.
func TestStepsWithoutAnEnd(t *testing.T) {
	inf := math.Inf(1)
	for _, x := range []struct {
		name         string
		lower, upper []float64
		start        []float64
		lack         float64
		step         float64 // in the user's units
	}{
		{"ends", []float64{0, 0}, []float64{40, 6}, []float64{2, 2}, 99, 20}, {"wide", []float64{0, 0}, []float64{40, inf}, []float64{2, 2}, 0, 20},
		{"a far start", []float64{0, 0}, []float64{2, inf}, []float64{1, 500}, 0, 500}, {"what is lacking", []float64{0, 0}, []float64{2, inf}, []float64{1, 1}, 64, 64},
	} {
		l := overSet(bowl{1, 0}, set.Box{Lower: x.lower, Upper: x.upper}, 2)
		l.lack = x.lack
		e, err := l.survey(slices.Clone(x.start))
		if err != nil {
			t.Fatal(x.name, err)
		}
		is(t, x.name+": the length", l.length, power(x.step))
		if got := e.step * l.length; !(got >= x.step/2 && got <= 2*x.step) {
			t.Errorf("%s: the step is %v, want about %v", x.name, got, x.step)
		}
	}
}

// wide counts how many rows are looked at, of a width of two.
type wide struct {
	kedge.Block
	seen *int
}

func (w wide) View(dst []float64, first, last int) []float64 {
	*w.seen += last - first
	if len(dst) < 2 {
		panic("no room")
	}
	copy(dst, w.Data[2*first:2*last])
	return dst[:2*(last-first)]
}

// People are picked by their rows, all entries of each: of 8,192 people with (i, −i) every second is left.
func TestWholeRowsAreThinned(t *testing.T) {
	const n = 2 * mostSampled
	data := make([]float64, 2*n)
	for i := range n {
		data[2*i], data[2*i+1] = float64(i), -float64(i)
	}
	f, err := dynamics.NewAffine(kedge.Dims{Decision: 1, State: 1, Trait: 2}, []float64{0.5}, []float64{0}, []float64{1, 1})
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	m, err := thinned(kedge.Model{Dynamics: f, Traits: wide{kedge.Block{Data: data, Width: 2}, &seen}})
	if err != nil {
		t.Fatal(err)
	}
	got := m.Traits.(kedge.Block)
	if got.Width != 2 || len(got.Data) != 2*mostSampled || seen != mostSampled || m.States != nil || m.Weights != nil {
		t.Fatalf("%d numbers of width %d, %d looked at", len(got.Data), got.Width, seen)
	}
	for i := range mostSampled {
		if got.Data[2*i] != float64(2*i) || got.Data[2*i+1] != -float64(2*i) {
			t.Fatalf("row %d is %v", i, got.Data[2*i:2*i+2])
		}
	}
}

// Two replies that are within a part of 10⁻¹¹ of each other count as the same, those that are farther apart do not: by hand, with replies that close in on each other by a share a round. A share of 0.9 leaves 0.9^120 of 10 after
// sixty rounds of two.
func TestRepliesComeToRest(t *testing.T) {
	for _, x := range []struct {
		share float64
		rests bool
	}{{0, true}, {0.5, true}, {0.7, true}, {0.95, false}, {-0.5, true}, {-0.95, false}} {
		h := tugging().table
		h.game = tug{a: x.share}
		u, ok := h.replies([]float64{9, 9})
		if ok != x.rests || ok && rows.MaxAbs(u) > 1e-9 {
			t.Errorf("a share of %v: %v, %v", x.share, u, ok)
		}
	}
}

// fixed is a game in which a player's loss is given, whatever it is asked.
type fixed struct {
	tug
	losses []float64
}

func (f fixed) Losses(dst, _ []float64) error {
	copy(dst, f.losses)
	return nil
}

// By hand: at the answer (8/3, 10/3) of a tug nobody gains; who said that he loses 1 there gains that by staying, and what is none is no equilibrium.
func TestGainsAreVerified(t *testing.T) {
	at := []float64{8. / 3, 10. / 3}
	loose := atLeast(-50)
	for _, x := range []struct {
		losses []float64
		ok     bool
	}{{[]float64{0, 0}, true}, {[]float64{-1, -1}, true}, {[]float64{1, 0}, false}, {[]float64{0, 1}, false}} {
		s := tugging(loose)
		if err := s.measure([]float64{0, 0}); err != nil {
			t.Fatal(err)
		}
		s.game = fixed{tug{a: 0.5, c0: 1, c1: 2}, x.losses}
		e := &SharedEquilibrium{Equilibrium: Equilibrium{Point: Point{Decision: slices.Clone(at)}}}
		if err := s.verify(e); (err == nil) != x.ok {
			t.Errorf("losses of %v: %v", x.losses, err)
		}
		if is(t, "the loss together", e.Loss, x.losses[0]+x.losses[1]); x.ok && (slices.Max(e.Gains) > 1e-9 || slices.Min(e.Gains) < 0 || !e.Nash) {
			t.Errorf("gains of %v", e.Gains)
		}
	}
	h := tugging().table
	h.game = fixed{tug{a: 0.5, c0: 1, c1: 2}, []float64{1, 0}}
	if err := h.consider(Point{Decision: at}, nil); err != nil || len(h.found) != 0 || !(h.least > worthwhile) {
		t.Errorf("%+v, gains %v, %v", h.found, h.least, err)
	}
}

// Vectors and rays of which some must be let go again: the mean is the shortest, by the conditions mean·v ≥ |mean|² for all vectors and mean·r ≥ 0 for all rays, and mean = Σ λv + Σ μr with λ that add up to 1.
func TestSmallestMeansWithRays(t *testing.T) {
	for k := range 200 {
		n := 2 + k%3
		var vectors, rays [][]float64
		for i := range 3 + k%5 {
			v := even(n, 17*k+i)
			for j := range v {
				v[j] = 4*v[j] - 2 + 1.5*float64(k%2)
			}
			vectors = append(vectors, v)
		}
		for i := range k % 4 {
			r := even(n, 31*k+7*i+3)
			for j := range r {
				r[j] = 2*r[j] - 1
			}
			rays = append(rays, r)
		}
		mean, shares := smallestMean(vectors, rays)
		square := rows.Dot(mean, mean)
		is(t, "the shares together", rows.Sum(shares), 1)
		for i, v := range vectors {
			if shares[i] < 0 || rows.Dot(mean, v) < square-1e-9 {
				t.Fatalf("case %d: vector %d with the share %v is nearer to zero than the mean %v", k, i, shares[i], mean)
			}
		}
		for i, r := range rays {
			if rows.Dot(mean, r) < -1e-9 {
				t.Fatalf("case %d: ray %d leads nearer to zero than the mean %v", k, i, mean)
			}
		}
	}
}

// By hand: a constraint that is −3 everywhere has the unit 2, one that is 0 everywhere 1, and one that is mostly 5 and once −64 the power of two below 69.
func TestUnitsOfEvenConstraints(t *testing.T) {
	l := overSet(bowl{1, 0}, set.Whole{}, 1)
	var screened []place
	for u := range 8 {
		screened = append(screened, place{u: []float64{float64(u)}})
	}
	once := plainly(func(g, u []float64) (float64, error) {
		if g[0] = 0; u[0] == 0 {
			return -64, nil
		}
		return 5, nil
	})
	rarely := plainly(func(g, u []float64) (float64, error) {
		if g[0] = 0; u[0] == 3 {
			return 9, nil
		}
		return -3, nil
	})
	for _, x := range []struct {
		name string
		c    Function
		want float64
	}{{"−3", flat{loss: -3}, 2}, {"0", flat{}, 1}, {"5", flat{loss: 5}, 4}, {"once −64", once, 64}, {"rarely 9", rarely, 8}} {
		a := newAugmented(l, []Function{x.c})
		if err := a.measure(screened); err != nil {
			t.Fatal(x.name, err)
		}
		is(t, "the unit of what is "+x.name, a.units[0], x.want)
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	l.ctx = ctx
	if err := newAugmented(l, []Function{flat{err: errNoValue}}).measure(screened); err != context.Canceled {
		t.Errorf("after a stop: %v", err)
	}
}
