package problem

import (
	"math"
	"slices"
	"strconv"

	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/internal/portable"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/stream"
)

// axis is one swept key, or several that change together, with its values: listed, or a range.
type axis struct {
	name   string       // as in the file
	keys   []string     // of the spec
	values []*form.Node // listed; of several keys every value is a list of as many
	at     form.Place

	// Of a range.
	from, to float64
	count    int    // of design grid
	scale    string // "linear" or "log"
	whole    bool   // rounded to whole numbers
}

func (a *axis) read(m *form.Mistakes, n *form.Node, design string) {
	switch {
	case n.Shape == form.List && len(n.Items) > 0:
		a.values = n.Items
		a.checkLists(m)
	case n.Shape == form.Mapping:
		form.Read(n, m, func(f *form.Form) { a.describeRange(f, design) })
		a.checkRange(m, n)
	case design == "random":
		m.Wrong(n, "a list to choose from, or {from, to}")
	default:
		m.Wrong(n, "a list of values, or {from, to, count}")
	}
}

// axesSchema is that of keys with their values: what a key takes its spec's schema knows.
func axesSchema() form.Schema {
	ranged := form.SchemaOf(func(f *form.Form) { new(axis).describeRange(f, "random") })
	ranged.Additional = nil // a grid has a count as well
	return form.Schema{Type: form.Types{"object"}, Additional: form.Schema{AnyOf: []form.Schema{{Type: form.Types{"array"}, MinItems: 1}, ranged}}}
}

// checkLists wants a value for each of several keys.
func (a *axis) checkLists(m *form.Mistakes) {
	if len(a.keys) == 1 {
		return
	}
	for _, v := range a.values {
		if v.Shape != form.List || len(v.Items) != len(a.keys) {
			m.Wrong(v, "a list of "+form.Entries(len(a.keys))+", one for each of "+phrase.Enumerate(a.keys))
		}
	}
}

func (a *axis) describeRange(f *form.Form, design string) {
	form.Field(f, "from", &a.from, form.Finite(), form.Meaning{})
	form.Field(f, "to", &a.to, form.Finite(), form.Meaning{})
	if design != "random" {
		form.Field(f, "count", &a.count, form.Count(2, MaxCells), form.Meaning{})
	}
	form.Field(f, "scale", &a.scale, form.OneOf(form.Choice("linear", "", ""), form.Choice("log", "", "")).Or("linear"), form.Meaning{})
	form.Field(f, "whole", &a.whole, form.Boolean().Or(false), form.Meaning{})
}

func (a *axis) checkRange(m *form.Mistakes, n *form.Node) {
	from, to := n.Path+".from", n.Path+".to"
	switch {
	case !m.Sound(n.Path):
	case !(a.from < a.to) || math.IsInf(a.to-a.from, 0):
		m.Report(n.Get("to").At, to, "%s is %s, want a number above from, which is %s", to, form.FormatNumber(a.to), form.FormatNumber(a.from))
	case a.scale == "log" && a.from <= 0:
		m.Report(n.Get("from").At, from, "%s is %s, a log range wants a number above 0", from, form.FormatNumber(a.from))
	}
}

// node writes the values as a sweep has them.
func (a *axis) node(design string) *form.Node {
	if a.values != nil {
		return &form.Node{Shape: form.List, Items: a.values}
	}
	return form.Print(func(f *form.Form) { a.describeRange(f, design) })
}

// length returns how many values a grid has along the axis.
func (a *axis) length() int {
	if a.values != nil {
		return len(a.values)
	}
	return a.count
}

// pick returns value i of a grid.
func (a *axis) pick(i int) *form.Node {
	if a.values != nil {
		return a.values[i]
	}
	return a.number(float64(i) / float64(a.count-1))
}

// each returns the value of every key: of several keys an entry of a listed value, and all the same number of a range.
func (a *axis) each(pick *form.Node) []*form.Node {
	if a.values != nil && len(a.keys) > 1 {
		return pick.Items
	}
	return slices.Repeat([]*form.Node{pick}, len(a.keys))
}

// draw returns the value of a sample. Every key has a stream and every sample a range of its own in it, so that another key
// or sample changes none.
func (a *axis) draw(seed uint64, sample int) *form.Node {
	r := stream.New(seed, "design", a.name)
	r.Seek(uint64(sample))
	if a.values != nil {
		return a.values[r.Intn(len(a.values))]
	}
	return a.number(r.Float64())
}

// number returns the value at a share of the range, the ends as they were given and what is between in twelve digits: so
// 0.1 to 0.3 has 0.2 and not its neighbour, and logarithms give the same on every machine.
func (a *axis) number(share float64) *form.Node {
	x := a.from + float64(share*(a.to-a.from))
	if a.scale == "log" {
		x = a.from * portable.Exp(share*portable.Log(a.to/a.from))
	}
	switch share {
	case 0:
		x = a.from
	case 1:
		x = a.to
	default:
		x, _ = strconv.ParseFloat(strconv.FormatFloat(x, 'g', 12, 64), 64)
	}
	if a.whole {
		x = math.Round(x)
	}
	return &form.Node{Shape: form.Scalar, Text: form.FormatNumber(x), At: a.at}
}
