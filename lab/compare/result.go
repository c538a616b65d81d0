package compare

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"strings"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/loop"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/kind"
)

// Comparison is how the methods did.
type Comparison struct {
	Name     string    `json:"name"`    // of the problem or of the suite
	Suite    bool      `json:"suite"`   // several problems
	Own      bool      `json:"own"`     // the methods are the algorithms of the spec
	Changes  []string  `json:"changes"` // to the specs, as on the command line
	Trials   int       `json:"trials"`  // asked for; 0: as many as a problem says
	Tuning   int       `json:"tuning"`  // trials of every point of the grids
	Points   int       `json:"points"`  // of every grid; 0: nothing was tuned
	Problems []Meeting `json:"problems"`

	Seconds map[string]map[string]float64 `json:"-"` // by problem and method, of the trials that are reported
	Inputs  map[string]string             `json:"-"` // the files that were read, by name: SHA-256 of what they held

	kinds *kind.Catalogue
}

// Meeting is one problem with its answers and what came of every method.
type Meeting struct {
	Name      string        `json:"name"`
	Target    string        `json:"target"`          // the case or the file as it is named on the command line
	About     string        `json:"about,omitempty"` // of a classic: the problem in one line
	Spec      string        `json:"spec"`
	Seed      uint64        `json:"seed"`
	Turns     int           `json:"turns"`
	Settling  int           `json:"settling"` // turns until the crowd has answered a change
	Settled   bool          `json:"settled"`  // false: it takes longer than there is time for
	Maximize  bool          `json:"maximize"`
	Optimal   []float64     `json:"optimal"`
	Answer    *folder.Point `json:"answer,omitempty"` // the optimum with what is known of it; nil in results of earlier versions
	Stable    []float64     `json:"stable"`           // null: none was found
	Value     float64       `json:"value"`            // at the optimum
	Separates bool          `json:"separates"`
	Tolerance float64       `json:"tolerance"` // how near to its target a method must end
	Rows      []Row         `json:"methods"`

	kinds *kind.Catalogue
}

// Row is one method on one problem. Distances are Euclidean, of the decision that is recommended in the end.
type Row struct {
	Method      string  `json:"method"`
	Kind        string  `json:"kind"`
	Settings    string  `json:"settings"`
	Step        float64 `json:"step"`
	Grid        []Point `json:"grid,omitempty"`
	Limit       string  `json:"limit"` // the point where it must end: stable, myopic or optimal
	Outside     string  `json:"outside,omitempty"`
	Arrived     bool    `json:"arrived"` // within the tolerance of that point
	Trials      int     `json:"trials"`
	Failed      int     `json:"failed"`
	Failure     string  `json:"failure,omitempty"` // of the first trial that failed
	ToOptimal   *Range  `json:"to_optimal"`
	ToStable    *Range  `json:"to_stable"`
	ToTarget    *Range  `json:"to_target"`
	Value       *Range  `json:"value"`
	Gap         *Range  `json:"gap"` // of the value, relative to that of the optimum
	Deployments int     `json:"deployments"`
	Samples     int     `json:"samples"` // people that it looked at
	Curve       Curve   `json:"curve"`
}

// Point is a step size that was tried, with the mean distance from the target over the later half of the turns; none where a trial
// failed.
type Point struct {
	Step  float64  `json:"step"`
	Score *float64 `json:"score"`
}

// Range is a folder.Spread over trials whose ends compare.json calls low and high.
type Range struct {
	Mean float64 `json:"mean"`
	Min  float64 `json:"low"`
	Max  float64 `json:"high"`
}

// Curve is the distance from the optimum along the turns, over the trials that did not fail.
type Curve struct {
	Turns []int   `json:"turns"`
	Far   []Range `json:"distance"`
}

// rangeOf returns nil of nothing and of what is not finite.
func rangeOf(x []float64) *Range { return (*Range)(folder.SpreadOf(x)) }

func (c *Prepared) result() (*Comparison, error) {
	r := c.Terms.blank(c.own)
	for _, a := range c.meetings {
		seconds := map[string]float64{}
		for _, e := range a.entries {
			if err := a.judge(e); err != nil {
				return nil, fmt.Errorf("%s: %s: %w", a.Name, e.Method, err)
			}
			a.Rows = append(a.Rows, e.Row)
			for _, t := range e.trials {
				seconds[e.Method] += t.seconds
			}
		}
		r.Problems, r.Seconds[a.Name] = append(r.Problems, a.Meeting), seconds
		maps.Copy(r.Inputs, a.problem.Inputs())
	}
	r.called()
	return r, nil
}

