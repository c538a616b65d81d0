// Command compare measures kedge against what people would use instead, side by side in one run: the paper's loop in plain
// NumPy, a vectorised NumPy version of it, jitted JAX and hand-written C. bench/README.md says what is measured and how.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/kedge-opt/kedge/internal/bench/rival"
)

// options are the flags of the command.
type options struct {
	json      bool
	turns     int
	rounds    int
	skipLarge bool
	python    string
	compiler  string
	kedge     string
}

func main() {
	rival.Main("compare", parse, func(ctx context.Context, o options, out io.Writer) error { return run(ctx, o, out, os.Stderr) })
}

func parse(args []string, complain io.Writer) (options, error) {
	var o options
	f := flag.NewFlagSet("compare", flag.ContinueOnError)
	f.SetOutput(complain)
	f.BoolVar(&o.json, "json", false, "print JSON instead of a table")
	f.IntVar(&o.turns, "turns", 200, "turns of the polarized workloads that NumPy is timed for, in every round")
	f.IntVar(&o.rounds, "rounds", 5, "rounds; every side has its turn in every round")
	f.BoolVar(&o.skipLarge, "skip-large", false, "leave out the crowd of ten million, which takes 5 GB")
	f.StringVar(&o.python, "python", rival.Usual(), "Python with NumPy and JAX; KEDGE_PYTHON sets the default")
	f.StringVar(&o.compiler, "cc", "gcc", "C compiler")
	f.StringVar(&o.kedge, "kedge", "", "command that prints kedge's figures (default: build cmd/kedge and run it with bench --json)")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if f.NArg() > 0 || o.turns < 1 || o.rounds < 1 {
		fmt.Fprintln(complain, "compare takes flags only, and at least one turn and one round")
		return o, flag.ErrHelp
	}
	return o, nil
}

// run measures all sides that are there, prints what they give, and fails when one of them was missing.
func run(ctx context.Context, o options, out, notes io.Writer) error {
	dir, err := os.MkdirTemp("", "kedge-compare-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	t, err := newTools(ctx, o, dir)
	if err != nil {
		return err
	}
	figures, missing := play(ctx, t.sides(ctx), o.rounds, notes)
	if err := ctx.Err(); err != nil {
		return err
	}
	c := compare(figures)
	c.Turns, c.Rounds, c.Missing = o.turns, o.rounds, missing
	if err := show(out, c, o.json); err != nil {
		return err
	}
	if len(missing) > 0 {
		return fmt.Errorf("incomplete: %d missing", len(missing))
	}
	return nil
}

func show(out io.Writer, c comparison, asJSON bool) error {
	if !asJSON {
		return c.print(out)
	}
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	return e.Encode(c)
}

// play gives every side its turn, round after round, so that a busy moment of the machine meets all of them alike. A side
// that fails is out and noted as missing.
func play(ctx context.Context, sides []side, rounds int, notes io.Writer) (map[string]Figures, []string) {
	results, failed := map[string][]Figures{}, map[string]error{}
	for round := range rounds {
		for _, s := range sides {
			if failed[s.name] != nil || ctx.Err() != nil {
				continue
			}
			fmt.Fprintf(notes, "round %d of %d: %s\n", round+1, rounds, s.name)
			f, err := s.figures(ctx)
			if err != nil {
				failed[s.name] = err
				continue
			}
			results[s.name] = append(results[s.name], f)
		}
	}
	merged := map[string]Figures{}
	for name, all := range results {
		merged[name] = merge(all)
	}
	var missing []string
	for _, s := range sides {
		if err := failed[s.name]; err != nil {
			missing = append(missing, fmt.Sprintf("%s: %v", s.name, err))
		}
	}
	return merged, missing
}
