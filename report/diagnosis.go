package report

import (
	"fmt"
	"math"
	"slices"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/internal/portable"
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
)

// arrivedGap is the mean gap up to which nothing about how a method was set needs an explanation.
const arrivedGap = 1e-3

// diagnosed lists what spoils a run: checks that failed, steps that are too long of methods that do not arrive, methods that still move,
// and those that rest in another place than the best.
func diagnosed(r *folder.Result, s *problem.Spec) (list []folder.Diagnosis) {
	for _, d := range r.Diagnoses {
		if run := runOf(r, d.Method); d.Method == "" || run != nil && !arrived(*run) {
			list = append(list, d)
		}
	}
	if optimumMoves(r) {
		return list
	}
	for _, run := range r.Runs {
		if d := moving(run, r.Iterations); d != nil {
			list = append(list, *d)
		} else if isExact(s, run.Name) && !slices.ContainsFunc(list, func(d folder.Diagnosis) bool { return d.Method == run.Name }) {
			list = append(list, swinging(run, s)...)
		}
	}
	return append(list, elsewhere(r, s, list)...)
}

// cautions are diagnoses in words.
func cautions(list []folder.Diagnosis) []string {
	return lists.Of(list, func(d folder.Diagnosis) string {
		if d.Remedy == "" {
			return d.Text
		}
		return d.Text + " → " + d.Remedy
	})
}

func runOf(r *folder.Result, name string) *folder.Run {
	if i := slices.IndexFunc(r.Runs, func(run folder.Run) bool { return run.Name == name }); i >= 0 {
		return &r.Runs[i]
	}
	return nil
}

// arrived tells whether all trials of a method end at the optimum, as near as matters.
func arrived(run folder.Run) bool {
	gaps := run.Final("gap")
	s := over(gaps)
	return s.count == len(gaps) && math.Abs(s.Mean) <= arrivedGap
}

// astray tells whether a method ends no nearer than a tenth of the gap that it began with, or loses trials.
func astray(run folder.Run) bool {
	begin, end := 0.0, 0.0
	for _, t := range run.Trials {
		gaps := t.Of("gap")
		if len(gaps) == 0 || !phrase.Finite(gaps[len(gaps)-1]) {
			return true
		}
		begin, end = begin+math.Abs(gaps[0]), end+math.Abs(gaps[len(gaps)-1])
	}
	return end > begin/10
}

// stillCheck is the name of the diagnosis of a method that still moves.
const stillCheck = "moving"

// lateShare is the part of the turns by which a method is seen to move, movingShare the part of its gap that must change in it.
const (
	lateShare   = 0.1
	movingShare = 0.02
)

// moving says that the gap of a method was still changing when the turns were over, by more in the last tenth of them than chance between
// trials explains; of a single trial, in one direction all through the later half.
func moving(run folder.Run, turns int) *folder.Diagnosis {
	var then, now, change []float64
	span, steady := 0, true
	for _, t := range run.Trials {
		from := lateRow(t.K)
		if from < 0 {
			return nil
		}
		gaps := t.Of("gap")
		span = t.K[len(t.K)-1] - t.K[from]
		then, now = append(then, gaps[from]), append(now, gaps[len(gaps)-1])
		change = append(change, gaps[len(gaps)-1]-gaps[from])
		steady = steady && oneWay(gaps[len(gaps)/2:])
	}
	by, half := folder.Student(change, 0.99)
	before, after := over(then).Mean, over(now).Mean
	if !(math.Abs(after) > arrivedGap) || !(math.Abs(by) > movingShare*math.Abs(after)) || arrived(run) {
		return nil
	}
	if sure := math.Abs(by) > half; len(change) > 1 && !sure || len(change) == 1 && !steady {
		return nil
	}
	d := &folder.Diagnosis{Method: run.Name, Check: stillCheck, Text: fmt.Sprintf("%s is still moving: in the last %s its gap went from %s to %s.",
		run.Name, phrase.Count(span, "turn"), phrase.Percent(before), phrase.Percent(after))}
	if before > after && after > 0 {
		d.Remedy = fmt.Sprintf("set iterations=%.0f", enough(turns, span, before, after))
	}
	return d
}

