package gpu

import (
	"math"
	"sync"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/device"
	"github.com/kedge-opt/kedge/objective"
	"github.com/kedge-opt/kedge/ptx"
	"github.com/kedge-opt/kedge/steady"
)

// planar are dynamics whose people settle in the plane of the decision and the own trait.
type planar interface {
	aligned
	kedge.PlaneSettler
	EmitPlane(c *ptx.OpList) ptx.PlaneSpot
	EmitSquare(c *ptx.OpList) ptx.Scalar
}

// answering are sensitivities that say in that plane how people answer.
type answering interface {
	kedge.PlaneSensitivity
	Pulls(dim int) bool
	EmitPull(c *ptx.OpList, h ptx.PlaneSpot, uu ptx.Scalar) ptx.PlaneSpot
}

// verdict is what a jury is asked for.
type verdict int

const (
	byValue    verdict = iota
	byPartial          // with the gradient that those see who take the settled population for given
	byGradient         // with the gradient that knows how people answer
	verdicts
)

// Jury judges everybody on the device, settled under a decision, by traits alone. Several goroutines may ask it, in turn. It has the bits of steady.Objective.
type Jury struct {
	place   *Board
	of      planar
	answer  answering // nil: unknown
	rows    kedge.Rows
	size    int
	width   int // of a gradient and the value
	traits  *traits
	kernels [verdicts]*device.Kernel // nil before they are asked for

	mu     sync.Mutex
	window *device.Locked
	shared device.Slab // and behind it how far traits are from length 1
	parts  device.Slab
	room   []float64 // for what is done here
	gone   bool
}

var _ steady.GradientEngine = (*Jury)(nil)

// Jury brings the traits of a model to the device. The error is an *UnfitError where the CPU must judge, or that of the device.
func (p *Board) Jury(m kedge.Model, workers int) (*Jury, error) {
	aligner, _ := m.Aligned()
	f, ok := aligner.(planar)
	if _, isAffinity := m.Objective.(objective.Affinity); !ok || !isAffinity || m.Weights != nil || m.Traits == nil || f.Shares() < 0 || m.Dims().State != m.Dims().Trait {
		return nil, &UnfitError{"the settled value of this model has no kernel"}
	}
	j := &Jury{place: p, of: f, rows: m.Traits, width: 1 + m.Dims().Decision}
	j.size, _ = m.Traits.Size()
	if answer, ok := m.Sensitivity.(answering); ok && answer.Pulls(m.Dims().Decision) {
		j.answer = answer
	}
	if err := j.settle(workers); err != nil {
		j.Leave()
		return nil, err
	}
	p.used.Store(true)
	return j, nil
}

// Places in a jury's window.
func (j *Jury) worstAt() int { return sharedAt + 8*j.of.Shares() }
func (j *Jury) totalAt() int { return j.worstAt() + 8 }
func (j *Jury) restAt() int  { return j.totalAt() + 8*j.width }

// settle takes memory and brings traits to the device.
func (j *Jury) settle(workers int) (err error) {
	dev := j.place.dev
	free, err := dev.Room()
	if err != nil {
		return err
	}
	tiles := (j.size + ptx.Tile - 1) / ptx.Tile
	if need := 8 * j.width * (treeRoom(tiles) + ptx.Tile*tiles); j.place.find(j.rows) == nil && need > free {
		return &UnfitError{"there is no room for everybody's trait"}
	}
	large, err := dev.Lock(windowBytes)
	if err != nil {
		return err
	}
	j.traits, err = j.place.bring(j.rows, large, max(1, workers))
	dev.Unlock(large)
	if err == error(strangeError{}) {
		return &UnfitError{"a trait is not finite"}
	}
	if err != nil {
		return err
	}
	if j.window, err = dev.Lock(j.restAt() + 8*j.width); err != nil {
		return err
	}
	if j.shared, err = dev.Alloc(8 * (j.of.Shares() + 1)); err != nil {
		return err
	}
	j.parts, err = dev.Alloc(8 * j.width * treeRoom(j.traits.count()))
	j.room = make([]float64, ptx.Tile*j.width)
	return err
}

// Leave gives what the jury holds on the device back; it judges nobody from then on.
func (j *Jury) Leave() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.place != nil {
		j.place.dev.Free(j.shared, j.parts)
		j.place.dev.Unlock(j.window)
	}
	j.shared, j.parts, j.window, j.gone = device.Slab{}, device.Slab{}, nil, true
}

// Sum implements [steady.Engine].
func (j *Jury) Sum(u []float64) (sum float64, worst kedge.Residual, ok bool) {
	rest := func(part []float64, first int) (ok bool) {
		part[0], ok = restLoss(j.of, j.rows, u, first, j.room)
		return ok
	}
	var total [1]float64
	_, ok = j.judge(byValue, total[:], u, rest)
	return total[0], kedge.Residual{Norm: rootResidual}, ok && !math.IsNaN(total[0]) && !math.IsInf(total[0], 0)
}

