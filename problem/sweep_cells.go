package problem

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"strings"

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
func (w *Sweep) Spec(c Cell) *Spec {
	s, _, found := w.spec(w.choice(c.index))
	if s == nil {
		panic("spec: a cell that was read cannot be read again: " + found.join().Error())
	}
	return s
}

// size returns how many cells the design asks for, or the first number beyond what is allowed.
func (w *Sweep) size() int {
	if w.Design == "random" {
		return w.Samples
	}
	total := 1
	for i := range w.over {
		total *= w.over[i].length()
		if total > MaxCells {
			return total
		}
	}
	return total
}

// choice returns the values of the keys in one combination of the design. In a grid the last key changes fastest.
func (w *Sweep) choice(index int) []*node {
	picks := make([]*node, len(w.over))
	for i := len(w.over) - 1; i >= 0; i-- {
		a := &w.over[i]
		if w.Design == "random" {
			picks[i] = a.draw(w.Seed, index)
			continue
		}
		picks[i] = a.pick(index % a.length())
		index /= a.length()
	}
	var values []*node
	for i, pick := range picks {
		values = append(values, w.over[i].each(pick)...)
	}
	return values
}

// spec makes the spec of a combination of values, with a digest of its content; nil when something is wrong with it.
func (w *Sweep) spec(values []*node) (s *Spec, content string, found *mistakes) {
	root, found := w.base.copied(-1), &mistakes{}
	for i, value := range values {
		if err := root.assign(strings.Split(w.Keys[i], "."), value.copied(w.top)); err != nil {
			found.report(value.at, w.Keys[i], "%s", err)
		}
	}
	s = finish(root, found)
	if len(found.found) > 0 {
		return nil, "", found
	}
	s.Seed = 0
	sum := sha256.Sum256(s.YAML())
	content = hex.EncodeToString(sum[:])
	// 32 bits, which every generator and every reader of JSON can take.
	s.Seed = stream.New(w.Seed, "cell", content).Uint64() >> 32
	return s, content, found
}

// layout collects the cells of a sweep and what is wrong with them.
type layout struct {
	sweep *Sweep
	seen  map[string]bool // contents
	mistakes
	wrong map[string]int // what was found, by how it reads
	first []string       // the values of the first cell where it was found
	times []int          // in how many cells
}

// add makes a cell of a combination, unless an earlier one gives the same spec.
func (l *layout) add(index int) {
	values := l.sweep.choice(index)
	s, content, found := l.sweep.spec(values)
	if s == nil {
		l.blame(found, values)
		return
	}
	if l.seen[content] {
		return
	}
	l.seen[content] = true
	c := Cell{ID: content[:16], index: index}
	for _, v := range values {
		text := v.normal().flow()
		c.Values = append(c.Values, text)
		c.Numbers = append(c.Numbers, Number(text))
	}
	l.sweep.Cells = append(l.sweep.Cells, c)
}

// blame notes what is wrong with a cell.
func (l *layout) blame(found *mistakes, values []*node) {
	for _, m := range found.found {
		at, known := l.wrong[m.Error()]
		if !known {
			at = len(l.found)
			l.wrong[m.Error()] = at
			l.found = append(l.found, m)
			l.first = append(l.first, l.sweep.describeValues(values))
			l.times = append(l.times, 0)
		}
		l.times[at]++
	}
}

// describeValues writes the values of a cell as a message quotes them.
func (w *Sweep) describeValues(values []*node) string {
	var words []string
	for i, v := range values {
		words = append(words, w.Keys[i]+": "+shorten(v.normal().flow()))
	}
	return strings.Join(words, ", ")
}

// conclude returns what was found, each with the cell it is about.
func (l *layout) conclude() error {
	for i, m := range l.found {
		where := "in the cell "
		if l.times[i] > 1 {
			where = fmt.Sprintf("in %d cells, the first ", l.times[i])
		}
		m.Msg += " (" + where + l.first[i] + ")"
	}
	return l.join()
}

// Number returns the number that a value of a cell is, NaN when it is none.
func Number(value string) float64 {
	if x, ok := parseNumber(value); ok {
		return x
	}
	return math.NaN()
}
