package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/report/page"
)

// confidence is what all intervals of a verdict have together.
const confidence = 0.95

// methodEnd is a method in a run, by its gap after the last turn.
type methodEnd struct {
	name  string
	ends  map[int]float64 // the finite gaps by trial
	lost  int             // trials without a finite gap
	exact bool            // nothing about it is random: one trial says it all
	mean  float64

	breaks  []string // constraints, and by how much: then it is not ranked
	tooLong bool     // its step, and it goes astray
	moves   bool     // it has not come to rest
}

func newMethodEnd(name string, run folder.Run, exact bool) methodEnd {
	c := methodEnd{name: name, ends: map[int]float64{}, exact: exact}
	var gaps []float64
	for _, t := range run.Trials {
		gap := off(&t)
		if gaps = append(gaps, gap); phrase.Finite(gap) {
			c.ends[t.Index] = gap
		}
	}
	s := over(gaps)
	c.mean, c.lost = s.Mean, len(gaps)-s.count
	return c
}

// methodEnds are the methods of all runs.
func methodEnds(runs ...labelled) (list []methodEnd) {
	for _, r := range runs {
		for _, run := range r.Runs {
			name := run.Name
			if r.label != "" {
				name = r.named(run)
			}
			one := newMethodEnd(name, run, isExact(r.spec, run.Name))
			one.breaks = breaches(r, run)
			for _, d := range diagnosed(r.Result, r.spec) {
				one.tooLong = one.tooLong || d.Method == run.Name && strings.HasPrefix(d.Check, stepCheck) && astray(run)
				one.moves = one.moves || d.Method == run.Name && d.Check == stillCheck
			}
			list = append(list, one)
		}
	}
	return list
}

// breaches are the constraints that a method breaks in the end, with by how much.
func breaches(r labelled, run folder.Run) []string {
	return lists.Of(r.Breaches(&run), func(b folder.Breach) string {
		return constraintName(r.spec, b.Constraint-1) + " by " + phrase.Brief(b.By)
	})
}

func constraintName(s *problem.Spec, j int) string {
	if s != nil && j < len(s.Constraints) {
		return s.Constraints[j].Name
	}
	return fmt.Sprintf("constraint %d", j+1)
}

// off is what a trial is ranked by: its last gap, and under constraints the size of it, because a value that is better than the
// optimum's is that of a decision that breaks them.
func off(t *folder.Trial) float64 {
	if t.Has("excess_1") {
		return math.Abs(t.Last("gap"))
	}
	return t.Last("gap")
}

// lead is by how much a method ends behind another, trial by trial.
type lead struct {
	behind    methodEnd
	pairs     int
	exact     bool
	mean      float64
	low, high float64 // of the interval; NaN when there is none
}

// clear tells whether the difference is there beyond chance.
func (l lead) clear() bool { return l.mean > 0 && (l.exact || l.low > 0) }

// ahead compares the best method with another over the trials that both have, at a level of confidence.
func ahead(best, other methodEnd, level float64) lead {
	l := lead{behind: other, exact: best.exact && other.exact}
	differences := lists.Of(shared(best, other), func(i int) float64 { return other.at(i) - best.at(i) })
	l.pairs = len(differences)
	half := 0.0
	l.mean, half = folder.Student(differences, level)
	l.low, l.high = l.mean-half, l.mean+half
	if l.pairs == 0 {
		l.mean = other.mean - best.mean
	}
	return l
}

func (c methodEnd) at(trial int) float64 {
	if v, ok := c.ends[trial]; ok || !c.exact {
		return v
	}
	return c.mean
}

func (c methodEnd) has(trial int) bool {
	_, ok := c.ends[trial]
	return ok || c.exact
}

// shared lists the trials that both have, in order. What is not random is the same in every trial.
func shared(a, b methodEnd) []int {
	all := maps.Clone(a.ends)
	maps.Copy(all, b.ends)
	return slices.DeleteFunc(slices.Sorted(maps.Keys(all)), func(i int) bool { return !a.has(i) || !b.has(i) })
}

// leads ranks the methods that keep the constraints by their mean gap and compares the first with each of the others. All the intervals together have
// the confidence, each one the more the more there are (Bonferroni).
func leads(all []methodEnd) (best methodEnd, behind []lead) {
	ranked := slices.DeleteFunc(slices.Clone(all), func(c methodEnd) bool { return math.IsNaN(c.mean) || len(c.breaks) > 0 })
	if len(ranked) == 0 {
		return methodEnd{}, nil
	}
	slices.SortStableFunc(ranked, func(a, b methodEnd) int { return cmp.Compare(a.mean, b.mean) })
	level := 1 - (1-confidence)/float64(max(len(ranked)-1, 1))
	return ranked[0], lists.Of(ranked[1:], func(other methodEnd) lead { return ahead(ranked[0], other, level) })
}

// judge says which method won and by how much. A winner is clearly ahead of every other and finite in every trial.
func judge(all []methodEnd) page.Finding {
	best, behind := leads(all)
	breaking := breakers(all)
	switch {
	case best.name == "" && len(breaking) > 0:
		return page.Finding{Headline: "No method keeps the constraints, so none is ranked.", Reasons: breaking}
	case best.name == "":
		return page.Finding{Headline: "The gap was not measured, so there is nothing to conclude."}
	}
	j := page.Finding{Headline: headline(best, behind)}
	for i, l := range behind {
		if i == mostReasons {
			more := fmt.Sprintf("%d more are", len(behind)-i)
			if len(behind)-i == 1 {
				more = "One more is"
			}
			j.Reasons = append(j.Reasons, more+" in the table below.")
			break
		}
		j.Reasons = append(j.Reasons, l.words(best))
	}
	j.Reasons = append(j.Reasons, breaking...)
	return j
}