// rootResidual is what roots on the device miss their equation by at most, as those on the CPU do.
const rootResidual = 0x1p-48

// SumGradients implements [steady.GradientEngine].
func (j *Jury) SumGradients(total, u []float64, answered bool, rest func(part []float64, first int) bool) (worst kedge.Residual, ok bool) {
	what := byPartial
	if answered {
		what = byGradient
	}
	off, ok := j.judge(what, total, u, rest)
	return kedge.Residual{Norm: rootResidual + off}, ok
}

// judge sums what is asked for over everybody and returns how far a trait is from length 1 at most.
func (j *Jury) judge(what verdict, total, u []float64, rest func(part []float64, first int) bool) (off float64, ok bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.gone || !j.of.Aligns(u) || what == byGradient && j.answer == nil {
		return 0, false
	}
	if whole := j.size &^ (ptx.Tile - 1); whole < j.size && !rest(j.window.Doubles(j.restAt(), len(total)), whole) {
		return 0, false
	}
	if err := j.run(what, u, len(total)); err != nil {
		j.gone = true
		j.place.tell("values and gradients come from the CPU with the same bytes, because %v", err)
		return 0, false
	}
	copy(total, j.window.Doubles(j.totalAt(), len(total)))
	return j.window.Doubles(j.worstAt(), 1)[0], j.window.Words(flagAt, 1)[0] == 0
}

// run lets the device sum numbers of everybody, so many of each.
func (j *Jury) run(what verdict, u []float64, width int) error {
	k, err := j.kernel(what)
	if err != nil {
		return err
	}
	dev, shares, parts := j.place.dev, j.of.Shares(), j.parts.At(0)
	if j.place.strikes(atVerdicts) {
		parts = wrongAddress
	}
	j.window.Words(flagAt, 1)[0], j.window.Words(j.worstAt(), 1)[0] = 0, 0
	j.of.Share(j.window.Doubles(sharedAt, shares), u)
	if err := dev.Send(j.shared, 0, j.window, sharedAt, 8*(shares+1)); err != nil {
		return err
	}
	if err := dev.Launch(k, j.traits.count(), ptx.Tile,
		0, j.traits.At(0), j.shared.At(0), 0, parts, j.window.At(flagAt), uint64(j.size), j.shared.At(8*shares)); err != nil {
		return err
	}
	if whole := j.size / ptx.Tile; whole < j.traits.count() {
		if err := dev.Send(j.parts, 8*width*whole, j.window, j.restAt(), 8*width); err != nil {
			return err
		}
	}
	if err := j.place.addUp(j.parts, j.traits.count(), width, j.window.At(j.totalAt())); err != nil {
		return err
	}
	if err := dev.Fetch(j.window, j.worstAt(), j.shared, 8*shares, 8); err != nil {
		return err
	}
	return dev.Wait()
}

// kernel returns the one that sums what is asked for, compiled once.
func (j *Jury) kernel(what verdict) (device.Kernel, error) {
	if k := j.kernels[what]; k != nil {
		return *k, nil
	}
	c := j.list(what)
	if c.Len() > mostOperations {
		return device.Kernel{}, &UnfitError{"people have too many numbers"}
	}
	made, err := j.place.dev.Load(ptx.Head+c.Kernel("work", ptx.Float64, j.traits.format), "work")
	if err == nil {
		j.kernels[what] = &made
	}
	return made, err
}

// list is what is done for an individual. Losses are −hᵀu, so that gradients count with the sign turned.
func (j *Jury) list(what verdict) *ptx.OpList {
	c := ptx.New(j.width-1, j.width-1, j.of.Shares())
	if j.traits.unit {
		c.UnitTraits()
	}
	if what == byValue {
		c.Score(j.of.EmitAlign(c))
		return c
	}
	h := j.of.EmitPlane(c)
	c.Score(h.PU)
	if what == byGradient {
		h = j.answer.EmitPull(c, h, j.of.EmitSquare(c))
	}
	h.Along, h.Across = c.Neg(h.Along), c.Neg(h.Across)
	c.Plane(h)
	return c
}

// restLoss is the loss of those behind the last whole tile, which the CPU sums up. Room is that for a tile of traits with one number more each.
func restLoss(of aligned, traits kedge.Rows, u []float64, first int, room []float64) (float64, bool) {
	size, _ := traits.Size()
	n := size - first
	pu := room[:n]
	if _, err := of.AlignRows(pu, u, traits.View(room[n:], first, size)); err != nil {
		return 0, false
	}
	return objective.Affinity{}.EvalAligned(pu), true
}
