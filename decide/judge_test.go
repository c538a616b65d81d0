package decide

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/kedge-opt/kedge/optimum"
	"github.com/kedge-opt/kedge/set"
)

func TestKnownIntervals(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		of   Between
		want bool
	}{{Between{1, 2}, true}, {Between{1, 1}, true}, {Between{2, 1}, false}, {Between{-inf, 2}, false}, {Between{1, inf}, false}, {Between{inf, inf}, false}, {Between{-inf, -inf}, false}, {Between{nan, 2}, false}, {Between{1, nan}, false}} {
		if got := c.of.Known(); got != c.want {
			t.Errorf("%v is known: %v", c.of, got)
		}
	}
}

// A draw whose best was missed is mended by a decision that is better there, from which the search goes on: with B = [b, 0; 0, c] and traits d the revenue of
// q·(d − Bq) is largest at d/2b and d/2c. Only regret, which is measured from those, is then to be searched for anew.
func TestJudgesMendWhatWasMissed(t *testing.T) {
	traits := []float64{4, 6}
	for _, c := range []struct {
		rule Rule
		want bool
	}{{Rule{Kind: Regret}, true}, {Rule{Kind: Mean}, false}, {Rule{CVaR, 0.5}, false}} {
		q := Matter{Rule: c.rule, Plug: []float64{1, 1}, Set: set.Box{Lower: []float64{0, 0}, Upper: []float64{20, 20}}}
		for _, b := range []float64{1, 2} {
			q.Worlds = append(q.Worlds, shop(t, 0.5, [4]float64{b, 0, 0, b}, traits))
		}
		all, err := solve(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		all.answer.Search = &optimum.Search{Point: optimum.Point{Decision: []float64{1.5, 2}}}
		if found, err := all.judge(t.Context()); found || err != nil {
			t.Errorf("%v: nothing was missed, and found is %v, %v", c.rule, found, err)
		}
		missed := &all.answer.Draws[1]
		missed.Decision, missed.Loss = []float64{0, 0}, 0
		if found, err := all.judge(t.Context()); found != c.want || err != nil {
			t.Errorf("%v: found %v, %v, want %v", c.rule, found, err, c.want)
		}
		for j, want := range []float64{4.0 / 4, 6.0 / 4} {
			if math.Abs(missed.Decision[j]-want) > 1e-6 {
				t.Errorf("%v: the best is %v, want entry %d to be %v", c.rule, missed.Decision, j, want)
			}
		}
		if want := -(4*4/8.0 + 6*6/8.0); math.Abs(missed.Loss-want) > 1e-9 {
			t.Errorf("%v: the loss is %v, want %v", c.rule, missed.Loss, want)
		}
		ctx, over := context.WithCancel(t.Context())
		over()
		missed.Loss = 0
		if found, err := all.judge(ctx); found || !errors.Is(err, context.Canceled) {
			t.Errorf("called off: %v, %v", found, err)
		}
	}
}
