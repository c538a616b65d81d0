package steady_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/steady"
)

// impatient is a context that ends after it was asked so many times.
type impatient struct {
	context.Context
	left int
}

func (c *impatient) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// tallied counts who settles.
type tallied struct {
	kedge.RowSettler
	people *atomic.Int64
}

func (s tallied) SettleRows(dst, u, d []float64) (kedge.Residual, error) {
	s.people.Add(int64(len(dst) / s.Dims().State))
	return s.RowSettler.SettleRows(dst, u, d)
}

// An evaluation over a large crowd ends with its context: between two looks at most 1024 people settle.
func TestEvaluationsEndWithTheContext(t *testing.T) {
	c := affineCircle(t)
	m := kedge.Model{Settler: c.settler, Objective: c.loss, Traits: kedge.Block{Data: c.people(t, 20_000, 1), Width: c.dim.Trait}}
	var people atomic.Int64
	m.Settler = tallied{m.RowSettler(), &people}
	f, err := steady.New(m)
	if err != nil {
		t.Fatal(err)
	}
	u, all := make([]float64, f.Dims().Decision), make([]float64, 20_000*f.Dims().State)
	f.Until = &impatient{context.Background(), 4}
	if err := f.Settle(all, u); !errors.Is(err, context.Canceled) || people.Load() > 4*1024 || people.Load() == 0 {
		t.Errorf("%d people settled, %v; want at most 4096", people.Load(), err)
	}
	f.Until = nil
	if err := f.Settle(all, u); err != nil {
		t.Error(err)
	}
}
