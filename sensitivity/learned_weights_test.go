package sensitivity

import (
	"math"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/stream"
)

// A row that counts three times is three rows, to all that is known of the coefficients.
func TestWeightedRowsAreRepeatedRows(t *testing.T) {
	for _, method := range []Regression{LeastSquares, Kalman, Window} {
		c := Learning{Dims: kedge.Dims{Decision: 2, State: 1}, Lag: Naive, Method: method}
		c.fill()
		l := c.layout()
		one, many := newFit(&l, &c), newFit(&l, &c)
		r := stream.New(1, "rows")
		for k := range 30 {
			f := []float64{r.Normal(), r.Normal()}
			y := []float64{f[0] - 2*f[1] + 0.3*r.Normal()}
			times := 1 + k%4
			one.forget(k)
			many.forget(k)
			one.add(f, y, float64(times))
			for range times {
				many.add(f, y, 1)
			}
		}
		if !one.solve() || !many.solve() {
			t.Fatalf("method %d has no solution", method)
		}
		for i, x := range one.memory() {
			for j, y := range many.memory()[i][:min(len(x), 6)] {
				if i < 6 && math.Abs(x[j]-y) > 1e-9*max(1, math.Abs(y)) { // the last is the window itself
					t.Errorf("method %d: entry %d of list %d is %v, repeated %v", method, j, i, x[j], y)
				}
			}
		}
		if math.Abs(one.weight-many.weight) > 1e-9 {
			t.Errorf("method %d: rows weigh %v, repeated %v", method, one.weight, many.weight)
		}
	}
}
