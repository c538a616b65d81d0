package guard

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/problem/live"
)

// Columns that are sorted together are sorted, of every number of people.
func TestSheavesAreSorted(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for n := 1; n <= mostTogether; n++ {
		width := 1 + r.IntN(9)
		all, want := newSheaf(n, width), make([][]float64, width)
		for row := range n {
			for c := range width {
				v := math.Trunc(float64(r.IntN(4))*r.NormFloat64()) + float64(r.IntN(2))*r.NormFloat64()*math.Pow(10, float64(r.IntN(600)-300))
				want[c] = append(want[c], v)
				if is := all.set(row, c, v); is == (v == 0 && math.Signbit(v)) {
					t.Fatalf("%v is taken: %v", v, is)
				}
			}
		}
		all.sort()
		got := make([]float64, n)
		for c := range width {
			slices.Sort(want[c])
			if all.column(got, c); !slices.Equal(got, want[c]) {
				t.Fatalf("%d people, column %d: %v, want %v", n, c, got, want[c])
			}
		}
	}
}

// What is looked at together has the bits of what is looked at one by one.
func TestSpreadsTogetherAreThoseOfEach(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	g := New(Duty{Live: live.New(), Dims: kedge.Dims{Decision: 1, State: 3, Trait: 2}})
	for n := 1; n <= mostTogether; n++ {
		seen := kedge.Observation{P: make([]float64, 3*n), D: make([]float64, 2*n)}
		for _, x := range [][]float64{seen.P, seen.D} {
			for i := range x {
				switch r.IntN(3) {
				case 0:
					x[i] = float64(r.IntN(5)) // heaps
				case 1:
					x[i] = r.NormFloat64()
				default:
					x[i] = math.Ldexp(r.NormFloat64(), r.IntN(2000)-1000) // which may be beyond single precision, and differ by more than there is
				}
			}
		}
		who := make([]int, n)
		for i := range who {
			who[i] = i
		}
		entries := kedge.Some(5, mostEntries)
		each, together := Spreading{make([]float32, 5), make([]float32, 5)}, Spreading{make([]float32, 5), make([]float32, 5)}
		g.spreadEach(&each, &seen, who, entries, nil)
		if !g.spreadTogether(&together, &seen, who, entries) {
			t.Fatalf("%d people: not taken", n)
		}
		for at := range entries {
			if each.Median[at] != together.Median[at] || each.Deviation[at] != together.Deviation[at] {
				t.Fatalf("%d people, entry %d: %v ± %v, want %v ± %v", n, at, together.Median[at], together.Deviation[at], each.Median[at], each.Deviation[at])
			}
		}
	}
}

// Means of all entries at once have the bits of those of each.
func TestLeaningHasTheBitsOfEach(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	draw := func(n int) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = r.NormFloat64()
		}
		return x
	}
	for n := 1; n <= 40; n++ {
		width := 1 + r.IntN(12)
		g := New(Duty{Live: live.New(), Dims: kedge.Dims{Decision: 1, State: width}})
		p, said, still, lean, w := draw(n*width), draw(n*width), draw(n*width), draw(n), []float64(nil)
		if n%2 == 0 {
			for range n {
				w = append(w, r.Float64())
			}
		}
		got := g.leaning(p, said, still, w, lean)
		for j := range width {
			for half, from := range [][]float64{said, p} {
				x := make([]float64, n)
				for i := range x {
					x[i] = from[i*width+j] - still[i*width+j]
				}
				if want := MeanOf(x, w).Value - rows.Dot(lean, x); got[half*width+j] != want {
					t.Fatalf("%d people, entry %d of %d: %v, want %v", n, j, width, got[half*width+j], want)
				}
			}
		}
	}
}

// By hand, in units of the smallest number: where 501 are allowed, of a deviation of 0.003, somebody who is 2 away is 667 away. The distance that is surely not too far is 1.5 rounded to 2, and he does not count all the same.
func TestNobodyCountsByRounding(t *testing.T) {
	const one = 0x1p-1074
	g := New(Duty{Live: live.New(), Dims: kedge.Dims{Decision: 1, State: 1}})
	g.Live.Beyond = 501 * one
	g.Spread = slices.Repeat([]Spreading{{[]float32{0}, []float32{0.003}}}, 3)
	for away, want := range map[float64]bool{one: false, 2 * one: true} {
		if s, bad := g.suspect([]float64{away}, nil, g.reference()); bad != want {
			t.Errorf("%v away: %+v, %v", away, s, bad)
		}
	}
}
