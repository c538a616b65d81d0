package report

import (
	"math"
	"strconv"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// scale maps numbers to shares of an axis.
type scale struct {
	min, max float64
	log      bool
}

func (s scale) at(v float64) float64 {
	if s.log {
		low := math.Log(s.min)
		return (math.Log(v) - low) / (math.Log(s.max) - low)
	}
	return (v - s.min) / (s.max - s.min)
}

// logScale covers lowest … highest with a little room and at least two powers of ten.
func logScale(lowest, highest float64) scale {
	from, to := math.Log10(lowest), math.Log10(highest)
	room := max(0.04*(to-from), 0.02)
	from, to = snap(from-room, math.Floor), snap(to+room, math.Ceil)
	if math.Floor(to) <= math.Ceil(from) {
		from, to = math.Floor(from), math.Ceil(to)
	}
	return scale{math.Pow(10, from), min(math.Pow(10, to), math.MaxFloat64), true}
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

func (s scale) ticks() []tick {
	if s.log {
		return s.powers()
	}
	return s.multiples(niceStep((s.max - s.min) / most))
}

// multiples are the multiples of a step on a linear axis.
func (s scale) multiples(step float64) []tick {
	var ticks []tick
	for i := math.Ceil(s.min / step); i*step <= s.max; i++ {
		v := float64(i*step) + 0 // never −0
		ticks = append(ticks, tick{value: v, label: strconv.FormatFloat(v, 'f', -1, 64)})
	}
	return ticks
}

// niceStep is the least of 1, 2, 5, 10, 20, … that is not below v.
func niceStep(v float64) float64 {
	for unit := 1.0; ; unit *= 10 {
		for _, m := range [3]float64{1, 2, 5} {
			if m*unit >= v {
				return m * unit
			}
		}
	}
}

// powers are the powers of ten, labelled as far as there is room, and between them either the powers passed over or, on a
// short axis, the multiples. A very long axis has labelled powers only.
func (s scale) powers() []tick {
	from, to := s.decades()
	stride := int(niceStep(float64(to-from) / most))
	var ticks []tick
	for e := from; e <= to; e++ {
		if t := (tick{value: math.Pow10(e)}); e%stride == 0 {
			t.label, t.super = "10", minus(strconv.Itoa(e))
			ticks = append(ticks, t)
		} else if stride <= 5 {
			ticks = append(ticks, t)
		}
	}
	if to-from > most-2 {
		return ticks
	}
	for e := from - 1; e <= to; e++ {
		for m := 2.0; m < 10; m++ {
			if v := m * math.Pow10(e); v > s.min && v < s.max {
				ticks = append(ticks, tick{value: v})
			}
		}
	}
	return ticks
}

// frame is a box of the canvas with its two axes.
type frame struct {
	box  vg.Rectangle
	x, y scale
}

func (f frame) point(x, y float64) vg.Point {
	return vg.Point{X: f.across(x), Y: f.up(y)}
}

func (f frame) across(x float64) vg.Length {
	return f.box.Min.X + vg.Length(f.x.at(x)*float64(f.box.Max.X-f.box.Min.X))
}

func (f frame) up(y float64) vg.Length {
	return f.box.Min.Y + vg.Length(f.y.at(y)*float64(f.box.Max.Y-f.box.Min.Y))
}

var (
	axisLine = draw.LineStyle{Color: pale, Width: 0.8}
	gridLine = draw.LineStyle{Color: grid, Width: 0.8}
)

// drawX draws the horizontal axis, with labels unless another panel below carries them.
func (f frame) drawX(p pen, ticks []tick, labelled bool) {
	bottom := f.box.Min.Y
	for _, t := range ticks {
		x := f.across(t.value)
		p.line(axisLine, vg.Point{X: x, Y: bottom}, vg.Point{X: x, Y: bottom - 4})
		if labelled {
			p.write(vg.Point{X: x, Y: bottom - 15}, centred, smallSize, ink, t.label)
		}
	}
	p.line(axisLine, f.box.Min, vg.Point{X: f.box.Max.X, Y: bottom})
}

// drawY draws the vertical axis and the grid that goes with it.
func (f frame) drawY(p pen, ticks []tick, labelled bool) {
	left := f.box.Min.X
	for _, t := range ticks {
		y := f.up(t.value)
		if t.label == "" {
			p.line(axisLine, vg.Point{X: left - 2, Y: y}, vg.Point{X: left, Y: y})
			continue
		}
		p.line(gridLine, vg.Point{X: left, Y: y}, vg.Point{X: f.box.Max.X, Y: y})
		if labelled {
			p.line(axisLine, vg.Point{X: left - 4, Y: y}, vg.Point{X: left, Y: y})
			at := vg.Point{X: left - 6 - p.width(t.super, superSize), Y: y - 0.36*smallSize}
			p.write(at, fromRight, smallSize, ink, t.label)
			p.write(vg.Point{X: at.X + 0.5, Y: at.Y + 0.36*smallSize}, fromLeft, superSize, ink, t.super)
		}
	}
	p.line(axisLine, f.box.Min, vg.Point{X: left, Y: f.box.Max.Y})
}
