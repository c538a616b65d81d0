package backtest

import (
	"context"
	"errors"
	"math"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
)

// ending is a context that ends after so many questions.
type ending struct {
	context.Context
	left *atomic.Int64
}

func endingAfter(t *testing.T, questions int64) *ending {
	c := &ending{t.Context(), &atomic.Int64{}}
	c.left.Store(questions)
	return c
}

func (c *ending) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// A look back ends with its context, whenever that does: at each of the first and the last of its questions, and some between.
func TestLooksBackStop(t *testing.T) {
	s, err := problem.Parse(kind.Standard(), "shop.yaml", []byte(spec))
	if err != nil {
		t.Fatal(err)
	}
	log := written(made(3, 6))
	find := func(ctx context.Context) error {
		_, err := Look(ctx, s, fstest.MapFS{"log.csv": {Data: []byte(log)}}, Lookback{From: "4", Draws: 3})
		return err
	}
	const most = 1 << 40
	whole := endingAfter(t, most)
	if err := find(whole); err != nil {
		t.Fatal(err)
	}
	asked := most - whole.left.Load()
	for n := int64(0); n < asked; n += 1 + max(0, min(n, asked-n)-6) {
		if err := find(endingAfter(t, n)); !errors.Is(err, context.Canceled) {
			t.Errorf("after %d of %d questions: %v", n, asked, err)
		}
	}
}

// A look back with a number that JSON does not hold has no files.
func TestLooksBackThatCannotBeWritten(t *testing.T) {
	h, err := look(t, spec, written(made(4, 6)), Lookback{From: "4"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.Files(); err != nil {
		t.Error(err)
	}
	h.MostChange = math.NaN()
	if files, err := h.Files(); err == nil || len(files) > 0 {
		t.Errorf("%v, %d files", err, len(files))
	}
}
