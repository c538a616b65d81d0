package sensitivity_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/sensitivity"
	"github.com/kedge-opt/kedge/stream"
)

// pair is a sensitivity of individuals with their own parameters beside those of equal ones.
type pair struct {
	name    string
	each    kedge.Sensitivity
	of      kedge.Sensitivity // of individuals with the parameters own
	settler kedge.RowSettler
	own     []float64
	vary    func(r *stream.Stream) []float64
}

func pairs() []pair {
	return []pair{
		{
			"polarized", &sensitivity.PolarizedEach{Dim: 4}, &sensitivity.Polarized{Dim: 4, Lambda: 0.4, Sigma: 0.5},
			dynamics.PolarizedEach{Dim: 4}, []float64{0.4, 0.5},
			func(r *stream.Stream) []float64 { return []float64{0.6 * r.Float64(), 0.4 * r.Float64()} },
		},
		{
			"choice", &sensitivity.ChoiceEach{Dim: 4}, &sensitivity.Choice{Dim: 4, Lambda1: 0.2, Lambda2: 0.5, Epsilon: 0.3},
			dynamics.ChoiceEach{Dim: 4}, []float64{0.2, 0.5, 0.3},
			func(r *stream.Stream) []float64 {
				return []float64{r.Float64() / 2, r.Float64() / 2, 0.1 + r.Float64()}
			},
		},
	}
}

// traits appends parameters to unit vectors, which are as good as any for choices.
func (c pair) traits(r *stream.Stream, own func() []float64) (short, long []float64) {
	for range count {
		d := directions(r, 1, 4)
		short, long = append(short, d...), append(append(long, d...), own()...)
	}
	return short, long
}

// With the same parameters for all a product is that of the sensitivity that has them once, up to the order of sums.
func TestEqualParametersMakeNoDifference(t *testing.T) {
	for _, c := range pairs() {
		r := stream.New(1, c.name)
		u := decision(r, 4, 0.9)
		short, long := c.traits(r, func() []float64 { return c.own })
		p, v := settle(t, c.settler, u, long), normals(r, count*4)
		want, got := product(t, c.of, p, u, short, v), product(t, c.each, p, u, long, v)
		if e := rows.Distance(got, want) / rows.Norm(want); e > 1e-14 {
			t.Errorf("%s: %v, want %v", c.name, got, want)
		}
	}
}

// Differences of steady states are the independent method.
func TestOwnParametersAgreeWithDifferences(t *testing.T) {
	for _, c := range pairs() {
		r := stream.New(2, c.name)
		u := decision(r, 4, 0.9)
		_, long := c.traits(r, func() []float64 { return c.vary(r) })
		p, v := settle(t, c.settler, u, long), normals(r, count*4)
		want := product(t, &sensitivity.Differences{Settler: c.settler}, p, u, long, v)
		got := product(t, c.each, p, u, long, v)
		if e := rows.Distance(got, want) / rows.Norm(want); e > 1e-8 {
			t.Errorf("%s: %v, differences give %v", c.name, got, want)
		}
	}
}

// A parameter out of its range or not finite is refused, with the individual's number, and gu stays as it was.
func TestOwnParametersAreChecked(t *testing.T) {
	for _, c := range pairs() {
		r := stream.New(3, c.name)
		u := decision(r, 4, 0.9)
		_, long := c.traits(r, func() []float64 { return c.vary(r) })
		p, v, width := settle(t, c.settler, u, long), normals(r, count*4), len(long)/count
		for _, bad := range []float64{-1, 1.5, math.NaN(), math.Inf(1)} {
			d, gu := slices.Clone(long), []float64{1, 2, 3, 4}
			d[2*width+4] = bad
			err := c.each.PullRows(gu, p, u, d, v)
			var row *kedge.RowError
			if !errors.As(err, &row) || row.Row != 2 || !slices.Equal(gu, []float64{1, 2, 3, 4}) {
				t.Errorf("%s: λ = %v of individual 2 gives %v and %v", c.name, bad, err, gu)
			}
		}
	}
}

// The closed form of a coupled affine crowd: the mean settles as if nobody saw it, h̄ = (I−A)⁻¹(Bu + Ed̄), so that
// mean ∇ᵤh v = Gᵀv for one v of all. Without the correction it is Gᵀ of slower individuals, (I−(1−κ)A)⁻¹(1−κ)B.
func TestCoupledAnswersAsItsMean(t *testing.T) {
	f, err := dynamics.NewAffine(kedge.Dims{Decision: 2, State: 2, Trait: 2}, []float64{0.5, 0.25, 0, 0.5}, []float64{0.5, 0, 0.25, 0.5}, []float64{0.5, 0, 0, 0.5})
	if err != nil {
		t.Fatal(err)
	}
	each, err := f.Coupled(0.4)
	if err != nil {
		t.Fatal(err)
	}
	gain, err := each.Gain()
	if err != nil {
		t.Fatal(err)
	}
	partial, err := sensitivity.NewAffine(each.Dims(), gain)
	if err != nil {
		t.Fatal(err)
	}
	for name, of := range map[string]kedge.Sensitivity{"closed": partial, "implicit": &sensitivity.Implicit{Dynamics: each}} {
		s := &sensitivity.Coupled{Of: of, States: 2}
		for _, size := range []float64{1, 1e-12, 1e12} {
			gu := product(t, s, make([]float64, 6), []float64{1, 2}, make([]float64, 6), []float64{size, 0, size, 0, size, 0})
			want := []float64{3 * 1.25 * size, 3 * 0.5 * size} // three times the first column of Gᵀ
			if e := rows.Distance(gu, want) / rows.Norm(want); e > 1e-12 {
				t.Errorf("%s: %v, want %v", name, gu, want)
			}
		}
		gu := []float64{7, 8}
		if err := s.PullRows(gu, make([]float64, 6), []float64{1, 2}, make([]float64, 6), []float64{math.NaN(), 0, 0, 0, 0, 0}); !errors.As(err, new(*kedge.NotFiniteError)) || gu[0] != 7 || gu[1] != 8 {
			t.Errorf("%s: a NaN gives %v and %v", name, err, gu)
		}
	}
}

// witness notes the decision that it is asked about, and answers nothing.
type witness struct{ seen []float64 }

func (w *witness) PullRows(_, _, u, _, _ []float64) error {
	w.seen = append(w.seen[:0], u...)
	return nil
}

// Individuals of a coupled crowd are asked about the decision and the mean of everybody's states, here (1 + 3 + 8)/3 and (2 + 6 + 1)/3.
func TestCoupledAsksAboutTheMean(t *testing.T) {
	w := &witness{}
	s := &sensitivity.Coupled{Of: w, States: 2}
	for range 2 {
		if err := s.PullRows([]float64{0}, []float64{1, 2, 3, 6, 8, 1}, []float64{7}, nil, []float64{1, 0, 0, 1, 1, 1}); err != nil || rows.Distance(w.seen, []float64{7, 4, 3}) > 1e-15 || len(w.seen) != 3 {
			t.Errorf("asked about %v, want (7, 4, 3) (%v)", w.seen, err)
		}
	}
}

// Parameters are checked before people are, so that also nobody finds them wrong.
func TestEachIsCheckedWithoutPeople(t *testing.T) {
	g, u := make([]float64, 2), []float64{1, 0}
	for name, s := range map[string]kedge.Sensitivity{"dimension": &sensitivity.ChoiceEach{}, "floor": &sensitivity.PolarizedEach{Dim: 2, Floor: -1}} {
		var wrong *kedge.RangeError
		if err := s.PullRows(g, nil, u, nil, nil); !errors.As(err, &wrong) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