// blank is a comparison on these terms without problems yet.
func (o Terms) blank(own bool) *Comparison {
	r := &Comparison{
		kinds: o.Kinds, Name: o.Suite, Suite: o.Suite != "", Own: own, Changes: o.Changes, Trials: o.Trials, Tuning: o.Tuning, Points: o.Points,
		Seconds: map[string]map[string]float64{}, Inputs: map[string]string{},
	}
	if o.NoTune {
		r.Points, r.Tuning = 0, 0
	}
	return r
}

// called gives a comparison on one problem its name.
func (r *Comparison) called() {
	if !r.Suite {
		r.Name = r.Problems[0].Name
	}
}

// judge fills in what came of the trials of a method.
func (a *meeting) judge(e *entry) error {
	var done []outcome
	e.Trials = len(e.trials)
	for _, t := range e.trials {
		if t.failure != "" {
			e.Failed, e.Failure = e.Failed+1, cmp.Or(e.Failure, t.failure)
			continue
		}
		loss, err := a.steady.Value(t.last())
		if kedge.IsUnsettled(err) {
			e.Failed, e.Failure = e.Failed+1, cmp.Or(e.Failure, "it ends at a decision under which not everybody settles: "+err.Error())
			continue
		}
		if err != nil {
			return err
		}
		t.loss = loss
		done = append(done, t)
		e.Deployments, e.Samples = max(e.Deployments, t.deployments), max(e.Samples, t.samples)
	}
	over := func(of func(t outcome) float64) *Range { return rangeOf(lists.Of(done, of)) }
	to := func(point []float64) *Range {
		return over(func(t outcome) float64 { return distance(t.last(), point) })
	}
	best := loop.Target{Decision: a.Optimal, Loss: a.loss}
	e.ToOptimal, e.ToStable, e.ToTarget = to(a.Optimal), to(a.Stable), to(e.target)
	e.Value = over(func(t outcome) float64 { return a.value(t.loss) })
	e.Gap = over(func(t outcome) float64 { return best.Gap(t.loss) })
	e.Arrived = e.Failed == 0 && e.ToTarget != nil && e.ToTarget.Mean <= a.Tolerance
	e.Curve = a.curve(done)
	return nil
}

func (a *meeting) value(loss float64) float64 {
	if a.Maximize {
		return -loss
	}
	return loss
}

func (a *meeting) curve(done []outcome) Curve {
	c := Curve{Turns: []int{}, Far: []Range{}}
	for i, k := range a.marks {
		far := lists.Of(done, func(t outcome) float64 { return distance(t.decisions[i], a.Optimal) })
		if s := rangeOf(far); s != nil {
			c.Turns, c.Far = append(c.Turns, k), append(c.Far, *s)
		}
	}
	return c
}

// words are settings as people write them.
func words(list []form.Setting) string {
	return strings.Join(lists.Of(list, func(s form.Setting) string { return s.Key + " " + s.Value }), ", ")
}

// Encode writes the result, but for its seconds, as JSON.
func (r *Comparison) Encode(w io.Writer) error { return folder.WriteJSON(w, r) }

// Decode reads what Encode wrote of methods of a catalogue.
func Decode(kinds *kind.Catalogue, from io.Reader) (*Comparison, error) {
	r := &Comparison{kinds: kinds}
	if err := json.NewDecoder(from).Decode(r); err != nil {
		return nil, fmt.Errorf("read a comparison: %w", err)
	}
	for i, a := range r.Problems {
		r.Problems[i].kinds = kinds
		for _, row := range a.Rows {
			if len(row.Curve.Turns) != len(row.Curve.Far) {
				return nil, fmt.Errorf("read a comparison: %s on %s has %d turns and %d distances", row.Method, a.Name, len(row.Curve.Turns), len(row.Curve.Far))
			}
		}
	}
	return r, nil
}

// pair is a method on a problem.
type pair struct {
	on *Meeting
	*Row
}

func (r *Comparison) pairs() (list []pair) {
	for i := range r.Problems {
		for j := range r.Problems[i].Rows {
			list = append(list, pair{&r.Problems[i], &r.Problems[i].Rows[j]})
		}
	}
	return list
}
