package report

import (
	"math"
	"strconv"

	"github.com/kedge-opt/kedge/internal/phrase"
)

// extent is the least and the greatest of some numbers; none at first.
type extent struct{ low, high float64 }

func nothing() extent { return extent{math.Inf(1), math.Inf(-1)} }

// add widens the extent by the finite ones of the numbers.
func (e *extent) add(numbers ...float64) {
	for _, v := range numbers {
		if phrase.Finite(v) {
			e.low, e.high = min(e.low, v), max(e.high, v)
		}
	}
}

func (e extent) empty() bool { return !(e.low <= e.high) }

// scale maps numbers to shares of an axis.
type scale struct {
	min, max float64
	log      bool
	whole    bool // labels are whole numbers
}

// at is the share of the axis below v, within 0 and 1. Halves keep the greatest numbers from overflowing.
func (s scale) at(v float64) float64 {
	share := 0.0
	if s.log {
		low := math.Log(s.min)
		share = (math.Log(max(v, 0)) - low) / (math.Log(s.max) - low)
	} else {
		share = (v/2 - s.min/2) / (s.max/2 - s.min/2)
	}
	return min(max(share, 0), 1)
}

// newScale covers an extent, on a logarithmic axis its positive part.
func newScale(e extent, log bool) scale {
	switch {
	case log && e.high > 0:
		return logScale(max(e.low, tiniest), max(e.high, tiniest))
	case e.empty():
		return scale{max: 1}
	}
	return linearScale(e.low, e.high)
}

// linearScale covers low … high with a little room, from zero on when that is near.
func linearScale(low, high float64) scale {
	const huge, narrow = 1e300, 1e-9 // an axis narrower than this, relative to its numbers, has no readable labels
	low, high = min(max(low, -huge), huge), min(max(high, -huge), huge)
	size := max(math.Abs(low), math.Abs(high))
	if size < 1/huge {
		return scale{min: -1, max: 1}
	}
	if high-low <= narrow*size {
		low, high = low-0.1*size, high+0.1*size
	}
	room := 0.04 * (high - low)
	s := scale{min: low - room, max: high + room}
	if low >= 0 && low < 0.3*high {
		s.min = 0
	}
	if high <= 0 && high > 0.3*low {
		s.max = 0
	}
	return s
}

// logScale covers lowest … highest with a little room and at least two labels.
func logScale(lowest, highest float64) scale {
	from, to := math.Log10(lowest), math.Log10(highest)
	room := max(0.04*(to-from), 0.02)
	from, to = snap(from-room, math.Floor), snap(to+room, math.Ceil)
	s := scale{min: math.Pow(10, from), max: min(math.Pow(10, to), math.MaxFloat64), log: true}
	if labels(s.ticks(most)) < 2 {
		s.min, s.max = math.Pow(10, math.Floor(from)), min(math.Pow(10, math.Ceil(to)), math.MaxFloat64)
	}
	return s
}

// snap moves an end of the axis to the power of ten beyond it when that is near.
func snap(exponent float64, beyond func(float64) float64) float64 {
	if power := beyond(exponent); math.Abs(power-exponent) < 0.3 {
		return power
	}
	return exponent
}

// decades returns the first and last exponent of ten on a logarithmic axis.
func (s scale) decades() (from, to int) {
	const rounding = 1e-9
	return int(math.Ceil(math.Log10(s.min) - rounding)), int(math.Floor(math.Log10(s.max) + rounding))
}

// tick is a mark on an axis; without a label it is a minor one.
type tick struct {
	value float64
	label string
	super string // raised, smaller, after the label
}

// most is how many labels an axis carries at most.
const most = 6

func labels(ticks []tick) int {
	n := 0
	for _, t := range ticks {
		if t.label != "" {
			n++
		}
	}
	return n
}

// ticks marks the axis with n labels or a few less.
func (s scale) ticks(n int) []tick {
	switch {
	case s.log:
		return s.powers(n)
	case s.whole:
		return s.multiples(max(1, niceStep((s.max-s.min)/float64(n))))
	}
	return s.multiples(niceStep(s.max/float64(n) - s.min/float64(n)))
}

