// Package population holds crowds that answer decisions, the laws their states and traits are drawn from, and the ways to
// pick a sample of them.
package population

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/crew"
	"github.com/kedge-opt/kedge/internal/rows"
)

// Crowd is a finite population whose individuals move by one dynamics. Their traits stay as they are, unless the crowd has a
// Motion. It is not safe for concurrent use.
//
// A crowd is as large as memory allows. States of s entries are kept twice, because a response moves everybody or nobody,
// and traits of t entries once, or not at all when they are Redrawn. Bytes of an individual, and of one of the polarized
// case study (s = t = 20):
//
//	                traits stored       traits redrawn
//	Float64         16s + 8t    480     16s    320
//	Float32          8s + 4t    240      8s    160
//
// A small crowd whose dynamics move people in tiles (kedge.TileDynamics) has traits a second time, and states a third time once they are asked for as a block.
// Traits may be shared among crowds. What a picker keeps comes on top: 8 bytes an individual for WithoutReplacement.
type Crowd struct {
	// Workers is how many goroutines Respond may use; 0 means 1. It uses one for every crew.Grain entries of the states, so
	// a small crowd stays on the caller's core. With more than one the dynamics must be safe for concurrent use, as those of
	// package dynamics are. Results do not depend on it.
	Workers int

	f      kedge.RowDynamics
	dim    kedge.Dims
	pick   Picker
	size   int
	states store
	traits kedge.Rows
	desks  []desk  // one a worker
	index  []int   // who was sampled last
	tells  bool    // of them
	steps  int     // taken
	moving *Moving // the traits, of a crowd with a motion
	noise  *Noise
	stir   *Stir
	social *social   // of a crowd that sees its mean
	room   []float64 // for the first state of a newcomer
}

// desk is the room in which one worker looks at a chunk of individuals, where that takes room.
type desk struct {
	p, next, d []float64
	push       pusher
	stir       stirrer
}

var _ kedge.KnownCrowd = (*Crowd)(nil)

// Config says who a crowd is made of and how it is kept.
type Config struct {
	Dynamics kedge.Dynamics
	Traits   kedge.Rows // of everybody; not copied, so that crowds can share them. May be nil if traits have no entries
	States   kedge.Rows // where everybody starts, copied; nil: at the own trait, p₀ = d, as in the published case studies
	Pick     Picker     // nil: Everyone
	Storage  Storage    // of the states
	Workers  int        // as in Crowd
	Motion   *Motion    // how traits drift, and people come and go; nil: not at all. Traits are copied then, as float64
	Noise    *Noise     // what pushes states after every step; nil: nothing
	Stir     *Stir      // noise that the dynamics take as numbers; nil: none. Its Next then moves people instead of the dynamics
	Tell     bool       // who was sampled is told
	Social   bool       // the dynamics see the crowd: they take (u, p̄) for the decision, with the mean p̄ of all states
}

// New returns a crowd of one individual for every row of states and traits, both of which are copied; giving both makes any
// joint law of states and traits possible. Nil states start everybody at the own trait. A nil pick is Everyone. Gather has
// more to choose from.
func New(f kedge.Dynamics, states, traits []float64, pick Picker) (*Crowd, error) {
	dim := f.Dims()
	n := len(traits) / max(1, dim.Trait)
	config := Config{Dynamics: f, Pick: pick}
	var bad error
	if states != nil {
		n = len(states) / max(1, dim.State)
		bad = kedge.CheckLen("states", states, max(1, n)*dim.State)
		config.States = kedge.Block{Data: states, Width: dim.State}
	}
	if err := errors.Join(bad, kedge.CheckLen("traits", traits, max(1, n)*dim.Trait)); err != nil {
		return nil, err
	}
	config.Traits = kedge.Block{Data: slices.Clone(traits), Width: dim.Trait}
	return Gather(config)
}

