package set

import (
	"fmt"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
)

// problem is a set with a point outside it.
type problem struct {
	name string
	set  kedge.Set
	y    []float64
}

func problems(n int) []problem {
	y := normals(n, 3, "bench")
	plane, err := NewAffine(slices.Repeat([]float64{1}, n), []float64{float64(n) / 2})
	if err != nil {
		panic(err)
	}
	inside := make([]float64, n)
	for i := range inside {
		inside[i] = 2 + y[i]/10
	}
	half := HalfSpace{Normal: slices.Repeat([]float64{1}, n), Bound: -1}
	return []problem{
		{"whole", Whole{}, y},
		{"ball", Ball{Radius: 1}, y},
		{"interval", Interval{0, 1}, y},
		{"box", Box{Lower: make([]float64, n)}, y},
		{"simplex", Simplex{1}, y},
		{"capped", CappedSimplex{Sum: 2.5 * float64(n), Upper: 5}, y},
		{"capped, all free", CappedSimplex{Sum: 2.5 * float64(n), Upper: 5}, inside},
		{"half-space", half, y},
		{"affine", plane, y},
		{"product", Product{[]Part{{n / 2, Simplex{1}}, {n - n/2, Ball{Radius: 1}}}}, y},
		{"intersection", Intersection{Of: []kedge.Set{plane, Interval{0, 1}}}, y},
	}
}

// TestNoAllocation: a projection within the promised sizes makes no garbage.
func TestNoAllocation(t *testing.T) {
	for _, p := range problems(onStack) {
		u := make([]float64, onStack)
		allocations := testing.AllocsPerRun(10, func() {
			copy(u, p.y)
			if err := p.set.Project(u); err != nil {
				t.Fatal(err)
			}
		})
		if allocations != 0 {
			t.Errorf("%s: %v allocations", p.name, allocations)
		}
	}
}

// TestBeyondTheStack: sets larger than the scratch space on the stack are projected on all the same.
func TestBeyondTheStack(t *testing.T) {
	list := problems(5 * onStack)
	for _, n := range []int{onStack / 2, onStack/2 + 1, onStack, onStack + 1, 5 * onStack} { // where scratch space of one or two points begins to be too small
		y := normals(n, 3, "bench")
		list = append(list, problem{"rate limit", within{RateLimit{Ball{Radius: 1}, 0.5}, make([]float64, n)}, y}, problem{"diamond", L1Ball{Radius: 1}, y},
			problem{"simplex", Simplex{1}, y}, problem{"intersection", Intersection{Of: []kedge.Set{Simplex{1}, Interval{0, 1}}}, y})
	}
	for _, p := range list {
		x := slices.Clone(p.y)
		if err := p.set.Project(x); err != nil {
			t.Errorf("%s: %v", p.name, err)
		}
		again := slices.Clone(x)
		if err := p.set.Project(again); err != nil || bits(x, again) != 0 {
			t.Errorf("%s: projecting twice changed %v entries, %v", p.name, bits(x, again), err)
		}
	}
}

func BenchmarkProject(b *testing.B) {
	for _, n := range []int{100, 1000} {
		for _, p := range problems(n) {
			b.Run(fmt.Sprintf("%s/%d", p.name, n), func(b *testing.B) {
				u := make([]float64, n)
				b.ReportAllocs()
				for b.Loop() {
					copy(u, p.y)
					if err := p.set.Project(u); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