// multiples are the multiples of a step on a linear axis.
func (s scale) multiples(step float64) []tick {
	const rounding = 1e-9
	var ticks []tick
	size := max(math.Abs(s.min), math.Abs(s.max))
	from, to := math.Ceil(s.min/step-rounding), math.Floor(s.max/step+rounding)
	for i := from; i <= to; i++ {
		t := tick{value: float64(i*step) + 0} // never −0
		t.label, t.super = axisNumber(t.value, step, size)
		ticks = append(ticks, t)
	}
	return ticks
}

// axisNumber writes a multiple of step on an axis whose numbers reach size.
func axisNumber(v, step, size float64) (label, super string) {
	decimals := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	switch {
	case v == 0:
		return "0", ""
	case size < 1e6 && decimals <= 4, size >= 1e-3 && size < 1e6:
		return phrase.Minus(strconv.FormatFloat(v, 'f', decimals, 64)), ""
	}
	e := int(math.Floor(math.Log10(size)))
	digits := max(0, e+decimals)
	if decimals == 0 {
		digits = max(0, e-int(math.Floor(math.Log10(step)+1e-9)))
	}
	return timesTen(v, e, digits)
}

// timesTen writes v as a multiple of ten to the e.
func timesTen(v float64, e, digits int) (label, super string) {
	return phrase.Minus(strconv.FormatFloat(v/math.Pow10(e), 'f', digits, 64)) + "·10", phrase.Minus(strconv.Itoa(e))
}

// niceStep is the least of …, 1, 2, 5, 10, 20, … that is not below v.
func niceStep(v float64) float64 {
	e := int(math.Floor(math.Log10(v)))
	for _, m := range [3]float64{1, 2, 5} {
		if step := ten(m, e); step >= v*(1-1e-9) {
			return step
		}
	}
	return ten(1, e+1)
}

// ten is the number nearest to m times ten to the e.
func ten(m float64, e int) float64 {
	if e < 0 {
		return m / math.Pow10(-e)
	}
	return m * math.Pow10(e)
}

// powers are the powers of ten, labelled as far as there is room, and between them either the powers passed over or, on a
// short axis, the multiples. A very long axis has labelled powers only.
func (s scale) powers(n int) []tick {
	from, to := s.decades()
	if to-from < 2 && n > 3 {
		return s.oneTwoFive(from, to)
	}
	stride := max(1, int(niceStep(float64(to-from)/float64(n))))
	var ticks []tick
	for e := from; e <= to; e++ {
		if t := (tick{value: math.Pow10(e)}); e%stride == 0 {
			t.label, t.super = "10", phrase.Minus(strconv.Itoa(e))
			ticks = append(ticks, t)
		} else if stride <= 5 {
			ticks = append(ticks, t)
		}
	}
	if to-from > n-2 {
		return ticks
	}
	return append(ticks, s.between(from, to, func(float64, int) tick { return tick{} })...)
}

// between marks the multiples of powers of ten that are none themselves.
func (s scale) between(from, to int, mark func(m float64, e int) tick) []tick {
	var ticks []tick
	for e := from - 1; e <= to; e++ {
		for m := 2.0; m < 10; m++ {
			if v := ten(m, e); v > s.min*(1-1e-9) && v < s.max*(1+1e-9) {
				t := mark(m, e)
				t.value = v
				ticks = append(ticks, t)
			}
		}
	}
	return ticks
}

// oneTwoFive labels 1, 2 and 5 times the powers of ten, for axes over less than two of them.
func (s scale) oneTwoFive(from, to int) []tick {
	write := func(m float64, e int) tick {
		v := ten(m, e)
		if s.min >= 1e-4 && s.max < 1e6 {
			return tick{value: v, label: strconv.FormatFloat(v, 'f', -1, 64)}
		}
		label, super := timesTen(v, e, 0)
		return tick{value: v, label: label, super: super}
	}
	var ticks []tick
	for e := from; e <= to; e++ {
		ticks = append(ticks, write(1, e))
	}
	return append(ticks, s.between(from, to, func(m float64, e int) tick {
		if m != 2 && m != 5 {
			return tick{}
		}
		return write(m, e)
	})...)
}
