package folder

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/problem/form"
)

// SweepResult is what came out of the cells of a sweep; docs/formats/sweep.md describes its folder, whose cells.json it is.
type SweepResult struct {
	Name  string       `json:"name"`
	Seed  uint64       `json:"seed"`
	Spec  string       `json:"-"`    // the sweep, in YAML
	Keys  []string     `json:"keys"` // the swept keys of the spec, in the order of the file
	Cells []CellResult `json:"cells"`
	Build Build        `json:"-"`
	Other []string     `json:"-"` // finished cells in the folder that the sweep does not have; not read by OpenSweep
}

// CellResult is what came out of one cell: a summary, or the reason why there is none.
type CellResult struct {
	ID      string    `json:"cell"`
	Values  []string  `json:"values"` // of the swept keys, as YAML
	Numbers []float64 `json:"-"`      // the same, NaN where a value is not a number
	Summary *Summary  `json:"-"`      // nil if the cell failed
	Err     string    `json:"-"`
}

// Failed counts the cells that failed.
func (r *SweepResult) Failed() (n int) {
	for i := range r.Cells {
		if r.Cells[i].Err != "" {
			n++
		}
	}
	return n
}

// failure is an entry of failures.json.
type failure struct {
	ID     string            `json:"cell"`
	Values map[string]string `json:"values"`
	Err    string            `json:"error"`
}

func (r *SweepResult) failures(yield func(failure) bool) {
	for _, c := range r.Cells {
		if c.Err == "" {
			continue
		}
		values := map[string]string{}
		for i, key := range r.Keys {
			values[key] = c.Values[i]
		}
		if !yield(failure{c.ID, values, c.Err}) {
			return
		}
	}
}

// writeFailures writes failures.json, of which no more than an entry is in memory.
func (r *SweepResult) writeFailures(w io.Writer) error {
	if err := writeList(w, "", r.failures); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// writeIndex writes the index as WriteJSON does, of which no more than a cell is in memory.
func (r *SweepResult) writeIndex(w io.Writer) error {
	bare, end, text := *r, []byte("[]\n}\n"), bytes.Buffer{}
	bare.Cells = []CellResult{}
	if err := WriteJSON(&text, bare); err != nil {
		return err
	}
	head, isLast := bytes.CutSuffix(text.Bytes(), end)
	if len(r.Cells) == 0 || !isLast {
		return WriteJSON(w, r)
	}
	if _, err := w.Write(head); err != nil {
		return err
	}
	if err := writeList(w, "  ", slices.Values(r.Cells)); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n}\n")
	return err
}

// OpenSweep reads the folder of a finished sweep, or shard of one, back.
func OpenSweep(ctx context.Context, dir string, trust Reading) (*SweepResult, error) {
	s, err := openKind(ctx, dir, KindSweep, trust)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	text, err := s.readText(SweepFile, largestSummary)
	if err != nil {
		return nil, err
	}
	r := &SweepResult{Spec: string(text), Build: s.Build}
	if err := s.readJSON(indexFile, largestManifest, r); err != nil {
		return nil, err
	}
	failed, err := s.readFailures()
	if err != nil {
		return nil, err
	}
	for i := range r.Cells {
		c := &r.Cells[i]
		if len(c.Values) != len(r.Keys) {
			return nil, fmt.Errorf("%s: cell %q has %d values, there are %d keys", s.dir.Path(indexFile), c.ID, len(c.Values), len(r.Keys))
		}
		c.Numbers = lists.Of(c.Values, form.NumberOf)
		if c.Err = failed[c.ID]; c.Err != "" {
			continue
		}
		cell, err := s.cell(c.ID)
		if err == nil {
			c.Summary, err = cell.readSummary()
		}
		if err != nil {
			return nil, err
		}
	}
	return r, nil
}

// readFailures returns what cells died of, by their names.
func (s *Sealed) readFailures() (map[string]string, error) {
	failed := map[string]string{}
	if !s.Has(failuresFile) {
		return failed, nil
	}
	var list []failure
	err := s.readJSON(failuresFile, largestManifest, &list)
	for _, f := range list {
		failed[f.ID] = f.Err
	}
	return failed, err
}

