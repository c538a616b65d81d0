package population

import (
	"reflect"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/internal/wire"
)

// eights keeps states as Float64 in tiles of eight people, and traits beside them. Rows are made of them for whoever asks, with the same bits.
//
// While a decision is judged that is about to be deployed, the next states come with it: Foresee.
type eights struct {
	f         kedge.TileDynamics
	n, width  int
	now, then []float64 // tiles
	traits    []float64 // tiles

	aligns bool      // traits are such that they can be aligned
	shy    bool      // another decision was deployed than the one foreseen
	u      []float64 // the decision foreseen, none for none
	ahead  []bool    // chunks whose next states are there already
	last   []float64 // room to align the last chunk

	rows   []float64 // states that hold as a block, once somebody has asked
	inStep bool      // that they are those that hold
	looks  int       // steps in a row after which somebody asked
}

const (
	mostTiled   = 1 << 18   // entries of states that are kept in tiles: memory decides on larger crowds
	mostAligned = 4 * chunk // people whose answer is foreseen at once
	mostLooks   = 3         // steps in a row whose states are asked for as a block before that is what is kept
)

// tiled returns the store in tiles of a crowd that can move in them, nil for one that cannot.
func (c *Crowd) tiled(config Config) *eights {
	f, ok := config.Dynamics.(kedge.TileDynamics)
	traits, isBlock := c.traits.(kedge.Block)
	if !ok || !isBlock || !f.Tiles() || config.Storage != Float64 || config.Motion != nil || config.Noise != nil || config.Stir != nil || config.Social ||
		c.dim != (kedge.Dims{Decision: traits.Width, State: traits.Width, Trait: traits.Width}) || len(traits.Data) > mostTiled {
		return nil
	}
	size := rows.TileSize(c.size, traits.Width)
	t := &eights{
		f: f, n: c.size, width: traits.Width, now: make([]float64, size), then: make([]float64, size), traits: make([]float64, size),
		aligns: f.AlignsTraits(traits.Data), ahead: make([]bool, (c.size+chunk-1)/chunk), last: make([]float64, min(size/traits.Width, mostAligned)),
	}
	rows.Tile(t.traits, traits.Data, t.width)
	return t
}

func (t *eights) Size() (n, width int) { return t.n, t.width }

func (t *eights) View(room []float64, first, last int) []float64 {
	room = room[:(last-first)*t.width]
	rows.Untile(room, t.now, first, t.width)
	return room
}

func (t *eights) next(room []float64, first, last int) []float64 { return room[:(last-first)*t.width] }

// keep is for individuals from the beginning of a chunk on.
func (t *eights) keep(x []float64, first int) { rows.Tile(t.then[first*t.width:], x, t.width) }

func (t *eights) put(x []float64, i int) {
	t.forget()
	t.inStep = false
	for j, v := range x[:t.width] {
		t.now[i/rows.TileRows*rows.TileRows*t.width+rows.TileRows*j+i%rows.TileRows] = v
	}
}

func (t *eights) swap() {
	t.now, t.then = t.then, t.now
	t.forget()
	if !t.inStep {
		t.looks = 0
	}
	t.inStep = false
}

func (t *eights) bytes() int { return 8 * (len(t.now) + len(t.then) + len(t.traits) + len(t.rows)) }

func (t *eights) kind() string { return doublesKind }

// fields are those of doubles.
func (t *eights) fields(f *wire.Fields) {
	x, saved := t.rows, []float64(nil)
	if f.Reading() {
		saved = make([]float64, t.n*t.width)
	} else if !t.inStep {
		x = t.View(make([]float64, t.n*t.width), 0, t.n)
	}
	wire.Swap(f, &x, &saved)
	if f.Reading() {
		f.Check(checkRows("states", x, 0, t.width))
		f.Then(func() {
			rows.Tile(t.then, x, t.width)
			t.swap()
		})
	}
}

// block returns all states as rows.
func (t *eights) block() []float64 {
	if !t.inStep {
		if t.rows == nil {
			t.rows = make([]float64, t.n*t.width)
		}
		t.View(t.rows, 0, t.n)
		t.inStep = true
		t.looks++
	}
	return t.rows
}

// retire makes a store in rows of the tiles, which nobody uses any more.
func (t *eights) retire() store {
	t.forget()
	t.shy = true // whoever may still ask it
	return &doubles{now: kedge.Block{Data: t.block(), Width: t.width}, then: kedge.Block{Data: t.then[:t.n*t.width], Width: t.width}}
}

// move writes the next states of a chunk and tells whether it did; rows do what is out of the ordinary.
func (t *eights) move(u []float64, i int) bool {
	if t.ahead[i] {
		return true
	}
	lo, hi := t.span(i*chunk, (i+1)*chunk)
	return t.f.NextTiles(t.then[lo:hi], t.now[lo:hi], u, t.traits[lo:hi])
}

// span returns where the tiles of individuals first … last−1 lie; first is the beginning of a tile.
func (t *eights) span(first, last int) (lo, hi int) {
	return first * t.width, min(last*t.width, len(t.now))
}

// begin says which decision is deployed.
func (t *eights) begin(u []float64) {
	if len(t.u) > 0 && !rows.SameBits(t.u, u) {
		t.shy = true
		t.forget()
	}
}

// forget drops what was foreseen.
func (t *eights) forget() {
	t.u = t.u[:0]
	clear(t.ahead)
}

// Foresee implements [kedge.ForesightedCrowd].
func (t *eights) Foresee(u []float64) bool {
	t.forget()
	if t.shy || !t.aligns || len(u) != t.width || !t.f.AlignsUnder(u) {
		return false
	}
	t.u = append(t.u, u...)
	return true
}

// AlignPeople implements [kedge.ForesightedCrowd]: for people from the beginning of a chunk to that of another, or to the last.
func (t *eights) AlignPeople(pu []float64, first int) (kedge.Residual, bool) {
	last := first + len(pu)
	if len(t.u) == 0 || len(pu) == 0 || len(pu) > mostAligned || first%chunk != 0 || last%chunk != 0 && last != t.n {
		return kedge.Residual{}, false
	}
	lo, hi := t.span(first, (last+rows.TileRows-1)/rows.TileRows*rows.TileRows)
	to := pu
	if last%rows.TileRows != 0 {
		to = t.last[:(hi-lo)/t.width]
	}
	moved, aligned, worst := t.f.AlignTiles(t.then[lo:hi], to, t.now[lo:hi], t.u, t.traits[lo:hi])
	for i := first / chunk; moved && i*chunk < last; i++ {
		t.ahead[i] = true
	}
	copy(pu, to)
	return worst, aligned
}

// Foresight returns the crowd as one that judges the decision which it is about to answer, for a steady.Objective of the model: nil unless that is of the
// crowd's own people and dynamics, and they move in tiles.
func (c *Crowd) Foresight(m kedge.Model) kedge.ForesightedCrowd {
	t, ok := c.states.(*eights)
	mine, _ := c.traits.(kedge.Block)
	theirs, isBlock := m.Traits.(kedge.Block)
	aligner, _ := m.Aligned()
	if !ok || !isBlock || len(mine.Data) == 0 || len(theirs.Data) != len(mine.Data) || &theirs.Data[0] != &mine.Data[0] ||
		aligner == nil || !reflect.TypeOf(aligner).Comparable() || aligner != kedge.Aligner(t.f) {
		return nil
	}
	return t
}
