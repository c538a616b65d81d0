// Package study puts the rates of the theory to the test: each study asks one question, runs an experiment on all cores, fits
// exponents with intervals and says in words whether they are within, better or worse than what the theory promises.
//
// The same study, size and seed give the same bits on any number of workers.
package study

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/kedge-opt/kedge/internal/crew"
)

// Study is one question that an experiment answers.
type Study struct {
	Name     string // as in kedge study NAME
	Title    string
	Question string
	Theory   string   // what the theory says, in words
	Theorems []string // of the paper, by its numbers: those that are measured

	run func(w *work)
}

// Options say how large a study is and how it is run.
type Options struct {
	Quick   bool   // a small version that takes seconds
	Trials  int    // repetitions of every point; 0 means the study's own number
	Seed    uint64 // of all randomness
	Workers int    // goroutines that compute; 0 means one a core. Results do not depend on it
	// Progress is told, from any goroutine, how many of the pieces of work known so far are done.
	Progress func(done, total int64)
}

// MaxTrials is the largest number of repetitions that a study takes.
const MaxTrials = 100_000

// Check says whether the options make sense.
func (o Options) Check() error {
	if o.Trials < 0 || o.Trials == 1 || o.Trials > MaxTrials {
		return fmt.Errorf("%d trials; an interval takes from 2 to %d, and 0 stands for the study's own number", o.Trials, MaxTrials)
	}
	return nil
}

// Run runs the study. When the context ends first there is no result, and its error is returned.
func (s Study) Run(ctx context.Context, o Options) (*Result, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	o.Workers = crew.Workers(o.Workers)
	w := &work{Options: o, ctx: ctx, result: Result{
		Name: s.Name, Title: s.Title, Question: s.Question, Theory: s.Theory, Theorems: s.Theorems, Quick: o.Quick, Trials: o.Trials, Seed: o.Seed,
	}}
	if err := w.do(s.run); err != nil {
		return nil, fmt.Errorf("study %s: %w", s.Name, err)
	}
	return w.finish(), nil
}

// Size is how often every point is repeated. Only the study itself knows its own number, so it is begun, with a context that is done.
func (s Study) Size(o Options) int {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	w := &work{Options: o, ctx: ctx, result: Result{Name: s.Name, Trials: o.Trials}}
	w.Workers = 1
	_ = w.do(s.run) // it ends where its work would begin
	return w.result.Trials
}

// work is a study under way.
type work struct {
	Options
	ctx         context.Context
	result      Result
	done, total atomic.Int64
}

// size is a number that is smaller in a quick study.
func (w *work) size(usual, quick int) int {
	if w.Quick {
		return quick
	}
	return usual
}

// trials is how often every point is repeated, unless the user says otherwise.
func (w *work) trials(usual, quick int) int {
	if w.Trials == 0 {
		w.result.Trials = w.size(usual, quick)
	}
	return w.result.Trials
}
