package lab

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path/filepath"
	"strconv"

	"github.com/kedge-opt/kedge/spec"
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
	text, err := readAll(filepath.Join(dir, sweepFile), largestSummary)
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
		cell.Numbers = append(cell.Numbers, spec.Number(v))
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

// tableColumns are those of a row behind the swept values.
func tableColumns() []string {
	return []string{
		"algorithm", "trials", "value_mean", "value_min", "value_max", "gap_mean", "gap_min", "gap_max",
		"distance_mean", "distance_min", "distance_max", "optimum_value", "optimum_residual", "stable_gap",
	}
}

// writeTable writes one row an algorithm of every finished cell.
func (r *SweepResult) writeTable(w io.Writer) error {
	out := csv.NewWriter(w)
	out.Write(append(append([]string{"cell"}, r.Keys...), tableColumns()...))
	for _, c := range r.Cells {
		if c.Summary == nil {
			continue
		}
		for _, name := range c.Summary.Order {
			out.Write(append(append([]string{c.ID}, c.Values...), c.row(name)...))
		}
	}
	out.Flush()
	return out.Error()
}

// row is what an algorithm came to in the cell; a field is empty where nothing was measured.
func (c *CellResult) row(name string) []string {
	a := c.Summary.Algorithms[name]
	row := []string{name, strconv.Itoa(a.Trials)}
	add := func(x float64) {
		text := ""
		if !math.IsNaN(x) {
			text = strconv.FormatFloat(x, 'g', -1, 64)
		}
		row = append(row, text)
	}
	for _, s := range []*Spread{a.Value, a.Gap, a.Distance} {
		if s == nil {
			s = &Spread{math.NaN(), math.NaN(), math.NaN()}
		}
		add(s.Mean)
		add(s.Min)
		add(s.Max)
	}
	add(c.Summary.Optimum.Value)
	add(c.Summary.Optimum.Residual)
	if c.Summary.Stable == nil {
		return append(row, "")
	}
	add(c.Summary.Stable.Gap)
	return row
}
