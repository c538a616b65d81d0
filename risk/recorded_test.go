package risk_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/internal/wire"
	"github.com/kedge-opt/kedge/objective"
	"github.com/kedge-opt/kedge/risk"
	"github.com/kedge-opt/kedge/stream"
)

// drawnLosses draws n losses, of some seeds with ties.
func drawnLosses(s *stream.Stream, n int) []float64 {
	x := make([]float64, n)
	s.Normals(x)
	if s.Intn(2) == 0 {
		for i := range x {
			x[i] = math.Round(2*x[i]) / 2
		}
	}
	return x
}

// drawnWeights draws n weights, some of them 0, or none.
func drawnWeights(s *stream.Stream, n int) []float64 {
	if s.Intn(3) == 0 {
		return nil
	}
	w := make([]float64, n)
	for i := range w {
		w[i] = float64(s.Intn(4))
		if s.Intn(2) == 0 {
			w[i] *= s.Float64()
		}
	}
	w[s.Intn(n)] = 1
	return w
}

// drawnMeasure draws a measure.
func drawnMeasure(s *stream.Stream) risk.ShareMeasure {
	switch s.Intn(5) {
	case 0:
		return risk.Mean{}
	case 1:
		return risk.CVaR{Level: float64(s.Intn(10)) / 10}
	case 2:
		return risk.CVaR{Level: s.Float64()}
	}
	return risk.Chance{Limit: float64(s.Intn(5)-2) / 2, Width: []float64{1e-3, 0.1, 1}[s.Intn(3)]}
}

// Measures of losses that seeds make are what they were when this was recorded, with and without shares.
func TestMeasuresAreAsRecorded(t *testing.T) {
	var got []string
	for k := range 150 {
		s := stream.New(uint64(k), "measures")
		n, m := 1+s.Intn(1+k/10), drawnMeasure(s)
		losses, shares := drawnLosses(s, n), make([]float64, n)
		w, v, sum := make([]float64, n), make([]float64, n), 0.0
		for i := range shares {
			shares[i] = float64(s.Intn(4)) + 1e-3
			sum += shares[i]
		}
		for i := range shares {
			shares[i] /= sum
		}
		alike, weighed := m.Weigh(w, losses), m.WeighShares(v, losses, shares)
		got = append(got, fmt.Sprintf("%d: %#v of %d, %v %v, shared %v %v", k, m, n, alike, w, weighed, v))
	}
	evidence.AsRecorded(t, "testdata/measures.txt", got)
}

// Gauges say of samples that seeds make, turn by turn, what they said when this was recorded.
func TestGaugesAreAsRecorded(t *testing.T) {
	var got []string
	w := lq2(t)
	for k := range 80 {
		s := stream.New(uint64(k), "gauges")
		c := w.constraint(drawnMeasure(s), s.Normal())
		if s.Intn(2) == 0 {
			c.Loss = w.loss
		}
		if s.Intn(3) == 0 {
			c.Among = func(d []float64) bool { return d[0] > -0.5 }
		}
		if s.Intn(3) == 0 {
			c.Member = func(who uint64) bool { return who%3 != 1 }
		}
		if s.Intn(4) == 0 {
			c.Sensitivity = nil
		}
		gauge, err := risk.NewGauge(c)
		must(t, err)
		said := ""
		for turn := range 4 {
			n := 1 + s.Intn(6)
			o := kedge.Observation{U: drawnLosses(s, 2), P: drawnLosses(s, 2*n), D: drawnLosses(s, 2*n), W: drawnWeights(s, n)}
			for i := range n {
				o.Who = append(o.Who, uint64(10*turn+i))
			}
			g := []float64{9, 9}
			excess, err := gauge.Assess(g, o)
			if said += fmt.Sprint("; ", excess, g, err); s.Intn(4) > 0 && err == nil {
				gauge.Commit(o)
			}
		}
		kept, err := wire.Append(nil, "gauge", gauge.Describe)
		must(t, err)
		got = append(got, fmt.Sprintf("%d: %T%s; keeps %x", k, c.Measure, said, kept))
	}
	evidence.AsRecorded(t, "testdata/gauges.txt", got)
}

// Constraints on settled people that seeds make are what they were when this was recorded: as they are, true, sharp and even, with their gradients.
func TestSettledConstraintsAreAsRecorded(t *testing.T) {
	var got []string
	w := lq2(t)
	for k := range 120 {
		s := stream.New(uint64(k), "settled")
		n := 1 + s.Intn(2+k/8)
		c := w.constraint(drawnMeasure(s), []float64{-0.5, 0, 0.1, 0.2, 0.5, 0.6, 0.9, 1}[s.Intn(8)])
		if s.Intn(2) == 0 {
			c.Loss = w.loss
		}
		if s.Intn(3) == 0 {
			c.Among = func(d []float64) bool { return d[0] > -0.5 }
		}
		if s.Intn(3) == 0 {
			c.Member = func(who uint64) bool { return who%3 != 1 }
		}
		traits := kedge.Block{Data: drawnLosses(s, 2*n), Width: 2}
		var seen kedge.Rows = traits
		if s.Intn(2) == 0 {
			seen = kedge.Leading{Of: traits, Entries: 2} // which must be copied to be seen
		}
		x, err := risk.NewSettled(c, w.crowd(traits), seen)
		if err != nil {
			got = append(got, fmt.Sprint(k, ": ", err))
			continue
		}
		said := fmt.Sprintf("%d: %T %d of %s, smoothed %v", k, c.Measure, n, x.Name(), x.Smoothed())
		if err := x.Weigh(drawnWeights(s, n)); err != nil {
			said += fmt.Sprint("; ", err)
			must(t, x.Weigh(nil))
		}
		for turn := range 2 {
			u := drawnLosses(s, 2)
			excess, err1 := x.Excess(u)
			over, err2 := x.True(u)
			g, h, e := []float64{9, 9}, []float64{9, 9}, []float64{9, 9}
			grad, err3 := x.Gradient(g, u)
			sharp, err4 := x.Sharp(h, u)
			even, err5 := x.Even(e, u)
			said += fmt.Sprint("; ", excess, over, grad, g, sharp, h, even, e, errors.Join(err1, err2, err3, err4, err5))
			if x = x.Clone(); turn == 0 && n > 1 {
				traits.Data[0] += 0.25 // people change
			}
		}
		got = append(got, said)
	}
	evidence.AsRecorded(t, "testdata/settled.txt", got)
}

