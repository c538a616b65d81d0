package logs

import (
	"fmt"
	"maps"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/fit"
	"github.com/kedge-opt/kedge/fit/forecast"
	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/phrase"
)

// Quality is how a model does on what it was not fitted on, whether its errors come back, and whether its numbers stay the same.
type Quality struct {
	Steps   []Missed  `json:"forecasts,omitempty"` // by how far ahead
	Origins int       `json:"origins"`             // dates that were forecast from
	From    string    `json:"from,omitempty"`      // the first of them
	To      string    `json:"to,omitempty"`
	Echoes  []Echoed  `json:"echoes,omitempty"`
	Halves  []Drifted `json:"halves,omitempty"`
	Notes   []string  `json:"notes,omitempty"`
}

// Missed is by how much forecasts so many turns ahead were wrong: roots of mean squares, by entry of the state.
type Missed struct {
	Ahead     int      `json:"ahead"`
	Forecasts int      `json:"forecasts"`
	Model     []Amount `json:"model"`
	Last      []Amount `json:"no_change"`
	Usual     []Amount `json:"mean_before"`
	Static    []Amount `json:"static_regression"`
	Gain      Amount   `json:"gain"` // how much smaller the model's squares are than those of no change, in units of the latter, summed over entries of the state
	GainError Amount   `json:"gain_error"`
}

// Echoed is how much of an error comes back a turn later.
type Echoed struct {
	State string `json:"state"`
	Share Amount `json:"share"`
	Error Amount `json:"error"`
}

// Drifted is a number in the earlier and in the later half of the dates.
type Drifted struct {
	Name        string `json:"name"`
	Before      Amount `json:"before"`
	BeforeError Amount `json:"before_error"`
	After       Amount `json:"after"`
	AfterError  Amount `json:"after_error"`
	Chance      Amount `json:"chance"` // of such a difference were it the same
}

// How far forecasts go, from how many dates, and how long a log may be for fitting it again that often.
const (
	stepsAhead  = 4
	fromDates   = 8
	longestOnes = 100_000
)

// quality forecasts from past dates, and looks at errors and halves of the log.
func (w *work) quality() error {
	if w.out.Ahead == nil {
		return nil
	}
	q := &Quality{}
	w.out.Quality = q
	if len(w.turn) > longestOnes {
		q.Notes = append(q.Notes, fmt.Sprintf("The log has more than %s pairs: it was not fitted again from past dates.", phrase.Grouped(longestOnes)))
		return nil
	}
	f, rows, o := w.asked()
	o.Starts, o.Repeats = 0, 0
	unknowns := make([]fit.Unknown, len(w.unknowns))
	for j, u := range w.unknowns {
		unknowns[j] = u
		unknowns[j].Start = min(max(float64(w.out.Found[j].Value), u.Lower), u.Upper)
	}
	w.roll(q, f, rows, unknowns, o)
	w.halves(q, f, rows, unknowns, o)
	return w.ctx.Err()
}

// roll forecasts from the newest dates from which enough is seen.
func (w *work) roll(q *Quality, f *formula.Regressor, rows fit.Log, unknowns []fit.Unknown, o fit.Options) {
	last := w.log.Span()
	plan := forecast.Rolling{Steps: min(stepsAhead, max(1, last/4)), Origins: fromDates}
	if o.Times {
		q.Notes = append(q.Notes, "Forecasts are made without what times have of their own, which is not known beforehand.")
	}
	o.Times = false
	r, err := forecast.Roll(w.ctx, f, rows, unknowns, o, plan)
	if err != nil || len(r.Origins) == 0 {
		q.Notes = append(q.Notes, "Nothing was forecast from past dates: the log is too short for that.")
		return
	}
	if r.Skipped > 0 {
		q.Notes = append(q.Notes, fmt.Sprintf("From %s nothing was forecast: what was seen until then does not tell all numbers.", phrase.Count(r.Skipped, "date")))
	}
	q.Origins, q.From, q.To = len(r.Origins), w.log.When(r.Origins[0]-1), w.log.When(r.Origins[len(r.Origins)-1]-1)
	amounts := func(h forecast.StepsAhead, by forecast.Manner) []Amount {
		return lists.Of(h.Error[by], func(v float64) Amount { return Amount(v) })
	}
	for _, h := range r.Horizons {
		if h.Forecasts > 0 {
			q.Steps = append(q.Steps, Missed{
				Ahead: h.Steps, Forecasts: h.Forecasts, Model: amounts(h, forecast.Model), Last: amounts(h, forecast.Last), Usual: amounts(h, forecast.Usual),
				Static: amounts(h, forecast.Static), Gain: Amount(h.Gain[forecast.Last]), GainError: Amount(h.GainError[forecast.Last]),
			})
		}
	}
}

// halves fits the earlier and the later half of the dates apart, and looks whether errors come back.
func (w *work) halves(q *Quality, f *formula.Regressor, rows fit.Log, unknowns []fit.Unknown, o fit.Options) {
	byRow := rows
	if w.out.Apart && f.Traits == 0 { // as the fit of the whole log
		byRow.Person = kedge.Some(len(rows.Person), len(rows.Person))
	}
	if apart, err := forecast.Apart(w.ctx, f, byRow, unknowns, o, forecast.Halves(rows)); err == nil {
		for _, c := range apart {
			q.Halves = append(q.Halves, Drifted{c.Name, Amount(c.Values[0]), Amount(c.Errors[0]), Amount(c.Values[1]), Amount(c.Errors[1]), Amount(c.Chance)})
		}
	}
	found := w.out.Fitted
	if found == nil {
		if found = w.asFitted(); found == nil {
			return
		}
	}
	echoes, err := forecast.Echoes(f, rows, found)
	if err != nil {
		return
	}
	for e, one := range echoes {
		if one.Pairs > 0 {
			q.Echoes = append(q.Echoes, Echoed{w.log.States.Names[e], Amount(one.Share), Amount(one.Error)})
		}
	}
}

// asFitted is an estimate of the linear table as a fit; nil where times alone have something of their own, which leaves the first of them nowhere to put it.
func (w *work) asFitted() *fit.Fitted {
	if w.ofTimes() && !w.ofPeople() {
		return nil
	}
	out := &fit.Fitted{Value: w.out.values()}
	if !w.ofPeople() {
		return out
	}
	shift, season := 0.0, w.out.Ahead.season
	if times := slices.Sorted(maps.Keys(season)); len(times) > 0 {
		shift = season[times[0]][0]
		for _, t := range times[1:] {
			out.Shifts = append(out.Shifts, season[t][0]-shift)
		}
	}
	seen := map[int]bool{}
	for _, p := range w.rows.Person {
		if !seen[p] {
			seen[p] = true
			out.Traits = append(out.Traits, w.out.crowd.own[p]+shift)
		}
	}
	return out
}
