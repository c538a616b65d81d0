package optimum

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
)

// landscape is a function over a set in units of its own: decisions are measured by length, gradients by slope. Both are powers of
// two, so nothing is rounded, and whoever states losses or decisions in other units gets the same search.
type landscape struct {
	ctx    context.Context
	f      Function
	set    kedge.Set
	length float64
	slope  float64

	beyond func(u []float64) bool // tells where constraints forbid to go on, in the user's units; nil: nowhere
	lack   float64                // how far the start is from keeping them, by their slopes there

	evaluations int
	most        int   // evaluations after which walks end; 0: never
	refused     error // the first failure to evaluate: there the landscape has no value, as behind a wall
	room        []float64
}

func newLandscape(ctx context.Context, f Function, set kedge.Set, n int) *landscape {
	return &landscape{ctx: ctx, f: f, set: set, length: 1, slope: 1, room: make([]float64, n)}
}

// eval returns the loss at u in own units and writes the gradient to g. Where the function has no value the loss is +Inf.
func (l *landscape) eval(g, u []float64) float64 {
	l.evaluations++
	copy(l.room, u)
	rows.Scale(l.room, l.length)
	loss, err := l.f.Gradient(g, l.room)
	if err == nil && (math.IsNaN(loss) || !rows.Finite(g)) {
		err = errors.New("optimum: the loss or its gradient is not a number")
	}
	if err != nil {
		if l.refused == nil && l.ctx.Err() == nil {
			l.refused = err
		}
		return math.Inf(1)
	}
	rows.Scale(g, 1/l.slope)
	return loss / l.slope / l.length
}

// height is the loss at u alone.
func (l *landscape) height(u []float64) float64 { return l.eval(make([]float64, len(u)), u) }

// over tells whether walks must end: the context has, or the work that they may take.
func (l *landscape) over() bool { return l.ctx.Err() != nil || l.most > 0 && l.evaluations >= l.most }

// left is how many evaluations are left, at least one.
func (l *landscape) left() int { return max(1, l.most-l.evaluations) }

// project moves u, in own units, into the set.
func (l *landscape) project(u []float64) error {
	rows.Scale(u, l.length)
	err := l.set.Project(u)
	rows.Scale(u, 1/l.length)
	return err
}

// stepped puts u where a step from a decision leads, and into the set.
func (l *landscape) stepped(u, from []float64, by float64, way []float64) error {
	copy(u, from)
	rows.AddScaled(u, by, way)
	return l.project(u)
}

// aside puts u beside a decision along one axis, and into the set.
func (l *landscape) aside(u, from []float64, axis int, by float64) error {
	copy(u, from)
	u[axis] += by
	return l.project(u)
}

// inward returns u of the user's units, inside the set, in own units.
func (l *landscape) inward(u []float64) ([]float64, error) {
	v := scaled(u, 1/l.length)
	return v, l.project(v)
}

// outward returns a copy of u in the user's units. The last projection may have been rounded by a change of units that is none.
func (l *landscape) outward(u []float64) []float64 { return scaled(u, l.length) }

// scaled returns a multiple of u.
func scaled(u []float64, by float64) []float64 {
	v := slices.Clone(u)
	rows.Scale(v, by)
	return v
}

// point is a place of the landscape in the user's units, with the evidence in own ones.
func (l *landscape) point(p place) Point {
	return Point{Decision: l.outward(p.u), Loss: p.loss * l.length * l.slope, Residual: p.residual / max(p.typical(), 1e-300), Steps: p.steps, Kink: p.kink, Jump: p.jump, Radius: p.radius}
}

// survey finds the units: the length from how wide the set is or, where it has no end, from how far downhill goes; the slope from
// how losses differ over that length.
func (l *landscape) survey(start []float64) (*extent, error) {
	e := l.box(start)
	if !e.bounded() {
		e.step = max(e.step, l.downhill(start), rows.MaxAbs(start), l.lack)
	}
	l.measure(e)
	return e, l.ctx.Err()
}

// box is the box around the set, with half of its longest side that ends for the step.
func (l *landscape) box(start []float64) *extent {
	e := &extent{lower: make([]float64, len(start)), upper: make([]float64, len(start)), from: start}
	for i := range start {
		e.lower[i], e.upper[i] = l.reach(start, i, -1), l.reach(start, i, 1)
		if w := e.upper[i] - e.lower[i]; !math.IsInf(w, 0) {
			e.step = max(e.step, w/2)
		}
	}
	return e
}

