package command

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/command/exit"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/lab"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/spf13/cobra"
)

// designFlags are the flags of kedge design.
type designFlags struct {
	specFlags
	lab.Tuition
	json bool
}

func newDesign(kinds *kind.Catalogue) *cobra.Command {
	f := designFlags{specFlags: specFlags{kinds: kinds}}
	c := &cobra.Command{
		Use:   "design CASE|FILE.yaml",
		Short: "Find which small changes of coming decisions teach the most",
		Long: `Of a spec with draws of numbers that are not known (kedge fit writes one): what not knowing them costs, what it would be worth to know
each, and what to set in the coming turns so that the most of that cost is gone afterwards, within a budget of loss and a limit from turn to turn.

Costs are means over draws, with regret taken for quadratic in the numbers; what people teach is worked out along the way that the model expects,
with errors of the standard deviation --noise in every entry of a state. A model that is wrong teaches less.

Exit codes: 0 done, 1 there is no answer, 64 the command or the spec is wrong.`,
		Example: `  kedge design fitted.yaml --noise 0.3
  kedge design fitted.yaml --noise 0.3 --turns 12 --most-change 0.1 --budget 2
  kedge design fitted.yaml --noise 0.3 --json`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args[0]) },
	}
	f.specFlags.offer(c)
	fl := c.Flags()
	fl.IntVar(&f.Turns, "turns", 8, "coming turns, 1 to 100")
	fl.Float64Var(&f.Budget, "budget", 0, "the most that may be lost over all turns, by settled values (default a tenth of what not knowing costs in as many)")
	fl.Float64Var(&f.Change, "most-change", 0, "the most that an entry of the decision may change from turn to turn (default a twentieth of the largest)")
	fl.Float64Var(&f.Noise, "noise", 0, "the standard deviation of what happens to people beside the model, every step (needed)")
	fl.IntVar(&f.People, "people", 0, "people who are seen every turn (default all of the spec)")
	fl.BoolVar(&f.json, "json", false, "print JSON")
	return c
}

func (f *designFlags) run(c *cobra.Command, target string) error {
	given := func(name string, v float64) bool { // or left out
		return !c.Flags().Changed(name) || v > 0 && phrase.Finite(v)
	}
	if f.Turns < 1 || f.Turns > 100 || f.Noise == 0 || !given("noise", f.Noise) || !given("budget", f.Budget) || !given("most-change", f.Change) || !given("people", float64(f.People)) {
		return fmt.Errorf("want --turns from 1 to 100, --noise above 0 (kedge fit says how large errors are), and --budget, --most-change and --people above 0, or left out")
	}
	s, _, name, err := f.load(c, target)
	if err != nil {
		return err
	}
	if err := s.Doubt.ByMean("a design is by regrets in the mean over draws"); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	p, err := problem.BuildWithin(c.Context(), name, s, os.DirFS("."))
	if err != nil {
		return interrupted(c, err)
	}
	if _, err := p.Syllabus(); err != nil {
		return err // of the spec
	}
	f.Workers = runtime.GOMAXPROCS(0)
	plan, err := lab.Teach(c.Context(), p, f.Tuition)
	if err != nil {
		return judged(c, err)
	}
	if f.json {
		return folder.WriteJSON(c.OutOrStdout(), plan)
	}
	return exit.Failure(tellDesign(c.OutOrStdout(), p, plan))
}

// tellDesign says what to set and what that teaches.
func tellDesign(w io.Writer, p *problem.Problem, plan *lab.Curriculum) error {
	short := func(v float64) string { return phrase.Digits(v, 4) }
	var b strings.Builder
	fmt.Fprintf(&b, "Not knowing costs %s a turn, on the average of %s.\n", short(plan.Regret), phrase.Count(plan.Draws, "draw"))
	if plan.Missing > 0 {
		fmt.Fprintf(&b, "! Under %d of them no decision is best; those are left out.\n", plan.Missing)
	}
	fmt.Fprintf(&b, "To be learned in %s: %s of %s (quadratic) is left, %s if nothing is changed. It loses %s of a budget of %s.\n\n", phrase.Count(len(plan.Decisions), "turn"), short(plan.After), short(plan.Before), short(plan.Stay), short(plan.Lost), short(plan.Budget))
	called := p.Spec.Called()
	for j := range plan.Base {
		symbol := cmp.Or(called.Symbol, "u")
		if len(plan.Base) > 1 {
			symbol += fmt.Sprintf("[%d]", j)
		}
		then := lists.Of(plan.Decisions, func(u []float64) string { return short(u[j]) })
		fmt.Fprintf(&b, "%-14s now %s, then %s\n", cmp.Or(kedge.CalledAt(called.Decision, j).Name, symbol), short(plan.Base[j]), strings.Join(then, " "))
	}
	b.WriteString("\n")
	for j, name := range plan.Names {
		fmt.Fprintf(&b, "%-14s worth %s a turn to know; error %s, afterwards %s\n", name, short(plan.Worth[j]), short(plan.Errors[j]), short(plan.Left[j]))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
