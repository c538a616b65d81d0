package problem

import (
	"math"
	"slices"
	"strconv"

	"github.com/kedge-opt/kedge/stream"
)

// axis is one swept key, or several that change together, with its values: listed, or a range.
type axis struct {
	name   string   // as in the file
	keys   []string // of the spec
	values []*node  // listed; of several keys every value is a list of as many
	at     place

	// Of a range.
	from, to float64
	count    int    // of design grid
	scale    string // "linear" or "log"
	whole    bool   // rounded to whole numbers
}

func (a *axis) read(f *form, n *node, design string) {
	switch {
	case n.kind == list && len(n.items) > 0:
		a.values = n.items
		a.checkLists(f)
	case n.kind == mapping:
		f.fill(n, func(f *form) { a.describeRange(f, design) })
		a.checkRange(f, n)
	default:
		f.wrong(n, a.want(design))
	}
}

// want says what the values of an axis may be.
func (a *axis) want(design string) string {
	if design == "random" {
		return "a list to choose from, or {from, to}"
	}
	return "a list of values, or {from, to, count}"
}

// checkLists wants a value for each of several keys.
func (a *axis) checkLists(f *form) {
	if len(a.keys) == 1 {
		return
	}
	for _, v := range a.values {
		if v.kind != list || len(v.items) != len(a.keys) {
			f.wrong(v, "a list of "+entries(len(a.keys))+", one for each of "+enumerate(a.keys, "and"))
		}
	}
}

func (a *axis) describeRange(f *form, design string) {
	field(f, "from", &a.from, finite(), meaning{})
	field(f, "to", &a.to, finite(), meaning{})
	if design != "random" {
		field(f, "count", &a.count, count(2, MaxCells), meaning{})
	}
	fieldOr(f, "scale", &a.scale, oneOf(option("linear", "", ""), option("log", "", "")), "linear", meaning{})
	fieldOr(f, "whole", &a.whole, boolean(), false, meaning{})
}

func (a *axis) checkRange(f *form, n *node) {
	from, to := n.path+".from", n.path+".to"
	switch {
	case !f.sound(n.path):
	case !(a.from < a.to) || math.IsInf(a.to-a.from, 0):
		f.report(n.get("to").at, to, "%s is %s, want a number above from, which is %s", to, formatNumber(a.to), formatNumber(a.from))
	case a.scale == "log" && a.from <= 0:
		f.report(n.get("from").at, from, "%s is %s, a log range wants a number above 0", from, formatNumber(a.from))
	}
}

// node writes the values as a sweep has them.
func (a *axis) node() *node {
	if a.values != nil {
		return &node{kind: list, items: a.values}
	}
	out := &node{kind: mapping}
	out.put("from", finite().write(a.from))
	out.put("to", finite().write(a.to))
	if a.count > 0 {
		out.put("count", count(2, MaxCells).write(a.count))
	}
	out.put("scale", &node{kind: scalar, text: a.scale})
	out.put("whole", boolean().write(a.whole))
	return out
}

// length returns how many values a grid has along the axis.
func (a *axis) length() int {
	if a.values != nil {
		return len(a.values)
	}
	return a.count
}

// pick returns value i of a grid.
func (a *axis) pick(i int) *node {
	if a.values != nil {
		return a.values[i]
	}
	return a.number(float64(i) / float64(a.count-1))
}

// each returns the value of every key: of several keys an entry of a listed value, and all the same number of a range.
func (a *axis) each(pick *node) []*node {
	if a.values != nil && len(a.keys) > 1 {
		return pick.items
	}
	return slices.Repeat([]*node{pick}, len(a.keys))
}

// draw returns the value of a sample. Every key has a stream and every sample a range of its own in it, so that another key
// or sample changes none.
func (a *axis) draw(seed uint64, sample int) *node {
	r := stream.New(seed, "design", a.name)
	r.Seek(uint64(sample))
	if a.values != nil {
		return a.values[r.Intn(len(a.values))]
	}
	return a.number(r.Float64())
}

// number returns the value at a share of the range, the ends as they were given and what is between in twelve digits: so
// 0.1 to 0.3 has 0.2 and not its neighbour, and logarithms give the same on every machine.
func (a *axis) number(share float64) *node {
	x := a.from + float64(share*(a.to-a.from))
	if a.scale == "log" {
		x = a.from * math.Exp(share*math.Log(a.to/a.from))
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
	return &node{kind: scalar, text: formatNumber(x), at: a.at}
}
