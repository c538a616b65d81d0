package estimate

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"sync/atomic"

	"github.com/kedge-opt/kedge/command/exit"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/logs"
	"github.com/kedge-opt/kedge/logs/backtest"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/report/inference"
	"github.com/kedge-opt/kedge/report/page"
	"github.com/spf13/cobra"
)

// backtestFlags are the flags of kedge backtest.
type backtestFlags struct {
	fitFlags
	ask backtest.Lookback
}

func newBacktest(kinds *kind.Catalogue) *cobra.Command {
	f := &backtestFlags{fitFlags: fitFlags{kinds: kinds, marks: backtest.JSONFile}}
	c := &cobra.Command{
		Use:   "backtest FILE.yaml",
		Short: "Look back: what rules would have set at past dates",
		Long: `Take a spec with unknown numbers and its log, as kedge fit does, and go through its past dates. At each the model is fitted on rows
until that date and no other. Shown are what the composite rule (the settled optimum of that model), vanilla (where retraining on it
comes to rest) and doing nothing (what was deployed stays) would have set, beside what was really done and what people then did, and
what the model fitted on the whole log says each of them is worth, a turn later and settled. What that assumes is printed with it.

The folder gets backtest.json with all of it, backtest.csv with a row for every date and rule, backtest.html, one page with what is
assumed beside what is said, and its figure backtest-rules.svg.
Dates at which the log did not tell the numbers yet are shown as such.

Exit codes: 0 there are dates at which rules decide, 1 the log does not tell enough, 64 the command, the spec or the log is wrong.`,
		Example: `  kedge backtest shop.yaml
  kedge backtest cigarettes.yaml --from 1975 --every 2 --most-change 0.1
  kedge backtest shop.yaml --from 0.3 --draws 200 --out looked-back`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args[0]) },
	}
	fl := c.Flags()
	fl.StringVar(&f.ask.From, "from", "", "first date, as the log has it, or a share of its dates such as 0.3 (default half of them)")
	fl.IntVar(&f.ask.Every, "every", 1, "dates from one look back to the next")
	fl.Float64Var(&f.ask.MostChange, "most-change", 0, "how far rules may go from what was deployed (default anywhere in the set)")
	fl.IntVar(&f.ask.Draws, "draws", 100, "draws of the numbers, for intervals")
	f.offer(c, "backtest", "every search", "how numbers are found: ")
	return c
}

func (f *backtestFlags) run(c *cobra.Command, target string) error {
	if a := f.ask; a.Every < 1 || a.Draws < 0 || a.Draws > 400 || c.Flags().Changed("most-change") && !(a.MostChange > 0 && phrase.Finite(a.MostChange)) {
		return fmt.Errorf("--every %d, --draws %d and --most-change %v: want at least 1, 0 to 400, and a number above 0, or none", a.Every, a.Draws, a.MostChange)
	}
	s, err := f.load(target, "backtest")
	if err != nil {
		return err
	}
	var done, total atomic.Int64
	f.ask.Progress = func(n, of int) {
		done.Store(max(done.Load(), int64(n)))
		total.Store(int64(of))
	}
	f.ask.Fit = logs.Options{Starts: f.starts, Seed: f.seed, Workers: f.hands(), Method: f.method}
	var h *backtest.Retrospect
	err = f.watch(c, func() string {
		return fmt.Sprintf("looking back by %s: %d of %d dates", s.File(), done.Load(), total.Load())
	}, func() (err error) {
		h, err = backtest.Look(c.Context(), s, AnyFolder{}, f.ask)
		return err
	})
	if _, is := errors.AsType[*backtest.UntoldError](err); is {
		return exit.Failure(fmt.Errorf("%s: %w", target, err))
	}
	if err != nil {
		return err
	}
	files, err := h.Files()
	if err == nil {
		err = f.put(files, nil, func() (map[string][]byte, error) {
			return inference.Lookback(h, string(s.YAML()), inference.Recipe{Command: f.again(target), Seed: f.seed})
		})
	}
	if err == nil {
		err = f.show(c.OutOrStdout(), files, func() []page.Piece { return f.looked(h) })
	}
	if err != nil {
		return exit.Failure(err)
	}
	if !h.Decides() {
		return exit.Failure(fmt.Errorf("%s: at no date does the log tell what a rule would have set: %s", target, h.Dates[len(h.Dates)-1].Why))
	}
	return nil
}

// again is the command that repeats a look back.
func (f *backtestFlags) again(target string) string {
	text := f.asked("backtest", target)
	if f.ask.From != "" {
		text += " --from " + strconv.Quote(f.ask.From)
	}
	if f.ask.MostChange > 0 {
		text += fmt.Sprint(" --most-change ", f.ask.MostChange)
	}
	return text + fmt.Sprintf(" --every %d --draws %d --starts %d --seed %d --out again", f.ask.Every, f.ask.Draws, f.starts, f.seed)
}

// looked is a look back, tables first.
func (f *backtestFlags) looked(h *backtest.Retrospect) []page.Piece {
	pieces := []page.Piece{
		page.Heading(fmt.Sprintf("%s, %s to %s: %s", h.Data, h.First, h.Last, phrase.Count(len(h.Dates), "date"))),
		inference.WouldSet(h), inference.WouldBeWorth(h, false), inference.WouldBeWorth(h, true),
		page.Paragraphs{Texts: []string{h.Answer()}},
		page.Heading("Assumed"), page.Bullets{Texts: h.Assumptions},
		page.Heading("Meant"), page.Bullets{Texts: h.Meaning},
	}
	pieces = append(pieces, cautions(h.Warn)...)
	return append(pieces, page.Bullets{Texts: h.Notes}, page.Note{Name: "written:", Text: filepath.Join(f.out, inference.LookbackFile)})
}