// Table returns one row an algorithm of every finished cell: the swept values, then where the algorithm ended over its
// trials, and the exact points to compare with.
func (r *SweepResult) Table() Table {
	t := TableOf[Ending]{Rows: r.Endings()}
	t.Text("cell", func(e Ending) string { return e.Cell.ID })
	for i, key := range r.Keys {
		if slices.ContainsFunc(t.Rows, func(e Ending) bool { return math.IsNaN(e.Cell.Numbers[i]) }) {
			t.Text(key, func(e Ending) string { return e.Cell.Values[i] })
		} else {
			t.Number(key, func(e Ending) float64 { return e.Cell.Numbers[i] })
		}
	}
	t.Text("algorithm", func(e Ending) string { return e.Algorithm })
	t.Number("finished_trials", func(e Ending) float64 { return float64(e.Trials) })
	t.Spread("value_mean", "value_min", "value_max", func(e Ending) *Spread { return e.Value })
	t.Spread("gap_mean", "gap_min", "gap_max", func(e Ending) *Spread { return e.Gap })
	t.Spread("distance_mean", "distance_min", "distance_max", func(e Ending) *Spread { return e.Distance })
	entries := tabled(t.Rows)
	for k, entry := range entries {
		t.Spread(entry.Name+"_mean", entry.Name+"_min", entry.Name+"_max", func(e Ending) *Spread {
			if len(e.Decision) != len(entries) {
				return nil
			}
			return &e.Decision[k].Spread
		})
	}
	t.Number("optimum_value", func(e Ending) float64 { return e.Cell.Summary.Optimum.Value })
	t.Number("optimum_residual", func(e Ending) float64 { return e.Cell.Summary.Optimum.Residual })
	t.Number("stable_gap", func(e Ending) float64 { return e.Cell.Summary.StablePoint().Gap })
	r.overDraws(&t, entries)
	return t.Table
}

// overDraws adds what is best over draws, where cells have any.
func (r *SweepResult) overDraws(t *TableOf[Ending], entries []DecisionSpread) {
	if !slices.ContainsFunc(t.Rows, func(e Ending) bool { return e.Cell.Summary.OverDraws != nil }) {
		return
	}
	add := func(name string, of func(d *OverDraws) float64) {
		t.Number("over_draws_"+name, func(e Ending) float64 {
			if d := e.Cell.Summary.OverDraws; d != nil {
				return of(d)
			}
			return math.NaN()
		})
	}
	for k, entry := range entries {
		add(entry.Name, func(d *OverDraws) float64 {
			if len(d.Robust.Decision) != len(entries) {
				return math.NaN()
			}
			return d.Robust.Decision[k]
		})
	}
	add("value", func(d *OverDraws) float64 { return d.Robust.Value })
	add("low", func(d *OverDraws) float64 { return d.Robust.reach().Low })
	add("high", func(d *OverDraws) float64 { return d.Robust.reach().High })
	for k, name := range []string{"regret_of_spec", "regret"} { // of what the numbers of the spec call for, and of what is best
		add(name, func(d *OverDraws) float64 {
			if k >= len(d.Stakes) || d.Stakes[k].Regret == nil {
				return math.NaN()
			}
			return *d.Stakes[k].Regret
		})
	}
}

// reach is where its value lies, NaN where that cannot be told.
func (p *Point) reach() Reach {
	if p.Sampling == nil || p.Sampling.Value == nil {
		return Reach{math.NaN(), math.NaN()}
	}
	return *p.Sampling.Value
}

// mostTabled is how many entries of decisions a table shows.
const mostTabled = 16

// tabled are the entries of decisions that a table shows, by the names of the first algorithm that has any; decisions of other lengths are left out.
func tabled(rows []Ending) []DecisionSpread {
	i := slices.IndexFunc(rows, func(e Ending) bool { return len(e.Decision) > 0 })
	if i < 0 || len(rows[i].Decision) > mostTabled {
		return nil
	}
	return rows[i].Decision
}

// Entries is what the entries of decisions are called whose columns the table has.
func (r *SweepResult) Entries() []kedge.Called {
	return lists.Of(tabled(r.Endings()), func(e DecisionSpread) kedge.Called { return kedge.Called{Name: e.Name, Unit: e.Unit} })
}

// Ending is where an algorithm ended in a cell.
type Ending struct {
	Cell      *CellResult
	Algorithm string
	SummaryAlgorithm
}

// Endings lists the algorithms of all finished cells, cell by cell.
func (r *SweepResult) Endings() (list []Ending) {
	for i := range r.Cells {
		if c := &r.Cells[i]; c.Summary != nil {
			for _, name := range c.Summary.Order {
				list = append(list, Ending{c, name, c.Summary.Algorithms[name]})
			}
		}
	}
	return list
}
