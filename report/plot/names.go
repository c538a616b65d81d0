package plot

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/report/draw"
)

// renaming is other names for what a figure shows.
type renaming struct {
	to  map[string]string
	met []string // names that the figure has
}

func newRenaming(wishes []string) (renaming, error) {
	r := renaming{to: map[string]string{}}
	for _, wish := range wishes {
		from, to, ok := strings.Cut(wish, "=")
		if !ok || from == "" || to == "" {
			return r, fmt.Errorf("--rename %s: want OLD=NEW, as in vanilla=retraining", wish)
		}
		if _, twice := r.to[from]; twice {
			return r, fmt.Errorf("--rename %s: %s has another name already", wish, from)
		}
		r.to[from] = to
	}
	return r, nil
}

// renamed is what the figure calls something, by its first name that has another one, otherwise by the last.
func (d *plotted) renamed(names ...string) string {
	last := names[len(names)-1]
	for _, name := range names {
		if !slices.Contains(d.names.met, name) {
			d.names.met = append(d.names.met, name)
		}
		if to, ok := d.names.to[name]; ok {
			return to
		}
	}
	return last
}

// unused refuses other names for what the figure has not.
func (d *plotted) unused() error {
	for _, wish := range d.Rename {
		from, _, _ := strings.Cut(wish, "=")
		if slices.Contains(d.names.met, from) {
			continue
		}
		names := slices.DeleteFunc(slices.Clone(d.names.met), func(name string) bool { return name == "" })
		if near := phrase.Nearest(from, names); near != "" {
			return fmt.Errorf("--rename %s: nothing in the figure is called %s; did you mean %s? It has %s", wish, from, near, strings.Join(names, ", "))
		}
		return fmt.Errorf("--rename %s: nothing in the figure is called %s; it has %s", wish, from, strings.Join(names, ", "))
	}
	return nil
}

// label is words for the axis of a column.
func (d *plotted) label(c *series) string { return d.renamed(c.name, c.labelOf()) }

// short is a word for a column where there is little room.
func (d *plotted) short(c *series) string {
	return d.renamed(c.name, symbol(c.name[strings.LastIndexByte(c.name, '.')+1:]))
}

// Names of the columns into which all entries of decisions are put below each other.
const (
	decision = "decision"
	entry    = "entry"
)

// stack puts the entries of decisions below each other for who asks for the decision.
func (d *plotted) stack() error {
	if d.Y != decision {
		return nil
	}
	entries := slices.DeleteFunc(slices.Clone(d.columns), func(c *series) bool { return c.decided == nil })
	if len(entries) == 0 {
		return errors.New("--y decision: no entry of a decision is here; up to 16 are recorded, more with --set record.decisions=true")
	}
	needed := &Sheet{Name: d.Name, rows: d.rows, columns: slices.DeleteFunc(slices.Clone(d.columns), d.idle)}
	all := needed.pick(slices.Repeat(d.all(), len(entries)))
	value, which := &series{name: decision, label: decision}, &series{name: entry}
	if unit := entries[0].decided.Unit; !slices.ContainsFunc(entries, func(c *series) bool { return c.decided.Unit != unit }) {
		value.label = kedge.Column{Label: decision, Unit: unit}.Axis()
	}
	ranged := !slices.ContainsFunc(entries, func(c *series) bool { return c.low == nil }) // of a sweep beside a run some are not
	for _, c := range entries {
		value.numbers = append(value.numbers, c.numbers...)
		if ranged {
			value.low, value.high = append(value.low, c.low...), append(value.high, c.high...)
		}
		which.words = append(which.words, slices.Repeat([]string{c.name}, d.rows)...)
	}
	all.columns = append(all.columns, value, which)
	d.Sheet = all
	return nil
}

// idle tells whether the plot has no use for a column, so that not all of a wide series is repeated entry by entry.
func (d *plotted) idle(c *series) bool {
	asked := slices.ContainsFunc(d.Where, func(condition string) bool { return strings.HasPrefix(condition, c.name+"=") })
	return !asked && !c.swept && !slices.Contains([]string{"folder", "algorithm", "trial", "k", d.X, d.By, d.Facet}, c.name)
}

func (d *plotted) axis(c *series, r draw.Ruler) draw.Axis {
	return draw.Axis{Ruler: r, Label: d.label(c)}
}

// title names parts as the figure calls them: numbers after their column, shortened.
func (d *plotted) title(c *series, parts []part) {
	if c == nil {
		return
	}
	shown := lists.Of(parts, func(p part) string { return p.name })
	key := ""
	if c.numeric() {
		shown, key = readable(shown), symbol(c.name[strings.LastIndexByte(c.name, '.')+1:])+" "
	}
	for i := range parts {
		name := key + shown[i]
		if c.name == entry {
			name = indexed(name)
		}
		parts[i].name = d.renamed(parts[i].base, name)
	}
}