// What is refused is refused in the words that were recorded.
func TestRefusalsAreAsRecorded(t *testing.T) {
	var got []string
	w, nan, inf := lq2(t), math.NaN(), math.Inf(1)
	said := func(what string, err error) {
		got = append(got, what+": "+strings.ReplaceAll(fmt.Sprint(err), "\n", " / "))
	}
	traits := kedge.Block{Data: drawn(1, 4), Width: 2}
	for _, m := range []risk.Measure{
		nil, risk.CVaR{Level: 1}, risk.CVaR{Level: -0.1}, risk.CVaR{Level: nan}, risk.CVaR{}, risk.Chance{Limit: inf, Width: 1}, risk.Chance{Limit: nan, Width: inf}, risk.Chance{}, risk.Chance{Width: -1}, risk.Chance{Width: 5e-324},
		risk.Chance{Limit: -inf, Width: nan},
	} {
		_, err := risk.NewGauge(w.constraint(m, 0))
		said(fmt.Sprintf("%#v", m), err)
		_, err = risk.NewSettled(w.constraint(m, nan), w.crowd(traits), traits)
		said(fmt.Sprintf("%#v without a bound", m), err)
	}
	for _, d := range []kedge.Dims{{Decision: 1}, {State: 1}, {Decision: 1, State: 1}} {
		c := w.constraint(risk.Mean{}, inf)
		c.Dims = d
		_, err := risk.NewGauge(c)
		said(fmt.Sprintf("%+v", d), err)
	}
	c := w.constraint(risk.Mean{}, 0)
	c.Loss = nil
	_, err := risk.NewGauge(c)
	said("no loss", err)
	wide := kedge.Block{Data: drawn(1, 6), Width: 3}
	_, err = risk.NewSettled(w.constraint(risk.Mean{}, 0), w.crowd(traits), wide)
	said("wide traits", err)
	gauge, err := risk.NewGauge(w.constraint(risk.Mean{}, 0))
	must(t, err)
	known := w.constraint(risk.Mean{}, 0)
	known.Member = func(uint64) bool { return true }
	members, err := risk.NewGauge(known)
	must(t, err)
	steep, err := objective.NewQuadratic(dims, nil, nil, nil, nil, []float64{1e308, 0})
	must(t, err)
	far := w.constraint(risk.Mean{}, 0)
	far.Loss = steep
	beyond, err := risk.NewGauge(far)
	must(t, err)
	for name, o := range map[string]kedge.Observation{
		"nobody": {}, "half a state": {P: []float64{1}}, "no traits": {P: []float64{1, 2}, U: []float64{0, 0}}, "a weight too many": {P: []float64{1, 2}, D: []float64{1, 2}, U: []float64{0, 0}, W: []float64{1, 2}},
		"no weight": {P: []float64{1, 2}, D: []float64{1, 2}, U: []float64{0, 0}, W: []float64{0}}, "a weight below 0": {P: []float64{1, 2}, D: []float64{1, 2}, U: []float64{0, 0}, W: []float64{-1}},
		"far away": {P: []float64{1e9, 2}, D: []float64{1, 2}, U: []float64{0, 0}}, "good": {P: []float64{1, 2}, D: []float64{1, 2}, U: []float64{0, 0}, Who: []uint64{1}},
	} {
		for kind, g := range map[string]*risk.Gauge{"a mean": gauge, "members": members, "steep": beyond} {
			slope := []float64{7, 7}
			excess, err := g.Assess(slope, o)
			said(fmt.Sprint("sample ", name, ", ", kind, " ", excess, slope), err)
		}
	}
	settled, err := risk.NewSettled(w.constraint(risk.Chance{Limit: 1, Width: 1}, 0.5), w.crowd(traits), traits)
	must(t, err)
	for _, u := range [][]float64{nil, {1}, {1, nan}, {1, 2, 3}} {
		g := []float64{7, 7}
		_, err1 := settled.Excess(u)
		_, err2 := settled.Gradient(g, u)
		_, err3 := settled.True(u)
		_, err4 := settled.Sharp(g, u)
		_, err5 := settled.Even(g, u)
		said(fmt.Sprint("decision ", u, g), errors.Join(err1, err2, err3, err4, err5))
	}
	for _, weights := range [][]float64{{}, {1}, {0, 0, 0, 0}, {1, -1, 1, 1}, {1, nan, 1, 1}, {0, 0, 0, 1e-300}} {
		said(fmt.Sprint("weights ", weights), settled.Weigh(weights))
	}
	slices.Sort(got)
	evidence.AsRecorded(t, "testdata/refusals.txt", got)
}
