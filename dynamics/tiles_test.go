package dynamics

import (
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/stream"
)

// unitRows draws directions.
func unitRows(s *stream.Stream, n, m int) []float64 {
	x := make([]float64, n*m)
	s.Normals(x)
	for i := range n {
		row := kedge.Row(x, i, m)
		rows.Scale(row, 1/rows.Norm(row))
	}
	return x
}

// People in tiles move and settle as in rows, to the last bit, or are given up: who has no direction, who is indifferent, and all under a decision without a direction.
func TestTilesAreRows(t *testing.T) {
	f := Polarized{Dim: 5, Lambda: 0.4, Sigma: 0.5}
	s := stream.New(1, "tiles")
	const n = 24
	u := []float64{0.3, -0.4, 0.1, 0.2, 0.5}
	for name, c := range map[string]struct {
		spoil          func(p, d, u []float64)
		moved, aligned bool
	}{
		"ordinary":     {func(_, _, _ []float64) {}, true, true},
		"indifferent":  {func(_, d, u []float64) { copy(d[35:], []float64{0.8, 0.6, 0, 0, 0}) }, true, false}, // 0.3·0.8 − 0.4·0.6 is 0
		"no direction": {func(p, d, _ []float64) { clear(p[40:45]); clear(d[40:45]) }, false, false},
		"no decision":  {func(_, _, u []float64) { clear(u) }, true, false},
		"no number":    {func(p, _, _ []float64) { p[77] = math.NaN() }, false, true},
		"too large":    {func(p, _, _ []float64) { rows.Scale(p[:5], 1e170) }, false, true},
	} {
		p, d, u := unitRows(s, n, 5), unitRows(s, n, 5), slices.Clone(u)
		c.spoil(p, d, u)
		size := rows.TileSize(n, 5)
		tp, td, dst, pu := make([]float64, size), make([]float64, size), make([]float64, size), make([]float64, n)
		rows.Tile(tp, p, 5)
		rows.Tile(td, d, 5)
		if got := f.NextTiles(dst, tp, u, td); got != c.moved {
			t.Errorf("%s: moved %v", name, got)
		}
		again := make([]float64, size)
		moved, aligned, worst := f.AlignTiles(again, pu, tp, u, td)
		if moved != c.moved || aligned != c.aligned && name != "no number" && name != "too large" || aligned && worst.Norm != rootResidual {
			t.Errorf("%s: moved %v, aligned %v, %v", name, moved, aligned, worst)
		}
		if moved {
			want, got := make([]float64, n*5), make([]float64, n*5)
			f.NextRows(want, p, u, d)
			rows.Untile(got, dst, 0, 5)
			if !slices.Equal(got, want) || !slices.Equal(dst, again) {
				t.Errorf("%s: other bits in tiles", name)
			}
		}
		if want := make([]float64, n); aligned {
			if _, err := f.AlignRows(want, u, d); err != nil || !slices.Equal(pu, want) {
				t.Errorf("%s: aligned to %v, in rows %v, %v", name, pu, want, err)
			}
		}
	}
}

// Traits can be aligned that have unit length, all of them, also behind the first 128; under decisions that have a direction, of dynamics that leave.
func TestWhoCanBeAligned(t *testing.T) {
	f, s := Polarized{Dim: 3, Lambda: 0.4, Sigma: 0.5}, stream.New(2, "tiles")
	for _, bad := range []int{-1, 0, 127, 128, 199} {
		d := unitRows(s, 200, 3)
		if bad >= 0 {
			d[3*bad] += 1e-6
		}
		if got := f.AlignsTraits(d); got != (bad < 0) {
			t.Errorf("trait %d is off: %v", bad, got)
		}
	}
	if (Polarized{Dim: 3, Lambda: 2}).AlignsTraits([]float64{1, 0, 0}) || !f.AlignsTraits(nil) {
		t.Error("dynamics that are none align, or nobody does not")
	}
	for _, c := range []struct {
		f    Polarized
		u    float64
		want bool
	}{{f, 1, true}, {f, 0, false}, {f, 1e-200, false}, {f, 1e200, false}, {Polarized{Dim: 3, Lambda: 1, Sigma: 0.5}, 1, false}, {Polarized{Dim: 3, Lambda: 0.4}, 1, false}} {
		if got := c.f.AlignsUnder([]float64{c.u, 0, 0}); got != c.want {
			t.Errorf("%+v under %v: %v", c.f, c.u, got)
		}
	}
}

