// Package axis holds the values of swept keys: lists and ranges, as a grid takes them or as they are drawn.
package axis

import (
	"math"
	"slices"
	"strconv"

	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/internal/portable"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/stream"
)

// Swept is one swept key, or several that change together, with its values: listed, or a range.
type Swept struct {
	Name string   // as in the file
	Keys []string // of the spec

	values []*form.Node // listed; of several keys every value is a list of as many
	At     form.Place

	// Of a range.
	from, to float64
	count    int    // of design grid
	scale    string // "linear" or "log"
	whole    bool   // rounded to whole numbers
}

// Read reads the values of a design.
func (a *Swept) Read(m *form.Mistakes, n *form.Node, design string) {
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

// Schema is that of keys with their values: what a key takes its spec's schema knows.
func Schema() form.Schema {
	ranged := form.SchemaOf(func(f *form.Form) { new(Swept).describeRange(f, "random") })
	ranged.Additional = nil // a grid has a count as well
	return form.Schema{Type: form.Types{"object"}, Additional: form.Schema{AnyOf: []form.Schema{{Type: form.Types{"array"}, MinItems: 1}, ranged}}}
}

// checkLists wants a value for each of several keys.
func (a *Swept) checkLists(m *form.Mistakes) {
	if len(a.Keys) == 1 {
		return
	}
	for _, v := range a.values {
		if v.Shape != form.List || len(v.Items) != len(a.Keys) {
			m.Wrong(v, "a list of "+form.Entries(len(a.Keys))+", one for each of "+phrase.Enumerate(a.Keys))
		}
	}
}

// mostValues is how many values a range has at most.
const mostValues = 100_000

func (a *Swept) describeRange(f *form.Form, design string) {
	form.Field(f, "from", &a.from, form.Finite(), form.Meaning{})
	form.Field(f, "to", &a.to, form.Finite(), form.Meaning{})
	if design != "random" {
		form.Field(f, "count", &a.count, form.Count(2, mostValues), form.Meaning{})
	}
	form.Field(f, "scale", &a.scale, form.OneOf(form.Choice("linear", "", ""), form.Choice("log", "", "")).Or("linear"), form.Meaning{})
	form.Field(f, "whole", &a.whole, form.Boolean().Or(false), form.Meaning{})
}

func (a *Swept) checkRange(m *form.Mistakes, n *form.Node) {
	from, to := n.Path+".from", n.Path+".to"
	switch {
	case !m.Sound(n.Path):
	case math.IsInf(a.to-a.from, 0):
		m.Report(n.Get("to").At, to, "%s is %s, farther from %s than any number is large; want a shorter range", to, form.FormatNumber(a.to), form.FormatNumber(a.from))
	case !(a.from < a.to):
		m.Report(n.Get("to").At, to, "%s is %s, want a number above from, which is %s", to, form.FormatNumber(a.to), form.FormatNumber(a.from))
	case a.scale == "log" && a.from <= 0:
		m.Report(n.Get("from").At, from, "%s is %s, a log range wants a number above 0", from, form.FormatNumber(a.from))
	}
}

// Node writes the values as a sweep has them.
func (a *Swept) Node(design string) *form.Node {
	if a.values != nil {
		return &form.Node{Shape: form.List, Items: a.values}
	}
	return form.Print(func(f *form.Form) { a.describeRange(f, design) })
}

// Length returns how many values a grid has along the axis.
func (a *Swept) Length() int {
	if a.values != nil {
		return len(a.values)
	}
	return a.count
}

// Pick returns value i of a grid.
func (a *Swept) Pick(i int) *form.Node {
	if a.values != nil {
		return a.values[i]
	}
	return a.number(float64(i) / float64(a.count-1))
}

// Each returns the value of every key: of several keys an entry of a listed value, and all the same number of a range.
func (a *Swept) Each(pick *form.Node) []*form.Node {
	if a.values != nil && len(a.Keys) > 1 {
		return pick.Items
	}
	return slices.Repeat([]*form.Node{pick}, len(a.Keys))
}

// Draw returns the value of a sample. Every key has a stream and every sample a range of its own in it, so that another key
// or sample changes none.
func (a *Swept) Draw(seed uint64, sample int) *form.Node {
	r := stream.New(seed, "design", a.Name)
	r.Seek(uint64(sample))
	if a.values != nil {
		return a.values[r.Intn(len(a.values))]
	}
	return a.number(r.Float64())
}

// number returns the value at a share of the range, the ends as they were given and what is between in twelve digits: so
// 0.1 to 0.3 has 0.2 and not its neighbour, and logarithms give the same on every machine.
func (a *Swept) number(share float64) *form.Node {
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
	return &form.Node{Shape: form.Scalar, Text: form.FormatNumber(x), At: a.At}
}
