package plot

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/internal/portable"
	"github.com/kedge-opt/kedge/report/draw"
)

// series is one column: words, numbers, or both where words can be read as numbers. Low and high are the range around a
// number that is a mean.
type series struct {
	name      string
	label     string        // words for an axis, where they differ from the name
	swept     bool          // a key of a sweep
	decided   *kedge.Called // which entry of the decision it is, nil for none
	words     []string
	numbers   []float64
	low, high []float64

	different []string // the different entries, once they are asked for
	at        []int    // which of them every row has
}

func (c *series) numeric() bool { return c.numbers != nil }

// word is an entry as people write it.
func (c *series) word(i int) string {
	if c.words != nil {
		return c.words[i]
	}
	return digits(c.numbers[i])
}

// digits are all those of a number.
func digits(v float64) string { return phrase.Minus(strconv.FormatFloat(v, 'g', -1, 64)) }

func (c *series) called() string { return c.name }

func (c *series) pick(rows []int) *series {
	out := &series{name: c.name, label: c.label, swept: c.swept, decided: c.decided, words: choose(c.words, rows), numbers: choose(c.numbers, rows)}
	out.low, out.high = choose(c.low, rows), choose(c.high, rows)
	return out
}

// choose returns some entries of a list, nil of none.
func choose[T any](list []T, rows []int) []T {
	if list == nil {
		return nil
	}
	return lists.Of(rows, func(row int) T { return list[row] })
}

// matches returns which entries are what somebody typed: the same word, the same number, or the last or first number.
func (c *series) matches(want string) func(i int) bool {
	if !c.numeric() {
		return func(i int) bool { return c.words[i] == want }
	}
	all := draw.Nothing()
	all.Add(c.numbers...)
	v, err := strconv.ParseFloat(phrase.Typed(want), 64)
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
	if c.different != nil {
		return c.different
	}
	all := c.words
	if all == nil {
		all = lists.Of(c.numbers, digits)
	}
	number, place := map[string]float64{}, map[string]int{}
	for i, v := range c.numbers {
		number[all[i]] = v
	}
	c.different = lists.Distinct(all)
	slices.SortStableFunc(c.different, func(a, b string) int { return cmp.Compare(number[a], number[b]) })
	for i, v := range c.different {
		place[v] = i
	}
	c.at = lists.Of(all, func(word string) int { return place[word] })
	return c.different
}

// labelOf is words for an axis.
func (c *series) labelOf() string {
	switch {
	case c.name == "k":
		return "turn k"
	case c.swept:
		return KeyLabel(c.name)
	case c.label == "":
		return c.name
	case c.low != nil:
		return "final " + c.label
	}
	return c.label
}

// shade is a scale of colours over all numbers of a column.
func (c *series) shade(log bool) draw.Ruler {
	e := draw.Nothing()
	for _, v := range c.numbers {
		if !log || v >= draw.Tiniest {
			e.Add(v)
		}
	}
	if log && !e.Empty() {
		return draw.LogRuler(e.Low, e.High)
	}
	s := draw.NewRuler(e, false)
	s.Min, s.Max = max(s.Min, min(e.Low, s.Max)), min(s.Max, max(e.High, s.Min))
	if !(s.Min < s.Max) {
		return draw.NewRuler(e, false)
	}
	return s
}

// shown is the part of an extent of its numbers that has points on an axis, on a logarithmic one those above zero.
func (c *series) shown(e draw.Extent, log bool) draw.Extent {
	if !log || e.Low > 0 || e.High <= 0 {
		return e
	}
	above := draw.Nothing()
	for _, v := range c.numbers {
		if v > 0 {
			above.Add(v)
		}
	}
	return draw.Extent{Low: above.Low, High: e.High}
}

func (c *series) whole() bool {
	return !slices.ContainsFunc(c.numbers, func(v float64) bool { return v != math.Trunc(v) })
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
	if len(values) < 3 || e.High/e.Low < 10 { // where the lowest is 0, the centre is not below either
		return false
	}
	for _, v := range values {
		sum += portable.Log(v / e.Low)
	}
	centre := portable.Exp(sum / float64(len(values)))
	return centre < math.Sqrt(e.High/e.Low)*1.5
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
	parts := lists.Of(c.values(), func(v string) part { return part{name: v, base: v} })
	for _, row := range rows {
		p := &parts[c.at[row]]
		p.rows = append(p.rows, row)
	}
	return slices.DeleteFunc(parts, func(p part) bool { return len(p.rows) == 0 })
}

// readable writes numbers in one notation: with their own digits up to three, longer ones with two, or with as many as it takes to keep
// them apart. What are no numbers stay as they are.
func readable(names []string) []string {
	numbers, all := make([]float64, len(names)), draw.Nothing()
	for i, name := range names {
		v, err := strconv.ParseFloat(phrase.Typed(name), 64)
		if err != nil || !phrase.Finite(v) {
			return names
		}
		if numbers[i] = math.Abs(v); v != 0 {
			all.Add(numbers[i])
		}
		numbers[i] = v
	}
	plain := all.Empty() || all.Low >= 1e-4 && all.High < 1e6
	for digits := 2; digits < 17; digits++ {
		short := lists.Of(numbers, func(v float64) string { return tickWord(v, digits, plain) })
		if len(lists.Distinct(short)) == len(lists.Distinct(numbers)) {
			return short
		}
	}
	return names
}

// tickWord writes a number with its own digits, up to three, or rounded to so many, plainly or with a power of ten.
func tickWord(v float64, digits int, plain bool) string {
	if v == 0 {
		return "0"
	}
	if own := strconv.FormatFloat(v, 'e', -1, 64); len(strings.TrimLeft(strings.ReplaceAll(own[:strings.IndexByte(own, 'e')], ".", ""), "-")) <= max(3, digits) {
		digits = 17
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64)
	if plain {
		return phrase.Minus(strconv.FormatFloat(rounded, 'f', -1, 64))
	}
	mantissa, e, _ := strings.Cut(strconv.FormatFloat(rounded, 'e', -1, 64), "e")
	exponent, _ := strconv.Atoi(e) // FormatFloat wrote it
	if mantissa == "1" {
		return phrase.TenTo(exponent)
	}
	return phrase.Minus(mantissa) + "·" + phrase.TenTo(exponent)
}
