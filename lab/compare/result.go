package compare

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/loop"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/kind"
)

// Comparison is how the methods did.
type Comparison struct {
	Name    string   `json:"name"`    // of the problem or of the suite
	Suite   bool     `json:"suite"`   // several problems
	Own     bool     `json:"own"`     // the methods are the algorithms of the spec
	Changes []string `json:"changes"` // to the specs, as on the command line
	Trials  int      `json:"trials"`  // asked for; 0: as many as a problem says
	Tuning  int      `json:"tuning"`  // trials of every point of the grids
	Points  int      `json:"points"`  // of every grid; 0: nothing was tuned
	Arenas  []Arena  `json:"problems"`

	Seconds map[string]map[string]float64 `json:"-"` // by problem and method, of the trials that are reported

	kinds *kind.Catalogue
}

// Arena is one problem with its answers and what came of every method.
type Arena struct {
	Name      string    `json:"name"`
	Target    string    `json:"target"`          // the case or the file as it is named on the command line
	About     string    `json:"about,omitempty"` // of a classic: the problem in one line
	Spec      string    `json:"spec"`
	Seed      uint64    `json:"seed"`
	Turns     int       `json:"turns"`
	Settling  int       `json:"settling"` // turns until the crowd has answered a change
	Settled   bool      `json:"settled"`  // false: it takes longer than there is time for
	Maximize  bool      `json:"maximize"`
	Optimal   []float64 `json:"optimal"`
	Stable    []float64 `json:"stable"` // null: none was found
	Value     float64   `json:"value"`  // at the optimum
	Separates bool      `json:"separates"`
	Tolerance float64   `json:"tolerance"` // how near to its target a method must end
	Rows      []Row     `json:"methods"`

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

// Range is a spread over trials; compare.json calls its ends low and high.
type Range struct{ folder.Spread }

// ends are a spread by the names of compare.json.
type ends struct {
	Mean float64 `json:"mean"`
	Min  float64 `json:"low"`
	Max  float64 `json:"high"`
}

// MarshalJSON writes the three numbers.
func (r Range) MarshalJSON() ([]byte, error) { return json.Marshal(ends(r.Spread)) }

// UnmarshalJSON reads them.
func (r *Range) UnmarshalJSON(text []byte) error {
	var e ends
	err := json.Unmarshal(text, &e)
	r.Spread = folder.Spread(e)
	return err
}

// Curve is the distance from the optimum along the turns, over the trials that did not fail.
type Curve struct {
	Turns []int   `json:"turns"`
	Far   []Range `json:"distance"`
}

// rangeOf returns nil of nothing and of what is not finite.
func rangeOf(x []float64) *Range {
	if s := folder.SpreadOf(x); s != nil {
		return &Range{*s}
	}
	return nil
}

func (c *Prepared) result() (*Comparison, error) {
	r := &Comparison{kinds: c.Kinds, Own: c.own, Changes: c.Changes, Trials: c.Trials, Tuning: c.Tuning, Points: c.Points, Seconds: map[string]map[string]float64{}}
	if c.NoTune {
		r.Points, r.Tuning = 0, 0
	}
	for _, a := range c.arenas {
		one, err := a.told()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", a.Name, err)
		}
		r.Arenas = append(r.Arenas, one)
		r.Seconds[one.Name] = a.seconds()
	}
	r.Name, r.Suite = c.Suite, c.Suite != ""
	if !r.Suite {
		r.Name = r.Arenas[0].Name
	}
	return r, nil
}

func (a *arena) seconds() map[string]float64 {
	all := map[string]float64{}
	for _, r := range a.entries {
		for _, t := range r.trials {
			all[r.method.Label] += t.seconds
		}
	}
	return all
}

// told is what came of all methods.
func (a *arena) told() (Arena, error) {
	t := a.Arena
	t.Value, t.Separates, t.Tolerance = a.value(a.loss), a.separates(), a.tolerance()
	for _, r := range a.entries {
		row, err := a.row(r)
		if err != nil {
			return t, fmt.Errorf("%s: %w", r.method.Label, err)
		}
		t.Rows = append(t.Rows, row)
	}
	return t, nil
}

func (a *arena) value(loss float64) float64 {
	if a.Maximize {
		return -loss
	}
	return loss
}

func (a *arena) row(r *entry) (Row, error) {
	row := Row{
		Method: r.method.Label, Kind: r.method.kind(), Settings: words(r.settings), Step: r.candidates[r.winner].step,
		Limit: r.limit, Outside: a.known.outside(r.method.Method.Facts().Asks), Trials: len(r.trials),
	}
	if len(r.candidates) > 1 {
		row.Grid = points(r.candidates)
	}
	var done []outcome
	for _, t := range r.trials {
		if t.failure == "" {
			done = append(done, t)
			row.Deployments, row.Samples = max(row.Deployments, t.deployments), max(row.Samples, t.samples)
		} else if row.Failed++; row.Failure == "" {
			row.Failure = t.failure
		}
	}
	if err := a.judge(&row, r, done); err != nil {
		return row, err
	}
	row.Curve = a.curve(done)
	return row, nil
}

