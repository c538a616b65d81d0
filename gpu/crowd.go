package gpu

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/device"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/internal/wire"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/ptx"
)

// RemoteCrowd is a population.Crowd whose states and traits are on a device. It has the same bits, the same errors and the same saved state.
//
// Where a kernel raises a flag the crowd is brought to the CPU for that step. Should the device be lost, the crowd takes all steps again on the CPU since
// its states were last known there, and stays there.
type RemoteCrowd struct {
	place  *Board
	config population.Config
	f      Emitting
	dim    kedge.Dims
	size   int
	code   *kernels
	traits *traits
	states [2]*tiles // now, and then
	window *device.Locked
	shared device.Slab
	sums   device.Slab // of tiles, and of sums

	workers int
	index   []int             // who was sampled last
	home    *population.Crowd // of the CPU, where it was needed; its states are those before the decisions that follow
	passed  []float64         // decisions since then
	retired bool              // the crowd at home is all there is
	ahead   []float64         // the decision that the next states are already there for
	dares   bool              // to work ahead
	juries  []*Jury           // that its engines have asked for
	shown   *remoteRows       // whose tiles are in the window; nil: nobody's
}

var (
	_ kedge.KnownCrowd = (*RemoteCrowd)(nil)
	_ wire.State       = (*RemoteCrowd)(nil)
)

// mostPassed is how many numbers of decisions are kept before the states are brought home instead.
const mostPassed = 1 << 20

// Gather brings the crowd of a config to the device. The error is an *UnfitError where it must move on the CPU, or that of the device.
func (p *Board) Gather(config population.Config, workers int) (*RemoteCrowd, error) {
	if err := p.Fits(config); err != nil {
		return nil, err
	}
	c := &RemoteCrowd{place: p, config: config, f: config.Dynamics.(Emitting), dim: config.Dynamics.Dims(), workers: max(1, workers), dares: true}
	c.config.Pick = cmp.Or[population.Picker](config.Pick, population.Everyone{})
	c.size, _ = config.Traits.Size()
	if err := c.settle(); err != nil {
		c.Leave()
		if err == error(strangeError{}) {
			return nil, &UnfitError{"a state or a trait is not finite"}
		}
		return nil, err
	}
	p.used.Store(true)
	return c, nil
}

// settle takes memory and brings everybody to the device.
func (c *RemoteCrowd) settle() (err error) {
	dev := c.place.dev
	if c.window, err = dev.Lock(windowBytes); err != nil {
		return err
	}
	if c.traits, err = c.place.bring(c.config.Traits, c.window, c.workers); err != nil {
		return err
	}
	if c.code, err = c.place.kernels(c.f, formatOf(c.config.Storage), c.traits); err != nil {
		return err
	}
	if 8*c.code.shares > windowHead-sharedAt {
		return &UnfitError{"a decision makes too many numbers that all share"}
	}
	if c.shared, err = dev.Alloc(8 * c.code.shares); err != nil {
		return err
	}
	for i := range c.states {
		if c.states[i], err = newTiles(dev, formatOf(c.config.Storage), c.size, c.dim.State); err != nil {
			return err
		}
	}
	if c.sums, err = dev.Alloc(8 * treeRoom(c.states[0].count())); err != nil {
		return err
	}
	first := c.config.States
	if first == nil {
		if c.dim.State != c.dim.Trait {
			return &UnfitError{"people do not begin at their traits"}
		}
		first = c.config.Traits
	}
	if n, width := first.Size(); n != c.size || width != c.dim.State {
		return &UnfitError{"there are not as many first states as traits"}
	}
	return c.enter(first)
}

// enter puts everybody into states, as they are kept.
func (c *RemoteCrowd) enter(states kedge.Rows) error {
	c.ahead = c.ahead[:0]
	if t := c.traits; c.states[0].format == t.format && !t.unit && identity(states) != nil && identity(states) == identity(t.of) {
		return c.place.dev.Copy(c.states[0].Slab, t.Slab, t.Bytes) // everybody is at the own trait, which is there already
	}
	return c.states[0].fill(c.place.dev, c.window, c.workers, func(room []float64, first, last int) ([]float64, error) {
		x := states.View(room, first, last)
		if c.config.Storage == population.Float32 {
			x = room[:copy(room, x)] // ours, to be rounded
			for i, v := range x {
				x[i] = float64(float32(v))
			}
		}
		return finite(x)
	})
}

// Leave gives what the crowd holds on the device back. Nobody moves it or looks at it from then on.
func (c *RemoteCrowd) Leave() {
	dev := c.place.dev
	for _, t := range c.states {
		if t != nil {
			dev.Free(t.Slab)
		}
	}
	for _, j := range c.juries {
		j.Leave()
	}
	c.juries = nil
	dev.Free(c.shared, c.sums)
	dev.Unlock(c.window)
	c.states, c.shared, c.sums, c.window = [2]*tiles{}, device.Slab{}, device.Slab{}, nil
}