// measure makes the step of an extent the unit of length.
func (l *landscape) measure(e *extent) {
	l.length = cmp.Or(power(e.step), 1) // the set may be a point
	e.rescale(1 / l.length)
}

// farthest is how far out a set is asked whether it goes on: 2⁶⁰ times the size of the start, or of 1.
const farthest = 0x1p60

// reach returns how far the set goes from u along an axis, infinite if it does not end.
func (l *landscape) reach(u []float64, axis int, sign float64) float64 {
	size := rows.MaxAbs(u)
	if size < 0x1p-900 {
		size = 1
	}
	at := make([]float64, len(u))
	for out := size * farthest; out > size*0x1p-80; out /= 16 {
		if l.aside(at, u, axis, float64(sign*out)) != nil {
			continue
		}
		went := math.Abs(at[axis] - u[axis])
		if went >= out/4 {
			return sign * math.Inf(1)
		}
		// Nearer by, the projection is more exact.
		if l.aside(at, u, axis, float64(sign*64*max(went, size*0x1p-80))) != nil {
			continue
		}
		return at[axis]
	}
	return u[axis]
}

// downhill returns how far the loss keeps falling from a start straight down, by powers of four.
func (l *landscape) downhill(start []float64) float64 {
	size := cmp.Or(rows.MaxAbs(start), 1)
	g, u := make([]float64, len(start)), make([]float64, len(start))
	first := l.eval(g, start)
	steep := rows.MaxAbs(g)
	if math.IsInf(first, 1) || steep == 0 {
		return size
	}
	loss := func(t float64) float64 {
		if l.stepped(u, start, -t/steep, g) != nil || l.beyond != nil && l.beyond(u) {
			return math.Inf(1)
		}
		return l.eval(make([]float64, len(u)), u)
	}
	t, low := size, loss(size)
	if low < first {
		for range 60 {
			next := loss(4 * t)
			if !(next < low) {
				return t
			}
			t, low = 4*t, next
		}
		return t
	}
	for range 60 {
		t /= 4
		if loss(t) < first-float64(.1*t*steep) { // as much as the slope promises, and no mere rounding
			return t
		}
	}
	return size
}

// power returns the power of two next below x.
func power(x float64) float64 {
	if !(x > 0) || math.IsInf(x, 1) {
		return 0
	}
	_, e := math.Frexp(x)
	return math.Ldexp(1, e-1)
}

// extent is the box around a set; it may have no end.
type extent struct {
	lower, upper []float64
	from         []float64 // a decision of the set
	step         float64   // how far one goes where there is no end
}

func (e *extent) bounded() bool { return rows.Finite(e.lower) && rows.Finite(e.upper) }

func (e *extent) rescale(by float64) {
	e.from = scaled(e.from, by)
	rows.Scale(e.lower, by)
	rows.Scale(e.upper, by)
	e.step *= by
}

// at returns the number of axis i that has the share of its range below it. Without an end the range grows without bound.
func (e *extent) at(i int, share float64) float64 {
	lower, upper := e.lower[i], e.upper[i]
	switch {
	case !math.IsInf(lower, 0) && !math.IsInf(upper, 0):
		return lower + float64(share*(upper-lower))
	case !math.IsInf(lower, 0):
		return lower + float64(2*e.step*share/(1.02-share))
	case !math.IsInf(upper, 0):
		return upper - float64(2*e.step*(1-share)/(share+.02))
	}
	t := 2*share - 1
	return e.from[i] + float64(2*e.step*t/(1.02-float64(t*t)))
}

// place is where a walk has come to, in the landscape's units.
type place struct {
	u        []float64
	loss     float64
	residual float64 // ‖Π(u − ∇) − u‖
	steepest float64 // the largest residual on the way, at least the landscape's unit
	steps    int     // evaluations

	kink   bool    // the residual is that of the smallest mean of the gradients nearby
	radius float64 // how near
	jump   bool    // the loss jumps there
}

// still tells whether the residual is so small a part of the steepest and, where the way began on a cliff, of the loss itself.
func (p *place) still(part float64) bool { return p.residual <= part*p.typical() }

// typical is the gradient that the residual is compared with.
func (p *place) typical() float64 { return min(p.steepest, max(math.Abs(p.loss), 1)) }
