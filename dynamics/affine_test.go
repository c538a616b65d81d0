package dynamics_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/rows"
)

func must(t testing.TB, f *dynamics.Affine, err error) *dynamics.Affine {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// LQ2 is the rational problem of SCIENCE 6.2.
func lq2(t testing.TB) *dynamics.Affine {
	f, err := dynamics.NewAffine(kedge.Dims{Decision: 2, State: 2, Trait: 2},
		[]float64{0.5, 0.25, 0, 0.5}, []float64{0.5, 0, 0.25, 0.5}, []float64{0.5, 0, 0, 0.5})
	return must(t, f, err)
}

// SCIENCE golden lq2: G and F, and the steady state at u* = (−56/229, 99/229), d = (1, −1).
func TestAffineLQ2(t *testing.T) {
	f := lq2(t)
	gain, err := f.Gain()
	if err != nil {
		t.Fatal(err)
	}
	near(t, "G", gain, []float64{1.25, 0.5, 0.5, 1}, 0)
	if f.SpectralRadius() != 0.5 {
		t.Errorf("spectral radius %g", f.SpectralRadius())
	}
	h := make([]float64, 2)
	for i, column := range [][]float64{{1, 0}, {0.5, 1}} { // columns of F
		d := make([]float64, 2)
		d[i] = 1
		if _, err := f.Settle(h, []float64{0, 0}, d); err != nil {
			t.Fatal(err)
		}
		near(t, "column of F", h, column, 0)
	}
	u := []float64{-56. / 229, 99. / 229}
	r, err := f.Settle(h, u, []float64{1, -1})
	if err != nil || r.Norm > unit || r.Steps != 0 {
		t.Errorf("%+v, %v", r, err)
	}
	near(t, "h", h, []float64{(1.25*-56+0.5*99)/229 + 0.5, (0.5*-56+99)/229 - 1}, 2*unit)
}

// A gain solves (I−A)G = B to rounding times the condition, whatever the spectral radius up to 1 − 10⁻⁶.
func TestAffineGainSolvesItsEquation(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	for _, rho := range []float64{0.1, 0.9, 0.999, 1 - 1e-6} {
		for _, n := range []int{1, 2, 5, 30} {
			a := normals(rng, n*n)
			probe, err := dynamics.NewAffine(kedge.Dims{State: n}, a, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			rows.Scale(a, rho/probe.SpectralRadius())
			b, d := normals(rng, n*3), normals(rng, 2)
			f, err := dynamics.NewAffine(kedge.Dims{Decision: 3, State: n, Trait: 2}, a, b, normals(rng, n*2))
			must(t, f, err)
			if math.Abs(f.SpectralRadius()-rho) > 1e-9 {
				t.Errorf("spectral radius %g, want %g", f.SpectralRadius(), rho)
			}
			g, err := f.Gain()
			if err != nil {
				t.Fatal(err)
			}
			for j := range 3 {
				column, image := make([]float64, n), make([]float64, n)
				for i := range n {
					column[i], image[i] = g[i*3+j], b[i*3+j]
				}
				rows.AddMul(image, a, column)
				near(t, "G", image, column, 30*unit*float64(n)*max(1, rows.MaxAbs(column))*max(1, rows.MaxAbs(a)))
			}
			h := make([]float64, n)
			if r, err := f.Settle(h, normals(rng, 3), d); err != nil || r.Norm > 1e-10 {
				t.Errorf("n %d ρ %g: %+v, %v", n, rho, r, err)
			}
		}
	}
}

// A zero pivot is no obstacle: I−A = [0 ½; −½ 1] has the inverse [4 −2; 2 0].
func TestAffinePivots(t *testing.T) {
	f, err := dynamics.NewAffine(kedge.Dims{Decision: 2, State: 2}, []float64{1, -0.5, 0.5, 0}, []float64{1, 0, 0, 1}, nil)
	must(t, f, err)
	gain, err := f.Gain()
	if err != nil {
		t.Fatal(err)
	}
	near(t, "G", gain, []float64{4, -2, 2, 0}, 0)
}

// A model that does not settle can be run but not settled; the error names the spectral radius.
func TestAffineThatDoesNotSettle(t *testing.T) {
	for _, c := range []struct {
		a      []float64
		radius float64
	}{
		{[]float64{1, 0, 0, 0.5}, 1}, {[]float64{0, -1.5, 1.5, 0}, 1.5}, {[]float64{-1, 0, 0, 0}, 1}, {[]float64{3, 0, 0, 0.5}, 3},
	} {
		n := kedge.Dims{Decision: 1, State: 2, Trait: 1}
		f, err := dynamics.NewAffine(n, c.a, []float64{1, 1}, []float64{1, 1})
		must(t, f, err)
		h := []float64{7, 7}
		for what, err := range map[string]error{
			"Check":      f.Check(),
			"Gain":       second(f.Gain()),
			"Settle":     second(f.Settle(h, []float64{1}, []float64{1})),
			"SettleRows": second(f.SettleRows(h, []float64{1}, []float64{1})),
		} {
			if e := wants[*kedge.UnstableError](t, what, err); math.Abs(e.Rate-c.radius) > 1e-12 || e.Rate != f.SpectralRadius() {
				t.Errorf("%s: rate %g, want %g", what, e.Rate, c.radius)
			}
		}
		if h[0] != 7 || h[1] != 7 {
			t.Errorf("dst changed to %v", h)
		}
		f.Next(h, []float64{1, 1}, []float64{1}, []float64{1})
		near(t, "next", h, []float64{c.a[0] + c.a[1] + 2, c.a[2] + c.a[3] + 2}, 0)
	}
}

func second[T any](_ T, err error) error { return err }

// Eigenvalues within rounding of 1 leave I−A without a reliable inverse.
func TestAffineSingular(t *testing.T) {
	for _, a := range [][]float64{{1 - unit, 0, 0, 0.5}, {0.5, 1e16, 0, 0.5}} {
		f, err := dynamics.NewAffine(kedge.Dims{Decision: 1, State: 2}, a, []float64{1, 1}, nil)
		must(t, f, err)
		if err := second(f.Settle(make([]float64, 2), []float64{1}, nil)); !errors.Is(err, kedge.ErrSingular) {
			t.Errorf("A = %v: %v", a, err)
		}
	}
}

func TestNewAffineRefuses(t *testing.T) {
	n := kedge.Dims{Decision: 1, State: 2, Trait: 1}
	a, b, e := make([]float64, 4), make([]float64, 2), make([]float64, 2)
	_, err := dynamics.NewAffine(n, a[:3], b[:1], e[:0])
	wants[*kedge.DimError](t, "lengths", err)
	if many := err.(interface{ Unwrap() []error }).Unwrap(); len(many) != 3 {
		t.Errorf("%d of 3 mistakes told", len(many))
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		_, err = dynamics.NewAffine(n, []float64{0, 0, 0, bad}, b, e)
		wants[*kedge.NotFiniteError](t, "A", err)
		_, err = dynamics.NewAffine(n, a, []float64{bad, 0}, e)
		wants[*kedge.NotFiniteError](t, "B", err)
		_, err = dynamics.NewAffine(n, a, b, []float64{0, bad})
		wants[*kedge.NotFiniteError](t, "E", err)
	}
	for _, n := range []kedge.Dims{{}, {State: -1}, {State: 1, Decision: -1}, {State: 1, Trait: -1}} {
		_, err = dynamics.NewAffine(n, nil, nil, nil)
		wants[*kedge.RangeError](t, "dimensions", err)
	}
}

// What goes in is copied, what comes out is a copy.
func TestAffineKeepsItsMatrices(t *testing.T) {
	a, b, e := []float64{0.5}, []float64{1}, []float64{2}
	f, err := dynamics.NewAffine(kedge.Dims{Decision: 1, State: 1, Trait: 1}, a, b, e)
	must(t, f, err)
	a[0], b[0], e[0] = 9, 9, 9
	f.A()[0], f.B()[0], f.E()[0] = 8, 8, 8
	if f.A()[0] != 0.5 || f.B()[0] != 1 || f.E()[0] != 2 {
		t.Error("a matrix was changed from outside")
	}
}

// Two agents that listen to each other half of the time and to no decision settle at (I−½W)⁻¹½d, ⅔ and ⅓ of the two
// initial opinions. A group of one mind stays of one mind.
func TestFriedkinJohnsen(t *testing.T) {
	f, err := dynamics.NewFriedkinJohnsen([]float64{0, 1, 1, 0}, []float64{0.5, 0.5}, []float64{0, 0})
	must(t, f, err)
	h := make([]float64, 2)
	if r, err := f.Settle(h, []float64{0, 0}, []float64{3, 0}); err != nil || r.Norm > 2*unit {
		t.Errorf("%+v, %v", r, err)
	}
	near(t, "h", h, []float64{2, 1}, 4*unit)

	rng := rand.New(rand.NewPCG(33, 34))
	const n = 6
	var w, l1, l2 []float64
	for range n {
		w = append(w, probability(rng, n)...)
		l := probability(rng, 3)
		l1, l2 = append(l1, l[0]), append(l2, l[1])
	}
	f, err = dynamics.NewFriedkinJohnsen(w, l1, l2)
	must(t, f, err)
	same := make([]float64, n)
	for i := range same {
		same[i] = 0.7
	}
	h = make([]float64, n)
	if _, err := f.Settle(h, same, same); err != nil {
		t.Fatal(err)
	}
	near(t, "h", h, same, 8*unit)
}

func TestNewFriedkinJohnsenRefuses(t *testing.T) {
	w, half, none := []float64{0, 1, 1, 0}, []float64{0.5, 0.5}, []float64{0, 0}
	for what, err := range map[string]error{
		"negative λ₁":   second(dynamics.NewFriedkinJohnsen(w, []float64{-0.1, 0.5}, none)),
		"negative λ₂":   second(dynamics.NewFriedkinJohnsen(w, half, []float64{0, -0.1})),
		"too much":      second(dynamics.NewFriedkinJohnsen(w, half, []float64{0.6, 0})),
		"row sum":       second(dynamics.NewFriedkinJohnsen([]float64{0.5, 0.6, 1, 0}, half, none)),
		"negative":      second(dynamics.NewFriedkinJohnsen([]float64{-1, 2, 1, 0}, half, none)),
		"nobody at all": second(dynamics.NewFriedkinJohnsen(nil, nil, nil)),
	} {
		wants[*kedge.RangeError](t, what, err)
	}
	_, err := dynamics.NewFriedkinJohnsen(w[:3], half, none[:1])
	wants[*kedge.DimError](t, "lengths", err)
	_, err = dynamics.NewFriedkinJohnsen(w, []float64{math.NaN(), 0}, none)
	wants[*kedge.NotFiniteError](t, "NaN", err)
	f, err := dynamics.NewFriedkinJohnsen(w, []float64{1, 1}, none)
	must(t, f, err)
	wants[*kedge.UnstableError](t, "nobody has a home", f.Check())
}

// The gain of affine dynamics is a part of recorded results: its bits are those of elimination with back substitution, as the first
// version of kedge computed them.
func TestGainKeepsItsBits(t *testing.T) {
	const n = 6
	a, b := make([]float64, n*n), make([]float64, n)
	for i := range a {
		a[i] = float64((i*i*7+i*3)%11-5) / 40
	}
	for i := range b {
		b[i] = float64(i*5%7-3) / 10
	}
	f, err := dynamics.NewAffine(kedge.Dims{Decision: 1, State: n, Trait: 1}, a, b, make([]float64, n))
	if err != nil {
		t.Fatal(err)
	}
	want := []float64{
		-0x1.1086642b4864p-02, 0x1.5af83694c39c8p-03, -0x1.d8163e179d0f8p-05,
		-0x1.5da26f453f996p-03, 0x1.5ce08090f1966p-02, 0x1.9d0a14addc539p-04,
	}
	if got, err := f.Gain(); err != nil || !slices.Equal(got, want) {
		t.Errorf("gain %x (%v), want %x", got, err, want)
	}
}

// By hand: for p⁺ = (p₁, u) the steady state is (u, u) and the bound on the way is 4|u|. A bound that is the largest number is none too large, one that
// is infinite is.
func TestAffineSettlesToTheLargestNumbers(t *testing.T) {
	f, err := dynamics.NewAffine(kedge.Dims{Decision: 1, State: 2, Trait: 1}, []float64{0, 1, 0, 0}, []float64{0, 1}, []float64{0, 0})
	must(t, f, err)
	for _, sign := range []float64{1, -1} {
		u, h := []float64{sign * math.MaxFloat64 / 4}, make([]float64, 2)
		for name, settle := range map[string]func(dst, u, d []float64) (kedge.Residual, error){"Settle": f.Settle, "SettleRows": f.SettleRows} {
			clear(h)
			if _, err := settle(h, u, []float64{0}); err != nil || h[0] != u[0] || h[1] != u[0] {
				t.Errorf("%s of %v: %v, %v", name, u, h, err)
			}
			_, err := settle(h, []float64{sign * 0x1p1022}, []float64{0})
			wants[*kedge.RangeError](t, name, err)
		}
	}
}
