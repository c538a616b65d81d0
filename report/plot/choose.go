package plot

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kedge-opt/kedge/internal/lists"
)

// plotted is a plot whose columns are found.
type plotted struct {
	Plot
	*Sheet
	x, y, by, facet *series // there is always one that groups are by
	names           renaming
}

func (p Plot) data(sheets []*Sheet) (*plotted, error) {
	if len(sheets) == 0 {
		return nil, errors.New("there is nothing to plot")
	}
	names, err := newRenaming(p.Rename)
	if err != nil {
		return nil, err
	}
	d := &plotted{Plot: p, Sheet: join(sheets), names: names}
	if err := d.stack(); err != nil {
		return nil, err
	}
	if err := d.filter(); err != nil {
		return nil, err
	}
	d.choose()
	for _, want := range []struct {
		flag, name string
		to         **series
	}{{"--x", d.X, &d.x}, {"--y", d.Y, &d.y}, {"--by", d.By, &d.by}, {"--facet", d.Facet, &d.facet}} {
		if want.name == "" {
			continue
		}
		c, err := d.column(want.name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", want.flag, err)
		}
		*want.to = c
	}
	return d, d.check()
}

// filter keeps the rows that all conditions want.
func (d *plotted) filter() error {
	for _, condition := range d.Where {
		name, want, ok := strings.Cut(condition, "=")
		if !ok {
			return fmt.Errorf("--where %s: want COLUMN=VALUE, as in algorithm=composite", condition)
		}
		c, err := d.column(name)
		if err != nil {
			return fmt.Errorf("--where %s: %w", condition, err)
		}
		matches := c.matches(want)
		rows := slices.DeleteFunc(d.all(), func(i int) bool { return !matches(i) })
		if len(rows) == 0 {
			return fmt.Errorf("--where %s: no row has it; %s", condition, c.examples())
		}
		d.Sheet = d.pick(rows)
	}
	return nil
}

// choose fills in what the plot leaves open.
func (d *plotted) choose() {
	numeric, _ := d.keys()
	keys := slices.DeleteFunc(lists.Of(numeric, (*series).called), func(name string) bool { return name == d.X || name == d.By || name == d.Facet })
	next := func() (name string) {
		if len(keys) > 0 {
			name, keys = keys[0], keys[1:]
		}
		return name
	}
	if d.Kind == Hist {
		d.X = cmp.Or(d.X, "gap")
		d.By = cmp.Or(d.By, d.group())
		return
	}
	d.Y = cmp.Or(d.Y, "gap")
	if d.X == "" {
		d.X = cmp.Or(next(), "k")
	}
	d.Kind = cmp.Or(d.Kind, d.kind(len(keys)))
	if d.Y == decision {
		d.By = cmp.Or(d.By, entry)
		d.Facet = cmp.Or(d.Facet, d.apart(entry), d.apart(d.group()))
	}
	if d.Kind == Heat {
		d.By = cmp.Or(d.By, next())
		d.Facet = cmp.Or(d.Facet, d.apart(d.group()))
		return
	}
	d.By = cmp.Or(d.By, d.group())
}

// kind is a heat map where Y is over two numeric keys, and lines otherwise.
func (d *plotted) kind(left int) Kind {
	x, err := d.column(d.X)
	if err != nil || !x.swept || !x.numeric() {
		return Line
	}
	if d.By == "" && left > 0 {
		return Heat
	}
	if by, err := d.column(d.By); err == nil && by.swept && by.numeric() {
		return Heat
	}
	return Line
}

// group is the column that tells lines apart when nobody says: what was run, or where it is from.
func (d *plotted) group() string {
	return cmp.Or(d.several("algorithm"), d.several("folder"), "algorithm")
}

// apart is the name of a column whose values need panels of their own, because there are several and no axis, line or colour tells them apart.
func (d *plotted) apart(name string) string {
	if name == d.X || name == d.By {
		return ""
	}
	return d.several(name)
}

// several is the name of a column that has several values, otherwise nothing.
func (d *plotted) several(name string) string {
	if c, err := d.column(name); err != nil || len(c.values()) < 2 {
		return ""
	}
	return name
}

// mostPanels and mostGroups are as many as an eye can compare.
const (
	mostPanels = 16
	mostGroups = 12
)

// oneOf refuses what a flag cannot be that was given.
func oneOf(flag, value string, words ...string) error {
	if value == "" || slices.Contains(words, value) {
		return nil
	}
	last := len(words) - 1
	return fmt.Errorf("--%s %s: want %s or %s", flag, value, strings.Join(words[:last], ", "), words[last])
}

// check refuses what cannot be drawn.
func (d *plotted) check() error {
	if err := cmp.Or(
		oneOf("kind", string(d.Kind), "line", "scatter", "hist", "heat"),
		oneOf("log", d.Log, "x", "y", "xy", "none"),
		oneOf("band", string(d.Band), "minmax", "quantiles", "none"),
	); err != nil {
		return err
	}
	if d.by == nil { // which groups of all other kinds are never
		return errors.New("a heat map needs two keys: say --x and --by")
	}
	for i, c := range []*series{d.x, d.y} {
		if c != nil && !c.numeric() && (i == 1 || d.Kind != Heat) {
			return fmt.Errorf("--%c %s: holds words (%s), want a column of numbers", "xy"[i], c.name, c.examples())
		}
	}
	if d.facet != nil && len(d.facet.values()) > mostPanels {
		return fmt.Errorf("--facet %s: %d values are too many panels, at most %d; choose some with --where", d.facet.name, len(d.facet.values()), mostPanels)
	}
	if d.Kind == Heat || d.Kind == Scatter && d.by.numeric() {
		return nil
	}
	if n := len(d.by.values()); n > mostGroups {
		return fmt.Errorf("--by %s: %d values are too many to tell apart, at most %d; choose some with --where", d.by.name, n, mostGroups)
	}
	return nil
}

// logs tells which axes are logarithmic.
func (d *plotted) logs() (x, y bool) {
	if d.Log != "" {
		return strings.Contains(d.Log, "x"), strings.Contains(d.Log, "y")
	}
	return d.x.geometric(), d.y != nil && d.y.error()
}
