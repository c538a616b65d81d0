package set

import (
	"math"
	"testing"
)

// The farthest point of an L1 ball is a vertex: the largest norm of all of them, looked at one by one.
func TestFarthestOfAnL1Ball(t *testing.T) {
	for n := range 6 {
		for _, b := range []L1Ball{{Radius: 2}, {Radius: 0.7, Center: normals(n, 3, "center")}} {
			want := 0.0
			for i := range n {
				for _, sign := range []float64{-1, 1} {
					norm := 0.0
					for j := range n {
						x := Ball(b).center(j)
						if j == i {
							x += sign * b.Radius
						}
						norm += x * x
					}
					want = max(want, math.Sqrt(norm))
				}
			}
			if n == 0 {
				want = b.Radius // a bound, of a space with a single point
			}
			if got, sure, err := Farthest(b, n); err != nil || !sure || !(math.Abs(got-want) <= 1e-14*want) {
				t.Errorf("%+v: %v, %v, %v, want %v", b, got, sure, err, want)
			}
		}
	}
}

// By hand: numbers whose doubles, or whose distances from the center, are beyond all numbers have a nearest point all the same; so has the least of all.
func TestL1BallOfLargeNumbers(t *testing.T) {
	for _, x := range []struct {
		b       L1Ball
		u, want []float64
	}{
		{L1Ball{Radius: 1}, []float64{1.5e308, 0}, []float64{1, 0}}, {L1Ball{Radius: 1e308}, []float64{1.5e308}, []float64{1e308}},
		{L1Ball{Center: []float64{0}}, []float64{5e-324}, []float64{0}}, // of which there is no half
		{L1Ball{Radius: 1e308, Center: []float64{-1e308, 0}}, []float64{1.5e308, 0}, []float64{0, 0}}, {L1Ball{Radius: 1.6e308, Center: []float64{0, 1}}, []float64{1.5e308, 1}, []float64{1.5e308, 1}},
	} {
		if err := x.b.Project(x.u); err != nil || !(math.Abs(x.u[0]-x.want[0]) <= 1e-12*x.b.Radius) || len(x.u) > 1 && x.u[1] != x.want[1] {
			t.Errorf("%+v: %v (%v), want %v", x.b, x.u, err, x.want)
		}
	}
}

// By hand, in units of rounding: n times the radius, and beside a center twice the size of it and the radius.
func TestSlackOfL1Balls(t *testing.T) {
	for _, c := range []struct {
		b    L1Ball
		n    int
		want float64
	}{
		{L1Ball{Radius: 1}, 1, 1}, {L1Ball{Radius: 3}, 2, 6},
		{L1Ball{Radius: 1, Center: []float64{0}}, 1, 3}, {L1Ball{Radius: 1, Center: []float64{4, -3}}, 2, 18}, {L1Ball{Center: []float64{8}}, 1, 16},
	} {
		if got := c.b.slack(c.n) / unit; got != c.want {
			t.Errorf("%+v: %v, want %v", c.b, got, c.want)
		}
	}
}

// By hand: a single point, 8, holds what is at most 2⁻⁴⁹ away, which is sixteen roundings of it, and draws to it what is farther off.
func TestL1BallsHoldRoundingsOfTheirCenter(t *testing.T) {
	const off = 0x1p-49 // from one number to the next above 8, and two below it
	for _, x := range []struct{ u, want float64 }{
		{8, 8}, {8 + off, 8 + off}, {8 + 2*off, 8}, {8 - off/2, 8 - off/2}, {8 - off, 8 - off}, {8 - 3*off/2, 8},
	} {
		u := []float64{x.u}
		if err := (L1Ball{Center: []float64{8}}).Project(u); err != nil || u[0] != x.want {
			t.Errorf("8 and %v: moved to %v beside it (%v), want %v", x.u-8, u[0]-8, err, x.want-8)
		}
	}
}
