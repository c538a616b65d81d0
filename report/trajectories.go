package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/report/draw"
)

// mostTracks bounds the paths of a panel: of more than these none can be followed.
const mostTracks = 12

// view turns paths into a picture.
type view struct {
	across, up string // words for the axes
	see        string // how to read it
	square     bool
	tracks     func(p *folder.Path) draw.Trails
}

// pathFigure shows how some individuals and the decision moved in the last trial of every algorithm.
func pathFigure(r *folder.Result) draw.Sketch {
	g := draw.Grid{Shared: true}
	var v view
	var first *folder.Path
	var drawn []draw.Trails
	people := 0
	for _, s := range strandsOf(r) {
		path := lastPath(s.run)
		if path == nil {
			continue
		}
		if first == nil {
			first, v = path, viewOf(r, path)
		}
		if shapeOf(path) != shapeOf(first) {
			continue // of another problem: it has no place in the same picture
		}
		l := v.tracks(path)
		l.Style, people = s.Style, len(path.People)
		drawn, g.Panels = append(drawn, l), append(g.Panels, draw.Panel{Title: s.name})
	}
	for i, l := range drawn {
		g.Panels[i].Layers = []draw.Layer{l.Some(mostTracks)}
	}
	x, y := draw.Extents(g.Panels...)
	if x.Empty() || y.Empty() {
		return draw.Sketch{}
	}
	g.Columns = draw.ColumnsFor(len(g.Panels))
	if g.Square = v.square; v.square {
		g.Columns = min(g.Columns, 2)
	}
	g.SetAxes(v.axes(x, y))
	g.Legend = trackEntries(drawn[0])
	see := fmt.Sprintf("The last trial of every algorithm: %s. A path begins at a ring and ends at a dot. %s", who(people), v.see)
	if n := len(drawn[0].People); n > mostTracks {
		see += fmt.Sprintf(" Of %d paths %d are drawn, evenly chosen; arrays.npz has all.", n, mostTracks)
	}
	return g.Sketch("paths", "Paths of individuals and of the decision", see, false)
}

func who(people int) string {
	if people == 1 {
		return "one individual"
	}
	return fmt.Sprintf("%d individuals", people)
}

// lastPath is the path of a run's last trial, nil unless it is whole.
func lastPath(run folder.Run) *folder.Path {
	if len(run.Trials) == 0 {
		return nil
	}
	p := run.Trials[len(run.Trials)-1].Path
	if p == nil || len(p.K) == 0 || len(p.People) == 0 || len(p.States)%(len(p.K)*len(p.People)) != 0 || len(p.Decisions)%len(p.K) != 0 {
		return nil
	}
	return p
}

// axes covers all panels alike; in a square view a unit is as long upwards as across.
func (v view) axes(x, y draw.Extent) (draw.Axis, draw.Axis) {
	across, up := draw.NewRuler(x, false), draw.NewRuler(y, false)
	if v.square {
		across, up = draw.Fitted(x), draw.Fitted(y)
		wide, high := across.Max-across.Min, up.Max-up.Min
		up = draw.Widened(up, wide*0.6)
		across = draw.Widened(across, high*0.75)
	}
	return draw.Axis{Ruler: across, Label: v.across}, draw.Axis{Ruler: up, Label: v.up}
}

// trackEntries explain the marks.
func trackEntries(l draw.Trails) []draw.Entry {
	list := []draw.Entry{{Words: "○ start"}, {Words: "● end"}}
	if len(l.Decision) > 0 {
		list = append(list, draw.Entry{Sample: &draw.Line{Style: draw.Style{Ink: draw.Pale()}}, Words: "decision"})
	}
	if len(l.Optimum) > 0 {
		list = append(list, draw.Entry{Words: "× optimum"})
	}
	return list
}

// shapeOf is how many numbers a state and a decision have.
func shapeOf(p *folder.Path) [2]int {
	return [2]int{len(p.States) / (len(p.K) * len(p.People)), len(p.Decisions) / len(p.K)}
}

// viewOf chooses a picture by the shapes of states and decisions.
func viewOf(r *folder.Result, p *folder.Path) view {
	n, m := shapeOf(p)[0], shapeOf(p)[1]
	switch {
	case n == 1:
		return overTurns(r, m)
	case n == m && n > 2 && onSimplex(p, n):
		return overItems(n)
	case n == m && n > 2 && len(r.Optimum.Decision) == n:
		return projected(r, p, n)
	}
	return plane(r, n, m)
}

// onSimplex tells whether every state is a list of shares.
func onSimplex(p *folder.Path, n int) bool {
	for i := range len(p.States) / n {
		sum := 0.0
		for _, v := range kedge.Row(p.States, i, n) {
			if v < 0 {
				return false
			}
			sum += v
		}
		if !(math.Abs(sum-1) < 1e-6) {
			return false
		}
	}
	return true
}

