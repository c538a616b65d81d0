package report

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/lab"
	"github.com/kedge-opt/kedge/stream"
)

// Whatever the data, an axis covers it and carries a readable number of labels that say their place.
func TestAxesCoverTheirDataWithReadableLabels(t *testing.T) {
	s := stream.New(3)
	for range 2000 {
		low := math.Pow(10, -16+20*s.Float64())
		high := low * math.Pow(10, 30*s.Float64()*s.Float64()*float64(s.Intn(2)))
		checkAxis(t, logScale(low, high), low, high, 2)
		from := float64(s.Intn(1000))
		to := from + 1 + float64(s.Intn(1+s.Intn(1e7)))
		checkAxis(t, scale{min: from, max: to, whole: true}, from, to, 1)
		middle, wide := s.Normal()*high, math.Abs(s.Normal())*low
		checkAxis(t, linearScale(middle-wide, middle+wide), middle-wide, middle+wide, 2)
	}
	checkAxis(t, logScale(tiniest, math.MaxFloat64), tiniest, math.MaxFloat64, 2)
	checkAxis(t, logScale(tiniest, tiniest), tiniest, tiniest, 2)
	for _, e := range []extent{{0, 0}, {1, 1}, {-1e300, 1e300}, {5e-324, 5e-324}, {1e300, 1e300}, {-3, 0}, {0, 1e-300}, {-math.MaxFloat64, math.MaxFloat64}} {
		checkAxis(t, linearScale(e.low, e.high), e.low, e.high, 2)
	}
}

func checkAxis(t *testing.T, s scale, low, high float64, least int) {
	t.Helper()
	if a, b := s.at(low), s.at(high); !(a >= 0 && a <= b && b <= 1) {
		t.Fatalf("%g … %g lies at %g … %g of %+v", low, high, a, b, s)
	}
	labels := 0
	for _, k := range s.ticks(most) {
		if at := s.at(k.value); !(at > -1e-9 && at < 1+1e-9) {
			t.Fatalf("tick %g is off the axis %+v", k.value, s)
		}
		if k.label == "" {
			continue
		}
		labels++
		text := strings.ReplaceAll(k.label, "−", "-")
		if k.super != "" {
			mantissa, _, multiple := strings.Cut(text, "·")
			if !multiple {
				mantissa = "1"
			}
			text = mantissa + "e" + strings.ReplaceAll(k.super, "−", "-")
		}
		if v, err := strconv.ParseFloat(text, 64); err != nil || math.Abs(v-k.value) > 1e-9*math.Abs(v) {
			t.Fatalf("label %s stands at %g of %+v: %+v", text, k.value, s, s.ticks(most))
		}
	}
	if labels < least || labels > most+1 {
		t.Fatalf("%d labels on %+v", labels, s)
	}
}

func TestColoursStayWithNames(t *testing.T) {
	some, others := stylesOf([]string{"composite", "new", "vanilla"}), stylesOf([]string{"vanilla", "derivative-free"})
	for _, name := range []string{"vanilla", "composite", "derivative-free"} {
		if some[name] != others[name] {
			t.Errorf("%s changes its look with its company", name)
		}
	}
	seen := map[style]bool{}
	for _, s := range stylesOf([]string{"a", "b", "c", "d", "e", "f", "g", "h"}) {
		if seen[s] {
			t.Errorf("two names look the same: %v", s)
		}
		seen[s] = true
	}
}

func within(angles []float64, from, to float64) float64 {
	n := 0.0
	for _, a := range angles {
		if a >= from && a < to {
			n++
		}
	}
	return n
}

// Every finite angle is in one bin, and that is where it belongs.
func TestHistogramsCountEveryone(t *testing.T) {
	for _, angles := range [][]float64{bell("x", 90, 40), {0, 180}, {180}, {0}, {45.5, math.NaN(), 45.5}, {0, 5, 10, 15, 180}} {
		g := angleGrid(momentsOf(&lab.Angles{Initial: angles, Optimal: angles}, nil))
		b := g.panels[0].layers[0].(bars)
		sum := 0.0
		for i, c := range b.counts {
			sum += c
			if want := within(angles, b.edges[i], b.edges[i+1]); c != want {
				t.Errorf("%g angles in %g° … %g°, want %g", c, b.edges[i], b.edges[i+1], want)
			}
		}
		if want := over(angles); sum != float64(want.count) || b.mean != want.mean {
			t.Errorf("%d angles: %g counted", want.count, sum)
		}
	}
	if list := momentsOf(&lab.Angles{Initial: []float64{math.NaN()}}, []string{"vanilla"}); len(list) > 0 {
		t.Error("a figure of no angles")
	}
}