// Gather returns the crowd of a config.
func Gather(config Config) (*Crowd, error) {
	c := &Crowd{
		Workers: config.Workers, f: kedge.Batched(config.Dynamics), dim: config.Dynamics.Dims(),
		pick: cmp.Or[Picker](config.Pick, Everyone{}), traits: cmp.Or[kedge.Rows](config.Traits, kedge.Block{}), tells: config.Tell,
	}
	if config.Social {
		c.dim.Decision -= c.dim.State
	}
	if err := c.count(config.States); err != nil {
		return nil, err
	}
	if err := c.unsettle(config); err != nil {
		return nil, err
	}
	if t := c.tiled(config); t != nil {
		c.states = t
	} else {
		c.states = newStore(config.Storage, c.size, c.dim.State)
	}
	if err := c.start(config.States); err != nil {
		return nil, err
	}
	return c, nil
}

// count finds out how many individuals there are; states and traits must agree on it. Traits without entries do not know.
func (c *Crowd) count(states kedge.Rows) error {
	if c.dim.State < 1 {
		return &kedge.RangeError{Arg: "the state's dimension", Got: float64(c.dim.State), Want: "at least 1"}
	}
	if states == nil {
		if c.dim.State != c.dim.Trait {
			return &kedge.DimError{Arg: "a trait that is to be the first state", Got: c.dim.Trait, Want: c.dim.State}
		}
		states = c.traits
	}
	c.size, _ = states.Size()
	return errors.Join(
		checkSize("the number of individuals", c.size),
		checkShape("states", states, c.size, c.dim.State),
		checkShape("traits", c.traits, c.size, c.dim.Trait),
	)
}

// unsettle gives the crowd its motion, its noise and its sight.
func (c *Crowd) unsettle(config Config) (err error) {
	if config.Social {
		if c.dim.Decision < 0 {
			return &kedge.DimError{Arg: "a decision that ends with the mean state", Got: c.dim.Decision + c.dim.State, Want: c.dim.State}
		}
		c.social = newSocial(c)
	}
	if c.noise = config.Noise; c.noise != nil {
		if err := c.noise.check(c.dim.State); err != nil {
			return err
		}
	}
	if c.stir = config.Stir; c.stir != nil {
		if err := c.stir.check(); err != nil {
			return err
		}
	}
	if config.Motion == nil {
		return nil
	}
	if c.moving, err = NewMoving(*config.Motion, c.traits, c.dim.State); err != nil {
		return err
	}
	c.traits = c.moving
	c.room = make([]float64, c.dim.State)
	return nil
}

// checkShape tells whether there are n rows of width entries; of rows without entries there may be any number.
func checkShape(arg string, r kedge.Rows, n, width int) error {
	if count, entries := r.Size(); entries != width || count != n && width > 0 {
		return &kedge.DimError{Arg: arg, Got: count * entries, Want: n * width}
	}
	return nil
}

// Dims returns the dimensions of the crowd's dynamics.
func (c *Crowd) Dims() kedge.Dims { return c.dim }

// Size returns the number of individuals.
func (c *Crowd) Size() int { return c.size }

// Bytes returns the memory that states and traits take, also where other crowds share the traits.
func (c *Crowd) Bytes() int {
	n := c.states.bytes()
	switch t := c.traits.(type) {
	case kedge.Block:
		n += 8 * len(t.Data)
	case interface{ Bytes() int }:
		n += t.Bytes()
	}
	return n
}

// States returns everybody's state, one individual a row, or nil when states are not kept as Float64. It is the crowd's own
// memory: only to be read, and only until the next Respond or Reset.
func (c *Crowd) States() []float64 {
	if t, ok := c.states.(*eights); ok {
		x := t.block()
		if t.looks >= mostLooks { // tiles gain less than making rows of them takes
			c.states = t.retire()
		}
		return x
	}
	return inPlace(c.states)
}

// Traits returns everybody's trait, one individual a row, or nil when traits are neither a kedge.Block nor moving. It is only
// to be read.
func (c *Crowd) Traits() []float64 { return inPlace(c.traits) }