// swingShare is the part of a gap by which it must go to and fro.
const swingShare = 0.1

// swinging says that a method about which nothing is random does not come to rest, but goes to and fro in the later half of the turns.
func swinging(run folder.Run, s *problem.Spec) []folder.Diagnosis {
	if len(run.Trials) == 0 || arrived(run) {
		return nil
	}
	gaps := run.Trials[0].Of("gap")
	late := over(gaps[len(gaps)/2:])
	if late.count < 4 || !(late.Max-late.Min > swingShare*math.Abs(late.Mean)) {
		return nil
	}
	d := folder.Diagnosis{Method: run.Name, Check: "swinging", Text: fmt.Sprintf(
		"%s swings: in the later half of the turns its gap goes to and fro between %s and %s.", run.Name, phrase.Percent(late.Min), phrase.Percent(late.Max))}
	for _, a := range s.Algorithms {
		if a.Name == run.Name && a.Step > 0 {
			d.Remedy = fmt.Sprintf("set algorithms.%s.step=%.2g, a tenth", a.Name, a.Step/10)
		}
	}
	return []folder.Diagnosis{d}
}

// lateRow is the last recorded turn before the last tenth, −1 where there is none.
func lateRow(turns []int) int {
	for i := len(turns) - 2; i >= 0; i-- {
		if last := turns[len(turns)-1]; float64(turns[i]) <= (1-lateShare)*float64(last) {
			return i
		}
	}
	return -1
}

// oneWay tells whether four numbers or more only rise or only fall.
func oneWay(x []float64) bool {
	up, down := false, false
	for i := 1; i < len(x); i++ {
		up, down = up || x[i] > x[i-1], down || x[i] < x[i-1]
	}
	return len(x) >= 4 && up != down
}

// enough is how many turns let a gap that falls as fast as in the last ones arrive, in two digits, at most ten times as many as there were.
func enough(turns, span int, before, after float64) float64 {
	more := float64(span) * portable.Log(after/arrivedGap) / portable.Log(before/after)
	n := min(float64(turns)+max(more, float64(span)), 10*float64(turns))
	unit := portable.Pow(10, math.Floor(portable.Log10(n))-1)
	return math.Ceil(n/unit) * unit
}

// elsewhere says of methods that could reach the optimum and do not, with nothing else against them, that the loss has several places to
// come to rest in.
func elsewhere(r *folder.Result, s *problem.Spec, known []folder.Diagnosis) (list []folder.Diagnosis) {
	e := r.Optimum.Evidence
	if e == nil || e.Places < 2 {
		return nil
	}
	explained := lists.Of(known, func(d folder.Diagnosis) string { return d.Method })
	for _, run := range r.Runs {
		if arrived(run) || len(run.Trials) == 0 || slices.Contains(explained, run.Name) || !seeksOptimum(s, run.Name) {
			continue
		}
		list = append(list, folder.Diagnosis{Method: run.Name, Check: "places", Text: fmt.Sprintf(
			"The settled loss has at least %d places where descent ends, and %s may have come to rest in another one than the best.", e.Places, run.Name),
			Remedy: "set start={law: values, values: [" + firstOf(r.Optimum.Decision, 8, fourDigits) + "]} to see whether it stays at the best"})
	}
	return list
}

// seeksOptimum tells whether a method is known to end at the optimum.
func seeksOptimum(s *problem.Spec, name string) bool {
	return s != nil && slices.ContainsFunc(s.Algorithms, func(a kind.Algorithm) bool { return a.Name == name && a.Facts().Held == online.Optimal })
}

// fourDigits is a number as specs have it.
func fourDigits(v float64) string { return fmt.Sprintf("%.4g", v) }
