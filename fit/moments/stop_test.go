package moments

import (
	"context"
	"errors"
	"testing"

	"github.com/kedge-opt/kedge/fit"
)

// ending is a context that ends once it was asked so often.
type ending struct {
	context.Context
	left int
}

func (c *ending) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// stops wants that a search ends with its context, whenever that does: at each of the first and the last of its questions, and some between.
func stops(t *testing.T, find func(ctx context.Context) error) {
	t.Helper()
	const most = 1 << 40
	whole := &ending{t.Context(), most}
	if err := find(whole); err != nil {
		t.Fatal(err)
	}
	asked := most - whole.left
	for n := 0; n < asked; n += 1 + min(n, asked-n)/30 {
		if err := find(&ending{t.Context(), n}); !errors.Is(err, context.Canceled) {
			t.Fatalf("after %d of %d questions: %v", n, asked, err)
		}
	}
}

func TestSearchesStop(t *testing.T) {
	w := recordedModels(t)[1]
	w.people, w.dates, w.groups = 8, 3, 2
	s, a := w.samples(1), aggregates(2, 6, 2, 0.2, 0.1, 1)
	stops(t, func(ctx context.Context) error {
		_, err := Find(ctx, w.f, s, []fit.Unknown{fit.Free("a", 0.5), fit.Free("b", 0.1)}, fit.Options{})
		return err
	})
	stops(t, func(ctx context.Context) error {
		_, err := FindAggregates(ctx, half(t), a, []fit.Unknown{fit.Free("b", 0)}, fit.Options{})
		return err
	})
}
