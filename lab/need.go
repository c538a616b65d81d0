package lab

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/kedge-opt/kedge/internal/crew"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/loop"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/family"
)

// Need estimates what memory a run of a spec takes: its people, the trials that so many workers have under way, and all that is measured.
// Workers below 1 are one a core.
func Need(s *problem.Spec, workers int) problem.Need {
	trials, rows, columns := Trials(s), measuredTurns(s), measuredColumns(s)
	// Measured on runs of 40 MB to 400 MB: a trial takes so much besides its numbers until it is written down and drawn, and numbers take
	// so many bytes, of which 8 are kept and the others wait to be collected.
	const slot, number = 8500, 28
	key, what := "trials", fmt.Sprintf("what %.0f trials measure, %.0f numbers in each of %.0f turns", trials, columns, rows)
	if trials < rows {
		key = "record.every"
	}
	need := append(s.CrowdNeed(), s.TrialNeed(int(min(float64(crew.Workers(workers)), jobsOf(s))))...)
	return append(need, problem.Portion{Key: key, What: what, Bytes: trials * (slot + number*columns*rows)})
}

// Trials is how many trials there are of all algorithms together.
func Trials(s *problem.Spec) (n float64) {
	for _, a := range s.Algorithms {
		n += float64(a.Trials)
	}
	return n
}

// jobsOf is how many trials there are that can run at a time.
func jobsOf(s *problem.Spec) (n float64) {
	for _, a := range s.Algorithms {
		if n++; !a.Facts().Carries {
			n += float64(a.Trials) - 1
		}
	}
	return max(1, n)
}

// measuredTurns is how many turns of a trial are measured.
func measuredTurns(s *problem.Spec) float64 {
	return float64(s.Iterations/max(1, s.Record.Every) + 2)
}

// measuredColumns is how many numbers are kept of a measured turn.
func measuredColumns(s *problem.Spec) float64 {
	const theory, players, tracking = 12, 3, 3
	n, dim := 2+len(loop.Standard())+len(s.Constraints), s.Dims()
	if s.Record.Theory {
		n += theory
	}
	if len(s.Players) > 0 {
		n += players
	}
	if len(s.Changes) > 0 || s.Population.Drift != nil || s.Population.Churn > 0 {
		n += tracking
	}
	if s.KeepsDecisions() {
		n += dim.Decision
	}
	if s.Record.Traits {
		n += dim.Trait
	}
	return float64(n)
}

// SweepFits tells whether the cells that so many workers have under way at a time take no more memory than there is.
func SweepFits(w *family.Sweep, workers int) error {
	largest, need := sweepNeed(w, workers)
	return largest.Fits(need)
}

// SweepNeed estimates what memory the cells take that so many workers have under way at a time: the largest of them.
func SweepNeed(w *family.Sweep, workers int) problem.Need {
	_, need := sweepNeed(w, workers)
	return need
}

func sweepNeed(w *family.Sweep, workers int) (largest *problem.Spec, sum problem.Need) {
	workers = crew.Workers(workers)
	needs := lists.Of(w.Cells, func(c family.Cell) cellNeed {
		s := w.Spec(c)
		return cellNeed{s, Need(s, max(1, workers/len(w.Cells)))}
	})
	slices.SortStableFunc(needs, func(a, b cellNeed) int { return cmp.Compare(b.need.Bytes(), a.need.Bytes()) })
	for i := range min(workers, len(needs)) {
		sum = append(sum, needs[i].need...)
	}
	return needs[0].spec, sum
}

// cellNeed is what a cell takes.
type cellNeed struct {
	spec *problem.Spec
	need problem.Need
}

// DiskNeed estimates how many bytes the folder of a run takes: what is measured, as text and as Parquet, and a report.
func DiskNeed(s *problem.Spec) float64 {
	const report, number = 3e6, 28
	return report + Trials(s)*measuredTurns(s)*measuredColumns(s)*number
}

// SweepDiskNeed estimates how many bytes some cells of a sweep take: their numbers as Parquet, and a report of all.
func SweepDiskNeed(w *family.Sweep, cells []family.Cell) float64 {
	const report, cell, number = 5e6, 40e3, 10
	bytes := report
	for _, c := range cells {
		s := w.Spec(c)
		bytes += cell + float64(Trials(s)*measuredTurns(s)*measuredColumns(s)*number)
	}
	return bytes
}
