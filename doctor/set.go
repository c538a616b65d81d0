package doctor

import (
	"fmt"
	"math"
	"slices"

	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/set"
)

const (
	directions     = 24   // in which the set is looked at, besides the axes
	mostAxes       = 40   // that are looked at, both ways
	stillTolerance = 1e-9 // how far a second projection may move a point, relative
)

// feasible projects points around the start. Projections must stay where they are when projected again, and come no farther
// apart than the points were: that is what projections onto convex sets do. Sets with gaps must do the first alone.
func feasible(e *exam) Check {
	r := e.draws("set")
	size := 1 + rows.Norm(e.Start)
	moved, spread := 0.0, 0.0
	last, lastImage := slices.Clone(e.Start), slices.Clone(e.Start)
	for range directions {
		x := slices.Clone(e.Start)
		r.Normals(x)
		rows.Scale(x, size)
		image, again, err := e.twice(x)
		if err != nil {
			return Check{Verdict: Fail, Figure: "no nearest point of " + vector(x) + ": " + oneLine(err),
				Detail: "No decision may be feasible.", Remedy: "loosen the constraints of the set"}
		}
		moved = max(moved, gap(image, again))
		spread = max(spread, rows.Distance(image, lastImage)/rows.Distance(x, last))
		last, lastImage = x, image
	}
	if _, ok := e.Set.(set.Discrete); ok { // its projections may lie farther apart than the points
		spread = 0
	}
	return judgeSet(max(moved, e.moves(e.Start)), spread)
}

func judgeSet(moved, spread float64) Check {
	switch {
	case !(moved <= stillTolerance):
		return Check{Verdict: Fail, Figure: fmt.Sprintf("a feasible point moves by %.2g of its length when projected", moved),
			Remedy: "project to the nearest point of one closed convex set"}
	case !(spread <= 1+1e-6):
		return Check{Verdict: Fail, Figure: fmt.Sprintf("projections lie %.3g times as far apart as the points", spread),
			Detail: "Projections onto a convex set never do.", Remedy: "project to the nearest point of one closed convex set"}
	}
	return Check{Verdict: Pass, Figure: fmt.Sprintf("projected points stay to %.1g", moved)}
}

// twice projects x, and the result again.
func (e *exam) twice(x []float64) (once, again []float64, err error) {
	once = slices.Clone(x)
	if err = e.Set.Project(once); err != nil {
		return nil, nil, err
	}
	again = slices.Clone(once)
	return once, again, e.Set.Project(again)
}

// moves tells how far a point is from its projection, +∞ when there is none.
func (e *exam) moves(x []float64) float64 {
	image := slices.Clone(x)
	if e.Set.Project(image) != nil {
		return math.Inf(1)
	}
	return gap(image, x)
}

// bounded projects far points, in the directions of some axes and others, and sees whether nearer the horizon the set still
// goes on. On the way it chooses the decisions under which everything else is looked at.
func bounded(e *exam) Check {
	reach, open, unclear := 0.0, []float64(nil), 0
	var corners [][]float64
	for _, way := range e.ways() {
		near, far, ok := e.farthest(way)
		switch {
		case !ok:
			unclear++
		case rows.Distance(far, e.Start) > 10*rows.Distance(near, e.Start):
			if open == nil {
				open = way
			}
		default:
			corners = append(corners, near)
			reach = max(reach, rows.Distance(near, e.Start))
		}
	}
	e.chooseDecisions(corners, open != nil)
	switch {
	case open != nil:
		return Check{Verdict: Warn, Figure: "it has no end in the direction " + vector(open),
			Detail: "The optimum may not exist, and decisions may run away.", Remedy: "bound the set unless the objective grows in every direction"}
	case len(corners) == 0:
		return Check{Verdict: Warn, Figure: "far points cannot be projected, so this cannot be told"}
	case unclear > 0:
		return Check{Verdict: Warn, Figure: fmt.Sprintf("%d of %d far points cannot be projected; the others end within %.3g of the start", unclear, unclear+len(corners), reach)}
	}
	return Check{Verdict: Pass, Figure: fmt.Sprintf("within %.3g of the first decision", reach)}
}

// ways returns the directions of axes, both ways, and random ones.
func (e *exam) ways() (list [][]float64) {
	r, n := e.draws("bounded"), e.dim.Decision
	for i := range min(n, mostAxes) {
		for _, sign := range []float64{1, -1} {
			axis := make([]float64, n)
			axis[i*n/min(n, mostAxes)] = sign
			list = append(list, axis)
		}
	}
	for range directions {
		way := make([]float64, n)
		r.Normals(way)
		rows.Scale(way, 1/rows.Norm(way))
		list = append(list, way)
	}
	return list
}

// farthest projects a far and a very far point in one direction.
func (e *exam) farthest(way []float64) (near, far []float64, ok bool) {
	size := 1 + rows.Norm(e.Start)
	near, far = moved(e.Start, 1e5*size, way), moved(e.Start, 1e8*size, way)
	return near, far, e.Set.Project(near) == nil && e.Set.Project(far) == nil
}

// chooseDecisions adds mixtures of the first decision and corners of the set or, where it has no end, points around the
// first decision.
func (e *exam) chooseDecisions(corners [][]float64, open bool) {
	r := e.draws("decisions")
	for len(e.us) < e.Decisions {
		u := slices.Clone(e.Start)
		if open || len(corners) == 0 {
			r.Normals(u)
			rows.Scale(u, max(1, rows.Norm(e.Start))/math.Sqrt(float64(len(u))))
			rows.AddScaled(u, 1, e.Start)
		} else {
			mix(u, r.Float64(), corners[r.Intn(len(corners))])
			mix(u, r.Float64(), corners[r.Intn(len(corners))])
		}
		if e.Set.Project(u) != nil || !rows.Finite(u) {
			return
		}
		e.us = append(e.us, u)
	}
}

// mix moves u by the share t of the way to x.
func mix(u []float64, t float64, x []float64) {
	rows.Scale(u, 1-t)
	rows.AddScaled(u, t, x)
}
