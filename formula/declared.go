package formula

import (
	"math"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/lists"
)

// declared is a name with the shape of what it stands for.
type declared struct {
	text
	name  string
	shape shape
}

// declaration reads the name and the shape of an input.
func (c *compiler) declaration(t text, o op) (string, *node) {
	name, s, ok := c.named(t)
	if !ok {
		return "", nil
	}
	n := c.input(o, s)
	c.name(t, name, n)
	return name, n
}

// named reads "p", "p[20]", "P[3, 4]" or "q[apples, pears] in EUR".
func (c *compiler) named(t text) (string, shape, bool) {
	t.body = kedge.CalledBy(t.body).Name
	e := c.tree(t)
	if e == nil {
		return "", shape{}, false
	}
	b := c.builder(t)
	name, lengths, ok := e, []int(nil), true
	var labels []string
	if e.kind == sliceExpr {
		name = e.args[0]
		if labels = labelsOf(e); labels != nil {
			lengths = []int{len(labels)}
		}
		for _, cut := range e.cuts[min(len(labels), len(e.cuts)):] {
			ok = ok && !cut.isWide
			lengths = append(lengths, wholeNumber(cut.lo))
		}
	}
	if name.kind != nameExpr || !ok {
		b.fail(e, "%s declares nothing, want a name and a length such as p[20]", b.excerpt(e))
		return "", shape{}, false
	}
	s, ok := shapeOf(lengths)
	if !ok {
		c.names[name.name] = nil
		b.fail(e, "%s: lengths are whole numbers from 1 on that make %d entries at most", b.excerpt(e), maxEntries)
	}
	for i, label := range labels {
		if slices.Contains(labels[:i], label) {
			b.fail(e, "%s: two entries are called %s", b.excerpt(e), label)
			return "", shape{}, false
		}
	}
	c.labels[name.name] = labels
	return name.name, s, ok
}

// wholeNumber returns the value of a written whole number, −1 for anything else.
func wholeNumber(e *expr) int {
	if e == nil || e.kind != numberExpr || e.number != math.Trunc(e.number) || e.number > maxEntries {
		return -1
	}
	return int(e.number)
}

// name makes a value known. Nil stands for one whose mistake has been reported.
func (c *compiler) name(t text, name string, n *node) {
	first := scan(name, 0)
	f, isFunction := functions[name]
	isFunction = isFunction && !f.yields
	_, isConstant := constants[name]
	_, isKnown := c.names[name]
	switch {
	case first.kind != nameToken || first.end != len(name) || first.pos != 0:
		c.fail(t, "%q is no name, want letters, digits and _, a letter first", name)
	case isFunction:
		c.fail(t, "%s is the name of a function; take another", name)
	case isConstant:
		c.fail(t, "%s is the name of a constant; take another", name)
	case isKnown:
		c.fail(t, "%s is there already; take another name", name)
	default:
		c.names[name] = n
	}
}

// declarations reads names with shapes; those with a mistake, which is reported, are left out.
func (c *compiler) declarations(field string, all ...string) (list []declared) {
	for _, body := range all {
		t := text{field, body}
		if name, s, ok := c.named(t); ok {
			list = append(list, declared{t, name, s})
		}
	}
	return list
}

// traitOf is the trait that a source declares, if it does.
func (c *compiler) traitOf(s Source) []declared {
	if s.Trait == "" {
		return nil
	}
	return c.declarations("model.trait", s.Trait)
}

// besides are single numbers.
func besides(field string, names []string) []declared {
	return several(len(names), func(i int) declared { return declared{text{field, names[i]}, names[i], scalar()} })
}

// width is how many numbers are declared.
func width(list []declared) (n int) {
	for _, d := range list {
		n += d.shape.size()
	}
	return n
}

// sizeOf is how many entries a value has, 0 for nil.
func sizeOf(n *node) int {
	if n == nil {
		return 0
	}
	return n.shape.size()
}

// parted makes an input of all that is declared, one behind the other, and gives each its name.
func (c *compiler) parted(o op, list []declared) (parts []*node) {
	if len(list) == 0 {
		return nil
	}
	all, at := c.input(o, vector(width(list))), 0
	for _, d := range list {
		part := all
		if d.shape != all.shape {
			part = c.apply(opSlice, d.shape, [4]int{at, d.shape.cols}, all)
		}
		c.name(d.text, d.name, part)
		parts, at = append(parts, part), at+d.shape.size()
	}
	return parts
}

// noise declares noise as what it is, and returns how many numbers each declaration stands for.
func (c *compiler) noise(all []Shock) (widths []int) {
	list := slices.Concat(lists.Of(all, func(one Shock) []declared { return c.declarations("model.noise", one.Declaration) })...)
	c.parted(opNoise, list)
	return several(len(list), func(i int) int { return list[i].shape.size() })
}

// row declares what a row of a log has: a state and, how many numbers it returns, what stands beside it. The trait, where that is to be found, takes
// the place of a cotangent, which no fit has.
func (c *compiler) row(s Source, traits bool) (beside int, own *node) {
	c.stateName, c.state = c.declaration(text{"model.state", s.State}, opState)
	var list []declared
	if traits {
		_, own = c.declaration(text{"model.trait", s.Trait}, opCotangent)
	} else {
		list = c.traitOf(s)
	}
	if s.Decision != "" {
		list = append(list, c.declarations("model.decision", s.Decision)...)
	}
	list = append(list, besides("data", s.Beside)...)
	if c.state != nil {
		c.parted(opTrait, list)
	}
	return width(list), own
}
