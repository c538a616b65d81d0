package service

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/kedge-opt/kedge/command/exit"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/live"
	"github.com/kedge-opt/kedge/session"
	"github.com/spf13/cobra"
)

// Rehearsal is loops that decide for the people of a program.
type Rehearsal struct {
	Population string // the program and its arguments; empty: none
	patience   time.Duration
	rounds     string
}

// Offer offers its flags.
func (r *Rehearsal) Offer(c *cobra.Command) {
	c.Flags().StringVar(&r.Population, "population", "", "a program that simulates the people instead, as in \"python3 people.py\"")
	c.Flags().DurationVar(&r.patience, "patience", time.Minute, "how long that program may take for an answer")
	c.Flags().StringVar(&r.rounds, "rounds", "", "write every decision for that program's people, and its value, into this CSV file")
}

// Run lets every algorithm of a spec decide for people of its own, and prints what came of it.
func (r *Rehearsal) Run(ctx context.Context, out io.Writer, s *Simulation, spec *problem.Spec, name string) (err error) {
	if s.Prefix == "" {
		s.Prefix = name
	}
	table := csv.NewWriter(io.Discard)
	if r.rounds != "" {
		f, err := os.Create(r.rounds)
		if err != nil {
			return err
		}
		table = csv.NewWriter(f)
		defer func() { // rounds that were over stay, whatever ended the next
			table.Flush()
			err = errors.Join(err, table.Error(), f.Close())
		}()
	}
	head := []string{"algorithm", "k", "outcome", "people", "value", "low", "high"}
	for i := range spec.Dims().Decision {
		head = append(head, fmt.Sprintf("u%d", i))
	}
	if err := table.Write(head); err != nil {
		return err
	}
	for i := range spec.Algorithms {
		if err := r.play(ctx, out, s, spec, i, table); err != nil {
			return exit.Failure(err)
		}
	}
	return nil
}

// play lets one algorithm decide.
func (r *Rehearsal) play(ctx context.Context, out io.Writer, s *Simulation, spec *problem.Spec, algorithm int, table *csv.Writer) error {
	a := &spec.Algorithms[algorithm]
	own, err := rehearsed(s, spec, a.Name)
	if err != nil {
		return err
	}
	loop := s.remote.Loop(s.loopName(a.Name, 0))
	if _, err := loop.Create(ctx, loop.Name, own, session.Live); err != nil {
		return fmt.Errorf("loop %s: %w", loop.Name, err)
	}
	dim := spec.Dims()
	people, err := startCrowd(ctx, r.Population, r.patience, greeting{1, loop.Name, spec.Seed, spec.Iterations, map[string]int{"decision": dim.Decision, "state": dim.State, "trait": dim.Trait}})
	if err != nil {
		return err
	}
	defer people.end()
	steps, value, last := 0, math.NaN(), []float64(nil)
	for t := 1; t <= spec.Iterations; t++ {
		offer, err := loop.Ask(ctx)
		if err != nil {
			return err
		}
		seen, err := people.meet(ctx, turn{t, offer.K, offer.U, max(1, a.Batch)})
		if err != nil {
			return err
		}
		if seen.U == nil {
			seen.U = offer.U
		}
		if _, err := loop.Deploy(ctx, offer.K, seen.U); err != nil {
			return err
		}
		if _, err := loop.Tell(ctx, offer.K, "all", seen.answers()); err != nil {
			return people.fault(t, "answered what the loop does not take: "+err.Error())
		}
		c, err := loop.Close(ctx, offer.K)
		if err != nil {
			return err
		}
		if last = seen.U; c.Outcome.Outcome == session.Stepped {
			steps++
		}
		if c.Value != nil {
			value = c.Value.Mean
		}
		if err := table.Write(record(a.Name, c, seen.U)); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(out, "%s: %s, %s; at last %s, value %s\n", a.Name, phrase.Count(spec.Iterations, "decision"), phrase.Count(steps, "step"), numbers(last), strconv.FormatFloat(value, 'g', 6, 64))
	return err
}

// rehearsed is the spec of a loop: with its own section live, or without limits if it has none.
func rehearsed(s *Simulation, spec *problem.Spec, algorithm string) (string, error) {
	own := *spec
	terms := live.New()
	if own.Live != nil {
		copied := *own.Live
		terms = &copied
	} else {
		endless := math.Inf(1)
		terms.Least, terms.Norm = 1, &endless
		terms.Simulated()
	}
	terms.Algorithm, own.Live = algorithm, terms
	if terms.Safe == nil {
		plan, err := session.PlanOf(s.kinds, string(own.YAML()))
		if err != nil {
			return "", err
		}
		terms.Safe = plan.Start
	}
	return string(own.YAML()), nil
}

// record is a row of the table of rounds.
func record(algorithm string, c session.Closing, u []float64) []string {
	row := []string{algorithm, strconv.Itoa(c.K), c.Outcome.Outcome, strconv.Itoa(c.Sample.Rows), "", "", ""}
	if v := c.Value; v != nil {
		for i, x := range []float64{v.Mean, v.Low, v.High} {
			row[4+i] = strconv.FormatFloat(x, 'g', -1, 64)
		}
	}
	return append(row, strings.Fields(numbers(u))...)
}