// TraitRows returns everybody's trait however it is kept. Those of a crowd with a motion change with it.
func (c *Crowd) TraitRows() kedge.Rows { return c.traits }

// Look returns everybody's state however it is kept, until the next Respond or Reset.
func (c *Crowd) Look() kedge.Rows { return c.states }

// Reset puts everybody into the given states; nil means p₀ = d. On an error nobody has moved.
func (c *Crowd) Reset(states []float64) error {
	if states == nil && c.dim.State == c.dim.Trait {
		return c.start(nil)
	}
	if err := kedge.CheckLen("states", states, c.size*c.dim.State); err != nil {
		return err
	}
	return c.start(kedge.Block{Data: states, Width: c.dim.State})
}

// Enter puts everybody into the given states, however these are kept. On an error nobody has moved.
func (c *Crowd) Enter(states kedge.Rows) error {
	if err := checkShape("states", states, c.size, c.dim.State); err != nil {
		return err
	}
	return c.start(states)
}

// Employ lets the crowd use so many workers.
func (c *Crowd) Employ(workers int) { c.Workers = workers }

// chunk is how many individuals move between two looks at the context: few enough that they are still in the fastest cache
// when their new states are checked. Individuals do not interact, so it changes no bits.
const chunk = 64

// stride is how many chunks a worker takes at a time, so that workers rarely meet where they are handed out and each goes
// through memory for a while.
const stride = 16

// start puts everybody into the given states, nil for the own traits, unless a state or a trait is not finite.
func (c *Crowd) start(states kedge.Rows) error {
	if t, ok := c.states.(*eights); ok {
		t.forget()
	}
	c.furnish(1)
	for first := 0; first < c.size; first += chunk {
		last := min(first+chunk, c.size)
		d := c.traits.View(c.desks[0].d, first, last)
		next := c.states.next(c.desks[0].next, first, last)
		if states == nil {
			copy(next, d)
		} else {
			copy(next, states.View(next, first, last))
		}
		c.states.keep(next, first)
		if err := errors.Join(checkRows("states", next, first, c.dim.State), checkRows("traits", d, first, c.dim.Trait)); err != nil {
			return err
		}
	}
	c.states.swap()
	return nil
}

// furnish makes room for workers.
func (c *Crowd) furnish(workers int) {
	n := min(c.size, chunk)
	for len(c.desks) < workers {
		var w desk
		if inPlace(c.states) == nil {
			w.p, w.next = make([]float64, n*c.dim.State), make([]float64, n*c.dim.State)
		}
		if inPlace(c.traits) == nil {
			w.d = make([]float64, n*c.dim.Trait)
		}
		if c.noise != nil {
			w.push = pusher{from: *c.noise.Stream, w: make([]float64, c.dim.State)}
		}
		if c.stir != nil {
			w.stir = newStirrer(c.stir, n)
		}
		c.desks = append(c.desks, w)
	}
}

// Prepare brings a crowd with a motion to the coming step: traits drift, and newcomers take the places of those who leave.
// Respond does so itself; who looks at a crowd before it responds sees it as it will respond. Done twice it does nothing.
func (c *Crowd) Prepare() error {
	if c.moving == nil || c.moving.step >= c.steps {
		return nil
	}
	c.moving.Workers = c.Workers
	arrived, err := c.moving.Advance()
	if err != nil {
		return fmt.Errorf("traits at step %d: %w", c.moving.step, err)
	}
	for j, i := range arrived {
		c.moving.first(c.room, j, i)
		c.states.put(c.room, i)
	}
	return nil
}

// Respond deploys u for one step of the dynamics: p ← f(p, u, d) for everybody [he2025, population dynamics]. A state that
// is not finite is an error that names the first such individual. On any error, or when the context ends first, nobody has
// moved; but what Prepare does may have been done.
func (c *Crowd) Respond(ctx context.Context, u []float64) error {
	if len(u) != c.dim.Decision || !rows.Finite(u) {
		return kedge.CheckVector("u", u, c.dim.Decision)
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("respond: %w", err)
	}
	if err := c.Prepare(); err != nil {
		return err
	}
	if err := c.moveAll(ctx, u); err != nil {
		return fmt.Errorf("respond: %w", err)
	}
	c.states.swap()
	c.steps++
	return nil
}

