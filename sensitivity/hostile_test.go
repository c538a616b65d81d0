package sensitivity_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/fixpoint"
	"github.com/kedge-opt/kedge/internal/heap"
	"github.com/kedge-opt/kedge/sensitivity"
	"github.com/kedge-opt/kedge/stream"
)

const count = 6 // individuals of a subject

// subject is a sensitivity with settled individuals.
type subject struct {
	name       string
	of         kedge.Sensitivity
	dim        kedge.Dims
	reads      string // the arguments it looks at
	p, u, d, v []float64
}

// subjects are all sensitivities of the package.
func subjects(t testing.TB) []subject {
	t.Helper()
	polarized := dynamics.Polarized{Dim: 3, Lambda: 0.4, Sigma: 0.5}
	norm := dynamics.PolarizedNorm{Polarized: polarized}
	choice := dynamics.Choice{Dim: 3, Lambda1: 0.2, Lambda2: 0.5, Epsilon: 0.5}
	affine, err := sensitivity.NewAffine(kedge.Dims{Decision: 3, State: 3}, []float64{1, 2, 3, 4, 5, 6, 7, 8, 9})
	if err != nil {
		t.Fatal(err)
	}
	own := &sensitivity.Polarized{Dim: 3, Lambda: 0.4, Sigma: 0.5}
	remembering := &sensitivity.PolarizedNorm{Polarized: sensitivity.Polarized{Dim: 3, Lambda: 0.4, Sigma: 0.5}}
	all := []subject{
		{name: "polarized", of: own, reads: "pudv"},
		{name: "polarized norm", of: remembering, dim: norm.Dims(), reads: "puv"},
		{name: "choice", of: &sensitivity.Choice{Dim: 3, Lambda1: 0.2, Lambda2: 0.5, Epsilon: 0.5}, reads: "uv"},
		{name: "affine", of: affine, reads: "v"},
		{name: "implicit, factorized", of: &sensitivity.Implicit{Dynamics: polarized}, reads: "pudv"},
		{name: "implicit, iterated", of: &sensitivity.Implicit{Dynamics: polarized, Dense: 1}, reads: "pudv"},
		{name: "differences", of: &sensitivity.Differences{Settler: choice}, reads: "udv"},
		{name: "settled", of: &sensitivity.Settled{Of: own, Settler: polarized}, reads: "udv"},
	}
	for i := range all {
		all[i].settle(t, polarized, norm)
	}
	return all
}

// settle gives the subject its individuals.
func (s *subject) settle(t testing.TB, polarized dynamics.Polarized, norm dynamics.PolarizedNorm) {
	r := stream.New(1, "subjects")
	s.u, s.d = decision(r, 3, 1), directions(r, count, 3)
	if s.dim.State == 4 {
		s.p = settle(t, norm, s.u, s.d)
	} else {
		s.dim = polarized.Dims()
		s.p = settle(t, polarized, s.u, s.d)
	}
	s.v = normals(r, len(s.p))
}

// A number that is none is refused wherever it stands, by name and row, and gu stays; where it is not looked at it does not
// matter.
func TestNonFiniteIsRefused(t *testing.T) {
	for _, s := range subjects(t) {
		want := product(t, s.of, s.p, s.u, s.d, s.v)
		for arg, x := range map[string][]float64{"p": s.p, "u": s.u, "d": s.d, "v": s.v} {
			for i, was := range x {
				for _, value := range bad {
					x[i] = value
					if strings.Contains(s.reads, arg) {
						err := refused(t, s.name+" "+arg, s.of, s.p, s.u, s.d, s.v)
						named(t, s, arg, i*count/len(x), err)
					} else if got := product(t, s.of, s.p, s.u, s.d, s.v); !slices.Equal(got, want) {
						t.Errorf("%s: %s[%d] = %v changes the product", s.name, arg, i, value)
					}
				}
				x[i] = was
			}
		}
	}
}

