package study

import (
	"math"
	"slices"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/portable"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/stream"
	"gonum.org/v1/gonum/stat/distuv"
)

// sample is what was measured at one place of the horizontal axis, one value a trial.
type sample struct {
	x      float64
	values []float64
}

// track is a list of samples with a name.
type track struct {
	name string
	list []sample
}

// statistic is a number of the values at a place.
type statistic func(x float64, values []float64) float64

func average(_ float64, values []float64) float64 { return mean(values) }

// power is a fitted law y = c·x^exponent with what is known of its exponent.
type power struct {
	exponent float64
	again    []float64 // the exponents of fits to resampled data, sorted
}

// resamples is how many times a fit is repeated for its interval.
const resamples = 4000

// fitPower fits a power law to a statistic of the samples by least squares of logarithms. Its interval is the middle of the
// fits to resampled data [efron1993]: places are drawn anew and at each of them the trials, so that the interval covers chance
// and also that the law is not quite a power.
func fitPower(list []sample, of statistic, s *stream.Stream) power {
	slope, _ := leastSquares(logarithms(list, of))
	var slopes []float64
	for range resamples {
		again, _ := leastSquares(redraw(list, of, s))
		slopes = append(slopes, again)
	}
	slices.Sort(slopes)
	return power{slope, slopes}
}

// redraw draws places with replacement, and trials at each. Places that are too close together to show a slope, less spread out
// than half of all, are drawn again.
func redraw(list []sample, of statistic, s *stream.Stream) [][2]float64 {
	return logarithms(redrawPlaces(list, s), func(x float64, values []float64) float64 {
		again := make([]float64, len(values))
		for j := range again {
			again[j] = values[s.Intn(len(again))]
		}
		return of(x, again)
	})
}

// logarithms are those of the places and of a statistic there.
func logarithms(list []sample, of statistic) [][2]float64 {
	return lists.Of(list, func(one sample) [2]float64 {
		return [2]float64{portable.Log(one.x), portable.Log(of(one.x, one.values))}
	})
}

func redrawPlaces(list []sample, s *stream.Stream) []sample {
	out := make([]sample, len(list))
	for {
		for i := range out {
			out[i] = list[s.Intn(len(list))]
		}
		if extent(out) >= extent(list)/2 {
			return out
		}
	}
}

// extent is the variance of log x.
func extent(list []sample) float64 {
	d := deviation(lists.Of(list, func(one sample) float64 { return portable.Log(one.x) }))
	return d * d
}

// leastSquares fits y = height + slope·x.
func leastSquares(points [][2]float64) (slope, height float64) {
	var mx, my, xx, xy float64
	n := float64(len(points))
	for _, p := range points {
		mx, my = mx+p[0]/n, my+p[1]/n
	}
	for _, p := range points {
		xx += float64((p[0] - mx) * (p[0] - mx))
		xy += float64((p[0] - mx) * (p[1] - my))
	}
	slope = xy / xx
	return slope, my - float64(slope*mx)
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// deviation is the standard deviation of a sample.
func deviation(values []float64) float64 {
	m, sum := mean(values), 0.0
	for _, v := range values {
		sum += float64((v - m) * (v - m))
	}
	return math.Sqrt(sum / float64(max(1, len(values)-1)))
}

// claimed is the exponent of a fit beside the theory's.
func (p power) claimed(what string, theory float64) Claim {
	return Claim{What: what, Measured: p.exponent, Theory: theory, within: func(share float64) (low, high float64) {
		return rows.Quantile(p.again, share/2), rows.Quantile(p.again, 1-share/2)
	}}
}

// line draws the mean of samples with its 95 % interval.
func line(t track) Series {
	s := Series{Name: t.name}
	for _, one := range t.list {
		m, e := mean(one.values), meanError(one.values, 0.05)
		s.X, s.Y = append(s.X, one.x), append(s.Y, m)
		s.Low, s.High = append(s.Low, max(m-e, m/10)), append(s.High, m+e)
	}
	return s
}

// marks are a line whose points alone are drawn.
func marks(t track) Series {
	s := line(t)
	s.Points = true
	return s
}

// slopeLine is a dashed power law from the first point of a series on, beside which an exponent can be read.
func slopeLine(name string, of Series, exponent float64) Series {
	return lawLine(name, of, func(x float64) float64 { return portable.Pow(x, exponent) })
}

// lawLine is a dashed law from the first point of a series on.
func lawLine(name string, of Series, law func(x float64) float64) Series {
	y := lists.Of(of.X, func(x float64) float64 { return of.Y[0] * law(x) / law(of.X[0]) })
	return Series{Name: name, X: of.X, Y: y, Theory: true, Like: of.Name}
}

// meanError is half of the interval of a mean that misses with a probability.
func meanError(values []float64, share float64) float64 {
	return distuv.UnitNormal.Quantile(1-share/2) * deviation(values) / math.Sqrt(float64(len(values)))
}

// meanClaimed is the mean of values beside the theory's.
func meanClaimed(what string, values []float64, theory float64) Claim {
	m := mean(values)
	return Claim{What: what, Measured: m, Theory: theory, within: func(share float64) (low, high float64) {
		e := meanError(values, share)
		return m - e, m + e
	}}
}

// multiples are values divided by the exact number of their place.
func multiples(list []sample, exact []float64) (out []float64) {
	for i, one := range list {
		for _, v := range one.values {
			out = append(out, v/exact[i])
		}
	}
	return out
}

// fitted is the exponent that a known law shows over the places of samples.
func fitted(list []sample, law func(x float64) float64) float64 {
	slope, _ := leastSquares(logarithms(list, func(x float64, _ []float64) float64 { return law(x) }))
	return slope
}

// tabulate keeps means and deviations of what was measured, a row a place.
func (w *work) tabulate(x string, tracks ...track) {
	type place struct {
		series string
		sample
	}
	var t folder.TableOf[place]
	for _, one := range tracks {
		for _, s := range one.list {
			t.Rows = append(t.Rows, place{one.name, s})
		}
	}
	t.Text("series", func(p place) string { return p.series })
	t.Number(x, func(p place) float64 { return p.x })
	t.Number("mean", func(p place) float64 { return mean(p.values) })
	t.Number("deviation", func(p place) float64 { return deviation(p.values) })
	t.Number("values", func(p place) float64 { return float64(len(p.values)) })
	w.result.Table = t.Table
}
