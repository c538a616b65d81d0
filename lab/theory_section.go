package lab

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/kedge-opt/kedge/certify"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/lists"
)

// claim is an inequality of the theory between two lists of a trial, one number a recorded turn.
type claim struct {
	words string
	sides func(t folder.Trial) (measured, bound []float64)
}

// claims are those of the paper, by its numbers, for an algorithm with this ρ₁.
func claims(rho1 float64) []claim {
	between := func(measured, bound string) func(folder.Trial) ([]float64, []float64) {
		return func(t folder.Trial) ([]float64, []float64) { return t.Of(measured), t.Of(bound) }
	}
	return []claim{
		{"Lemma 4 by V: ‖e‖ ≤ L_p·V", between("bias", "bias_by_v")},
		{"Lemma 4: ‖e‖ ≤ L·W₁", between("bias", "bias_by_w1")},
		{"Lemma 2: W₁ ≤ V", between("w1_joint", "v")},
		{"Lemma 2, squared: V ≤ its recursion", between("v", "v_bound")},
		{"Theorem 3: ΣW₁² ≤ ΣV² ≤ its bound", func(t folder.Trial) ([]float64, []float64) { return shifts(t.K, t.Of("v"), t.Of("v_bound"), rho1) }},
	}
}

// shifts are ΣV² and V₀²/(1−ρ₁) + ρ₂/(1−ρ₁)·Σ‖Δu‖² up to every turn [he2025, distribution shift], as long as no turn is left out: what
// a step adds, ρ₂‖Δu‖², is the square of the recursion's bound less ρ₁V² of the turn before. After a gap nothing is known.
func shifts(turns []int, v, recursion []float64, rho1 float64) (sums, bounds []float64) {
	sums, bounds = make([]float64, len(v)), make([]float64, len(v))
	sum, bound := 0.0, 0.0
	for i, now := range v {
		switch {
		case i == 0:
			bound = now * now / (1 - rho1)
		case turns[i] != turns[i-1]+1:
			bound = math.NaN()
		default:
			bound += max(0, float64(recursion[i]*recursion[i])-float64(rho1*v[i-1]*v[i-1])) / (1 - rho1)
		}
		sum += float64(now * now)
		sums[i], bounds[i] = sum, bound
	}
	return sums, bounds
}

const (
	rounding = 1e-13 // how much of the largest bound of a trial is taken for rounding
	faint    = 1e-9  // how much of it a measurement must be for its ratio to mean something
)

// margins are how many times the measured side of a claim goes into its bound, over all measured turns of an algorithm.
type margins struct {
	judged int
	ratios []float64 // in order, where they mean something
	turn   int       // of the least
	broken string    // where the claim fails first
}

// weigh judges a claim over the trials of an algorithm.
func (c claim) weigh(trials []folder.Trial) margins {
	m, least := margins{}, math.Inf(1)
	for _, t := range trials {
		list, bounds := c.sides(t)
		scale := 0.0
		for _, bound := range bounds {
			if bound > scale { // which NaN is not
				scale = bound
			}
		}
		for i, measured := range list {
			bound := bounds[i]
			if math.IsNaN(measured) || math.IsNaN(bound) {
				continue
			}
			m.judged++
			if m.broken == "" && measured > bound+float64(rounding*scale) {
				m.broken = fmt.Sprintf("%s fails at turn %d of trial %d", c.words, t.K[i], t.Index)
			}
			if ratio := bound / measured; measured > faint*scale {
				m.ratios = append(m.ratios, ratio)
				if ratio < least {
					least, m.turn = ratio, t.K[i]
				}
			}
		}
	}
	slices.Sort(m.ratios)
	return m
}

// row is what a table says of a claim about an algorithm.
func (m margins) row(name string, c claim) []string {
	least, median := "", ""
	if n := len(m.ratios); n > 0 {
		least, median = signed(m.ratios[0]), signed(m.ratios[n/2])
	}
	return []string{name, c.words, fmt.Sprint(m.judged), least, median, fmt.Sprint(m.turn)}
}

// compare is the section that says how far the bounds of the theory were from what happened.
func (r *run) compare() (*folder.Section, error) {
	if r.sticks == nil || !slices.ContainsFunc(r.result.Runs, func(one folder.Run) bool { return len(one.Trials) > 0 }) {
		return nil, nil
	}
	s := &folder.Section{
		ID: "theory", Title: "Bounds along the run", Text: r.known(),
		Columns: []string{"method", "claim", "turns", "least bound/measured", "median", "at turn"},
	}
	judged := 0
	var broken []string
	for i, one := range r.result.Runs {
		for _, c := range claims(r.sticks[i].bounds().Rho1) {
			m := c.weigh(one.Trials)
			if m.judged == 0 {
				continue
			}
			judged += m.judged
			s.Rows = append(s.Rows, m.row(one.Name, c))
			if m.broken != "" {
				broken = append(broken, one.Name+": "+m.broken)
			}
		}
	}
	s.Verdict = verdict(judged, broken)
	return s, nil
}

func verdict(judged int, broken []string) string {
	switch {
	case len(broken) > 0:
		return "✗ " + strings.Join(broken, "; ")
	case judged == 0:
		return "No bound is known, so there is nothing to judge."
	}
	return fmt.Sprintf("✓ Every bound held, all %d times.", judged)
}

// known says which constants the bounds are made of, and how they are known.
func (r *run) known() string {
	text := "V is the mean distance of individuals from where the deployed decision would settle them, W₁ the distance of the two crowds, e the error that this makes in the gradient."
	same := func(y yardstick) bool { return y.words() == r.sticks[0].words() }
	if !slices.ContainsFunc(r.sticks, func(y yardstick) bool { return !same(y) }) {
		return text + "\n\n" + r.sticks[0].words()
	}
	for i, y := range r.sticks {
		text += "\n\n" + r.problem.Spec.Algorithms[i].Name + ": " + y.words()
	}
	return text
}

func (y yardstick) words() string {
	if y.failure != nil {
		return "No bounds: " + y.failure.Error() + "."
	}
	return strings.Join(lists.Of([]certify.Key{certify.Lp, certify.L, certify.Rho1, certify.Rho2}, func(k certify.Key) string {
		c := y.constants.Get(k)
		return fmt.Sprintf("%s = %.4g (%s)", c.Symbol(), c.Value, c.Known)
	}), ", ") + "."
}
