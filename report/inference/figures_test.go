package inference

import (
	"math"
	"testing"

	"github.com/kedge-opt/kedge/logs"
	"github.com/kedge-opt/kedge/report/draw"
)

// By hand: up to 1500 pairs each has a point, up to 3000 every second one, and of more every third one.
func TestScattersAreThinned(t *testing.T) {
	for n, want := range map[int]int{1: 1, 1500: 1500, 1501: 751, 3000: 1500, 3001: 1001} {
		a := &logs.Foreseen{Person: make([]int, n), Said: make([]float64, n), Seen: make([]float64, n), Entries: 1}
		for i := range n {
			a.Said[i], a.Seen[i] = float64(i), float64(i)
		}
		if d := scattered(&logs.Inference{Ahead: a}, []string{"p"}).Panels[0].Layers[0].(draw.Dots); len(d.X) != want || len(d.Y) != want {
			t.Errorf("of %d pairs %d are shown, want %d", n, len(d.X), want)
		}
	}
}

// By hand: beside numbers of 1 a mean of 1.5·10⁻¹² is one, and a mean of 0.5·10⁻¹² is rounding, on both sides of 0.
func TestMeansThatAreRounding(t *testing.T) {
	e := &logs.Inference{First: "2026-01-01", Ahead: &logs.Foreseen{Turn: []int{0, 0, 1, 1, 2, 2, 3, 3}}}
	values := []float64{-1, 1 - 3e-12, -1 + 3e-12, 1, -1, 1 - 1e-12, -1 + 1e-12, 1}
	for at, p := range overTime(e, func(i int) float64 { return values[i] }) {
		if want := []float64{-1.5e-12, 1.5e-12, 0, 0}[at]; !(math.Abs(p.Mean-want) <= 1e-15) || want == 0 && p.Mean != 0 {
			t.Errorf("turn %d: %v, want %v", at, p.Mean, want)
		}
	}
}
