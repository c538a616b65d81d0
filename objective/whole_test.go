package objective_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/objective"
	"github.com/kedge-opt/kedge/stream"
)

// What panics says which length is wrong and by how much, of one individual and of many.
func TestWrongLengthsAreNamed(t *testing.T) {
	x := func(n int) []float64 { return make([]float64, n) }
	q, err := objective.NewQuadratic(kedge.Dims{Decision: 2, State: 3}, nil, nil, nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for want, call := range map[string]func(){
		"objective: d has 4 entries, want 3":                 func() { objective.Logistic{}.Eval(nil, nil, x(2), x(2), x(4)) },
		"objective: d has 2 entries, want 3":                 func() { objective.Logistic{}.Eval(nil, nil, x(2), x(2), x(2)) },
		"objective: p has 1 entries, want 2":                 func() { objective.Logistic{}.Eval(nil, nil, x(1), x(2), x(3)) },
		"objective: u has 4 entries, want 2":                 func() { q.Eval(nil, nil, x(3), x(4), nil) },
		"objective: u has 1 entries, want 2":                 func() { q.EvalRows(nil, nil, x(3), x(1), nil) },
		"objective: p has 4 entries, want 3":                 func() { q.Eval(nil, nil, x(4), x(2), nil) },
		"objective: gp has 1 entries, p has 2":               func() { objective.Affinity{}.Eval(x(1), nil, x(2), x(2), nil) },
		"objective: gu has 3 entries, u has 2":               func() { objective.Revenue{}.EvalRows(nil, x(3), x(2), x(2), nil) },
		"objective: d has 5 entries, want 6":                 func() { objective.Logistic{}.EvalRows(nil, nil, x(4), x(2), x(5)) },
		"objective: state rows of 1 entries, want 2 or more": func() { objective.Affinity{State: 1}.Eval(nil, nil, x(1), x(2), nil) },
		"objective: a decision of 4 entries for 2 features":  func() { objective.Logistic{Features: 2}.Eval(nil, nil, x(2), x(4), x(3)) },
		"objective: p has 3 entries, want 2":                 func() { objective.Affinity{}.Eval(nil, nil, x(3), x(2), nil) },
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); got != want {
					t.Errorf("%q, want %q", got, want)
				}
			}()
			call()
		}()
	}
}

// Ranges are told with their floor, if they have one.
func TestRangesAreToldInWords(t *testing.T) {
	dim := kedge.Dims{Decision: 1, State: 1, Trait: 2}
	for want, c := range map[string]checker{
		"Ridge is -1, want a finite number ≥ 0":   objective.Logistic{Ridge: -1},
		"Entropy is -1, want a finite number ≥ 0": objective.Revenue{Entropy: -1},
		"Weight is +Inf, want a finite number":    &objective.Weighted{Weight: math.Inf(1), Of: objective.Affinity{}},
		"Weight is -Inf, want a finite number":    &objective.Weighted{Weight: math.Inf(-1), Of: objective.Affinity{}},
		"State is -2, want 0 or at least 1":       objective.Affinity{State: -2},
		"the trait has 2 entries, want 3":         objective.Logistic{Trait: 3},
		"Features is 3, want the length of the decision, or one less\nthe state has 1 entries, want 3\nthe trait has 2 entries, want 4": objective.Logistic{Features: 3},
	} {
		if err := c.Check(dim); err == nil || err.Error() != want {
			t.Errorf("%+v: %v, want %s", c, err, want)
		}
	}
	if err := (objective.Affinity{State: 1}).Check(dim); err != nil {
		t.Errorf("as many entries as are read: %v", err)
	}
	for _, weight := range []float64{-3, 0, math.MaxFloat64} {
		if err := (&objective.Weighted{Weight: weight, Of: objective.Affinity{}}).Check(dim); err != nil {
			t.Error(err)
		}
	}
}

// Matrices of every size keep their symmetric part, ½(A + Aᵀ), entry by entry.
func TestSymmetricPartsOfEverySize(t *testing.T) {
	for n := 1; n <= 5; n++ {
		a := normals(stream.New(uint64(n), "matrix"), n*n)
		q, err := objective.NewQuadratic(kedge.Dims{Decision: n, State: n}, a, nil, a, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		want := make([]float64, n*n)
		for i := range n {
			for j := range n {
				want[i*n+j] = a[i*n+j]/2 + a[j*n+i]/2
			}
		}
		r, s, p := q.Hessian()
		if !slices.Equal(r, want) || !slices.Equal(p, want) || slices.Max(s) != 0 || len(s) != n*n {
			t.Errorf("%d entries: R is %v and Q %v, want %v; S is %v", n, r, p, want, s)
		}
		if r[0], s[0], p[0] = 9, 9, 9; true {
			if again, mixed, _ := q.Hessian(); again[0] != want[0] || mixed[0] != 0 {
				t.Errorf("%d entries: what is handed out is no copy", n)
			}
		}
	}
}

// Whatever is above 0 is a label of 1, and the rest one of −1.
func TestLabelsBetween(t *testing.T) {
	l := objective.Logistic{Features: 1, Trait: 1}
	at := func(label float64) float64 { return l.Eval(nil, nil, []float64{2}, []float64{1}, []float64{label}) }
	for label, like := range map[float64]float64{0.5: 1, 1e-300: 1, 2: 1, 7: 1, -0.5: -1, -7: -1, 0: -1} {
		if at(label) != at(like) {
			t.Errorf("a label of %v loses %v, one of %v %v", label, at(label), like, at(like))
		}
	}
}

// By hand: products of 3 and −5 lose 2 more than nothing, and each of them has the slope −1, whatever stood there.
func TestAffinityByProducts(t *testing.T) {
	within(t, "the loss", objective.Affinity{}.EvalAligned([]float64{3, -5}), 2, 0)
	slopes := []float64{7, 0, 9}
	objective.Affinity{}.Slopes(slopes, []float64{3, -5, 0})
	if !slices.Equal(slopes, []float64{-1, -1, -1}) {
		t.Errorf("slopes of %v", slopes)
	}
}

// The entropy of many items is added up 128 at a time, to the bit, and each of them has its slope 1 + log p.
func TestEntropiesOfManyItems(t *testing.T) {
	r := objective.Revenue{Entropy: 1, Sign: objective.Diverse}
	for seed := range uint64(20) {
		s := stream.New(seed, "items")
		for _, n := range []int{127, 128, 129, 256, 300, 400} {
			p, u := make([]float64, n), make([]float64, n)
			for i := range p {
				p[i] = s.Float64()
			}
			sum := 0.0
			for lo := 0; lo < n; lo += 128 {
				part := p[lo:min(lo+128, n)]
				sum += r.Eval(nil, nil, part, u[:len(part)], nil)
			}
			gp := make([]float64, n)
			if got := r.Eval(gp, nil, p, u, nil); got != sum {
				t.Errorf("seed %d, %d items: %v, in parts %v", seed, n, got, sum)
			}
			for i, x := range p {
				within(t, "a slope", gp[i], 1+math.Log(x), 1e-14)
			}
		}
	}
}