func (c *Crowd) moveAll(ctx context.Context, u []float64) error {
	chunks := (c.size + chunk - 1) / chunk
	hands := crew.Hands(c.Workers, c.size*c.dim.State)
	c.furnish(hands)
	if c.social != nil {
		u = c.social.see(u, c, hands)
	}
	if t, ok := c.states.(*eights); ok {
		t.begin(u)
	}
	if hands > 1 {
		return crew.Share(hands, (chunks+stride-1)/stride, func(hand, i int) error {
			return c.moveSome(ctx, u, i*stride, min((i+1)*stride, chunks), &c.desks[hand])
		})
	}
	return c.moveSome(ctx, u, 0, chunks, &c.desks[0]) // as Share would, but without its allocations
}

// moveSome moves the chunks from … to−1, and stops at the first error.
func (c *Crowd) moveSome(ctx context.Context, u []float64, from, to int, w *desk) error {
	for i := from; i < to; i++ {
		if err := c.move(ctx, u, i, w); err != nil {
			return err
		}
	}
	return nil
}

// move writes the next states of a chunk of individuals.
func (c *Crowd) move(ctx context.Context, u []float64, i int, w *desk) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if t, ok := c.states.(*eights); ok && t.move(u, i) {
		return nil
	}
	first, last := i*chunk, min((i+1)*chunk, c.size)
	next := c.states.next(w.next, first, last)
	p, d := c.states.View(w.p, first, last), c.traits.View(w.d, first, last)
	if c.stir != nil {
		c.stir.Next(next, p, u, d, c.stir.draw(last-first, first, c.steps, &w.stir))
	} else {
		c.f.NextRows(next, p, u, d)
	}
	if c.noise != nil {
		c.noise.push(next, c.dim.State, first, c.steps, &w.push)
	}
	c.states.keep(next, first)
	return checkRows("p", next, first, c.dim.State)
}

// Sample fills the rows of p and d with the states and traits of individuals that the crowd's picker picks, as many as p
// has rows. On an error p and d are unchanged.
func (c *Crowd) Sample(p, d []float64) (n int, err error) {
	n = len(p) / c.dim.State
	if err := errors.Join(
		kedge.CheckLen("p", p, n*c.dim.State),
		kedge.CheckLen("d", d, n*c.dim.Trait),
	); err != nil {
		return 0, err
	}
	index := slices.Grow(c.index[:0], n)[:n]
	if err := c.pick.Pick(index, c.size); err != nil {
		return 0, fmt.Errorf("sample: %w", err)
	}
	c.index = index
	gather(p, c.Look(), index, c.dim.State)
	gather(d, c.traits, index, c.dim.Trait)
	return n, nil
}

// Sampled appends the numbers of those who were sampled last, if they are to be told.
func (c *Crowd) Sampled(dst []uint64) []uint64 {
	if !c.tells {
		return dst
	}
	for _, i := range c.index {
		dst = append(dst, uint64(i))
	}
	return dst
}

// gather copies the rows of the given numbers to dst.
func gather(dst []float64, from kedge.Rows, index []int, width int) {
	data := inPlace(from)
	tiles, isTiled := from.(*eights)
	for row, i := range index {
		switch to := kedge.Row(dst, row, width); {
		case isTiled:
			rows.Untile(to, tiles.now, i, width)
		case data != nil:
			copy(to, data[i*width:])
		default:
			copy(to, from.View(to, i, i+1))
		}
	}
}

// inPlace returns rows that are kept as a block, nil for others.
func inPlace(r kedge.Rows) []float64 {
	switch r := r.(type) {
	case *doubles:
		return r.now.Data
	case kedge.Block:
		return r.Data
	case *Moving:
		return r.traits.Data
	}
	return nil
}
