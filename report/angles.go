package report

import (
	"slices"

	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/lab"
)

// moment is the angles of everybody at one time.
type moment struct {
	title   string
	style   style
	final   bool
	degrees []float64
}

// momentsOf lists what a result knows of angles, the optimal ones last.
func momentsOf(a *lab.Angles, names []string) []moment {
	styles := stylesOf(names)
	list := []moment{{"initial", style{ink: dim}, false, a.Initial}}
	for _, name := range names {
		list = append(list, moment{"final, " + name, styles[name], true, a.Final[name]})
	}
	list = append(list, moment{"optimal", style{ink: hex(0x4d4d4d)}, false, a.Optimal})
	return slices.DeleteFunc(list, func(m moment) bool { return over(m.degrees).count == 0 })
}

// angleGrid draws one histogram a moment, over the same bins; the final ones show the optimal outline.
func angleGrid(list []moment) grid {
	all := nothing()
	for _, m := range list {
		all.add(m.degrees...)
	}
	edges := edgesOver(all, binWidth(all))
	g := grid{columns: 2, shared: true}
	var outline []float64
	if last := list[len(list)-1]; last.title == "optimal" {
		outline = bin(last.degrees, edges)
	}
	for _, m := range list {
		b := bars{style: m.style, edges: edges, counts: bin(m.degrees, edges), mean: over(m.degrees).mean}
		if m.final {
			b.outline = outline
		}
		g.panels = append(g.panels, panel{title: m.title, note: "mean " + phrase.Fixed(b.mean, 1) + "°", layers: []layer{b}})
	}
	x, y := extents(g.panels...)
	for i := range g.panels {
		g.panels[i].x = angleAxis(x)
		g.panels[i].y = axis{scale: scale{max: y.high, whole: true}, label: "number of individuals"}
	}
	return g
}

// binWidth is 1, 2 or 5 degrees: the least that needs no more than 36 bins for angles up to 180.
func binWidth(all extent) float64 { return min(max(niceStep(max(all.high-all.low, 1)/36), 1), 5) }

// angleAxis has labels at distances that suit angles.
func angleAxis(e extent) axis {
	a := axis{scale: scale{min: e.low, max: e.high}, label: "angle between state and decision"}
	a.marks = a.multiples(degreeStep(e.high - e.low))
	for i := range a.marks {
		a.marks[i].label += "°"
	}
	return a
}

func degreeStep(span float64) float64 {
	for _, step := range []float64{1, 2, 5, 10, 20, 30} {
		if span/step <= most {
			return step
		}
	}
	return 45
}
