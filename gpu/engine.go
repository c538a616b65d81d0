package gpu

import (
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/objective"
	"github.com/kedge-opt/kedge/ptx"
	"github.com/kedge-opt/kedge/steady"
)

// Engine returns what sums the losses of the settled crowd on the device, nil for a model whose losses are summed on the CPU. Where everybody
// is about to move under the decision that is judged, the next states come with it in one pass.
func (c *RemoteCrowd) Engine(m kedge.Model) steady.Engine {
	f, ok := c.f.(aligned)
	_, isAffinity := m.Objective.(objective.Affinity)
	aligner, _ := m.Aligned()
	if !ok || !isAffinity || m.Weights != nil || aligner != kedge.Aligner(f) || identity(m.Traits) == nil || identity(m.Traits) != identity(c.config.Traits) {
		return nil
	}
	return &engine{crowd: c, of: f, model: m}
}

// engine sums losses and gradients of one crowd, for one goroutine.
type engine struct {
	crowd *RemoteCrowd
	of    aligned
	model kedge.Model
	jury  *Jury     // that sums gradients, once they are asked for
	last  []float64 // room for what is done here
}

var _ steady.GradientEngine = (*engine)(nil)

// SumGradients implements [steady.GradientEngine] by a jury of the crowd's own.
func (e *engine) SumGradients(total, u []float64, answered bool, rest func(part []float64, first int) bool) (worst kedge.Residual, ok bool) {
	c := e.crowd
	if c.retired || c.window == nil {
		return worst, false
	}
	if e.jury == nil {
		var err error
		if e.jury, err = c.place.Jury(e.model, c.workers); err != nil {
			e.jury = &Jury{gone: true}
		}
		c.juries = append(c.juries, e.jury)
	}
	return e.jury.SumGradients(total, u, answered, rest)
}

// Sum returns the sum of the losses of everybody, settled under u.
func (e *engine) Sum(u []float64) (sum float64, worst kedge.Residual, ok bool) {
	c := e.crowd
	if c.retired || c.window == nil || !e.of.Aligns(u) {
		return 0, worst, false
	}
	whole := c.size / ptx.Tile
	if c.size%ptx.Tile > 0 {
		if e.last == nil {
			e.last = make([]float64, ptx.Tile*(c.dim.Trait+1))
		}
		loss, ok := restLoss(e.of, c.config.Traits, u, whole*ptx.Tile, e.last)
		if !ok {
			return 0, worst, false
		}
		c.window.Doubles(lossAt, 1)[0] = loss
	}
	if err := e.run(u, whole); err != nil {
		c.retreat(err)
		return 0, worst, false
	}
	if c.window.Words(flagAt, 1)[0] != 0 {
		c.ahead = c.ahead[:0]
		return 0, worst, false
	}
	sum = c.window.Doubles(sumAt, 1)[0]
	return sum, kedge.Residual{Norm: rootResidual}, !math.IsNaN(sum) && !math.IsInf(sum, 0)
}

// run sums scores tile by tile and then by the tree.
func (e *engine) run(u []float64, whole int) error {
	c := e.crowd
	if err := c.share(u); err != nil {
		return err
	}
	kernel := c.code.value
	if c.dares {
		kernel, c.ahead = c.code.both, append(c.ahead[:0], u...)
	}
	if err := c.launch(*kernel, c.sums.At(0)); err != nil {
		return err
	}
	n := c.states[0].count()
	if n > whole {
		if err := c.place.dev.Send(c.sums, 8*whole, c.window, lossAt, 8); err != nil {
			return err
		}
	}
	if err := c.place.addUp(c.sums, n, 1, c.window.At(sumAt)); err != nil {
		return err
	}
	return c.place.dev.Wait()
}
