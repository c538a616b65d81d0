package objective

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
)

// The combinators take parts in their block form and so keep it. A part that judges one individual at a time is wrapped
// first, by kedge.BatchedObjective(o, dim).
var (
	_ kedge.RowObjective = Sum{}
	_ kedge.RowObjective = (*Weighted)(nil)
)

// Sum is Σ Φⱼ, its parts added in order.
type Sum []kedge.RowObjective

// Check joins the Checks of the parts that have one.
func (s Sum) Check(dim kedge.Dims) error {
	var err error
	for i, part := range s {
		if e := checkPart(part, dim); e != nil {
			err = errors.Join(err, fmt.Errorf("part %d: %w", i, e))
		}
	}
	return err
}

// Eval implements [kedge.Objective].
func (s Sum) Eval(gp, gu, p, u, d []float64) float64 {
	sum := 0.0
	for _, part := range s {
		sum += part.Eval(gp, gu, p, u, d)
	}
	return sum
}

// EvalRows implements [kedge.RowObjective].
func (s Sum) EvalRows(gp, gu, p, u, d []float64) float64 {
	sum := 0.0
	for _, part := range s {
		sum += part.EvalRows(gp, gu, p, u, d)
	}
	return sum
}

// Weighted is w·Φ. It keeps room for the gradients of its part and is therefore used by pointer. Concurrent calls are safe.
type Weighted struct {
	Weight float64
	Of     kedge.RowObjective

	pool sync.Pool // of *gradients
}

// Check says whether the weight is finite and joins the Check of the part, if it has one.
func (w *Weighted) Check(dim kedge.Dims) error {
	return errors.Join(checkNumber("Weight", w.Weight, math.Inf(-1)), checkPart(w.Of, dim))
}

// Eval implements [kedge.Objective].
func (w *Weighted) Eval(gp, gu, p, u, d []float64) float64 {
	g := w.borrow(gp, gu)
	loss := w.Of.Eval(g.p, g.u, p, u, d)
	w.add(gp, gu, g)
	return w.Weight * loss
}

// EvalRows implements [kedge.RowObjective].
func (w *Weighted) EvalRows(gp, gu, p, u, d []float64) float64 {
	g := w.borrow(gp, gu)
	loss := w.Of.EvalRows(g.p, g.u, p, u, d)
	w.add(gp, gu, g)
	return w.Weight * loss
}

// gradients are those of a part before they are weighted.
type gradients struct{ room, p, u []float64 }

// borrow returns zero gradients of the lengths of gp and gu, nil where those are nil.
func (w *Weighted) borrow(gp, gu []float64) *gradients {
	g, ok := w.pool.Get().(*gradients)
	if !ok {
		g = new(gradients)
	}
	n := len(gp) + len(gu)
	g.room = slices.Grow(g.room[:0], n)[:n]
	clear(g.room)
	g.p, g.u = nil, nil
	if gp != nil {
		g.p = g.room[:len(gp)]
	}
	if gu != nil {
		g.u = g.room[len(gp):]
	}
	return g
}

// add adds the weighted gradients to gp and gu and takes their room back.
func (w *Weighted) add(gp, gu []float64, g *gradients) {
	rows.AddScaled(gp, w.Weight, g.p)
	rows.AddScaled(gu, w.Weight, g.u)
	w.pool.Put(g)
}

func checkPart(part kedge.Objective, dim kedge.Dims) error {
	if c, ok := part.(kedge.CheckedObjective); ok {
		return c.Check(dim)
	}
	return nil
}