// named fails unless the error tells the argument, and the row if the argument has rows.
func named(t *testing.T, s subject, arg string, row int, err error) {
	t.Helper()
	number, which := new(kedge.NotFiniteError), new(kedge.RowError)
	if !errors.As(err, &number) || number.Arg != arg {
		t.Errorf("%s: error %v does not name %s", s.name, err, arg)
	}
	if arg != "u" && (!errors.As(err, &which) || which.Row != row) {
		t.Errorf("%s: error %v does not name row %d of %s", s.name, err, row, arg)
	}
}

// Finite arguments whose product is not finite are refused, too.
func TestOverflowIsRefused(t *testing.T) {
	for _, s := range subjects(t) {
		for i := range s.v {
			s.v[i] = math.Copysign(math.MaxFloat64, s.v[i])
		}
		s.v[0] = -s.v[0]
		gu := make([]float64, len(s.u))
		err := s.of.PullRows(gu, s.p, s.u, s.d, s.v)
		for _, g := range gu {
			if math.IsNaN(g) || math.IsInf(g, 0) {
				t.Errorf("%s: gu is %v, error %v", s.name, gu, err)
			}
		}
	}
	one, err := sensitivity.NewAffine(kedge.Dims{Decision: 1, State: 1}, []float64{10})
	if err != nil {
		t.Fatal(err)
	}
	number := new(kedge.NotFiniteError)
	if err := refused(t, "10·1e308", one, nil, []float64{0}, nil, []float64{1e308}); !errors.As(err, &number) || !math.IsInf(number.Value, 1) {
		t.Errorf("error %v does not show the infinity", err)
	}
}

// A block is the sum of its rows, is added to gu, and of an empty one nothing comes.
func TestBlockIsTheSumOfItsRows(t *testing.T) {
	for _, s := range subjects(t) {
		block := product(t, s.of, s.p, s.u, s.d, s.v)
		sum := make([]float64, len(s.u))
		for i := range count {
			p, d, v := kedge.Row(s.p, i, s.dim.State), kedge.Row(s.d, i, s.dim.Trait), kedge.Row(s.v, i, s.dim.State)
			if err := s.of.PullRows(sum, p, s.u, d, v); err != nil {
				t.Fatal(err)
			}
		}
		agree(t, s.name, sum, block, 1e-13, 1)
		if s.name == "polarized" && !slices.Equal(sum, block) {
			t.Errorf("%s: the block %v and its rows %v differ in bits", s.name, block, sum)
		}
		if err := s.of.PullRows(sum, nil, s.u, nil, nil); err != nil {
			t.Errorf("%s: empty block: %v", s.name, err)
		}
		agree(t, s.name+", empty block", sum, block, 1e-13, 1)
	}
}

// Many at once get what one gets, to the bit.
func TestConcurrentCalls(t *testing.T) {
	for _, s := range subjects(t) {
		want := product(t, s.of, s.p, s.u, s.d, s.v)
		var wait sync.WaitGroup
		for range 4 {
			wait.Go(func() {
				for range 50 {
					gu := make([]float64, len(s.u))
					if err := s.of.PullRows(gu, s.p, s.u, s.d, s.v); err != nil || !slices.Equal(gu, want) {
						t.Errorf("%s: %v, %v instead of %v", s.name, gu, err, want)
						return
					}
				}
			})
		}
		wait.Wait()
	}
}

func TestNothingIsAllocated(t *testing.T) {
	if heap.Race {
		t.Skip("under the race detector pools forget at random")
	}
	for _, s := range subjects(t) {
		gu := make([]float64, len(s.u))
		n := testing.AllocsPerRun(100, func() {
			if err := s.of.PullRows(gu, s.p, s.u, s.d, s.v); err != nil {
				t.Fatal(err)
			}
		})
		if n != 0 {
			t.Errorf("%s: %v allocations", s.name, n)
		}
	}
}

// Inputs are inputs.
func TestArgumentsStay(t *testing.T) {
	for _, s := range subjects(t) {
		before := [][]float64{slices.Clone(s.p), slices.Clone(s.u), slices.Clone(s.d), slices.Clone(s.v)}
		product(t, s.of, s.p, s.u, s.d, s.v)
		for i, x := range [][]float64{s.p, s.u, s.d, s.v} {
			if !slices.Equal(x, before[i]) {
				t.Errorf("%s: argument %d changed", s.name, i)
			}
		}
	}
}

