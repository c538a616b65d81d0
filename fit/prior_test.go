package fit

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kedge-opt/kedge/formula"
)

// By hand: of p⁺ = a·p with errors of the deviation s, n people tell a to 1/I with I = Σp²/s², and with a prior of the deviation δ to 1/(I + 1/δ²): hardly at all,
// half or nearly everything may be the log's. Errors, intervals and draws of the bootstrap say so.
func TestErrorsHoldWhatPriorsDoNotKnow(t *testing.T) {
	f := regress(t, formula.Source{Decision: "q", State: "p", Next: "a*p + 0*q"}, "a")
	const people, noise = 400, 0.5
	for name, size := range map[string]float64{"hardly anything": 1e-4, "half": 1, "nearly everything": 100} {
		r, l, told := rand.New(rand.NewPCG(3, 4)), Log{}, 0.0
		for who := range people {
			p := size * (1 + r.Float64())
			l.Person, l.States, l.Beside = append(l.Person, who), append(l.States, p), append(l.Beside, 0)
			l.After = append(l.After, 0.6*p+noise*r.NormFloat64())
			told += p * p / noise / noise
		}
		prior := 1 / math.Sqrt(told/size/size) // which is worth as much as the log where p is about 1
		u := Unknown{Name: "a", Start: 0.5, Lower: -9, Upper: 9, Mean: 0.6, Deviation: prior}
		got, err := Find(t.Context(), f, l, []Unknown{u}, Options{Repeats: 400, Seed: 5})
		if err != nil {
			t.Fatal(err)
		}
		want := 1 / math.Sqrt(told+1/prior/prior)
		if off := got.Error[0]/want - 1; !(math.Abs(off) < 0.12) {
			t.Errorf("the log tells %s: error %v, want %v", name, got.Error[0], want)
		}
		square := 0.0
		for _, v := range got.Draws {
			square += (v - got.Value[0]) * (v - got.Value[0]) / float64(len(got.Draws))
		}
		if off := math.Sqrt(square)/want - 1; !(math.Abs(off) < 0.2) {
			t.Errorf("the log tells %s: draws are %v apart, want %v", name, math.Sqrt(square), want)
		}
		e, err := got.Interval(t.Context(), 0, 0.95)
		if err != nil || !(math.Abs((e.Upper-e.Lower)/(2*1.96*want)-1) < 0.12) {
			t.Errorf("the log tells %s: %+v (%v), want ± %v", name, e, err, 1.96*want)
		}
	}
}