// Dims returns the dimensions of the crowd's dynamics.
func (c *RemoteCrowd) Dims() kedge.Dims { return c.dim }

// Size returns the number of individuals.
func (c *RemoteCrowd) Size() int { return c.size }

// TraitRows returns everybody's trait however it is kept.
func (c *RemoteCrowd) TraitRows() kedge.Rows { return c.config.Traits }

// Employ lets the crowd use so many workers where it is on the CPU.
func (c *RemoteCrowd) Employ(workers int) {
	c.workers = max(1, workers)
	if c.home != nil {
		c.home.Employ(workers)
	}
}

// Look returns everybody's state, until the next Respond.
func (c *RemoteCrowd) Look() kedge.Rows {
	if c.retired {
		return c.home.Look()
	}
	return c.look(func(err error, room []float64, first, last int) []float64 {
		return c.retreat(err).Look().View(room, first, last)
	})
}

// look is everybody's state on the device; rows that it fails to give come from instead.
func (c *RemoteCrowd) look(instead func(err error, room []float64, first, last int) []float64) *remoteRows {
	return &remoteRows{of: c.states[0], dev: c.place.dev, window: c.window, shown: &c.shown, instead: instead}
}

// Respond deploys u for one step of the dynamics, as population.Crowd does.
func (c *RemoteCrowd) Respond(ctx context.Context, u []float64) error {
	if c.retired {
		return c.home.Respond(ctx, u)
	}
	if len(u) != c.dim.Decision || !rows.Finite(u) {
		return kedge.CheckVector("u", u, c.dim.Decision)
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("respond: %w", err)
	}
	moved, err := c.step(u)
	if err != nil {
		return c.retreat(err).Respond(ctx, u)
	}
	if !moved {
		return c.stepAtHome(ctx, u)
	}
	c.states[0], c.states[1] = c.states[1], c.states[0]
	if c.passed = append(c.passed, u...); len(c.passed) > mostPassed {
		c.atHome()
	}
	return nil
}

// step lets the device compute the next states, unless they are there already. It is false where a flag was raised.
func (c *RemoteCrowd) step(u []float64) (moved bool, err error) {
	if len(c.ahead) > 0 {
		isSame := rows.SameBits(c.ahead, u)
		c.ahead = c.ahead[:0]
		if isSame {
			return true, nil
		}
		c.dares = false // others are deployed than are measured
	}
	if err := c.share(u); err != nil {
		return false, err
	}
	if err := c.launch(*c.code.next, 0); err != nil {
		return false, err
	}
	err = c.place.dev.Wait()
	return c.window.Words(flagAt, 1)[0] == 0, err
}

// share sends what all share under u, and lowers the flag.
func (c *RemoteCrowd) share(u []float64) error {
	c.window.Words(flagAt, 1)[0] = 0
	c.f.Share(c.window.Doubles(sharedAt, c.code.shares), u)
	return c.place.dev.Send(c.shared, 0, c.window, sharedAt, 8*c.code.shares)
}

// launch starts a kernel for everybody. One that is to fault gets a wrong address.
func (c *RemoteCrowd) launch(k device.Kernel, sums uint64) error {
	next := c.states[1].At(0)
	if c.place.strikes(atTurns) {
		next, sums = wrongAddress, wrongAddress
	}
	return c.place.dev.Launch(k, c.states[0].count(), ptx.Tile,
		c.states[0].At(0), c.traits.At(0), c.shared.At(0), next, sums, c.window.At(flagAt), uint64(c.size))
}

// stepAtHome takes a step on the CPU and brings its states back to the device.
func (c *RemoteCrowd) stepAtHome(ctx context.Context, u []float64) error {
	if err := c.atHome().Respond(ctx, u); err != nil || c.retired {
		return err
	}
	if err := c.enter(c.home.Look()); err != nil {
		c.place.tell("the crowd goes on on the CPU: %v", err)
		c.retired = true
	}
	return nil
}

// atHome is the crowd of the CPU with the states that everybody has now.
func (c *RemoteCrowd) atHome() *population.Crowd {
	if c.retired {
		return c.home
	}
	if err := c.comeHome(); err != nil {
		return c.retreat(err)
	}
	return c.home
}

