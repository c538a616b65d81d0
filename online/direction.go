package online

import (
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

// Describe gives the direction, if there is one already, and the source.
func (e *direction) Describe(f *wire.Fields) {
	if f.Bool(&e.drawn); e.drawn {
		f.Fixed(e.v)
		f.Finite("the direction", e.v)
	}
	f.Part("source of directions", e.source)
}
