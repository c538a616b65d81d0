package dynamics_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
)

// everything is the abilities of a closed dynamics.
type everything interface {
	kedge.RowDynamics
	kedge.Smooth
	kedge.RowSettler
}

// subject is a dynamics with a decision, states and traits of ten individuals.
type subject struct {
	name    string
	f       everything
	p, u, d []float64
}

func subjects(t testing.TB) []subject {
	rng := rand.New(rand.NewPCG(23, 24))
	const m, count = 20, 10
	block := func(draw func(*rand.Rand, int) []float64, n int) (x []float64) {
		for range count {
			x = append(x, draw(rng, n)...)
		}
		return x
	}
	affine, err := dynamics.NewAffine(kedge.Dims{Decision: 4, State: m, Trait: 3},
		scaled(normals(rng, m*m), 0.05), normals(rng, m*4), normals(rng, m*3))
	if err != nil {
		t.Fatal(err)
	}
	polarized := dynamics.Polarized{Dim: m, Lambda: 0.4, Sigma: 0.5}
	opinions := func(r *rand.Rand, n int) []float64 { return append(direction(r, n), r.Float64(), r.Float64()) }
	habits := func(r *rand.Rand, n int) []float64 {
		return append(probability(r, n), r.Float64()/2, r.Float64()/2, 0.1+r.Float64())
	}
	return []subject{
		{"Polarized", polarized, block(direction, m), direction(rng, m), block(direction, m)},
		{"PolarizedNorm", dynamics.PolarizedNorm{Polarized: polarized}, block(direction, m+1), direction(rng, m), block(direction, m)},
		{"Choice", dynamics.Choice{Dim: m, Lambda1: 0.2, Lambda2: 0.5, Epsilon: 0.1}, block(probability, m), normals(rng, m), block(probability, m)},
		{"Affine", affine, block(normals, m), normals(rng, 4), block(normals, 3)},
		{"PolarizedEach", dynamics.PolarizedEach{Dim: m}, block(direction, m), scaled(direction(rng, m), 0.3), block(opinions, m)},
		{"ChoiceEach", dynamics.ChoiceEach{Dim: m}, block(probability, m), normals(rng, m), block(habits, m)},
	}
}

// plainly hides the block forms.
type plainly struct{ kedge.Settler }

func TestBlocksAreRows(t *testing.T) {
	for _, s := range subjects(t) {
		got, want := make([]float64, len(s.p)), make([]float64, len(s.p))
		s.f.NextRows(got, s.p, s.u, s.d)
		kedge.Batched(plainly{s.f}).NextRows(want, s.p, s.u, s.d)
		near(t, s.name+" next", got, want, 0)

		r, err := s.f.SettleRows(got, s.u, s.d)
		if err != nil {
			t.Fatalf("%s: %v", s.name, err)
		}
		one, err := kedge.BatchedSettler(plainly{s.f}).SettleRows(want, s.u, s.d)
		if err != nil {
			t.Fatalf("%s: %v", s.name, err)
		}
		near(t, s.name+" settled", got, want, 0)
		if r != one {
			t.Errorf("%s: residual of the block %+v, of its rows %+v", s.name, r, one)
		}

		s.f.NextRows(nil, nil, s.u, nil)
		if r, err := s.f.SettleRows(nil, s.u, nil); err != nil || r != (kedge.Residual{}) {
			t.Errorf("%s: an empty block gave %+v, %v", s.name, r, err)
		}
	}
}

// Every claim of a residual is measured again by Next, and 300 steps from the steady state lead nowhere.
func TestResidualsAreHonest(t *testing.T) {
	for _, s := range subjects(t) {
		n := s.f.Dims()
		h, next := make([]float64, len(s.p)), make([]float64, len(s.p))
		r, err := s.f.SettleRows(h, s.u, s.d)
		if err != nil {
			t.Fatal(err)
		}
		s.f.NextRows(next, h, s.u, s.d)
		worst := 0.0
		for i := range kedge.Count(h, n.State) {
			row := kedge.Row(h, i, n.State)
			worst = max(worst, distance(kedge.Row(next, i, n.State), row)/max(1, distance(row, make([]float64, n.State))))
			near(t, s.name, walk(s.f, row, s.u, kedge.Row(s.d, i, n.Trait), 300), row, 1e-13*max(1, distance(row, make([]float64, n.State))))
		}
		if worst > r.Norm+4*unit || r.Norm > worst+4*unit || r.Norm > 40*unit || r.Norm == 0 && worst > 0 {
			t.Errorf("%s: claims %g, measured %g", s.name, r.Norm, worst)
		}
	}
}

