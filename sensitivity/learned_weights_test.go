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
				if i < 6 && !(math.Abs(x[j]-y) <= 1e-9*max(1, math.Abs(y))) { // the last is the window itself
					t.Errorf("method %d: entry %d of list %d is %v, repeated %v", method, j, i, x[j], y)
				}
			}
		}
		if !(math.Abs(one.weight-many.weight) <= 1e-9) {
			t.Errorf("method %d: rows weigh %v, repeated %v", method, one.weight, many.weight)
		}
	}
}

// Told who they are, people of a panel are known again in any order and among others, as they are in their places without.
func TestPanelsKnowPeople(t *testing.T) {
	r := stream.New(5, "panel")
	w := newTown(4, r)
	placed, told := mustLearn(t, Learning{Form: Panel}), mustLearn(t, Learning{Form: Panel})
	for k := range 30 {
		u := []float64{r.Normal(), r.Normal()}
		w.answer(u)
		o := w.all()
		if err := placed.Observe(o); err != nil {
			t.Fatal(err)
		}
		mixed := kedge.Observation{U: o.U}
		for i := range 4 {
			j := (i + k) % 4
			mixed.P, mixed.D, mixed.Who = append(mixed.P, o.P[2*j:2*j+2]...), append(mixed.D, float64(k), float64(i)), append(mixed.Who, uint64(100+j))
		}
		for i := range k % 3 { // people who are never seen again
			mixed.P, mixed.D, mixed.Who = append(mixed.P, r.Normal(), r.Normal()), append(mixed.D, 1, 2), append(mixed.Who, uint64(1000+10*k+i))
		}
		if err := told.Observe(mixed); err != nil {
			t.Fatal(err)
		}
	}
	if told.Trust() == 0 {
		t.Fatal("nothing was learned")
	}
	for i, want := range placed.Gain() {
		if got := told.Gain()[i]; !(math.Abs(got-want) <= 1e-9) {
			t.Errorf("entry %d of the gain is %v, want %v", i, got, want)
		}
	}
}
