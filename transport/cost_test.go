package transport_test

import (
	"math"
	"testing"

	"github.com/kedge-opt/kedge/stream"
	"github.com/kedge-opt/kedge/transport"
)

// Source: the definition, √(zᵀPz) with z = x − y, for P = BBᵀ + I.
func TestWeightedAndMixed(t *testing.T) {
	const dim = 4
	s := stream.New(1, "weighted")
	factor, p := cloud(s, dim, dim), make([]float64, dim*dim)
	for i := range dim {
		for j := range dim {
			for k := range dim {
				p[i*dim+j] += factor[i*dim+k] * factor[j*dim+k]
			}
		}
		p[i*dim+i]++
	}
	x, y := cloud(s, 6, dim), cloud(s, 5, dim)
	c, err := transport.Weighted(p, x, y, dim)
	if err != nil {
		t.Fatal(err)
	}
	d, e := cloud(s, 6, 2), cloud(s, 5, 2)
	both, err := transport.Mixed(c, euclidean(t, d, e, 2))
	if err != nil {
		t.Fatal(err)
	}
	weighted, sums := entries(c), entries(both)
	for i := range 6 {
		for j := range 5 {
			form := 0.0
			for k := range dim {
				for l := range dim {
					form += (x[i*dim+k] - y[j*dim+k]) * p[k*dim+l] * (x[i*dim+l] - y[j*dim+l])
				}
			}
			want, traits := math.Sqrt(form), math.Hypot(d[2*i]-e[2*j], d[2*i+1]-e[2*j+1])
			if got, sum := weighted[i*5+j], sums[i*5+j]; !(math.Abs(got-want) <= 1e-14*want) || !(math.Abs(sum-want-traits) <= 1e-14*sum) {
				t.Errorf("(%d, %d): %v and %v, want %v and %v", i, j, got, sum, want, want+traits)
			}
		}
	}
}

func TestCostsRefuse(t *testing.T) {
	ok := []float64{1, 2, 3, 4}
	one := []float64{1, 0, 0, 1}
	for _, x := range [][]float64{nil, {1, 2, 3}, {1, math.NaN()}, {math.Inf(1), 0}} {
		_, err1 := transport.Euclidean(x, ok, 2)
		_, err2 := transport.Euclidean(ok, x, 2)
		_, err3 := transport.Weighted(one, x, ok, 2)
		_, err4 := transport.Table(x, 2)
		if !typed(err1) || !typed(err2) || !typed(err3) || !typed(err4) {
			t.Errorf("%v: %v, %v, %v, %v", x, err1, err2, err3, err4)
		}
	}
	for _, dim := range []int{0, -1} {
		if _, err := transport.Euclidean(ok, ok, dim); !typed(err) {
			t.Errorf("dimension %d: %v", dim, err)
		}
	}
	for _, p := range [][]float64{nil, {1}, {1, 2, 2, 1}, {1, 0.5, 0, 1}, {0, 0, 0, 0}, {1, 0, 0, math.NaN()}, {-1, 0, 0, 1}} {
		if _, err := transport.Weighted(p, ok, ok, 2); !typed(err) {
			t.Errorf("P = %v: %v", p, err)
		}
	}
	if _, err := transport.Weighted([]float64{0}, ok, ok, 1); !typed(err) {
		t.Error("P = 0:", err)
	}
	if _, err := transport.Weighted([]float64{1e300, 0, 0, 1e300}, []float64{1e200, 0}, ok, 2); !typed(err) {
		t.Error("points beyond all numbers:", err)
	}
	if _, err := transport.Mixed(euclidean(t, ok, ok, 2), euclidean(t, ok, ok, 1)); !typed(err) {
		t.Error("costs of two sizes:", err)
	}
}
