package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/kedge-opt/kedge/lab"
)

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// page is what the template shows, every number already in words.
type page struct {
	*lab.Result
	Facts   string
	Verdict string
	Halted  string
	Final   string // the last measured turn
	Table   []line
	Offline []offline
	Why     string
	Figures []inlined
}

// line is one algorithm's final results.
type line struct {
	Name                 string
	Trials               int
	Value, Gap, Distance stat
	Seconds              number
}

// stat is a mean over trials, its range, which is empty for a single trial, and how many trials had no finite number.
type stat struct {
	Mean, Low, High number
	Lost            string
}

func (s stat) Ranged() bool { return s.Low.Exact != s.High.Exact }

// offline is one decision found offline.
type offline struct {
	Name, Note                             string
	Value, Gap, Distance, Residual, Spread number
	Starts                                 int
}

type inlined struct {
	Figure
	Picture template.HTML
}

func renderPage(r *lab.Result, figures []Figure) ([]byte, error) {
	p := page{
		Result: r, Facts: facts(r), Verdict: verdict(r), Halted: halted(r), Final: lastTurn(r),
		Table: table(r), Offline: offlinePoints(r), Why: why(r),
	}
	for _, f := range figures {
		p.Figures = append(p.Figures, inlined{f, template.HTML(f.SVG)})
	}
	var out bytes.Buffer
	if err := pageTemplate.Execute(&out, p); err != nil {
		return nil, fmt.Errorf("fill the page: %w", err)
	}
	return bytes.Map(harmless, out.Bytes()), nil
}

// harmless replaces what a page cannot hold, and marks that would turn the text after them around.
func harmless(r rune) rune {
	if r == '\n' || r == '\t' || !unicode.IsControl(r) && !unicode.Is(unicode.Bidi_Control, r) {
		return r
	}
	return unicode.ReplacementChar
}

// facts is the size of the run in one line.
func facts(r *lab.Result) string {
	list := []string{count(r.Iterations, "turn"), count(r.Trials, "trial")}
	if r.Individuals > 0 {
		list = append(list, count(r.Individuals, "individual"))
	}
	return strings.Join(append(list, fmt.Sprintf("seed %d", r.Seed)), " · ")
}

// verdict says in one sentence how the algorithms did, the best first.
func verdict(r *lab.Result) string {
	runs := slices.Clone(r.Runs)
	runs = slices.DeleteFunc(runs, func(run lab.Run) bool { return math.IsNaN(final(run, gapOf).mean) })
	switch {
	case trialsOf(r) == 0:
		return "No trial was finished, so there is nothing to conclude yet."
	case len(runs) == 0:
		return "The gap was not measured, so there is nothing to conclude."
	}
	slices.SortStableFunc(runs, func(a, b lab.Run) int {
		return int(math.Copysign(1, final(a, gapOf).mean-final(b, gapOf).mean))
	})
	var parts []string
	for i, run := range runs {
		parts = append(parts, ending(r, run, i == 0))
	}
	return strings.Join(parts, "; ") + "."
}

// ending says where one algorithm ended; for the vanilla rule also whether that is where retraining must end.
func ending(r *lab.Result, run lab.Run, first bool) string {
	end := final(run, gapOf)
	gap, from := end.mean, "away"
	if first {
		from = "from the optimum"
	}
	if few := lost(run, end); few != "" {
		from += " (" + few + ")"
	}
	stable := r.Stable.Gap
	switch {
	case run.Name != "vanilla" || !(stable >= tiniest):
		return fmt.Sprintf("%s ends %s %s", run.Name, percent(gap), from)
	case math.Abs(gap-stable) <= 0.1*stable:
		return fmt.Sprintf("vanilla settles %s %s, where retraining must: the stable point’s gap is %s", percent(gap), from, percent(stable))
	}
	return fmt.Sprintf("vanilla ends %s %s, while retraining settles at the stable point, whose gap is %s", percent(gap), from, percent(stable))
}

