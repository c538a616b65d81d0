package family

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/kedge-opt/kedge/internal/crew"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/stream"
)

// Cell is one spec of a sweep.
type Cell struct {
	ID      string    // 16 hexadecimal digits of the spec's content
	Values  []string  // of the swept keys, as YAML
	Numbers []float64 // the same, NaN where a value is not a number

	index int // in the design
}

// Spec returns the spec of a cell of the sweep.
func (w *Sweep) Spec(c Cell) *problem.Spec {
	s, _, found := w.spec(w.choice(c.index))
	if s == nil {
		panic("spec: a cell that was read cannot be read again: " + found.Join().Error())
	}
	return s
}

// Index is where a cell is in the design: At finds it there.
func (c Cell) Index() int { return c.index }

// At makes the cell at a place of the design, with its spec.
func (w *Sweep) At(index int) (Cell, *problem.Spec, error) {
	if total := w.size(); index < 0 || index >= min(total, MaxCells) {
		return Cell{}, nil, fmt.Errorf("cell %d of a design of %d", index, total)
	}
	values := w.choice(index)
	s, content, found := w.spec(values)
	if s == nil {
		return Cell{}, nil, found.Join()
	}
	return cellOf(content, index, values), s, nil
}

// cellOf is the cell of a content.
func cellOf(content string, index int, values []*form.Node) Cell {
	c := Cell{ID: content[:16], index: index}
	for _, v := range values {
		text := v.Normal().Flow()
		c.Values = append(c.Values, text)
		c.Numbers = append(c.Numbers, form.NumberOf(text))
	}
	return c
}

// Is tells whether a spec that was run with some inputs is that of a cell, whatever its files are called.
func (w *Sweep) Is(c Cell, text []byte, inputs map[string]string) bool {
	s := w.Spec(c)
	if string(text) == string(s.YAML()) {
		return true
	}
	ran, err := problem.Parse(w.kinds, "spec.yaml", text)
	if err != nil || ran.Seed != s.Seed {
		return false
	}
	return contentOf(ran, func(name string) string { return inputs[name] }) == contentOf(s, w.sum)
}

// size returns how many cells the design asks for, or the first number beyond what is allowed.
func (w *Sweep) size() int {
	if w.Design == "random" {
		return w.Samples
	}
	total := 1
	for i := range w.over {
		total *= w.over[i].Length()
		if total > MaxCells {
			return total
		}
	}
	return total
}

// choice returns the values of the keys in one combination of the design. In a grid the last key changes fastest.
func (w *Sweep) choice(index int) []*form.Node {
	picks := make([]*form.Node, len(w.over))
	for i := len(w.over) - 1; i >= 0; i-- {
		a := &w.over[i]
		if w.Design == "random" {
			picks[i] = a.Draw(w.Seed, index)
			continue
		}
		picks[i] = a.Pick(index % a.Length())
		index /= a.Length()
	}
	var values []*form.Node
	for i, pick := range picks {
		values = append(values, w.over[i].Each(pick)...)
	}
	return values
}

// spec makes the spec of a combination of values, with a digest of its content, or finds what is wrong with it.
func (w *Sweep) spec(values []*form.Node) (s *problem.Spec, content string, found *form.Mistakes) {
	root, found := w.base.Copied(-1), &form.Mistakes{}
	for i, value := range values {
		if err := root.Assign(strings.Split(w.Keys[i], "."), value.Copied(w.top)); err != nil {
			found.Report(value.At, w.Keys[i], "%s", err)
		}
	}
	s = problem.Read(w.kinds, root, found)
	if len(found.Found) > 0 {
		return nil, "", found
	}
	if slices.Contains(w.Keys, "seed") {
		return s, contentOf(s, w.sum), nil
	}
	s.Seed = 0
	content = contentOf(s, w.sum)
	if s.Seed = w.Seed; w.Seeds == "own" {
		// 32 bits, which every generator and every reader of JSON can take.
		s.Seed = stream.New(w.Seed, "cell", content).Uint64() >> 32
	}
	return s, content, nil
}

// layout collects the cells of a sweep and what is wrong with them.
type layout struct {
	sweep *Sweep
	seen  map[string]bool // contents
	form.Mistakes
	wrong map[string]*blame // what was found, by how it reads
}

// blame says which cells have a mistake.
type blame struct {
	*form.Mistake
	first string // the values of the first
	times int
}

// combination is one that the design asks for, and what came of it.
type combination struct {
	values  []*form.Node
	content string         // of its spec
	found   *form.Mistakes // why it has none, or nil
}

// laidAtOnce is how many combinations are kept in memory before their cells are.
const laidAtOnce = 1024

// addAll makes the cells of all combinations: on all cores, and in their order.
func (l *layout) addAll(total int) {
	all := make([]combination, min(total, laidAtOnce))
	for from := 0; from < total; from += len(all) {
		some := all[:min(len(all), total-from)]
		crew.Share(runtime.GOMAXPROCS(0), len(some), func(_, i int) error {
			values := l.sweep.choice(from + i)
			_, content, found := l.sweep.spec(values)
			some[i] = combination{values, content, found}
			return nil
		})
		for i, one := range some {
			switch {
			case one.found != nil:
				l.blame(one.found, one.values)
			case !l.seen[one.content]: // no earlier one gives the same spec
				l.seen[one.content] = true
				l.sweep.Cells = append(l.sweep.Cells, cellOf(one.content, from+i, one.values))
			}
		}
	}
}

// blame notes what is wrong with a cell.
func (l *layout) blame(found *form.Mistakes, values []*form.Node) {
	for _, m := range found.Found {
		known := l.wrong[m.Error()]
		if known == nil {
			known = &blame{Mistake: m, first: l.sweep.describeValues(values)}
			l.wrong[m.Error()] = known
			l.Found = append(l.Found, m)
		}
		known.times++
	}
}

// describeValues writes the values of a cell as a message quotes them.
func (w *Sweep) describeValues(values []*form.Node) string {
	var words []string
	for i, v := range values {
		words = append(words, w.Keys[i]+": "+form.Shorten(v.Normal().Flow()))
	}
	return strings.Join(words, ", ")
}

// conclude returns what was found, each with the cell it is about.
func (l *layout) conclude() error {
	for _, b := range l.wrong {
		where := "in the cell "
		if b.times > 1 {
			where = fmt.Sprintf("in %d cells, the first ", b.times)
		}
		b.Msg += " (" + where + b.first + ")"
	}
	return l.Join()
}