// Whoever is not settled with many others is settled by himself: under decisions without a direction or of sizes whose squares are none, and among people who are indifferent.
func TestAlignedOneByOne(t *testing.T) {
	f, s := Polarized{Dim: 3, Lambda: 0.4, Sigma: 0.5}, stream.New(3, "tiles")
	d := unitRows(s, 140, 3)
	copy(d[3*130:], []float64{0, 1, 0})
	for _, size := range []float64{0, 1e-200, 1e-160, 0.7} {
		u, got, h := []float64{size, 0, 0}, slices.Repeat([]float64{7}, 140), make([]float64, 3)
		if _, err := f.AlignRows(got, u, d); err != nil {
			t.Fatal(size, err)
		}
		for i, v := range got {
			if _, err := f.Settle(h, u, kedge.Row(d, i, 3)); err != nil || math.Abs(v-rows.Dot(h, u)) > 1e-12*size {
				t.Errorf("under %v: %d is at %v, settled at %v, %v", size, i, v, rows.Dot(h, u), err)
				break
			}
		}
	}
}

// By hand: ½p + u + 2d − p relative to max(1, |p|).
func TestResidualsOfAffineStates(t *testing.T) {
	f, err := NewAffine(kedge.Dims{Decision: 1, State: 1, Trait: 1}, []float64{0.5}, []float64{1}, []float64{2})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ p, u, d, want float64 }{{0.5, 0.25, 0, 0}, {0.5, 0.3, 0, 0.05}, {0.5, 0, 0.25, 0.25}, {1.5, 0, 0, 0.5}, {4, 0, 0, 0.5}, {-4, 1, 0, 0.75}, {0, 0.125, 0, 0.125}} {
		if got := f.residual([]float64{c.p}, []float64{c.u}, []float64{c.d}).Norm; math.Abs(got-c.want) > 1e-15 {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// Planes are given up on where a cosine does not say all, or its equation has no strength: by hand, a pull of 1e-308 has no square.
func TestPlanesAreGivenUp(t *testing.T) {
	good := Polarized{Dim: 2, Lambda: 0.4, Sigma: 0.5}
	for name, c := range map[string]struct {
		f    Polarized
		u, d []float64
		want bool
	}{
		"ordinary": {good, []float64{0.5, 0}, []float64{0.6, 0.8}, true}, "no pull": {Polarized{Dim: 2, Lambda: 0.4, Sigma: 1e-308}, []float64{0.5, 0}, []float64{0.6, 0.8}, false}, "no decision": {good, []float64{0, 0}, []float64{0.6, 0.8}, false},
		"nobody leaves": {Polarized{Dim: 2, Lambda: 1, Sigma: 0.5}, []float64{0.5, 0}, []float64{0.6, 0.8}, false}, "a long trait": {good, []float64{0.5, 0}, []float64{0.6, 0.81}, false}, "indifferent": {good, []float64{0.5, 0}, []float64{0, 1}, false},
		"a short decision": {good, []float64{0.5}, []float64{0.6, 0.8}, false}, "too few traits": {good, []float64{0.5, 0}, []float64{0.6}, false}, "no dynamics": {Polarized{Dim: 2, Lambda: 3}, []float64{0.5, 0}, []float64{0.6, 0.8}, false},
	} {
		h := kedge.Planes{PU: make([]float64, 1), Along: make([]float64, 1), Across: make([]float64, 1)}
		if _, ok := c.f.SettlePlanes(h, c.u, c.d); ok != c.want {
			t.Errorf("%s: %v", name, ok)
		}
	}
}

// By hand: directions are those of decisions whose pull is more than nothing; the bound 2(1 + |d|)/(1 − λ₁) must be a number; who is within a millionth of where he comes to has arrived.
func TestSmallPartsOfDynamics(t *testing.T) {
	f := Polarized{Dim: 2, Lambda: 0.4, Sigma: 0.5}
	for u, want := range map[float64]float64{0.5: 1, -3: -1, 1e-200: 1e-200, 0: 0} {
		if got := f.desk([]float64{u, 0}, nil); got.unit[0] != want || got.norm != math.Abs(u) {
			t.Errorf("under %v the direction is %v", u, got.unit)
		}
	}
	choice := Choice{Dim: 2, Lambda1: 0.5, Lambda2: 0.2, Epsilon: 0.1}
	for share, want := range map[float64]bool{0.2: true, 0.3: false} { // 4·0.2 and 4·0.3
		if err := choice.checkSize([]float64{0, -share * math.MaxFloat64}); (err == nil) != want {
			t.Errorf("a trait of %v of the largest number: %v", share, err)
		}
	}
	if err := (&walk{p: []float64{10 + 5e-6}, h: []float64{10}}).approached(); err != nil {
		t.Errorf("who has arrived: %v", err)
	}
	affine, err := NewAffine(kedge.Dims{Decision: 1, State: 1, Trait: 1}, []float64{0.5}, []float64{1}, []float64{2})
	if err != nil {
		t.Fatal(err)
	}
	got := make([]float64, 1)
	if (&Iterated{Of: affine}).Next(got, []float64{1}, []float64{2}, []float64{3}); got[0] != 0.5+2+6 {
		t.Errorf("a step leads to %v", got)
	}
}