// halted says what is missing from a partial result.
func halted(r *lab.Result) string {
	if !r.Partial {
		return ""
	}
	var done []string
	for _, run := range r.Runs {
		done = append(done, fmt.Sprintf("%s %d of %d", run.Name, len(run.Trials), run.Planned))
	}
	return "The run was stopped before its end. Finished trials: " + strings.Join(done, ", ") + "; unfinished ones are left out."
}

// lastTurn is the last measured turn of any trial.
func lastTurn(r *lab.Result) string {
	last := -1
	for _, run := range r.Runs {
		for _, t := range run.Trials {
			if n := len(t.K); n > 0 {
				last = max(last, t.K[n-1])
			}
		}
	}
	if last < 0 {
		return ""
	}
	return fmt.Sprintf("after turn %d", last)
}

func table(r *lab.Result) []line {
	value := valueFormat(r)
	var lines []line
	for _, run := range r.Runs {
		lines = append(lines, line{
			Name: run.Name, Trials: len(run.Trials),
			Value:    newStat(run, valueOf, value),
			Gap:      newStat(run, gapOf, percent),
			Distance: newStat(run, distanceOf, percent),
			Seconds:  newNumber(run.Seconds, plain),
		})
	}
	return lines
}

func newStat(run lab.Run, pick metric, text func(float64) string) stat {
	s := final(run, pick)
	return stat{newNumber(s.mean, text), newNumber(s.low, text), newNumber(s.high, text), lost(run, s)}
}

// lost says how many trials are missing from a mean because their number is not finite; silence would flatter an algorithm
// that diverges now and then.
func lost(run lab.Run, s spread) string {
	if n := len(run.Trials); s.count > 0 && s.count < n {
		return fmt.Sprintf("finite in %d of %d trials", s.count, n)
	}
	return ""
}

// valueFormat shows values with so many digits that the smallest gap can be seen.
func valueFormat(r *lab.Result) func(float64) string {
	n := 6
	for _, run := range r.Runs {
		if gap := final(run, gapOf).mean; gap > 0 {
			n = max(n, 2-int(math.Floor(math.Log10(gap))))
		}
	}
	n = min(n, 12)
	return func(v float64) string {
		if a := math.Abs(v); a != 0 && (a < 1e-4 || a >= 1e9) {
			return plain(v)
		}
		return digits(v, n)
	}
}

func offlinePoints(r *lab.Result) []offline {
	value := valueFormat(r)
	list := []offline{newOffline("optimum", "of the settled population", r.Optimum, value)}
	if !math.IsNaN(r.Stable.Value) && len(r.Stable.Decision) > 0 {
		list = append(list, newOffline("stable point", "where retraining settles", r.Stable, value))
	}
	if ref := r.Reference; ref != nil {
		judged := newOffline(fmt.Sprintf("%d-step optimum", ref.Steps),
			fmt.Sprintf("judged by the settled population; %s after %d steps", value(ref.Optimum.Value), ref.Steps), ref.True, value)
		found := newOffline("", "", ref.Optimum, value)
		judged.Residual, judged.Starts, judged.Spread = found.Residual, found.Starts, found.Spread
		list = append(list, judged)
	}
	return list
}

func newOffline(name, note string, p lab.Point, value func(float64) string) offline {
	return offline{
		Name: name, Note: note, Starts: p.Starts,
		Value: newNumber(p.Value, value), Gap: newNumber(p.Gap, percent), Distance: newNumber(p.Distance, percent),
		Residual: newNumber(p.Residual, plain), Spread: newNumber(p.Spread, plain),
	}
}

// why explains in one sentence that a reference optimum is another point than the optimum.
func why(r *lab.Result) string {
	ref := r.Reference
	if ref == nil {
		return ""
	}
	does := "minimises"
	if r.Maximize {
		does = "maximises"
	}
	value := valueFormat(r)
	return fmt.Sprintf("The two optima differ because the %d-step optimum %s the value after %d steps from the start, when the population "+
		"has not settled yet (%s by then, but %s once settled), while the true optimum %s the value of the settled population (%s): "+
		"the two decisions lie %s apart, and a run that reaches the one stays that far from the other.",
		ref.Steps, does, ref.Steps, value(ref.Optimum.Value), value(ref.True.Value), does, value(r.Optimum.Value), percent(ref.True.Distance))
}
