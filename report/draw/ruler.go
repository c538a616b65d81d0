package draw

import (
	"math"
	"slices"
	"strconv"

	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/internal/portable"
)

// Extent is the least and the greatest of some numbers; none at first.
type Extent struct{ Low, High float64 }

// Nothing is the extent of no numbers.
func Nothing() Extent { return Extent{math.Inf(1), math.Inf(-1)} }

// Add widens the extent by the finite ones of the numbers.
func (e *Extent) Add(numbers ...float64) {
	for _, v := range numbers {
		if phrase.Finite(v) {
			e.Low, e.High = min(e.Low, v), max(e.High, v)
		}
	}
}

// Empty tells whether there was no finite number.
func (e Extent) Empty() bool { return !(e.Low <= e.High) }

// Ruler maps numbers to shares of an axis.
type Ruler struct {
	Min, Max float64
	Log      bool
	Whole    bool // labels are whole numbers
}

// At is the share of the axis below v, within 0 and 1. Halves keep the greatest numbers from overflowing.
func (s Ruler) At(v float64) float64 {
	share := 0.0
	if s.Log {
		low := portable.Log(s.Min)
		share = (portable.Log(max(v, 0)) - low) / (portable.Log(s.Max) - low)
	} else {
		share = (v/2 - s.Min/2) / (s.Max/2 - s.Min/2)
	}
	return min(max(share, 0), 1)
}

// NewRuler covers an extent, on a logarithmic axis its positive part.
func NewRuler(e Extent, log bool) Ruler {
	switch {
	case log && e.High > 0:
		return LogRuler(max(e.Low, Tiniest), max(e.High, Tiniest))
	case e.Empty():
		return Ruler{Max: 1}
	}
	return linearRuler(e.Low, e.High)
}

// linearRuler covers low … high with a little room, from zero on when that is near.
func linearRuler(low, high float64) Ruler {
	const huge, narrow = 1e300, 1e-9 // an axis narrower than this, relative to its numbers, has no readable labels
	low, high = min(max(low, -huge), huge), min(max(high, -huge), huge)
	size := max(math.Abs(low), math.Abs(high))
	if size < 1/huge {
		return Ruler{Min: -1, Max: 1}
	}
	if high-low <= narrow*size {
		low, high = low-float64(0.1*size), high+float64(0.1*size)
	}
	room := float64(0.04 * (high - low))
	s := Ruler{Min: low - room, Max: high + room}
	if low >= 0 && low < 0.3*high {
		s.Min = 0
	}
	if high <= 0 && high > 0.3*low {
		s.Max = 0
	}
	return s
}

