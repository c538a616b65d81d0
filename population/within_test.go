package population_test

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/stream"
)

// impatient is a context that ends after it was asked so many times.
type impatient struct {
	context.Context
	left atomic.Int64
}

func newImpatient(looks int64) *impatient {
	c := &impatient{Context: context.Background()}
	c.left.Store(looks)
	return c
}

func (c *impatient) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// counted counts the rows that are drawn.
type counted struct {
	population.Normal
	rows *atomic.Int64
}

func (l counted) Fill(dst []float64, dim, first int, s *stream.Stream) {
	l.rows.Add(int64(len(dst) / dim))
	l.Normal.Fill(dst, dim, first, s)
}

// Nothing is drawn after the context has ended: of 100 000 people only those of three looks are there. Drawing them all at once took no look.
func TestDrawingEndsWithTheContext(t *testing.T) {
	var rows atomic.Int64
	_, err := population.DrawWithin(newImpatient(3), counted{rows: &rows}, 100_000, 2, stream.New(1, "people"))
	if !errors.Is(err, context.Canceled) || rows.Load() != 3*4096 {
		t.Errorf("%d rows were drawn, %v; want 3 looks of 4096", rows.Load(), err)
	}
	all, err := population.Draw(population.Normal{}, 10_000, 2, stream.New(1, "people"))
	if err != nil {
		t.Fatal(err)
	}
	once := make([]float64, 20_000)
	population.Normal{}.Fill(once, 2, 0, stream.New(1, "people"))
	if !slices.Equal(all, once) {
		t.Error("drawing in parts gives other people")
	}
	ctx := newImpatient(5)
	if _, err := population.ShortenWithin(ctx, kedge.Block{Data: all, Width: 2}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("shortened all the same: %v", err)
	}
}
