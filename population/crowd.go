// Package population holds crowds that answer decisions, the laws their states and traits are drawn from, and the ways to
// pick a sample of them.
package population

import (
	"context"
	"errors"
	"fmt"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/rows"
)

// Crowd is a finite population whose individuals move by one dynamics and keep their traits. It is not safe for concurrent
// use.
type Crowd struct {
	f      kedge.RowDynamics
	dim    kedge.Dims
	pick   Picker
	size   int
	states []float64
	next   []float64 // the states that Respond is working on
	traits []float64
	index  []int
}

var _ kedge.Population = (*Crowd)(nil)

// New returns a crowd of one individual for every row of states and traits, both of which are copied; giving both makes any
// joint law of states and traits possible. Nil states start everybody at the own trait, p₀ = d, as in the published case
// studies. A nil pick is Everyone.
func New(f kedge.Dynamics, states, traits []float64, pick Picker) (*Crowd, error) {
	dim := f.Dims()
	if dim.State < 1 {
		return nil, &kedge.RangeError{Arg: "the state's dimension", Got: float64(dim.State), Want: "at least 1"}
	}
	if states == nil {
		if dim.State != dim.Trait {
			return nil, &kedge.DimError{Arg: "a trait that is to be the first state", Got: dim.Trait, Want: dim.State}
		}
		states = traits
	}
	n := len(states) / dim.State
	if err := errors.Join(
		checkBlock("states", states, max(1, n), dim.State),
		checkBlock("traits", traits, max(1, n), dim.Trait),
	); err != nil {
		return nil, err
	}
	if pick == nil {
		pick = Everyone{}
	}
	return &Crowd{
		f: kedge.Batched(f), dim: dim, pick: pick, size: n,
		states: append([]float64(nil), states...),
		next:   make([]float64, len(states)),
		traits: append([]float64(nil), traits...),
	}, nil
}

// checkBlock tells whether a block has n rows of finite numbers.
func checkBlock(arg string, block []float64, n, width int) error {
	if err := kedge.CheckLen(arg, block, n*width); err != nil {
		return err
	}
	return checkRows(arg, block, 0, width)
}

// checkRows names the individual and the entry of the first number that is not finite; the block starts at individual first.
func checkRows(arg string, block []float64, first, width int) error {
	if rows.Finite(block) {
		return nil
	}
	for i := range kedge.Count(block, width) {
		if err := kedge.CheckFinite(arg, kedge.Row(block, i, width)); err != nil {
			return &kedge.RowError{Row: first + i, Err: err}
		}
	}
	return nil
}

// Dims returns the dimensions of the crowd's dynamics.
func (c *Crowd) Dims() kedge.Dims { return c.dim }

// Size returns the number of individuals.
func (c *Crowd) Size() int { return c.size }

// States returns everybody's state, one individual a row. It is the crowd's own memory: only to be read, and only until the
// next Respond or Reset.
func (c *Crowd) States() []float64 { return c.states }

// Traits returns everybody's trait, one individual a row. It is the crowd's own memory and only to be read.
func (c *Crowd) Traits() []float64 { return c.traits }

// Reset puts everybody into the given states; nil means p₀ = d. On an error nobody has moved.
func (c *Crowd) Reset(states []float64) error {
	if states == nil && c.dim.State == c.dim.Trait {
		states = c.traits
	}
	if err := checkBlock("states", states, c.size, c.dim.State); err != nil {
		return err
	}
	copy(c.states, states)
	return nil
}

// chunk is how many individuals move between two looks at the context. Individuals do not interact, so it changes no bits.
const chunk = 256

// Respond deploys u for one step of the dynamics: p ← f(p, u, d) for everybody [he2025, population dynamics]. A state that
// is not finite is an error that names the individual. On any error, or when the context ends first, nobody has moved.
func (c *Crowd) Respond(ctx context.Context, u []float64) error {
	if err := kedge.CheckVector("u", u, c.dim.Decision); err != nil {
		return err
	}
	for first := 0; first < c.size; first += chunk {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("respond: %w", err)
		}
		if err := c.move(first, min(first+chunk, c.size), u); err != nil {
			return fmt.Errorf("respond: %w", err)
		}
	}
	c.states, c.next = c.next, c.states
	return nil
}

// move writes the next states of individuals first … last−1.
func (c *Crowd) move(first, last int, u []float64) error {
	s, t := c.dim.State, c.dim.Trait
	next := c.next[first*s : last*s]
	c.f.NextRows(next, c.states[first*s:last*s], u, c.traits[first*t:last*t])
	return checkRows("p", next, first, s)
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
	for len(c.index) < n {
		c.index = append(c.index, 0)
	}
	index := c.index[:n]
	if err := c.pick.Pick(index, c.size); err != nil {
		return 0, fmt.Errorf("sample: %w", err)
	}
	for row, i := range index {
		copy(kedge.Row(p, row, c.dim.State), kedge.Row(c.states, i, c.dim.State))
		copy(kedge.Row(d, row, c.dim.Trait), kedge.Row(c.traits, i, c.dim.Trait))
	}
	return n, nil
}