// LogRuler covers lowest … highest with a little room and at least two labels.
func LogRuler(lowest, highest float64) Ruler {
	from, to := portable.Log10(lowest), portable.Log10(highest)
	room := max(float64(0.04*(to-from)), 0.02)
	from, to = snap(from-room, math.Floor), snap(to+room, math.Ceil)
	s := Ruler{Min: portable.Pow(10, from), Max: min(portable.Pow(10, to), math.MaxFloat64), Log: true}
	if len(labels(s.ticks(MostLabels))) < 2 {
		s.Min, s.Max = portable.Pow(10, math.Floor(from)), min(portable.Pow(10, math.Ceil(to)), math.MaxFloat64)
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
func (s Ruler) decades() (from, to int) {
	const rounding = 1e-9
	return int(math.Ceil(portable.Log10(s.Min) - rounding)), int(math.Floor(portable.Log10(s.Max) + rounding))
}

// Tick is a mark on an axis; without a label it is a minor one.
type Tick struct {
	Value float64
	Label string
}

// MostLabels is how many labels an axis carries at most.
const MostLabels = 6

// labels are those of the marks that have one.
func labels(ticks []Tick) []string {
	all := lists.Of(ticks, func(t Tick) string { return t.Label })
	return slices.DeleteFunc(all, func(label string) bool { return label == "" })
}

// ticks marks the axis with n labels or a few less.
func (s Ruler) ticks(n int) []Tick {
	switch {
	case s.Log:
		return s.powers(n)
	case s.Whole:
		return s.Multiples(max(1, NiceStep((s.Max-s.Min)/float64(n))))
	}
	return s.Multiples(NiceStep(s.Max/float64(n) - s.Min/float64(n)))
}

// Multiples are the multiples of a step on a linear axis.
func (s Ruler) Multiples(step float64) []Tick {
	const rounding = 1e-9
	var ticks []Tick
	size := max(math.Abs(s.Min), math.Abs(s.Max))
	from, to := math.Ceil(s.Min/step-rounding), math.Floor(s.Max/step+rounding)
	for i := from; i <= to; i++ {
		t := Tick{Value: float64(i*step) + 0} // never −0
		t.Label = axisNumber(t.Value, step, size)
		ticks = append(ticks, t)
	}
	return ticks
}

// axisNumber writes a multiple of step on an axis whose numbers reach size.
func axisNumber(v, step, size float64) string {
	decimals := max(0, -int(math.Floor(portable.Log10(step)+1e-9)))
	switch {
	case v == 0:
		return "0"
	case size < 1e6 && decimals <= 4, size >= 1e-3 && size < 1e6:
		return phrase.Fixed(v, decimals)
	}
	e := int(math.Floor(portable.Log10(size)))
	digits := max(0, e+decimals)
	if decimals == 0 {
		digits = max(0, e-int(math.Floor(portable.Log10(step)+1e-9)))
	}
	return timesTen(v, e, digits)
}

// timesTen writes v as a multiple of ten to the e.
func timesTen(v float64, e, digits int) string {
	return phrase.Fixed(v/math.Pow10(e), digits) + "·" + phrase.TenTo(e)
}

// NiceStep is the least of …, 1, 2, 5, 10, 20, … that is not below v.
func NiceStep(v float64) float64 {
	e := int(math.Floor(portable.Log10(v)))
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
func (s Ruler) powers(n int) []Tick {
	from, to := s.decades()
	if to-from < 2 && n > 3 {
		return s.oneTwoFive(from, to)
	}
	stride := max(1, int(NiceStep(float64(to-from)/float64(n))))
	var ticks []Tick
	for e := from; e <= to; e++ {
		if t := (Tick{Value: math.Pow10(e)}); e%stride == 0 {
			t.Label = phrase.TenTo(e)
			ticks = append(ticks, t)
		} else if stride <= 5 {
			ticks = append(ticks, t)
		}
	}
	if to-from > n-2 {
		return ticks
	}
	return append(ticks, s.between(from, to, func(float64, int) Tick { return Tick{} })...)
}

// between marks the multiples of powers of ten that are none themselves.
func (s Ruler) between(from, to int, mark func(m float64, e int) Tick) []Tick {
	var ticks []Tick
	for e := from - 1; e <= to; e++ {
		for m := 2.0; m < 10; m++ {
			if v := ten(m, e); v > s.Min*(1-1e-9) && v < s.Max*(1+1e-9) {
				t := mark(m, e)
				t.Value = v
				ticks = append(ticks, t)
			}
		}
	}
	return ticks
}

// oneTwoFive labels 1, 2 and 5 times the powers of ten, for axes over less than two of them.
func (s Ruler) oneTwoFive(from, to int) []Tick {
	write := func(m float64, e int) Tick {
		v := ten(m, e)
		if s.Min >= 1e-4 && s.Max < 1e6 {
			return Tick{Value: v, Label: strconv.FormatFloat(v, 'f', -1, 64)}
		}
		return Tick{Value: v, Label: timesTen(v, e, 0)}
	}
	var ticks []Tick
	for e := from; e <= to; e++ {
		ticks = append(ticks, write(1, e))
	}
	return append(ticks, s.between(from, to, func(m float64, e int) Tick {
		if m != 2 && m != 5 {
			return Tick{}
		}
		return write(m, e)
	})...)
}

// Fitted covers an extent with a little room and no zero that is not in it.
func Fitted(e Extent) Ruler {
	room := max(0.05*(e.High-e.Low), 1e-9*max(math.Abs(e.Low), math.Abs(e.High)), 1e-300)
	return Ruler{Min: max(e.Low-room, -1e300), Max: min(e.High+room, 1e300)}
}

// Widened is a scale at least as wide as asked.
func Widened(s Ruler, wide float64) Ruler {
	if more := (wide - (s.Max - s.Min)) / 2; more > 0 {
		s.Min, s.Max = s.Min-more, s.Max+more
	}
	return s
}