func TestWrongLengthsPanic(t *testing.T) {
	long := make([]float64, 31)
	for _, s := range subjects(t) {
		gu := make([]float64, len(s.u))
		for arg, call := range map[string]func(){
			"g": func() { s.of.PullRows(long, s.p, s.u, s.d, s.v) },
			"p": func() { s.of.PullRows(gu, long, s.u, s.d, s.v) },
			"u": func() { s.of.PullRows(gu, s.p, long, s.d, s.v) },
			"d": func() { s.of.PullRows(gu, s.p, s.u, long, s.v) },
			"v": func() { s.of.PullRows(gu, s.p, s.u, s.d, long) },
		} {
			if settles := s.name == "differences" || s.name == "settled"; settles && arg != "g" {
				continue // the settler's own door answers
			}
			what := panics(call)
			if strings.Contains("g"+s.reads, arg) && what == "" {
				t.Errorf("%s: a wrong length of %s does not panic", s.name, arg)
			}
			if strings.HasPrefix(what, "runtime error") {
				t.Errorf("%s: a wrong length of %s panics without naming it: %s", s.name, arg, what)
			}
		}
	}
}

func TestCheckNamesEveryMistake(t *testing.T) {
	nan := math.NaN()
	f := dynamics.Polarized{Dim: 1}
	x := []float64{1}
	_, affine := sensitivity.NewAffine(kedge.Dims{Decision: 0, State: -1}, nil)
	_, short := sensitivity.NewAffine(kedge.Dims{Decision: 2, State: 2}, []float64{1})
	_, infinite := sensitivity.NewAffine(kedge.Dims{Decision: 1, State: 1}, []float64{math.Inf(1)})
	for want, err := range map[string]error{
		"Dim Lambda Sigma Floor":          (&sensitivity.Polarized{Lambda: nan, Sigma: -1, Floor: math.Inf(1)}).Check(),
		"Lambda is 1.5":                   (&sensitivity.PolarizedNorm{Polarized: sensitivity.Polarized{Dim: 1, Lambda: 1.5}}).Check(),
		"Dim Lambda1 Lambda2 Epsilon":     (&sensitivity.Choice{Dim: -1, Lambda1: 1, Lambda2: -1, Epsilon: math.Inf(-1)}).Check(),
		"Lambda1 + Lambda2":               (&sensitivity.Choice{Dim: 1, Lambda1: 0.6, Lambda2: 0.6}).Check(),
		"Dense Memory MaxSteps Tolerance": (&sensitivity.Implicit{Dense: -1, Solver: fixpoint.Settings{Memory: -1, MaxSteps: -1, Tolerance: nan}}).Check(),
		"Step is":                         (&sensitivity.Differences{Settler: f, Step: nan}).Check(),
		"Decision State":                  affine,
		"gain has 1":                      short,
		"gain[0] is +Inf":                 infinite,
		"Sigma is":                        refused(t, "polarized", &sensitivity.Polarized{Dim: 1, Sigma: nan}, x, x, x, x),
		"Epsilon is":                      refused(t, "choice", &sensitivity.Choice{Dim: 1, Epsilon: nan}, x, x, x, x),
		"Step is -1":                      refused(t, "differences", &sensitivity.Differences{Settler: f, Step: -1}, x, x, x, x),
		"Dense is -1":                     refused(t, "implicit", &sensitivity.Implicit{Dynamics: f, Dense: -1}, x, x, x, x),
		"settle individual 0 trait of unit length": refused(t, "settled", &sensitivity.Settled{Of: &sensitivity.Polarized{Dim: 1}, Settler: f}, x, x, []float64{2}, x),
		"settle beside u[0] trait of unit":         refused(t, "differences", &sensitivity.Differences{Settler: f}, x, x, []float64{2}, x),
	} {
		for _, word := range strings.Fields(want) {
			if err == nil || !strings.Contains(err.Error(), word) {
				t.Errorf("error %v does not say %q", err, word)
			}
		}
	}
}