const mostReasons = 6

// breakers says who breaks constraints, and why that is not ranked.
func breakers(all []methodEnd) (list []string) {
	for _, c := range all {
		if len(c.breaks) > 0 {
			list = append(list, fmt.Sprintf("%s breaks %s, so it is not ranked.", c.name, phrase.Enumerate(c.breaks)))
		}
	}
	return list
}

// unfair says why methods that lie behind may do so for no fault of theirs: a step that is too long or, where the best has not arrived
// either, too few turns.
func unfair(best methodEnd, behind []lead) string {
	all := append([]methodEnd{best}, lists.Of(behind, func(l lead) methodEnd { return l.behind })...)
	var long, still []string
	for _, c := range all {
		if c.tooLong {
			long = append(long, c.name)
		}
		if c.moves {
			still = append(still, c.name)
		}
	}
	switch {
	case len(long) > 0:
		return "but the step of " + phrase.Enumerate(long) + " is too long: no fair winner"
	case len(still) > 0 && !(math.Abs(best.mean) <= arrivedGap):
		return "but " + phrase.Enumerate(still) + map[bool]string{true: " is", false: " are"}[len(still) == 1] + " still moving: no winner yet"
	}
	return ""
}

func headline(best methodEnd, behind []lead) string {
	open := slices.DeleteFunc(slices.Clone(behind), lead.clear)
	nearest := fmt.Sprintf("%s ends closest to the optimum, %s away", best.name, phrase.Percent(best.mean))
	why := unfair(best, behind)
	switch {
	case best.lost > 0:
		return fmt.Sprintf("%s, but %s of it had no finite gap: no winner.", nearest, phrase.Count(best.lost, "trial"))
	case len(behind) > 0 && why != "":
		return nearest + ", " + why + "."
	case len(behind) == 0:
		return fmt.Sprintf("%s ends %s from the optimum.", best.name, phrase.Percent(best.mean))
	case len(open) == 0:
		return fmt.Sprintf("%s wins: it ends %s from the optimum.", best.name, phrase.Percent(best.mean))
	case slices.ContainsFunc(open, func(l lead) bool { return l.pairs < 2 }):
		return nearest + ", but a single trial names no winner."
	}
	return fmt.Sprintf("No clear winner: %s and %s cannot be told apart.", best.name, listed(open))
}

func listed(open []lead) string {
	names := lists.Of(open, func(l lead) string { return l.behind.name })
	if n := len(names); n > 3 {
		names = append(names[:2], fmt.Sprintf("%d others", n-2))
	}
	return phrase.Enumerate(names)
}

func (l lead) words(best methodEnd) string {
	s := fmt.Sprintf("%s ends %s away, behind %s by %s of the optimal value", l.behind.name, phrase.Percent(l.behind.mean), best.name, phrase.Percent(l.mean))
	switch {
	case l.exact:
		s += "; nothing about the two is random, so there is no chance to allow for"
	case l.pairs == 0:
		s += "; they have no trial in common, so there is no interval"
	case l.pairs == 1:
		s += " in one trial, so there is no interval"
	case l.clear():
		s += " (" + l.range95() + times(best.mean, l.behind.mean) + ")"
	default:
		s += " (" + l.range95() + "), which may be chance: the interval includes 0"
	}
	if l.behind.tooLong {
		s += "; its step is too long"
	}
	if l.behind.lost > 0 {
		s += fmt.Sprintf("; %s of it had no finite gap", phrase.Count(l.behind.lost, "trial"))
	}
	return s + "."
}

func (l lead) range95() string {
	return fmt.Sprintf("95%s%% interval %s to %s, paired over %s", phrase.ThinSpace, phrase.Percent(l.low), phrase.Percent(l.high), phrase.Count(l.pairs, "trial"))
}

// times says how many times as large the second gap is, where that reads well.
func times(small, large float64) string {
	ratio := large / small
	if !(small > 0 && ratio >= 1.5 && ratio < 1e5) {
		return ""
	}
	return fmt.Sprintf("; %s times the gap", phrase.Digits(ratio, 2))
}

// retrained says how far the stable point lies from the optimum, and whether the vanilla rule is there.
func retrained(r *folder.Result) string {
	p := r.Stable
	if !phrase.Finite(p.Gap) || len(p.Decision) == 0 {
		return ""
	}
	if p.Gap < -1e-12 && !slices.ContainsFunc(r.Runs, heeds) {
		return ""
	}
	if p.Gap < -1e-12 {
		return fmt.Sprintf("Retraining heeds no constraints: where it settles the value is better than the optimum's by %s, because they are broken.", phrase.Percent(-p.Gap))
	}
	if p.Gap < 1e-12 {
		return "Retraining loses nothing here: the stable point, where it settles, is as good as the optimum up to rounding."
	}
	s := fmt.Sprintf("Retraining settles at the stable point, %s from the optimum in value and %s in decision", phrase.Percent(p.Gap), phrase.Percent(p.Distance))
	for _, run := range r.Runs {
		if gap := final(run, "gap").Mean; run.Name == "vanilla" && math.Abs(gap-p.Gap) <= 0.1*p.Gap {
			s += ", and that is where vanilla has come to rest"
		}
	}
	return s + "."
}

// followed is the verdict where the optimum moves: who follows it most closely, for the gap of one turn says little.
func followed(r *folder.Result) page.Finding {
	list, closest := r.Tracking()
	j := page.Finding{Headline: closest.Verdict()}
	for _, t := range list {
		j.Reasons = append(j.Reasons, fmt.Sprintf("%s: on average %s from the optimum of the turn, at most %s; regret %s.",
			t.Method, folder.Brief(t.Mean), folder.Brief(t.Worst), folder.Brief(t.Regret)))
	}
	return j
}
