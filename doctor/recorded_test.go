package doctor_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/doctor"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/internal/portable"
	"github.com/kedge-opt/kedge/set"
)

// recordedLines are problems of one number, sound and not.
func recordedLines() map[string]patient {
	return map[string]patient{
		"01 sound":      sound(),
		"02 slow":       line(func(p, u, d float64) float64 { return 0.9*p + 0.1*(u+d) }),
		"03 fast":       line(func(p, u, d float64) float64 { return 0.01*p + u + d }),
		"04 never":      line(func(p, u, d float64) float64 { return 1.03*p + u + d }),
		"05 turns":      line(func(p, u, d float64) float64 { return -0.9*p + u + d }),
		"06 two rests":  line(func(p, u, d float64) float64 { return portable.Tanh(2*p) + 0.1*u + 0.1*d }),
		"07 a jump":     line(func(p, u, d float64) float64 { return 0.5*p + 0.2*math.Copysign(1, u-0.05) + d }),
		"08 a kink":     line(func(p, u, d float64) float64 { return 0.5*p + math.Abs(u-0.2) + d }),
		"09 a NaN":      line(func(p, u, d float64) float64 { return math.Sqrt(p) }),
		"10 cubic":      line(func(p, u, d float64) float64 { return 0.5*p + u*u*u + d }),
		"11 a part":     line(func(p, u, d float64) float64 { return u*p + .1*d }),
		"12 nothing":    line(func(p, u, d float64) float64 { return 0.5 * p }),
		"13 large":      line(func(p, u, d float64) float64 { return 0.5*p + 1e6*u + d }),
		"14 widens":     line(func(p, u, d float64) float64 { return 0.4*portable.Tanh(4*(p-0.7)) - 0.4 + 0.05*u + 0.05*d }),
		"15 everybody":  everybody(),
		"16 half":       within(stuck{}, 0.3),
		"17 ring":       within(ring{}, 1),
		"18 void":       within(void{}, 0.3),
		"19 endless":    within(set.HalfSpace{Normal: []float64{1}, Bound: 1}, 0.3),
		"20 outside":    within(set.Box{Lower: []float64{-1}, Upper: []float64{1}}, 3),
		"21 whole":      within(set.Whole{}, 0.3),
		"22 a point":    within(set.Box{Lower: []float64{0.5}, Upper: []float64{0.5}}, 0.5),
		"23 long step":  stepped(50, 10),
		"24 small step": stepped(1e-6, 10),
		"25 one":        stepped(0.1, 1),
		"26 all":        stepped(0.1, 100),
		"27 gradient":   judged(func(x float64) (float64, float64) { return x * x, x }),
		"28 root":       judged(func(x float64) (float64, float64) { return math.Sqrt(x), 0.5 / math.Sqrt(x) }),
		"29 flat":       judged(func(x float64) (float64, float64) { return 1, 0 }),
		"30 hollow":     judged(func(x float64) (float64, float64) { return -x * x, -2 * x }),
		"31 slightly":   judged(func(x float64) (float64, float64) { return x * x, 2.0002 * x }),
	}
}

func everybody() patient {
	s := sound()
	s.Individuals, s.Decisions, s.Notes = nil, 2, []string{"a note: it is said"}
	return s
}

func within(c kedge.Set, start float64) patient {
	s := sound()
	s.Set, s.Start = c, []float64{start}
	return s
}

func stepped(step float64, batch int) patient {
	s := sound()
	s.Rules[0].Step, s.Rules[0].Batch, s.Rules[0].Replacement = step, batch, batch > 1
	return s
}

func judged(j judge) patient {
	s := sound()
	s.Objective = j
	return s
}

// What is found of small problems is what was found when it was last looked at: word for word.
func TestFindingsAreAsRecorded(t *testing.T) {
	evidence.OneGoroutine(t)
	var lines []string
	all := recordedLines()
	for i := range len(all) {
		for name, s := range all {
			if name[:2] == fmt.Sprintf("%02d", i+1) {
				lines = append(append(lines, "== "+name), findings(t, s)...)
			}
		}
	}
	for _, set := range []string{"dynamics.sigma=0.8", "dynamics.sigma=0.45", "algorithms=[{name: blind, kind: derivative-free, step: 0.1, delta: 0.1}, {name: vanilla, kind: vanilla, step: 0.1}]", "algorithms=[{name: composite, step: 0.1, batch: 4}]", "algorithms=[{name: composite, step: 9, batch: 1}]"} {
		lines = append(append(lines, "== polarized "+set), findings(t, subject(t, "polarized", "population.size=9", "population.dim=3", set))...)
	}
	evidence.AsRecorded(t, "testdata/recorded.txt", lines)
}

// findings are those of an examination, a line each.
func findings(t *testing.T, s patient) []string {
	t.Helper()
	if len(s.Individuals) == 10 {
		s.Individuals, s.Decisions = s.Individuals[3:6], 3
	}
	r, err := doctor.Examine(t.Context(), s.Model, s.Examination)
	if err != nil {
		return []string{err.Error()}
	}
	lines := []string{r.Summary(), r.Seen()}
	for _, c := range r.Checks {
		lines = append(lines, evidence.Rounded(fmt.Sprintf("  %s %s %s%s: %s | %s | %s", c.Verdict.Mark(), c.ID, c.Title, c.Rule, c.Figure, c.Detail, c.Remedy))...)
	}
	return lines
}
