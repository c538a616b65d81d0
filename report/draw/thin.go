package draw

import (
	"math"
	"slices"

	"github.com/kedge-opt/kedge/internal/lists"
)

// LinePoint is a mean and the range around it at one place of the horizontal axis, most often a turn.
type LinePoint struct{ X, Mean, Low, High float64 }

// MostPoints bounds the points of one panel, so that a file stays small whatever the number of curves.
const MostPoints = 4000

// Prepare lifts what a logarithm cannot show and thins what an eye cannot see, in the lists of all panels alike.
func Prepare(log bool, panels ...Lines) (floored bool) {
	if log {
		floored = Raise(panels...)
	}
	most := min(1000, max(MostPoints/max(len(slices.Concat(panels...)), 1), 10))
	for _, list := range panels {
		for i := range list {
			list[i].Points = Thin(list[i].Points, most)
		}
	}
	return floored
}

// Means forgets the range around means.
func Means(rows []LinePoint) []LinePoint {
	for i := range rows {
		rows[i].Low, rows[i].High = rows[i].Mean, rows[i].Mean
	}
	return rows
}

// Thin keeps at most limit points, among them the first, the last and every bucket's extremes, so that a thinned picture
// shows the same outline.
func Thin(rows []LinePoint, limit int) []LinePoint {
	const perBucket = 4
	buckets := (limit - 2) / perBucket
	if len(rows) <= limit || buckets < 1 {
		return rows
	}
	last := len(rows) - 1
	keep := []int{0}
	for b := range buckets {
		from, to := 1+b*(last-1)/buckets, 1+(b+1)*(last-1)/buckets
		keep = append(keep, extremes(rows, from, to)...)
	}
	keep = append(keep, last)
	return lists.Of(keep, func(i int) LinePoint { return rows[i] })
}

// extremes returns where in rows[from:to] the mean is least and greatest, the band lowest and highest, in order.
func extremes(rows []LinePoint, from, to int) []int {
	at := [4]int{from, from, from, from}
	for i := from + 1; i < to; i++ {
		for j, lower := range [4]bool{
			rows[i].Mean < rows[at[0]].Mean, rows[i].Mean > rows[at[1]].Mean,
			rows[i].Low < rows[at[2]].Low, rows[i].High > rows[at[3]].High,
		} {
			if lower {
				at[j] = i
			}
		}
	}
	slices.Sort(at[:])
	return slices.Compact(at[:])
}

// Tiniest is the smallest number worth showing: below it a relative error is rounding.
const Tiniest = 1e-16

// Raise lifts what a logarithm cannot show onto the least positive number that is worth showing, and tells whether there is any.
func Raise(panels ...Lines) (floored bool) {
	floor, lowest := math.Inf(1), math.Inf(1)
	for _, p := range points(panels) {
		for _, v := range [3]float64{p.Low, p.Mean, p.High} {
			lowest = min(lowest, v)
			if v >= Tiniest {
				floor = min(floor, v)
			}
		}
	}
	if math.IsInf(floor, 1) {
		floor = Tiniest
	}
	for _, p := range points(panels) {
		p.Low, p.Mean, p.High = max(p.Low, floor), max(p.Mean, floor), max(p.High, floor)
	}
	return lowest < floor
}

func points(panels []Lines) (all []*LinePoint) {
	for _, line := range slices.Concat(panels...) {
		for i := range line.Points {
			all = append(all, &line.Points[i])
		}
	}
	return all
}

// ThinLate thins what a logarithmic axis crowds at its end and keeps the beginning.
func ThinLate(rows []LinePoint, limit int) []LinePoint {
	early := min(len(rows), limit/2)
	return slices.Concat(rows[:early], Thin(rows[early:], limit-early))
}
