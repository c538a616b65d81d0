package transport_test

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/stream"
	"github.com/kedge-opt/kedge/transport"
)

// brief is a text, or its sum if it is long.
func brief(text string) string {
	if len(text) <= 500 {
		return text
	}
	h := fnv.New64a()
	h.Write([]byte(text))
	return fmt.Sprintf("%d characters, sum %x", len(text), h.Sum64())
}

// tilted draws a probability vector, of entries that spread more with the power, some of them zero, some the same.
func tilted(s *stream.Stream, n, power int) []float64 {
	x, total := make([]float64, n), 0.0
	for i := range x {
		switch s.Intn(5) {
		case 0:
			x[i] = 0.125
		case 1:
			if i > 0 {
				break
			}
			fallthrough
		default:
			x[i] = 1
			for u := s.Float64(); power > 0 && x[i] > u; x[i] *= 0.5 {
				power--
			}
			x[i] *= 0.5 + s.Float64()
		}
		total += x[i]
	}
	if total == 0 {
		x[0], total = 1, 1
	}
	for i := range x {
		x[i] /= total
	}
	return x
}

// drawnCost is a cost that a seed makes: distances of clouds and of grids full of ties, and tables of either sign and any size.
func drawnCost(t *testing.T, s *stream.Stream, n, m int) transport.Cost {
	t.Helper()
	dim := 1 + s.Intn(3)
	var c transport.Cost
	var err error
	switch s.Intn(7) {
	case 0:
		c = euclidean(t, cloud(s, n, dim), cloud(s, m, dim), dim)
	case 1:
		c = euclidean(t, grid(s, n, dim), grid(s, m, dim), dim)
	case 2:
		c, err = transport.Table(grid(s, n, m), m)
	case 3:
		list := cloud(s, n, m)
		for i, unit := range []float64{1, 1e-155, 0x1p-1060, 1e200}[s.Intn(4):][:1] {
			for k := i; k < len(list); k++ {
				list[k] *= unit
			}
		}
		c, err = transport.Table(list, m)
	case 4:
		p := []float64{2, 0.5, 0.25, 0.5, 3, -1, 0.25, -1, 1.5}
		if c, err = transport.Weighted(p, cloud(s, n, 3), cloud(s, m, 3), 3); err == nil {
			c, err = transport.Mixed(c, euclidean(t, cloud(s, n, 2), cloud(s, m, 2), 2))
		}
	case 5:
		list := cloud(s, n, m)
		for i := range list {
			for range s.Intn(40) {
				list[i] *= 0.1
			}
		}
		c, err = transport.Table(list, m)
	case 6: // ties but for roundings, or but for the least that counts
		list, bit, scales := make([]float64, n*m), 0x1p-52, 3
		if s.Intn(2) == 0 {
			bit, scales = 0x1p-48, 1
		}
		for i := range list {
			list[i] = math.Ldexp(1+float64(s.Intn(4))*bit, -2*(i%m%scales))
		}
		c, err = transport.Table(list, m)
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Plans of problems that seeds make are what they were when this was recorded, to the last bit; that they are right is said by the certificates of
// other tests. So are the ways of the method to them, as the sum of all flows after every step.
func TestPlansAreAsRecorded(t *testing.T) {
	var got []string
	say := func(format string, args ...any) { got = append(got, brief(fmt.Sprintf(format, args...))) }
	for k := range 200 {
		s := stream.New(uint64(k), "recorded")
		n, m := 1+s.Intn(1+k/12), 1+s.Intn(1+k/12)
		c := drawnCost(t, s, n, m)
		a, b := tilted(s, n, s.Intn(30)), tilted(s, m, s.Intn(30))
		switch s.Intn(5) {
		case 0:
			a, b = nil, nil
		case 1:
			a = nil
		case 2:
			b = nil
		}
		p, err := transport.Exact(context.Background(), a, b, c)
		say("exact %d: %d × %d, %v %v", k, n, m, p, err)
		same := drawnCost(t, s, n, n)
		q, err := transport.Assignment(context.Background(), same)
		say("assignment %d: %d, %v %v", k, n, q, err)
		supply, demand := make([]int64, n), make([]int64, m)
		for i := range supply {
			supply[i] = int64(m * (1 + k%2*s.Intn(3)))
		}
		left := int64(0)
		for _, v := range supply {
			left += v
		}
		for j := range demand {
			demand[j] = left / int64(m-j)
			left -= demand[j]
		}
		if !slices.Contains(demand, 0) {
			var way strings.Builder
			steps := transport.Pivots(entries(c), supply, demand, func(flow []int64) { fmt.Fprint(&way, flow) })
			say("steps %d: %d, %s", k, steps, way.String())
		}
	}
	for k := range 200 {
		s := stream.New(uint64(k), "small")
		n := 2 + s.Intn(4)
		c := euclidean(t, grid(s, n, 1), grid(s, n, 1), 1)
		if k%2 == 0 {
			var err error
			c, err = transport.Table(grid(s, n, n), n)
			if err != nil {
				t.Fatal(err)
			}
		}
		p, q := assignment(t, c), plan(t, nil, nil, c)
		say("small %d: %v %v", k, p, q)
	}
	evidence.AsRecorded(t, "testdata/plans.txt", got)
}

// How often the methods ask whether to go on is as it was recorded: once a row of the costs, once a free row of an assignment, and once in 256 steps of the simplex method.
func TestQuestionsAreAsRecorded(t *testing.T) {
	var got []string
	s := stream.New(1, "questions")
	for _, n := range []int{1, 5, 60, 140} {
		c, a, b := euclidean(t, cloud(s, n, 3), cloud(s, n, 3), 3), tilted(s, n, 3), tilted(s, n, 3)
		for _, most := range []int{0, n - 1, n, n + 1, 1 << 20} {
			ctx := &patient{context.Background(), 0, most}
			p, err := transport.Exact(ctx, a, b, c)
			also := &patient{context.Background(), 0, most}
			q, errQ := transport.Assignment(also, c)
			got = append(got, fmt.Sprintf("%d places, %d answers: asked %d times, %v %v; assigned %d, %v %v", n, most, ctx.asked, p.Value, err, also.asked, q.Value, errQ))
		}
	}
	evidence.AsRecorded(t, "testdata/questions.txt", got)
}

// As many costs as fit are read: a context that has ended is what ends it then.
func TestAsManyCostsAsFit(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, err := transport.Assignment(ctx, justFits{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

type justFits struct{}

func (justFits) Size() (n, m int)   { return 10_000, transport.MaxCosts / 10_000 }
func (justFits) Row([]float64, int) {}

// By hand: the largest cost, the largest distance, and two differences of which a half of 2⁻⁴⁹ is just as much as one pass can tell.
func TestAtTheLimits(t *testing.T) {
	if p := assignment(t, holed{1e300}); p.Value != 1e300 {
		t.Errorf("the largest cost: %v", p.Value)
	}
	if d := line(t, []float64{0}, nil, []float64{math.MaxFloat64}, nil); d != math.MaxFloat64 {
		t.Errorf("the largest distance: %v", d)
	}
	least := 0x1p-62 // the least mass there is
	if p := plan(t, []float64{1, least}, nil, euclidean(t, []float64{0, 3}, []float64{0}, 1)); len(p.Flow) != 2 || p.Flow[1] != (transport.Flow{From: 1, To: 0, Mass: least}) || p.Value != 3*least {
		t.Errorf("the least mass: %+v", p)
	}
	for difference, quick := range map[float64]bool{0x1p-50: true, 0x1.8p-51: false, 0x1p-49: true} {
		w, ok := transport.OnePass([]float64{0.5 + difference, 0.5 - difference}, []float64{0.5, 0.5})
		if ok != quick || ok && w != difference {
			t.Errorf("a difference of %v: %v, %v", difference, w, ok)
		}
	}
}

// Distances on the line and between probability vectors are what they were when this was recorded, and so is which of them take one pass.
func TestDistancesAreAsRecorded(t *testing.T) {
	var got []string
	for k := range 300 {
		s := stream.New(uint64(k), "distances")
		n, m := 1+s.Intn(1+k/10), 1+s.Intn(1+k/10)
		draw := cloud
		if k%3 == 0 {
			draw = grid
		}
		x, y, a, b := draw(s, n, 1), draw(s, m, 1), tilted(s, n, s.Intn(30)), tilted(s, m, s.Intn(30))
		off := func(x []float64) {
			for i, f := 0, 1+1.2e-9*(2*s.Float64()-1); i < len(x); i++ {
				x[i] *= f
			}
		}
		if k%4 == 0 {
			off(a)
		}
		if k%4 == 1 {
			a, b = nil, tilted(s, m, 0)
		}
		d, err := transport.Line(x, a, y, b)
		got = append(got, fmt.Sprintf("line %d: %d and %d, %v %v", k, n, m, d, err))
		p, q, r := tilted(s, n, s.Intn(60)), tilted(s, n, s.Intn(60)), tilted(s, n, s.Intn(6))
		if k%3 == 0 {
			off(q)
		}
		if k%5 == 0 && n > 1 { // nearly the same
			q = slices.Clone(p)
			moved := q[0] * math.Ldexp(1, -s.Intn(50))
			q[0] -= moved
			q[s.Intn(n)] += moved
		}
		w, errW := transport.W1(p, q)
		quick, ok := transport.OnePass(p, q)
		slow, errSlow := transport.Careful(p, q)
		toB, toC, err := transport.W1Both(r, p, q)
		got = append(got, fmt.Sprintf("w1 %d: %d, %v %v, quick %v %v, careful %v %v, both %v %v %v", k, n, w, errW, quick, ok, slow, errSlow, toB, toC, err))
	}
	evidence.AsRecorded(t, "testdata/distances.txt", got)
}

// What is refused is refused in the words that were recorded.
func TestRefusalsAreAsRecorded(t *testing.T) {
	var got []string
	said := func(what string, err error) {
		if !typed(err) {
			t.Errorf("%s: %v", what, err)
		}
		got = append(got, what+": "+strings.ReplaceAll(fmt.Sprint(err), "\n", " / "))
	}
	ok, one, inf := []float64{1, 2, 3, 4}, []float64{1, 0, 0, 1}, math.Inf(1)
	for _, x := range [][]float64{nil, {1}, {1, 2, 3}, {1, 2, 3, 4, 5}, {1, math.NaN()}, {inf, 0}, {0, -inf, math.NaN()}} {
		_, err := transport.Euclidean(x, ok, 2)
		said(fmt.Sprint("euclidean from ", x), err)
		_, err = transport.Euclidean(ok, x, 2)
		said(fmt.Sprint("euclidean to ", x), err)
		_, err = transport.Euclidean(x, x, 2)
		said(fmt.Sprint("euclidean of ", x), err)
		_, err = transport.Weighted(one, x, x, 2)
		said(fmt.Sprint("weighted of ", x), err)
		_, err = transport.Table(x, 4)
		said(fmt.Sprint("table of ", x), err)
	}
	for _, p := range [][]float64{nil, {1}, {1, 2, 2, 1}, {1, 0.5, 0, 1}, {0, 0, 0, 0}, {1, 0, 0, math.NaN()}, {-1, 0, 0, 1}, {1, 0, 0, 1, 2}} {
		_, err := transport.Weighted(p, ok, ok, 2)
		said(fmt.Sprint("weighted by ", p), err)
	}
	_, err := transport.Weighted([]float64{2, 0, 0.25, 0, 2, 0, 0.5, 0, 2}, []float64{1, 2, 3}, []float64{1, 2, 3}, 3)
	said("not symmetric in the corner", err)
	_, err = transport.Weighted([]float64{2, 0, 0, 0, 2, 0.25, 0, 0.5, 2}, []float64{1, 2, 3}, []float64{1, 2, 3}, 3)
	said("not symmetric below", err)
	_, err = transport.Weighted([]float64{1e300, 0, 0, 1e300}, []float64{1e200, 0}, []float64{1, 0}, 2)
	said("far on the left", err)
	_, err = transport.Weighted([]float64{1e300, 0, 0, 1e300}, []float64{1, 0}, []float64{1, 1e200}, 2)
	said("far on the right", err)
	for _, dim := range []int{0, -1} {
		_, err = transport.Euclidean(ok, ok, dim)
		said(fmt.Sprint("dimension ", dim), err)
	}
	three, two := euclidean(t, ok[:3], ok[:2], 1), euclidean(t, ok[:2], ok[:2], 1)
	_, err = transport.Mixed(three, two)
	said("mixed of other left sides", err)
	_, err = transport.Mixed(euclidean(t, ok[:2], ok[:3], 1), two)
	said("mixed of other right sides", err)
	for _, c := range []transport.Cost{three, euclidean(t, ok[:2], ok[:3], 1), nothing{}, oneSided{}, huge{}, holed{math.NaN()}, holed{math.Inf(-1)}, holed{1.0001e300}, holed{-1e301}, narrow{}} {
		_, err = transport.Assignment(context.Background(), c)
		said(fmt.Sprintf("assignment %T", c), err)
	}
	for _, c := range []transport.Cost{nothing{}, huge{}, holed{math.NaN()}, holed{1.0001e300}, narrow{}} {
		_, err = transport.Exact(context.Background(), nil, nil, c)
		said(fmt.Sprintf("exact %T", c), err)
	}
	got = append(got, refusedWeights(t, two)...)
	evidence.AsRecorded(t, "testdata/refusals.txt", got)
}

// refusedWeights says what is wrong with weights.
func refusedWeights(t *testing.T, two transport.Cost) (got []string) {
	t.Helper()
	half := []float64{0.5, 0.5}
	for _, x := range [][]float64{
		{}, {1}, {0.5, 0.25, 0.25}, {0, 0}, {0.5, 0.6}, {1.5, -0.5}, {-1e-300, 1}, {math.NaN(), 1}, {math.Inf(1), 0}, {0.5, 0.5 + 1.5e-9}, {0.5, 0.5 - 1.5e-9},
		{0, 1 + 1.01e-9}, {1 + 2e-9, 0}, {0, 1 + 0.995e-9}, {0, 1 + 1e-9}, {0.5, 0.5 + 0.995e-9}, {0.5, 0.5 - 0.985e-9},
	} {
		_, err1 := transport.Exact(context.Background(), x, half, two)
		_, err2 := transport.Exact(context.Background(), half, x, two)
		_, err3 := transport.Exact(context.Background(), x, x, two)
		_, err4 := transport.W1(x, half)
		_, err5 := transport.W1(half, x)
		_, err6 := transport.Line(half, x, half, half)
		_, err7 := transport.Line(half, half, half, x)
		_, _, err8 := transport.W1Both(half, x, half)
		_, _, err9 := transport.W1Both(half, half, x)
		for k, err := range []error{err1, err2, err3, err4, err5, err6, err7, err8, err9} {
			got = append(got, fmt.Sprintf("weights %v, %d: %s", x, k+1, strings.ReplaceAll(fmt.Sprint(err), "\n", " / ")))
		}
	}
	for _, x := range [][]float64{nil, {}, {math.NaN(), 1}, {1}, {-1e308, 1e308}, {1.7e308, -1.7e308}} {
		d, err1 := transport.Line(x, nil, half, nil)
		e, err2 := transport.Line(half, half, x, half)
		got = append(got, fmt.Sprintf("line of %v: %v %s", x, []float64{d, e}, strings.ReplaceAll(fmt.Sprint(errors.Join(err1, err2)), "\n", " / ")))
	}
	w, err := transport.W1(nil, nil)
	_, _, both := transport.W1Both(nil, nil, nil)
	return append(got, fmt.Sprintf("nothing: %v %q %q", w, err.Error(), both.Error()))
}

// nothing is a cost without places, oneSided one without places on the left, narrow has just more costs than fit.
type (
	nothing  struct{}
	oneSided struct{}
	narrow   struct{}
)

func (nothing) Size() (n, m int)    { return 0, 0 }
func (nothing) Row([]float64, int)  {}
func (oneSided) Size() (n, m int)   { return 0, 1 }
func (oneSided) Row([]float64, int) {}
func (narrow) Size() (n, m int)     { return 10_001, 10_001 }
func (narrow) Row([]float64, int)   { panic("asked for a row") }
