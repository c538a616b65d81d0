// Package gpu keeps crowds on a GPU and moves and judges them there, with the bits of the CPU: what is done for an individual is a list of
// operations that carry their rounding (package ptx), sums have the order of package rows, and where the CPU leaves its ordinary path
// a kernel raises a flag and the CPU does it.
package gpu

import (
	"errors"
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/device"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/ptx"
)

// Emitting are dynamics whose step is known as a list of operations.
type Emitting interface {
	kedge.Dynamics
	// Shares is how many numbers all individuals share, negative where there is no list.
	Shares() int
	// Share writes them for a decision.
	Share(dst, u []float64)
	// EmitNext writes the list of f(p, u, d).
	EmitNext(c *ptx.OpList)
}

// errFlagged is of a kernel that gives ordinary people up.
var errFlagged = errors.New("ordinary people are flagged")

// mostOperations is how many operations a list may have: beyond, the driver takes long to compile it and registers spill.
const mostOperations = 20_000

// Board is an opened GPU with what is kept on it. Several trials may use it at once.
type Board struct {
	// Say is told, a line at a time, what a user must know. It may be nil, and is called by one goroutine at a time.
	Say func(line string)

	dev    *device.Device
	mu     sync.Mutex
	kept   map[any]*traits
	codes  map[codeKey]*kernels
	tools  map[ptx.Precision]device.Kernel // that gather
	tree   device.Kernel
	faults [2]atomic.Int64 // turns and verdicts until a kernel faults, for tests; 0 and below: never
	used   atomic.Bool

	lossTold atomic.Bool
}

// wrongAddress is what a kernel gets that is to fault.
const wrongAddress = 8

// What is counted until a kernel faults.
const (
	atTurns = iota
	atVerdicts
)

// strikes tells whether the kernel that is about to be launched is to fault.
func (p *Board) strikes(at int) bool { return p.faults[at].Add(-1) == 0 }

// Lost is the error after which the device can do nothing more in this process; nil while it can.
func (p *Board) Lost() error { return p.dev.Lost() }

// IsLost tells whether the device can do nothing more in this process, and lets the user know if nobody did.
func (p *Board) IsLost() bool {
	why := p.Lost()
	if why != nil && p.lossTold.CompareAndSwap(false, true) {
		p.tell("all that follows is on the CPU with the same bytes, because %v", why)
	}
	return why != nil
}

// furnish compiles what all crowds need.
func (p *Board) furnish() error {
	var err error
	if p.tree, err = p.dev.Load(ptx.Head+ptx.Tree, "tree"); err != nil {
		return err
	}
	for _, f := range []ptx.Precision{ptx.Float64, ptx.Float32} {
		if p.tools[f], err = p.dev.Load(ptx.Head+ptx.Gather(f), "gather"); err != nil {
			return err
		}
	}
	return nil
}

// Info is what is known of the device.
func (p *Board) Info() device.Info { return p.dev.Info }

// Used tells whether a crowd has moved on the device.
func (p *Board) Used() bool { return p.used.Load() }

// Close gives the device back with everything on it.
func (p *Board) Close() { p.dev.Close() }

func (p *Board) tell(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.Say != nil {
		p.Say(fmt.Sprintf(format, args...))
	}
}

// UnfitError says why a crowd must move on the CPU.
type UnfitError struct{ Why string }

func (e *UnfitError) Error() string { return "the GPU does not do this: " + e.Why }

// Fits tells whether the crowd of a config can move on the device; the error is an *UnfitError.
func (p *Board) Fits(c population.Config) error {
	dim := c.Dynamics.Dims()
	f, listed := c.Dynamics.(Emitting)
	var size, width int
	if c.Traits != nil {
		size, width = c.Traits.Size()
	}
	for _, no := range []struct {
		is  bool
		why string
	}{
		{c.Motion != nil, "people whose traits drift, or who come and go (population.drift, population.churn)"},
		{c.Noise != nil || c.Stir != nil, "noise (dynamics.noise, model.noise)"},
		{c.Social, "people who see the mean of the crowd"},
		{!listed, fmt.Sprintf("these dynamics have no kernel (%T)", c.Dynamics)},
		{listed && f.Shares() < 0, "the formula has sines, cosines, tangents or the error function"},
		{dim.Trait == 0 || size == 0, "people without traits"},
		{width != dim.Trait, "traits that are not as wide as those of the dynamics"},
	} {
		if no.is {
			return &UnfitError{no.why}
		}
	}
	traits := ptx.Float64
	if _, short := c.Traits.(shortRows); short {
		traits = ptx.Float32
	}
	if p.find(c.Traits) != nil {
		dim.Trait = 0
	}
	return p.room(crowdBytes(size, dim, formatOf(c.Storage), traits), c.Storage)
}

