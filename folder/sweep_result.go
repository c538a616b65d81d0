package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"

	"github.com/kedge-opt/kedge/problem/form"
)

// SweepResult is what came out of the cells of a sweep; docs/formats/sweep.md describes its folder.
type SweepResult struct {
	Name  string
	Seed  uint64
	Spec  string   // the sweep, in YAML
	Keys  []string // the swept keys of the spec, in the order of the file
	Cells []CellResult
	Build Build
	Other []string // finished cells in the folder that the sweep does not have; not read by OpenSweep
}

// CellResult is what came out of one cell: a summary, or the reason why there is none.
type CellResult struct {
	ID      string
	Values  []string  // of the swept keys, as YAML
	Numbers []float64 // the same, NaN where a value is not a number
	Summary *Summary  // nil if the cell failed
	Err     string
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

// index is cells.json: which cells the folder holds, in the order of the sweep.
type index struct {
	Name  string      `json:"name"`
	Seed  uint64      `json:"seed"`
	Keys  []string    `json:"keys"`
	Cells []indexCell `json:"cells"`
}

type indexCell struct {
	ID     string   `json:"cell"`
	Values []string `json:"values"`
}

func (r *SweepResult) index() index {
	x := index{Name: r.Name, Seed: r.Seed, Keys: r.Keys, Cells: []indexCell{}}
	for i := range r.Cells {
		x.Cells = append(x.Cells, indexCell{r.Cells[i].ID, r.Cells[i].Values})
	}
	return x
}

// failure is an entry of failures.json.
type failure struct {
	ID     string            `json:"cell"`
	Values map[string]string `json:"values"`
	Err    string            `json:"error"`
}

func (r *SweepResult) failures() (list []failure) {
	for _, c := range r.Cells {
		if c.Err == "" {
			continue
		}
		values := map[string]string{}
		for i, key := range r.Keys {
			values[key] = c.Values[i]
		}
		list = append(list, failure{c.ID, values, c.Err})
	}
	return list
}

// OpenSweep reads the folder of a finished sweep, or shard of one, back.
func OpenSweep(dir string) (*SweepResult, error) {
	m, err := ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	if m.Kind != KindSweep {
		return nil, fmt.Errorf("%s holds a %s, not a sweep", dir, m.Kind)
	}
	text, err := readAll(filepath.Join(dir, SweepFile), largestSummary)
	if err != nil {
		return nil, err
	}
	var x index
	if err := readJSON(filepath.Join(dir, indexFile), largestManifest, &x); err != nil {
		return nil, err
	}
	failed, err := readFailures(dir)
	if err != nil {
		return nil, err
	}
	r := &SweepResult{Name: x.Name, Seed: x.Seed, Spec: string(text), Keys: x.Keys, Build: m.Build}
	for _, c := range x.Cells {
		cell, err := openCell(dir, x.Keys, c, failed)
		if err != nil {
			return nil, err
		}
		r.Cells = append(r.Cells, cell)
	}
	return r, nil
}

func openCell(dir string, keys []string, c indexCell, failed map[string]string) (CellResult, error) {
	cell := CellResult{ID: c.ID, Values: c.Values, Err: failed[c.ID]}
	if len(c.Values) != len(keys) || !filepath.IsLocal(c.ID) {
		return cell, fmt.Errorf("%s: cell %q has %d values, there are %d keys", filepath.Join(dir, indexFile), c.ID, len(c.Values), len(keys))
	}
	for _, v := range c.Values {
		cell.Numbers = append(cell.Numbers, number(v))
	}
	if cell.Err != "" {
		return cell, nil
	}
	var err error
	cell.Summary, err = readSummary(filepath.Join(dir, cellsFolder, c.ID, summaryFile))
	return cell, err
}

// readFailures returns what cells died of, by their names.
func readFailures(dir string) (map[string]string, error) {
	var list []failure
	err := readJSON(filepath.Join(dir, failuresFile), largestManifest, &list)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	failed := map[string]string{}
	for _, f := range list {
		failed[f.ID] = f.Err
	}
	return failed, err
}

// Table returns one row an algorithm of every finished cell: the swept values, then where the algorithm ended over its
// trials, and the exact points to compare with.
func (r *SweepResult) Table() Table {
	t := Table{Columns: []Column{{Name: "cell", Text: []string{}}}}
	for _, key := range r.Keys {
		t.Columns = append(t.Columns, Column{Name: key})
	}
	t.Columns = append(t.Columns, Column{Name: "algorithm", Text: []string{}})
	first := len(t.Columns)
	for _, name := range measured() {
		t.Columns = append(t.Columns, Column{Name: name, Numbers: []float64{}})
	}
	r.rows(func(c *CellResult, algorithm string) {
		t.Columns[0].Text = append(t.Columns[0].Text, c.ID)
		t.Columns[first-1].Text = append(t.Columns[first-1].Text, algorithm)
		for i, x := range c.measures(algorithm) {
			t.Columns[first+i].Numbers = append(t.Columns[first+i].Numbers, x)
		}
	})
	for i := range r.Keys {
		r.swept(i, &t.Columns[1+i])
	}
	return t
}

// rows visits the rows of the table.
func (r *SweepResult) rows(visit func(c *CellResult, algorithm string)) {
	for i := range r.Cells {
		if c := &r.Cells[i]; c.Summary != nil {
			for _, name := range c.Summary.Order {
				visit(c, name)
			}
		}
	}
}

// swept fills the column of a key: with numbers if all its values are.
func (r *SweepResult) swept(key int, col *Column) {
	text, numbers, all := []string{}, []float64{}, true
	r.rows(func(c *CellResult, _ string) {
		text, numbers = append(text, c.Values[key]), append(numbers, c.Numbers[key])
		all = all && !math.IsNaN(c.Numbers[key])
	})
	if all {
		col.Numbers = numbers
		return
	}
	col.Text = text
}

// measured are the columns of numbers that every sweep has.
func measured() []string {
	return []string{
		"finished_trials", "value_mean", "value_min", "value_max", "gap_mean", "gap_min", "gap_max",
		"distance_mean", "distance_min", "distance_max", "optimum_value", "optimum_residual", "stable_gap",
	}
}

// measures are what an algorithm came to in a cell, in the order of measured; NaN where there is nothing.
func (c *CellResult) measures(algorithm string) []float64 {
	a, s := c.Summary.Algorithms[algorithm], c.Summary
	out := []float64{float64(a.Trials)}
	for _, spread := range []*Spread{a.Value, a.Gap, a.Distance} {
		if spread == nil {
			spread = new(Unknown())
		}
		out = append(out, spread.Mean, spread.Min, spread.Max)
	}
	stable := math.NaN()
	if s.Stable != nil {
		stable = s.Stable.Gap
	}
	return append(out, s.Optimum.Value, s.Optimum.Residual, stable)
}

// number returns the number that a value of a cell is, NaN when it is none.
func number(value string) float64 {
	if x, ok := form.ParseNumber(value); ok {
		return x
	}
	return math.NaN()
}
