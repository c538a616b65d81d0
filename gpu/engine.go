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
	if !ok || !isAffinity || m.Weights != nil || m.Social || c.code.both == nil || aligner != kedge.Aligner(f) || identity(m.Traits) == nil || identity(m.Traits) != identity(c.config.Traits) {
		return nil
	}
	return &engine{crowd: c, of: f}
}

// engine sums losses of one crowd, for one goroutine.
type engine struct {
	crowd *RemoteCrowd
	of    aligned
	last  []float64 // room for what is done here
}

// Sum returns the sum of the losses of everybody, settled under u.
func (e *engine) Sum(u []float64) (sum float64, worst kedge.Residual, ok bool) {
	c := e.crowd
	if c.retired || c.window == nil || !e.of.Aligns(u) {
		return 0, worst, false
	}
	whole := c.size / ptx.Tile
	if c.size%ptx.Tile > 0 {
		loss, ok := e.rest(u, whole*ptx.Tile)
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
	return sum, kedge.Residual{Norm: 0x1p-48}, !math.IsNaN(sum) && !math.IsInf(sum, 0)
}

// rest is the loss of those behind the last whole tile, which the CPU sums up.
func (e *engine) rest(u []float64, first int) (float64, bool) {
	c := e.crowd
	n := c.size - first
	if e.last == nil {
		e.last = make([]float64, n*(c.dim.Trait+1))
	}
	pu := e.last[:n]
	if _, err := e.of.AlignRows(pu, u, c.config.Traits.View(e.last[n:], first, c.size)); err != nil {
		return 0, false
	}
	return objective.Affinity{}.EvalAligned(pu), true
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
	from, to := 0, n
	for {
		out, blocks := c.sums.At(8*to), (n+ptx.Wide-1)/ptx.Wide
		if blocks == 1 {
			out = c.window.At(sumAt)
		}
		if err := c.place.dev.Launch(c.place.tree, blocks, ptx.Wide/2, c.sums.At(8*from), out, uint64(n)); err != nil {
			return err
		}
		if n = blocks; n == 1 {
			return c.place.dev.Wait()
		}
		from, to = to, to+blocks
	}
}
