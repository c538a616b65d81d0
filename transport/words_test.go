package transport_test

import (
	"context"
	"math"
	"testing"

	"github.com/kedge-opt/kedge/transport"
)

// What is refused is told with its numbers and what they may be.
func TestWhatIsRefusedIsTold(t *testing.T) {
	ctx, points := context.Background(), []float64{1, 2, 3, 4}
	costs := func(n, m int) transport.Cost {
		c, err := transport.Table(make([]float64, n*m), m)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	exact := func(a, b []float64, n, m int) error { _, err := transport.Exact(ctx, a, b, costs(n, m)); return err }
	assign := func(c transport.Cost) error { _, err := transport.Assignment(ctx, c); return err }
	table := func(x []float64, m int) error { _, err := transport.Table(x, m); return err }
	weigh := func(p ...float64) error {
		dim := int(math.Sqrt(float64(len(p))))
		_, err := transport.Weighted(p, make([]float64, dim), make([]float64, dim), dim)
		return err
	}
	mix := func(a, b transport.Cost) error { _, err := transport.Mixed(a, b); return err }
	lines := func(x, a, y, b []float64) error { _, err := transport.Line(x, a, y, b); return err }
	w1 := func(a, b []float64) error { _, err := transport.W1(a, b); return err }
	both := func(a, b, c []float64) error { _, _, err := transport.W1Both(a, b, c); return err }
	one := []float64{1}
	for want, err := range map[string]error{
		"entries has 3 entries, want 4":                                     table(points[:3], 2),
		"entries has 4 entries, want 6":                                     table(points, 3),
		"entries has 1 entries, want 5":                                     table(one, 5),
		"entries has 0 entries, want 3":                                     table(nil, 3),
		"the number of entries of a point of entries is 0, want at least 1": table(points, 0),
		"pivot 1 of P is -3, want above 0, as P is positive definite":       weigh(1, 2, 2, 1),
		"pivot 0 of P is 0, want above 0, as P is positive definite":        weigh(0),
		"P[1,0] is 0, want P[0,1] = 0.5":                                    weigh(1, 0.5, 0, 1),
		"P[2,1] is 7, want P[1,2] = 6":                                      weigh(9, 0, 0, 0, 9, 6, 0, 7, 9),
		"P[2,0] is 2, want P[0,2] = 3":                                      weigh(9, 1, 3, 1, 9, 0, 2, 0, 9),
		"the left side of traits has 3 entries, want 2":                     mix(costs(2, 4), costs(3, 4)),
		"the right side of traits has 5 entries, want 4":                    mix(costs(2, 4), costs(2, 5)),
		"the right side of the costs has 3 entries, want 2":                 assign(costs(2, 3)),
		"the largest cost is 1.5e+300, want at most 1e300":                  assign(holed{1.5e300}),
		"the number of costs is 1.099511627776e+12, want at most 100000000, which fit in memory; take samples of the points": assign(vast{t}),
		"a has 1 entries, want 2":                                                           exact(one, nil, 2, 3),
		"b has 1 entries, want 3":                                                           exact(nil, one, 2, 3),
		"a[1] is -0.5, want a weight between 0 and 1":                                       exact([]float64{1, -0.5}, nil, 2, 3),
		"b[0] is 1.5, want a weight between 0 and 1":                                        exact(nil, []float64{1.5, -0.5}, 2, 2),
		"a[0] is 1.0000000015, want a weight between 0 and 1":                               w1([]float64{1 + 1.5e-9}, one),
		"the sum of a is 0.75, want 1 within 1e-9":                                          exact([]float64{0.5, 0.25}, nil, 2, 3),
		"the sum of b is 0.9999999985, want 1 within 1e-9":                                  w1(one, []float64{1 - 1.5e-9}),
		"the sum of c is 0.25, want 1 within 1e-9":                                          both(one, one, []float64{0.25}),
		"b has 2 entries, want 1\nc has 3 entries, want 1":                                  both(one, points[:2], points[:3]),
		"the sum of b is 0.5, want 1 within 1e-9\nthe sum of c is 0.25, want 1 within 1e-9": both(one, []float64{0.5}, []float64{0.25}),
		"b has 2 entries, want 1":                                                           w1(one, points[:2]),
		"x has 0 entries, want 1\ny has 0 entries, want 1":                                  lines(nil, nil, nil, nil),
		"the distance is +Inf, want points less than 1.8e308 apart":                         lines([]float64{-math.MaxFloat64}, nil, []float64{math.MaxFloat64}, nil),
		"x[1] is NaN, want a finite number":                                                 lines([]float64{1, math.NaN()}, nil, one, nil),
	} {
		if err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	for _, off := range []float64{-0.9e-9, 0.9e-9} {
		if err := w1([]float64{1 + off}, one); err != nil {
			t.Errorf("a mass that is off by %v: %v", off, err)
		}
		if err := exact([]float64{1 + off, 0}, nil, 2, 1); err != nil {
			t.Errorf("a supply that is off by %v: %v", off, err)
		}
	}
}
