package draw

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/stream"
)

// Whatever the data, an axis covers it and carries a readable number of labels that say their place.
func TestAxesCoverTheirDataWithReadableLabels(t *testing.T) {
	s := stream.New(3)
	for range 2000 {
		low := math.Pow(10, -16+20*s.Float64())
		high := low * math.Pow(10, 30*s.Float64()*s.Float64()*float64(s.Intn(2)))
		checkAxis(t, LogRuler(low, high), low, high, 2)
		from := float64(s.Intn(1000))
		to := from + 1 + float64(s.Intn(1+s.Intn(1e7)))
		checkAxis(t, Ruler{Min: from, Max: to, Whole: true}, from, to, 1)
		middle, wide := s.Normal()*high, math.Abs(s.Normal())*low
		checkAxis(t, linearRuler(middle-wide, middle+wide), middle-wide, middle+wide, 2)
	}
	checkAxis(t, LogRuler(Tiniest, math.MaxFloat64), Tiniest, math.MaxFloat64, 2)
	checkAxis(t, LogRuler(Tiniest, Tiniest), Tiniest, Tiniest, 2)
	for _, e := range []Extent{{0, 0}, {1, 1}, {-1e300, 1e300}, {5e-324, 5e-324}, {1e300, 1e300}, {-3, 0}, {0, 1e-300}, {-math.MaxFloat64, math.MaxFloat64}} {
		checkAxis(t, linearRuler(e.Low, e.High), e.Low, e.High, 2)
	}
}

func checkAxis(t *testing.T, s Ruler, low, high float64, least int) {
	t.Helper()
	if a, b := s.At(low), s.At(high); !(a >= 0 && a <= b && b <= 1) {
		t.Fatalf("%g … %g lies at %g … %g of %+v", low, high, a, b, s)
	}
	labels := 0
	for _, k := range s.ticks(MostLabels) {
		if at := s.At(k.Value); !(at > -1e-9 && at < 1+1e-9) {
			t.Fatalf("Tick %g is off the axis %+v", k.Value, s)
		}
		if k.Label == "" {
			continue
		}
		labels++
		text := typed(k.Label)
		if v, err := strconv.ParseFloat(text, 64); err != nil || math.Abs(v-k.Value) > 1e-9*math.Abs(v) {
			t.Fatalf("label %s stands at %g of %+v: %+v", text, k.Value, s, s.ticks(MostLabels))
		}
	}
	if labels < least || labels > MostLabels+1 {
		t.Fatalf("%d labels on %+v", labels, s)
	}
}

// typed is a label as a program would read the number.
func typed(label string) string {
	out, raised := "", false
	for _, r := range strings.ReplaceAll(strings.ReplaceAll(label, "·10", "e"), "−", "-") {
		letter, rise := phrase.Script(r)
		if rise == 1 && !raised && !strings.HasSuffix(out, "e") {
			out = strings.TrimSuffix(out, "10") + "1e"
		}
		raised = rise == 1
		out += strings.ReplaceAll(string(letter), "−", "-")
	}
	return out
}

// Room is made for the unit circle and for everybody's way, and for no more.
func TestTrailsCoverTheCircle(t *testing.T) {
	for _, circle := range []bool{false, true} {
		x, y := Nothing(), Nothing()
		Trails{Circle: circle, People: []Trail{{{0.5, 0.25}}}, Decision: Trail{{0, 0.75}}, Optimum: []Spot{{-0.5, 0.5}}}.cover(&x, &y)
		wantX, wantY := Extent{-0.5, 0.5}, Extent{0.25, 0.75}
		if circle {
			wantX, wantY = Extent{-1, 1}, Extent{-1, 1}
		}
		if x != wantX || y != wantY {
			t.Errorf("circle: %t: %v and %v, want %v and %v", circle, x, y, wantX, wantY)
		}
	}
}