// HasRoom tells whether a crowd has room on the device, before anybody of it is drawn; the error is an *UnfitError.
func (p *Board) HasRoom(size int, dim kedge.Dims, storage population.Storage, redrawn bool) error {
	traits := formatOf(storage)
	if redrawn {
		traits = ptx.Float64
	}
	return p.room(crowdBytes(size, dim, formatOf(storage), traits), storage)
}

// crowdBytes is what a crowd takes on a device: its states twice, its traits and the sums.
func crowdBytes(size int, dim kedge.Dims, states, traits ptx.Precision) int {
	tiles := (size + ptx.Tile - 1) / ptx.Tile
	return tiles*ptx.Tile*(2*dim.State*states.Bytes()+dim.Trait*traits.Bytes()) + 8*treeRoom(tiles)
}

// room tells whether so many bytes are free.
func (p *Board) room(need int, storage population.Storage) error {
	free, err := p.dev.Room()
	if err != nil {
		return &UnfitError{err.Error()}
	}
	remedy := "population.storage: float32 takes half"
	if storage == population.Float32 {
		remedy = "take fewer people"
	}
	if need > free {
		return &UnfitError{fmt.Sprintf("%.1f GB are needed and %.1f GB free; %s", float64(need)/1e9, float64(free)/1e9, remedy)}
	}
	return nil
}

func formatOf(s population.Storage) ptx.Precision {
	if s == population.Float32 {
		return ptx.Float32
	}
	return ptx.Float64
}

// codeKey is what kernels depend on.
type codeKey struct {
	dynamics       any
	states, traits ptx.Precision
	unit           bool
}

// kernels are those of one dynamics: the step, the losses of the settled, and both in one pass. Those that there are not are nil.
type kernels struct {
	shares            int
	next, value, both *device.Kernel
}

// kernels returns those of a dynamics for how its people are kept, compiled once.
func (p *Board) kernels(f Emitting, states ptx.Precision, t *traits) (*kernels, error) {
	key := codeKey{nil, states, t.format, t.unit}
	if reflect.TypeOf(f).Comparable() {
		key.dynamics = f
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if k := p.codes[key]; k != nil && key.dynamics != nil {
		return k, nil
	}
	k, err := p.compile(f, key)
	if err == nil {
		p.codes[key] = k
	}
	return k, err
}

// aligned are dynamics whose people are judged by where they settle without working that out.
type aligned interface {
	Emitting
	kedge.Aligner
	Aligns(u []float64) bool
	EmitAlign(c *ptx.OpList) ptx.Scalar
}

func (p *Board) compile(f Emitting, key codeKey) (*kernels, error) {
	dim, k := f.Dims(), &kernels{shares: f.Shares()}
	list := func(moves, judges bool) *ptx.OpList {
		c := ptx.New(dim.State, dim.Trait, k.shares)
		if key.unit {
			c.UnitTraits()
		}
		if moves {
			f.EmitNext(c)
		}
		if judges {
			c.Score(f.(aligned).EmitAlign(c))
		}
		return c
	}
	load := func(c *ptx.OpList) (*device.Kernel, error) {
		if c.Len() > mostOperations {
			return nil, &UnfitError{fmt.Sprintf("a step has %d operations, at most %d are compiled", c.Len(), mostOperations)}
		}
		made, err := p.dev.Load(ptx.Head+c.Kernel("work", key.states, key.traits), "work")
		return &made, err
	}
	var err error
	if k.next, err = load(list(true, false)); err != nil {
		return nil, err
	}
	if _, ok := f.(aligned); !ok {
		return k, nil
	}
	if k.value, err = load(list(false, true)); err == nil {
		k.both, err = load(list(true, true))
	}
	return k, err
}

// treeRoom is how many rows the tree of so many takes, itself included.
func treeRoom(n int) int { return n + n/(ptx.Wide/2) + 16 }

// addUp adds up n rows of numbers by the tree, whose sums are then at an address.
func (p *Board) addUp(parts device.Slab, n, width int, total uint64) error {
	from, to := 0, n
	for {
		out, blocks := parts.At(8*width*to), (n+ptx.Wide-1)/ptx.Wide
		if blocks == 1 {
			out = total
		}
		if err := p.dev.LaunchBeside(p.tree, blocks, width, ptx.Wide/2, parts.At(8*width*from), out, uint64(n), uint64(width)); err != nil {
			return err
		}
		if n = blocks; n == 1 {
			return nil
		}
		from, to = to, to+blocks
	}
}
