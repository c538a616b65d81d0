// Package compare lets methods meet on the same problem: the same crowd, the same samples, the same number of turns. Every method
// is tuned first, on a stated grid with as many points for each, by trials apart from those that are reported.
//
// The same problems, methods and options give the same bits on any number of workers.
package compare

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"sync/atomic"
	"time"

	"github.com/kedge-opt/kedge/internal/crew"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
)

// Subject is what methods are compared on: a spec under its overlays.
type Subject struct {
	Name   string
	Target string // what the user calls it: a case or a file
	Text   []byte
	Over   []problem.Overlay
	Files  fs.FS   // what the spec names
	Usual  bool    // take usual settings also of methods that the spec has
	Known  Classic // what is known of it, if it is one of the classics
}

// Terms say how large a comparison is and how it is run.
type Terms struct {
	Kinds   *kind.Catalogue // what specs can name; nil means the standard kinds
	Suite   string          // the name of the problems together; "": it is one problem
	Changes []string        // to the specs, as they are told on the command line
	Trials  int             // that are reported, of every method; 0 means those of the spec
	Tuning  int             // trials of every point of the grid; 0 means 2
	Points  int             // of the grid of step sizes; 0 means 7
	NoTune  bool            // take the middle of the grid, or the step that the spec gives
	Workers int             // goroutines that compute; 0 means one a core. Results do not depend on it
	// Progress is told, from any goroutine, how many of all runs are done.
	Progress func(done, total int64)
}

// The largest numbers that a comparison takes.
const (
	MaxTrials = 100_000
	MaxPoints = 101
)

// Check says whether the options make sense.
func (o Terms) Check() error {
	switch {
	case o.Trials < 0 || o.Trials > MaxTrials:
		return fmt.Errorf("%d trials; want from 1 to %d", o.Trials, MaxTrials)
	case o.Tuning < 0 || o.Tuning > MaxTrials:
		return fmt.Errorf("%d trials to tune by; want from 1 to %d", o.Tuning, MaxTrials)
	case o.Points < 0 || o.Points > MaxPoints:
		return fmt.Errorf("a grid of %d steps; want from 1 to %d", o.Points, MaxPoints)
	}
	return nil
}

func (o Terms) filled() Terms {
	if o.Kinds == nil {
		o.Kinds = kind.Standard()
	}
	o.Tuning, o.Points, o.Workers = cmp.Or(o.Tuning, 2), cmp.Or(o.Points, 7), crew.Workers(o.Workers)
	return o
}

// Run compares the methods on every problem. When the context ends first there is no result, and its error is returned.
func Run(ctx context.Context, problems []Subject, methods []Entrant, o Terms) (*Comparison, error) {
	c, err := Prepare(ctx, problems, methods, o)
	if err != nil {
		return nil, err
	}
	return c.Run(ctx)
}

// Prepared is a comparison that has been checked: every problem is built and its answers are known.
type Prepared struct {
	Terms
	own         bool // nobody has listed methods
	meetings    []*meeting
	done, total atomic.Int64
}

// Prepare builds the problems and finds their answers. Whatever is wrong with a spec or a method is found here.
func Prepare(ctx context.Context, problems []Subject, methods []Entrant, o Terms) (*Prepared, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	c := &Prepared{Terms: o.filled(), own: len(methods) == 0, meetings: make([]*meeting, len(problems))}
	err := crew.Share(min(c.Workers, len(problems)), len(problems), func(_, i int) (err error) {
		c.meetings[i], err = enter(ctx, problems[i], methods, c.Terms)
		return err
	})
	return c, err
}

// Run tunes every method and then runs the trials that are reported.
func (c *Prepared) Run(ctx context.Context) (*Comparison, error) {
	var tuning []run
	for _, a := range c.meetings {
		tuning = append(tuning, a.tuning(c.Terms)...)
		c.total.Add(int64(len(a.reported(c.Terms))))
	}
	c.total.Add(int64(len(tuning)))
	if err := c.all(ctx, tuning); err != nil {
		return nil, err
	}
	var reported []run
	for _, a := range c.meetings {
		a.choose()
		reported = append(reported, a.reported(c.Terms)...)
	}
	if err := c.all(ctx, reported); err != nil {
		return nil, err
	}
	return c.result()
}

// all does runs on all cores.
func (c *Prepared) all(ctx context.Context, runs []run) error {
	return crew.Share(min(c.Workers, max(1, len(runs))), len(runs), func(_, i int) error {
		begun := time.Now()
		if err := runs[i].do(ctx); err != nil {
			return err
		}
		runs[i].to.seconds = time.Since(begun).Seconds()
		done := c.done.Add(1)
		if c.Progress != nil {
			c.Progress(done, c.total.Load())
		}
		return nil
	})
}
