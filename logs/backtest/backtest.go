// Package backtest looks back: what rules would have set at past dates, fitted on what was known then, and what the model fitted on the whole log says that
// was worth. It reads and writes no file of its own.
package backtest

import (
	"context"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/kedge-opt/kedge/internal/crew"
	"github.com/kedge-opt/kedge/logs"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/record"
)

// Lookback says what is looked back at.
type Lookback struct {
	From       string  // the first date, as the log has it, or a share of its dates; "": half of them
	Every      int     // dates from one to the next; 0: one
	MostChange float64 // how far a rule may go from what was deployed; 0: anywhere in the set
	Draws      int     // of the numbers, for intervals
	Fit        logs.Options
	Progress   func(done, total int) // is told how many dates are done, from any goroutine; may be nil
}

// The rules.
const (
	Done      = "done"      // what was really deployed next
	Composite = "composite" // the settled optimum of the model fitted then
	Vanilla   = "vanilla"   // where retraining on that model comes to rest
	Nothing   = "nothing"   // what was deployed stays
)

// Rules are all of them, in the order of reports.
func Rules() []string { return []string{Done, Composite, Vanilla, Nothing} }

// Retrospect is what a look back says.
type Retrospect struct {
	File        string          `json:"file"`
	Data        string          `json:"data"`
	First       string          `json:"first"`
	Last        string          `json:"last"`
	Decision    []string        `json:"decision"` // what its entries are called
	Maximize    bool            `json:"maximize"`
	MostChange  float64         `json:"most_change,omitempty"`
	Draws       int             `json:"draws"`
	Numbers     []logs.Inferred `json:"fitted_on_all"`
	Meaning     []string        `json:"rules"`
	Assumptions []string        `json:"assumptions"` // without which nothing here is said
	Dates       []PastDate      `json:"dates"`
	Margins     []Margin        `json:"margins,omitempty"`
	Notes       []string        `json:"notes,omitempty"`
	Warn        []string        `json:"warnings,omitempty"`
}

// PastDate is a past date.
type PastDate struct {
	Date     string          `json:"date"`
	Next     string          `json:"next,omitempty"` // when it was answered
	Why      string          `json:"cannot_be_told_yet,omitempty"`
	Numbers  []logs.Inferred `json:"fitted_then,omitempty"`
	Rules    []Verdict       `json:"rules"`
	Observed logs.Amount     `json:"observed"` // the mean value of what people then did, under what each of them met
	Seen     int             `json:"observed_people"`

	turn, next int // next is -1 where there is no row of it
	before     []float64
}

// Verdict is what a rule would have set at a date, and what that is worth by the model fitted on the whole log.
type Verdict struct {
	Rule     string    `json:"rule"`
	Why      string    `json:"why_not,omitempty"` // there is no decision
	Decision []float64 `json:"decision,omitempty"`
	Once     Worth     `json:"at_once"` // a turn later
	Settled  Worth     `json:"settled"`
}

// Worth is a value with an interval that holds it under 95 of 100 draws of the numbers.
type Worth struct {
	Value logs.Amount `json:"value"`
	Low   logs.Amount `json:"low"`
	High  logs.Amount `json:"high"`

	drawn []float64
}

// Margin is by how much the composite rule is better than another, in the mean of dates where both are known.
type Margin struct {
	Against string `json:"against"`
	Dates   int    `json:"dates"`
	Once    Worth  `json:"at_once"`
	Settled Worth  `json:"settled"`
}

// FromError says what is wrong with the first date.
type FromError struct{ Text, First, Last string }

func (e *FromError) Error() string {
	return fmt.Sprintf("--from %s: want a date of the log, %s to %s, before the last, or a share of its dates such as 0.5", e.Text, e.First, e.Last)
}

// UntoldError says that the whole log does not tell the numbers, so that nothing can be judged.
type UntoldError struct{ Blind []string }

func (e *UntoldError) Error() string {
	return "the whole log does not tell the numbers, so that nothing can be judged by them: " + strings.Join(e.Blind, "; ")
}

// Look looks back.
func Look(ctx context.Context, s *problem.Spec, files fs.FS, a Lookback) (*Retrospect, error) {
	if err := fits(s, files); err != nil {
		return nil, err
	}
	all, err := logs.Fit(ctx, s, files, a.Fit)
	switch {
	case err != nil:
		return nil, err
	case !all.Told():
		return nil, &UntoldError{all.Blind}
	}
	all.Redraw(a.Draws)
	out := &Retrospect{File: s.File(), Data: s.Data.File, First: all.First, Last: all.Last, Decision: all.Log.Decision.Names, MostChange: a.MostChange, Draws: len(all.Draws), Numbers: all.Found, Warn: all.Warn}
	origins, err := a.origins(all.Log)
	if err != nil {
		return nil, err
	}
	out.Dates = origins
	l := &looker{Lookback: a, spec: s, files: files, all: all}
	var done atomic.Int64
	maximize := make([]bool, len(origins))
	err = crew.Share(a.Fit.Workers, len(origins), func(_, i int) (err error) {
		if err = ctx.Err(); err == nil {
			maximize[i], err = l.date(ctx, &origins[i])
		}
		if a.Progress != nil {
			a.Progress(int(done.Add(1)), len(origins))
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	out.Maximize = maximize[0]
	out.margins()
	out.say(all)
	return out, nil
}

// fits refuses specs that cannot be looked back at.
func fits(s *problem.Spec, files fs.FS) error {
	switch {
	case s.Data == nil || len(s.Unknowns()) == 0:
		return nil // the fit says so
	case s.Data.Kind != record.Panel:
		return &logs.MisfitError{Key: "data.kind", What: s.Data.Kind + " cannot be looked back at; want panel, the same people again and again"}
	case s.Doubt.Uncertain > 0:
		return s.Doubt.Certain("a look back has rules of its own, and as many draws as --draws says")
	case s.OwnPeople():
		return &logs.MisfitError{Key: "population", What: "a look back is at the people of the log; leave population out"}
	}
	source, err := s.FitSource(files)
	if err != nil {
		return err
	}
	if slices.Contains(source.Beside, "t") && !slices.Contains(s.Data.Names(), "t") {
		return &logs.MisfitError{Key: "model.next", What: "the formulas use the time t, and nobody settles while it goes on; want a number of data.beside in its place"}
	}
	return nil
}

// origins are the dates that are looked back at: those with rows, but for the last.
func (a *Lookback) origins(l *record.Recorded) (list []PastDate, err error) {
	turns := l.Turns()
	wrong := &FromError{a.From, l.When(turns[0]), l.When(turns[len(turns)-1])}
	at := len(turns) / 2
	if a.From != "" {
		at = slices.IndexFunc(turns, func(t int) bool { return l.When(t) == a.From })
		if share, bad := strconv.ParseFloat(a.From, 64); at < 0 && bad == nil && share >= 0 && share < 1 {
			at = int(share * float64(len(turns)))
		}
	}
	if at < 0 || at >= len(turns)-1 {
		return nil, wrong
	}
	for i := at; i < len(turns)-1; i += max(1, a.Every) {
		o := PastDate{Date: l.When(turns[i]), turn: turns[i], next: -1, Observed: logs.Amount(math.NaN())}
		if turns[i+1] == turns[i]+1 {
			o.next, o.Next = turns[i+1], l.When(turns[i+1])
		}
		list = append(list, o)
	}
	return list, nil
}
