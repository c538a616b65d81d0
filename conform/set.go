package conform

import (
	"cmp"
	"math"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/stream"
)

// Points draws the decisions to project: inside the set, near it and far outside.
type Points struct {
	Draw  func(r *stream.Stream) []float64
	Count int     // how many points to draw; zero means 32
	Tol   float64 // error allowed of a projection relative to the set's own size; zero means 10·n·2⁻⁵³ for n entries
}

// Set tests s as the map to the nearest point of a convex set: what it gives it keeps (idempotent), it brings no two points
// further apart (nonexpansive), and the way to a point of the set is at no acute angle to the way back
// (⟨y − Πy, w − Πy⟩ ≤ 0 for every w in the set, which makes Πy the nearest). Points of the set are had from Project itself.
func Set(t testing.TB, s kedge.Set, c Points) {
	t.Helper()
	p := projections{set: s, tol: c.Tol}
	report(t, "Project", func() { p.record(c) }, p.properties)
}

func (p *projections) properties() []property {
	return []property{
		{"Project keeps points of the set", p.idempotent},
		{"Project brings no points apart", p.nonexpansive},
		{"Project finds the nearest point", p.nearest},
		{"Project refuses what is not finite", p.refuses},
		{"Project stands large numbers", p.large},
		{"Project may be called in parallel", p.inParallel},
	}
}

// projections are drawn points y and what Project made of them, x.
type projections struct {
	set  kedge.Set
	y, x [][]float64
	tol  float64 // relative to size
	size float64 // ‖x‖∞ of the largest point of the set that was seen
}

func (p *projections) record(c Points) {
	r := stream.New(1, "conform", "set")
	for i := range cmp.Or(c.Count, 32) {
		y := c.Draw(r)
		x := clone(y)
		during(func() {
			succeeds(p.set.Project(x))
			finite("the projection", x)
		}, "point %d", i)
		p.y, p.x = append(p.y, y), append(p.x, x)
		p.size = max(p.size, rows.MaxAbs(x))
		p.tol = cmp.Or(p.tol, 10*float64(len(y))*ulp/2)
	}
}

func (p projections) idempotent() {
	for _, x := range p.x {
		again := clone(x)
		succeeds(p.set.Project(again))
		near("projected again", again, x, p.tol*p.size)
	}
}

func (p projections) nonexpansive() {
	for i := range p.x {
		j := (i + 1) % len(p.x)
		before, after := rows.Distance(p.y[i], p.y[j]), rows.Distance(p.x[i], p.x[j])
		if !(after <= before+float64(p.tol*(p.size+before))) {
			fail("points %d and %d were %v apart and are %v", i, j, before, after)
		}
	}
}

func (p projections) nearest() {
	for i, x := range p.x {
		back := clone(p.y[i])
		rows.AddScaled(back, -1, x)
		for j, w := range p.x {
			way := clone(w)
			rows.AddScaled(way, -1, x)
			size := rows.Norm(p.y[i]) + rows.Norm(x) + rows.Norm(w)
			if angle := rows.Dot(back, way); !(angle <= 10*p.tol*size*size) {
				fail("point %d: going towards projection %d comes nearer (inner product %.3g)", i, j, angle)
			}
		}
	}
}

func (p projections) refuses() {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for i := range p.y[0] {
			u := clone(p.y[0])
			u[i] = bad
			before := clone(u)
			if p.set.Project(u) == nil {
				fail("%v in entry %d was accepted", bad, i)
			}
			same("the point after an error", u, before)
		}
	}
}

// large projects points whose squares overflow. An error is fine, a wrong point is not.
func (p projections) large() {
	for _, y := range p.y {
		u := clone(y)
		rows.Scale(u, 1e200)
		before := clone(u)
		if p.set.Project(u) != nil {
			same("the point after an error", u, before)
		} else {
			finite("the projection of a point of 1e200", u)
		}
	}
}

func (p projections) inParallel() {
	inParallel(len(p.y), func(i int) {
		u := clone(p.y[i])
		succeeds(p.set.Project(u))
		same("the projection", u, p.x[i])
	})
}
