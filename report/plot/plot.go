// Package plot draws columns of results: those of a run's series and of a sweep's table, as lines, points, bars and colours. What
// is not said is chosen from the data.
package plot

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/report/draw"
)

// Kind is a way to draw.
type Kind string

// The ways to draw. Without one the data choose: two numeric keys of a sweep make a heat map, everything else lines.
const (
	Line    Kind = "line"    // Y over X, one line for every value of By
	Scatter Kind = "scatter" // Y over X as points, coloured by By
	Hist    Kind = "hist"    // how often numbers of X occur
	Heat    Kind = "heat"    // Y as colour over X and By
)

// Band is what surrounds a mean.
type Band string

// The bands of lines: from the least to the greatest, the middle eight tenths, or none.
const (
	MinMax    Band = "minmax"
	Quantiles Band = "quantiles"
	NoBand    Band = "none"
)

// Plot says what to draw from sheets. Whatever is left empty is chosen from the data.
type Plot struct {
	X, Y, By      string   // columns
	Facet         string   // the column whose values get panels of their own
	Kind          Kind     //
	Log           string   // the logarithmic axes: x, y, xy or none; of a heat map y is the colour
	Band          Band     //
	Where         []string // COLUMN=VALUE: rows to draw; VALUE may be last or first
	Title         string
	Width, Height float64 // in points
}

// Draw draws the plot from one or more sheets. Its caption says what was drawn.
func (p Plot) Draw(sheets ...*Sheet) (draw.Figure, error) {
	s, err := p.Sketch(sheets...)
	if err != nil {
		return draw.Figure{}, err
	}
	return s.Render()
}

// Sketch is the plot, yet to be rendered.
func (p Plot) Sketch(sheets ...*Sheet) (draw.Sketch, error) {
	d, err := p.data(sheets)
	if err != nil {
		return draw.Sketch{}, err
	}
	s, err := d.sketch()
	if err != nil {
		return draw.Sketch{}, err
	}
	s.Title, s.Name = cmp.Or(p.Title, s.Title), "plot"
	s.Heading = p.Title
	s.Zoom, s.Width, s.Height = draw.Printed(p.Width, p.Height)
	if need := s.Lacks(); need > 0 {
		return draw.Sketch{}, fmt.Errorf("--size: %s need a height of %.1f cm", phrase.Count(len(s.Panels), "panel"), need*2.54/72)
	}
	return s, nil
}

// plotted is a plot whose columns are found.
type plotted struct {
	Plot
	*Sheet
	x, y, by, facet *series
}

func (p Plot) data(sheets []*Sheet) (*plotted, error) {
	if len(sheets) == 0 {
		return nil, errors.New("there is nothing to plot")
	}
	d := &plotted{Plot: p, Sheet: join(sheets)}
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
		var rows []int
		matches := c.matches(want)
		for i := range d.rows {
			if matches(i) {
				rows = append(rows, i)
			}
		}
		if rows == nil {
			return fmt.Errorf("--where %s: no row has it; %s", condition, c.examples())
		}
		d.Sheet = d.pick(rows)
	}
	return nil
}

func (s *Sheet) pick(rows []int) *Sheet {
	out := &Sheet{Name: s.Name, rows: len(rows)}
	for _, c := range s.columns {
		out.columns = append(out.columns, c.pick(rows))
	}
	return out
}

// matches returns which entries are what somebody typed: the same word, the same number, or the last or first number.
func (c *series) matches(want string) func(i int) bool {
	if !c.numeric() {
		return func(i int) bool { return c.words[i] == want }
	}
	all := draw.Nothing()
	all.Add(c.numbers...)
	v, err := strconv.ParseFloat(want, 64)
	switch {
	case want == "last":
		v = all.High
	case want == "first":
		v = all.Low
	case err != nil:
		v = math.NaN()
	}
	return func(i int) bool { return c.numbers[i] == v || c.words != nil && c.words[i] == want }
}

// examples names some values of a column.
func (c *series) examples() string {
	values := c.values()
	if len(values) > 8 {
		return fmt.Sprintf("%s has %s, … %s", c.name, strings.Join(values[:6], ", "), values[len(values)-1])
	}
	return c.name + " has " + strings.Join(values, ", ")
}

// values lists the different entries of a column: numbers in order, words as they come.
func (c *series) values() []string {
	if c.different == nil {
		c.different, c.at = c.distinct()
	}
	return c.different
}

// distinct returns the different entries and, for every row, which of them it has.
func (c *series) distinct() (values []string, at []int) {
	if c.numeric() && c.words == nil {
		return c.distinctNumbers()
	}
	place := map[string]int{}
	numbers := map[string]float64{}
	for i, w := range c.words {
		if _, seen := place[w]; !seen {
			place[w], values = len(values), append(values, w)
		}
		if c.numeric() {
			numbers[w] = c.numbers[i]
		}
	}
	slices.SortStableFunc(values, func(a, b string) int { return cmp.Compare(numbers[a], numbers[b]) })
	for i, v := range values {
		place[v] = i
	}
	for _, w := range c.words {
		at = append(at, place[w])
	}
	return values, at
}