// comeHome brings everybody's state to the CPU. On an error the crowd there is as it was.
func (c *RemoteCrowd) comeHome() error {
	if err := c.settleHome(); err != nil {
		return err
	}
	var failed error
	states := c.look(func(err error, room []float64, _, _ int) []float64 {
		failed = err
		for i := range room {
			room[i] = math.NaN() // which no crowd enters
		}
		return room
	})
	if err := c.home.Enter(states); err != nil {
		return cmp.Or(failed, err)
	}
	c.passed = c.passed[:0]
	return nil
}

// settleHome makes the crowd of the CPU, as it was at first.
func (c *RemoteCrowd) settleHome() (err error) {
	if c.home == nil {
		if c.home, err = population.Gather(c.config); err == nil {
			c.home.Employ(c.workers)
		}
	}
	return err
}

// retreat leaves a device that failed: the crowd takes all steps again on the CPU since its states were last known there. Steps that went well on the
// device go well there.
func (c *RemoteCrowd) retreat(why error) *population.Crowd {
	if c.retired {
		return c.home
	}
	c.place.tell("the crowd goes on on the CPU with the same bytes, because %v", why)
	c.place.lossTold.Store(true)
	c.retired = true
	if err := c.settleHome(); err != nil {
		panic("gpu: a crowd that was gathered cannot be gathered again: " + err.Error())
	}
	for first := 0; first < len(c.passed); first += c.dim.Decision {
		if err := c.home.Respond(context.Background(), c.passed[first:first+c.dim.Decision]); err != nil {
			panic("gpu: a step that went well does not go well again: " + err.Error())
		}
	}
	c.passed = nil
	return c.home
}

// Sample fills the rows of p and d with the states and traits of individuals that the crowd's picker picks, as population.Crowd does.
func (c *RemoteCrowd) Sample(p, d []float64) (n int, err error) {
	n = len(p) / c.dim.State
	if err := errors.Join(kedge.CheckLen("p", p, n*c.dim.State), kedge.CheckLen("d", d, n*c.dim.Trait)); err != nil {
		return 0, err
	}
	index := slices.Grow(c.index[:0], n)[:n]
	if err := c.config.Pick.Pick(index, c.size); err != nil {
		return 0, fmt.Errorf("sample: %w", err)
	}
	c.index = index
	pick(d, c.config.Traits, index, c.dim.Trait)
	if !c.retired {
		if err := c.fetch(p, index); err != nil {
			c.retreat(err)
		}
	}
	if c.retired {
		pick(p, c.home.Look(), index, c.dim.State)
	}
	return n, nil
}

// pick copies the rows of the given numbers to dst.
func pick(dst []float64, from kedge.Rows, index []int, width int) {
	for row, i := range index {
		to := kedge.Row(dst, row, width)
		copy(to, from.View(to, i, i+1))
	}
}

// fetch copies the states of the given numbers to p, as many at a time as the window has room for.
func (c *RemoteCrowd) fetch(p []float64, index []int) error {
	m := c.dim.State
	c.shown = nil
	many := (windowBytes - windowHead) / (8 * (m + 1))
	for first := 0; first < len(index); first += many {
		some := index[first:min(first+many, len(index))]
		who := c.window.Words(windowHead, len(some))
		for k, i := range some {
			who[k] = uint64(i)
		}
		to, n := windowHead+8*len(some), len(some)*m
		err := c.place.dev.Launch(c.place.tools[c.states[0].format], (n+ptx.Tile-1)/ptx.Tile, ptx.Tile,
			c.states[0].At(0), c.window.At(windowHead), c.window.At(to), uint64(m), uint64(n))
		if err == nil {
			err = c.place.dev.Wait()
		}
		if err != nil {
			return err
		}
		copy(p[first*m:], c.window.Doubles(to, n))
	}
	return nil
}

// Sampled appends the numbers of those who were sampled last, if they are to be told.
func (c *RemoteCrowd) Sampled(dst []uint64) []uint64 {
	if !c.config.Tell {
		return dst
	}
	for _, i := range c.index {
		dst = append(dst, uint64(i))
	}
	return dst
}

// AppendBinary appends what a population.Crowd of the same config would.
func (c *RemoteCrowd) AppendBinary(b []byte) ([]byte, error) {
	return c.atHome().AppendBinary(b)
}

// Save writes what AppendBinary would append.
func (c *RemoteCrowd) Save(to io.Writer) error { return c.atHome().Save(to) }

// UnmarshalBinary puts everybody into the saved states. On an error nobody has moved.
func (c *RemoteCrowd) UnmarshalBinary(data []byte) error {
	if err := c.settleHome(); err != nil {
		return err
	}
	if err := c.home.UnmarshalBinary(data); err != nil {
		return err
	}
	c.passed = c.passed[:0]
	if c.retired {
		return nil
	}
	if err := c.enter(c.home.Look()); err != nil {
		c.retreat(err)
	}
	return nil
}