// follow maps every individual's states and every decision to places, turn by turn.
func follow(p *folder.Path, n, m int, state, decision func(k int, v []float64) draw.Spot) draw.Trails {
	l := draw.Trails{People: make([]draw.Trail, len(p.People))}
	for s, k := range p.K {
		for i := range p.People {
			l.People[i] = append(l.People[i], state(k, kedge.Row(p.States, s*len(p.People)+i, n)))
		}
		if decision != nil {
			l.Decision = append(l.Decision, decision(k, kedge.Row(p.Decisions, s, m)))
		}
	}
	return l
}

// plane shows the first two entries of states and, if they have two as well, of decisions.
func plane(r *folder.Result, n, m int) view {
	v := view{across: calledWords(r.Names.State, 0, "first entry"), up: calledWords(r.Names.State, 1, "second entry"), square: true, see: "The strong line is the decision, the cross the optimum; they share the axes of the states."}
	two := func(_ int, v []float64) draw.Spot { return draw.Spot{X: v[0], Y: v[1]} }
	decision, optimum := two, []draw.Spot(nil)
	switch {
	case n != m || n > 2:
		decision, v.see = nil, "Only the first two entries of states are shown."
		v.across, v.up = calledWords(r.Names.State, 0, "first entry of the state"), calledWords(r.Names.State, 1, "second entry of the state")
	case len(r.Optimum.Decision) == 2:
		optimum = []draw.Spot{two(0, r.Optimum.Decision)}
	}
	v.tracks = func(p *folder.Path) draw.Trails {
		l := follow(p, n, m, two, decision)
		l.Optimum, l.Circle = optimum, r.Angles != nil
		return l
	}
	return v
}

// overTurns shows a single number over the turns.
func overTurns(r *folder.Result, m int) view {
	state := func(k int, v []float64) draw.Spot { return draw.Spot{X: float64(k), Y: v[0]} }
	decision := state
	if m != 1 {
		decision = nil
	}
	return view{across: "turn k", up: calledWords(r.Names.State, 0, "state"), see: "The snapshots lie closest at first.", tracks: func(p *folder.Path) draw.Trails {
		return follow(p, 1, m, state, decision)
	}}
}

// overItems shows every item: its part of the decision across, its share upwards, of all individuals together.
func overItems(n int) view {
	see := "Every item has a path of its own: its entry of the decision (a price) across, its share of the choices upwards."
	return view{across: "decision for the item", up: "share of the item", see: see, tracks: func(p *folder.Path) draw.Trails {
		l := draw.Trails{People: make([]draw.Trail, n)}
		mean := make([]float64, n)
		for s := range p.K {
			clear(mean)
			for i := range p.People {
				rows.AddScaled(mean, 1/float64(len(p.People)), kedge.Row(p.States, s*len(p.People)+i, n))
			}
			u := kedge.Row(p.Decisions, s, n)
			for i := range mean {
				l.People[i] = append(l.People[i], draw.Spot{X: u[i], Y: mean[i]})
			}
		}
		return l
	}}
}

// projected shows states and decisions in the plane of the optimum and the first decision.
func projected(r *folder.Result, p *folder.Path, n int) view {
	along := unit(r.Optimum.Decision)
	side := across(along, p.Decisions[:n])
	at := func(_ int, v []float64) draw.Spot { return draw.Spot{X: rows.Dot(v, along), Y: rows.Dot(v, side)} }
	return view{
		across: "along the optimum, pᵀu*/‖u*‖", up: "across it, towards the first decision", square: true,
		see: "Of all dimensions the picture shows two: the direction of the optimum and, at a right angle to it, that of the first decision. The strong line is the decision, the cross the optimum.",
		tracks: func(p *folder.Path) draw.Trails {
			l := follow(p, n, n, at, at)
			l.Optimum, l.Circle = []draw.Spot{at(0, r.Optimum.Decision)}, r.Angles != nil
			return l
		},
	}
}

// unit is v at length 1, or the first axis when v is zero.
func unit(v []float64) []float64 {
	length := rows.Norm(v)
	if !(length > 0) || !phrase.Finite(length) {
		axis := make([]float64, len(v))
		axis[0] = 1
		return axis
	}
	return lists.Of(v, func(x float64) float64 { return x / length })
}

// across is the direction of what v has at a right angle to a unit vector; of an axis when v has nothing.
func across(along, v []float64) []float64 {
	beside := func(v []float64) []float64 {
		rest := slices.Clone(v)
		rows.AddScaled(rest, -rows.Dot(v, along), along)
		return rest
	}
	rest := beside(v)
	if !(rows.Norm(rest) > 1e-9*rows.Norm(v)) {
		axis := make([]float64, len(v))
		axis[slices.Index(along, slices.MinFunc(along, func(a, b float64) int { return cmp.Compare(math.Abs(a), math.Abs(b)) }))] = 1
		rest = beside(axis)
	}
	return unit(rest)
}