func (c *series) distinctNumbers() (values []string, at []int) {
	numbers := slices.Clone(c.numbers)
	slices.Sort(numbers)
	numbers = slices.CompactFunc(numbers, func(a, b float64) bool { return cmp.Compare(a, b) == 0 })
	for _, v := range numbers {
		values = append(values, phrase.Minus(strconv.FormatFloat(v, 'g', -1, 64)))
	}
	for _, v := range c.numbers {
		i, _ := slices.BinarySearch(numbers, v)
		at = append(at, i)
	}
	return values, at
}

// sweptKeys are the numeric keys of a sweep that take several values here.
func (d *plotted) sweptKeys() (names []string) {
	for _, c := range d.columns {
		if c.swept && c.numeric() && len(c.values()) > 1 {
			names = append(names, c.name)
		}
	}
	return names
}

// choose fills in what the plot leaves open.
func (d *plotted) choose() {
	keys := slices.DeleteFunc(d.sweptKeys(), func(name string) bool { return name == d.X || name == d.By || name == d.Facet })
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
	if d.Kind == "" {
		d.Kind = d.kind(len(keys))
	}
	if d.Kind == Heat {
		d.By = cmp.Or(d.By, next())
		d.Facet = cmp.Or(d.Facet, d.several(d.group()))
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
	for _, name := range []string{"algorithm", "folder"} {
		if d.several(name) != "" {
			return name
		}
	}
	return "algorithm"
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

// check refuses what cannot be drawn.
func (d *plotted) check() error {
	switch d.Kind {
	case Line, Scatter, Hist, Heat:
	default:
		return fmt.Errorf("--kind %s: want line, scatter, hist or heat", d.Kind)
	}
	if !slices.Contains([]string{"", "x", "y", "xy", "none"}, d.Log) {
		return fmt.Errorf("--log %s: want x, y, xy or none", d.Log)
	}
	if !slices.Contains([]Band{"", MinMax, Quantiles, NoBand}, d.Band) {
		return fmt.Errorf("--band %s: want minmax, quantiles or none", d.Band)
	}
	if d.Kind == Heat && d.by == nil {
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
	return d.checkGroups()
}

func (d *plotted) checkGroups() error {
	if d.Kind == Heat || d.by == nil {
		return nil
	}
	if n := len(d.by.values()); n > mostGroups && !(d.Kind == Scatter && d.by.numeric()) {
		return fmt.Errorf("--by %s: %d values are too many to tell apart, at most %d; choose some with --where", d.by.name, n, mostGroups)
	}
	return nil
}

// part is the rows of one panel or one group. Groups alike in several folders share a base and take turns.
type part struct {
	name string
	rows []int
	base string
	turn int
}

// split parts rows by the values of a column; all are one part when there is no column.
func split(c *series, rows []int) []part {
	if c == nil {
		return []part{{rows: rows}}
	}
	var parts []part
	for _, v := range c.values() {
		parts = append(parts, part{name: v, base: v})
	}
	for _, row := range rows {
		p := &parts[c.at[row]]
		p.rows = append(p.rows, row)
	}
	return slices.DeleteFunc(parts, func(p part) bool { return len(p.rows) == 0 })
}

// readable shortens long numbers to four digits, as far as that keeps them apart.
func readable(names []string) []string {
	short, seen := make([]string, len(names)), map[string]bool{}
	for i, name := range names {
		short[i] = name
		if v, err := strconv.ParseFloat(name, 64); err == nil && len(name) > 6 {
			short[i] = phrase.Minus(strconv.FormatFloat(v, 'g', 4, 64))
		}
		seen[short[i]] = true
	}
	if len(seen) < len(names) {
		return names
	}
	return short
}

func (d *plotted) all() []int {
	rows := make([]int, d.rows)
	for i := range rows {
		rows[i] = i
	}
	return rows
}

// logs tells which axes are logarithmic.
func (d *plotted) logs() (x, y bool) {
	if d.Log != "" {
		return strings.Contains(d.Log, "x"), strings.Contains(d.Log, "y")
	}
	return d.x.geometric(), d.y != nil && d.y.error()
}

// error tells whether a column is an error, best seen on a logarithmic axis.
func (c *series) error() bool {
	for _, name := range []string{"gap", "distance", "w1", "gradient", "residual"} {
		if strings.Contains(c.name, name) {
			return slices.ContainsFunc(c.numbers, func(v float64) bool { return v > 0 })
		}
	}
	return false
}

// geometric tells whether the values of a swept key spread like powers rather than evenly.
func (c *series) geometric() bool {
	if !c.swept || !c.numeric() {
		return false
	}
	e, sum := draw.Nothing(), 0.0
	values := slices.Compact(slices.Sorted(slices.Values(c.numbers)))
	e.Add(values...)
	if e.Low <= 0 || len(values) < 3 || e.High/e.Low < 10 {
		return false
	}
	for _, v := range values {
		sum += math.Log(v / e.Low)
	}
	centre := math.Exp(sum / float64(len(values)))
	return centre < math.Sqrt(e.High/e.Low)*1.5
}

// sketch draws by kind.
func (d *plotted) sketch() (draw.Sketch, error) {
	switch d.Kind {
	case Hist:
		return d.histogram()
	case Heat:
		return d.heat()
	case Scatter:
		return d.scatter()
	}
	return d.lines()
}
