package online

import (
	"fmt"
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/internal/wire"
)

// Normals fills dst with standard normal numbers; *stream.Stream and *stream.NumPy do.
type Normals interface{ Normals(dst []float64) }

// direction is δv with v uniform on the unit sphere, drawn anew for every deployment that asks for one.
type direction struct {
	delta  float64
	source Normals
	v      []float64
	drawn  bool
}

func newDirection(n int, delta float64, source Normals) (direction, error) {
	if !(delta > 0) || math.IsInf(delta, 0) {
		return direction{}, &kedge.RangeError{Arg: "delta", Got: delta, Want: "a positive number"}
	}
	return direction{delta: delta, source: source, v: make([]float64, n)}, nil
}

// add adds sign·δv to u.
func (e *direction) add(u []float64, sign float64) {
	e.draw()
	rows.AddScaled(u, sign*e.delta, e.v)
}

// slope writes rise·(n/δ)v to g: averaged over directions, the gradient of what rises so much along δv.
func (e *direction) slope(g []float64, rise float64) {
	e.draw()
	clear(g)
	rows.AddScaled(g, float64(len(g))/e.delta*rise, e.v)
}

// draw makes the direction, once.
func (e *direction) draw() {
	for !e.drawn {
		e.source.Normals(e.v)
		norm := rows.Norm(e.v)
		e.drawn = norm > 0 || len(e.v) == 0
		rows.Scale(e.v, 1/norm)
	}
}

// renew asks for another direction.
func (e *direction) renew() { e.drawn = false }

// state returns what must be saved of the source.
func (e *direction) state() (wire.State, error) {
	if s, ok := e.source.(wire.State); ok {
		return s, nil
	}
	return nil, fmt.Errorf("online: the source of directions, a %T, cannot be saved: it is no wire.State", e.source)
}

// write writes the direction if there is one already, then the source.
func (e *direction) write(w *wire.Writer, source wire.State) {
	w.Bool(e.drawn)
	if e.drawn {
		w.Floats(e.v)
	}
	w.State(source)
}

// read reads what write wrote into a new direction and the bytes of its source, which restore takes once all else is read.
func (e *direction) read(r *wire.Reader) (read direction, source []byte) {
	read = direction{delta: e.delta, source: e.source, v: make([]float64, len(e.v)), drawn: r.Bool()}
	if read.drawn {
		r.Fill(read.v)
	}
	if !rows.Finite(read.v) {
		r.Fail("the direction is not finite")
	}
	return read, r.Bytes()
}

// restore makes e the direction that was read. On an error e is unchanged.
func (e *direction) restore(read direction, source []byte) error {
	s, err := e.state()
	if err != nil {
		return err
	}
	if err := s.UnmarshalBinary(source); err != nil {
		return err
	}
	*e = read
	return nil
}