// judge fills in distances and values of where trials ended.
func (a *arena) judge(row *Row, r *entry, done []outcome) error {
	best := loop.Target{Decision: a.points["optimal"], Loss: a.loss}
	losses := make([]float64, len(done))
	for i, t := range done {
		var err error
		if losses[i], err = a.steady.Value(t.last()); err != nil {
			return err
		}
	}
	over := func(of func(i int) float64) *Range {
		list := make([]float64, len(done))
		for i := range list {
			list[i] = of(i)
		}
		return rangeOf(list)
	}
	to := func(point []float64) *Range {
		return over(func(i int) float64 { return distance(done[i].last(), point) })
	}
	row.ToOptimal, row.ToStable, row.ToTarget = to(a.points["optimal"]), to(a.points["stable"]), to(r.target)
	row.Value = over(func(i int) float64 { return a.value(losses[i]) })
	row.Gap = over(func(i int) float64 { return best.Gap(losses[i]) })
	row.Arrived = row.Failed == 0 && row.ToTarget != nil && row.ToTarget.Mean <= a.tolerance()
	return nil
}

func (a *arena) curve(done []outcome) Curve {
	c := Curve{Turns: []int{}, Far: []Range{}}
	for i, k := range a.marks {
		var x []float64
		for _, t := range done {
			x = append(x, distance(t.decisions[i], a.points["optimal"]))
		}
		if s := rangeOf(x); s != nil {
			c.Turns, c.Far = append(c.Turns, k), append(c.Far, *s)
		}
	}
	return c
}

func points(list []candidate) (grid []Point) {
	for _, c := range list {
		p := Point{Step: c.step}
		if !math.IsInf(c.score, 0) && !math.IsNaN(c.score) {
			p.Score = &c.score
		}
		grid = append(grid, p)
	}
	return grid
}

// words are settings as people write them.
func words(list []form.Setting) string {
	var parts []string
	for _, s := range list {
		parts = append(parts, s.Key+" "+s.Value)
	}
	return strings.Join(parts, ", ")
}

// Encode writes the result, but for its seconds, as JSON.
func (r *Comparison) Encode(w io.Writer) error { return folder.WriteJSON(w, r) }

// Decode reads what Encode wrote of methods of a catalogue.
func Decode(kinds *kind.Catalogue, from io.Reader) (*Comparison, error) {
	r := &Comparison{kinds: kinds}
	if err := json.NewDecoder(from).Decode(r); err != nil {
		return nil, fmt.Errorf("read a comparison: %w", err)
	}
	for i, a := range r.Arenas {
		r.Arenas[i].kinds = kinds
		for _, row := range a.Rows {
			if len(row.Curve.Turns) != len(row.Curve.Far) {
				return nil, fmt.Errorf("read a comparison: %s on %s has %d turns and %d distances", row.Method, a.Name, len(row.Curve.Turns), len(row.Curve.Far))
			}
		}
	}
	return r, nil
}

// Table has one row a method and problem; what is not known is empty.
func (r *Comparison) Table() folder.Table {
	t := folder.TableOf[pair]{Rows: r.pairs()}
	spread := func(name string, of func(p pair) *Range) {
		t.Spread(name, name+"_low", name+"_high", func(p pair) *folder.Spread {
			if s := of(p); s != nil {
				return &s.Spread
			}
			return nil
		})
	}
	t.Text("problem", func(p pair) string { return p.arena.Name })
	t.Text("method", func(p pair) string { return p.Method })
	t.Text("limit", func(p pair) string { return p.Limit })
	t.Text("verdict", func(p pair) string { return p.arena.Verdict(p.Row) })
	spread("to_optimal", func(p pair) *Range { return p.ToOptimal })
	spread("to_stable", func(p pair) *Range { return p.ToStable })
	spread("to_target", func(p pair) *Range { return p.ToTarget })
	spread("value", func(p pair) *Range { return p.Value })
	spread("gap", func(p pair) *Range { return p.Gap })
	t.Number("tolerance", func(p pair) float64 { return p.arena.Tolerance })
	t.Number("turns", func(p pair) float64 { return float64(p.arena.Turns) })
	t.Number("deployments", func(p pair) float64 { return float64(p.Deployments) })
	t.Number("samples", func(p pair) float64 { return float64(p.Samples) })
	t.Number("trials", func(p pair) float64 { return float64(p.Trials) })
	t.Number("failed", func(p pair) float64 { return float64(p.Failed) })
	t.Number("step", func(p pair) float64 { return p.Step })
	t.Text("settings", func(p pair) string { return p.Settings })
	return t.Table
}

// pair is a method on a problem.
type pair struct {
	arena *Arena
	*Row
}

func (r *Comparison) pairs() (list []pair) {
	for i := range r.Arenas {
		for j := range r.Arenas[i].Rows {
			list = append(list, pair{&r.Arenas[i], &r.Arenas[i].Rows[j]})
		}
	}
	return list
}