// A NaN or an infinity is named at every door.
func TestNotFiniteIsNamed(t *testing.T) {
	for _, s := range subjects(t) {
		n := s.f.Dims()
		for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			u, d, dst := slices.Clone(s.u), slices.Clone(s.d[:n.Trait]), make([]float64, n.State)
			for _, f := range []kedge.RowSettler{s.f, &dynamics.Iterated{Of: s.f}} {
				u[1], d[1] = bad, s.d[1]
				for _, err := range []error{second(f.Settle(dst, u, d)), second(f.SettleRows(dst, u, d))} {
					if e := wants[*kedge.NotFiniteError](t, s.name, err); e.Arg != "u" || e.Index != 1 {
						t.Errorf("%s: %v", s.name, err)
					}
				}
				u[1], d[1] = s.u[1], bad
				for _, err := range []error{second(f.Settle(dst, u, d)), second(f.SettleRows(dst, u, d))} {
					if e := wants[*kedge.NotFiniteError](t, s.name, err); e.Arg != "d" || e.Index != 1 {
						t.Errorf("%s: %v", s.name, err)
					}
				}
			}
		}
	}
}

func TestNothingAllocates(t *testing.T) {
	for _, s := range subjects(t) {
		n := s.f.Dims()
		dst, gp, gu := make([]float64, len(s.p)), make([]float64, n.State), make([]float64, n.Decision)
		one, d := kedge.Row(s.p, 0, n.State), kedge.Row(s.d, 0, n.Trait)
		for what, run := range map[string]func(){
			"Next":     func() { s.f.Next(kedge.Row(dst, 0, n.State), one, s.u, d) },
			"NextRows": func() { s.f.NextRows(dst, s.p, s.u, s.d) },
			"Pullback": func() { s.f.Pullback(gp, gu, one, s.u, d, one) },
			"Settle": func() {
				if _, err := s.f.Settle(kedge.Row(dst, 0, n.State), s.u, d); err != nil {
					t.Error(err)
				}
			},
			"SettleRows": func() {
				if _, err := s.f.SettleRows(dst, s.u, s.d); err != nil {
					t.Error(err)
				}
			},
		} {
			if count := testing.AllocsPerRun(20, run); count != 0 {
				t.Errorf("%s.%s allocates %v times", s.name, what, count)
			}
		}
	}
}

// One value serves many goroutines; run with -race.
func TestConcurrentUse(t *testing.T) {
	for _, s := range subjects(t) {
		slow := &dynamics.Iterated{Of: s.f}
		want := make([]float64, len(s.p))
		if _, err := s.f.SettleRows(want, s.u, s.d); err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				got := make([]float64, len(s.p))
				if _, err := s.f.SettleRows(got, s.u, s.d); err != nil || distance(got, want) != 0 {
					t.Errorf("%s: %v", s.name, err)
				}
				if _, err := slow.SettleRows(got, s.u, s.d); err != nil || distance(got, want) > 1e-11 {
					t.Errorf("%s iterated: %v, off by %g", s.name, err, distance(got, want))
				}
			})
		}
		all.Wait()
	}
}

func BenchmarkNextRows(b *testing.B) {
	for _, s := range subjects(b) {
		dst := make([]float64, len(s.p))
		b.Run(s.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				s.f.NextRows(dst, s.p, s.u, s.d)
			}
		})
	}
}

func BenchmarkSettleRows(b *testing.B) {
	for _, s := range subjects(b) {
		dst := make([]float64, len(s.p))
		b.Run(s.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := s.f.SettleRows(dst, s.u, s.d); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkPullback(b *testing.B) {
	for _, s := range subjects(b) {
		n := s.f.Dims()
		gp, gu, p, d := make([]float64, n.State), make([]float64, n.Decision), s.p[:n.State], s.d[:n.Trait]
		b.Run(s.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				s.f.Pullback(gp, gu, p, s.u, d, p)
			}
		})
	}
}
