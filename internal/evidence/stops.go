package evidence

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
)

// ending is a context that ends after so many questions.
type ending struct {
	context.Context
	left atomic.Int64
}

func (c *ending) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// Stops wants work to end with its context, whenever that does: at each of the first and the last of its questions, and, the further from these,
// the fewer between; the denser, the more.
func Stops(t *testing.T, what string, dense int64, work func(ctx context.Context) error) {
	t.Helper()
	const most = 1 << 40
	after := func(questions int64) (int64, error) {
		c := &ending{Context: t.Context()}
		c.left.Store(questions)
		err := work(c)
		return questions - c.left.Load(), err
	}
	asked, err := after(most)
	if err != nil {
		t.Fatal(what, err)
	}
	for n := int64(0); n < asked; n += 1 + min(n, asked-n)/dense {
		if _, err := after(n); !errors.Is(err, context.Canceled) {
			t.Fatalf("%s: after %d of %d questions: %v", what, n, asked, err)
		}
	}
}
