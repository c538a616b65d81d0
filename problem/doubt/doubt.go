// Package doubt is what a spec says of numbers of its model that are not known: a file of draws of them, how many of those are used, and what makes a decision
// best over them.
package doubt

import (
	"context"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/kedge-opt/kedge/decide"
	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/problem/census"
	"github.com/kedge-opt/kedge/problem/form"
)

// Doubt is what is said of it.
type Doubt struct {
	Draws     string // a file whose columns are named after numbers; "": there is none
	Uncertain int    // how many of its rows are used; 0: none
	Decide    string // what makes a decision best over them; "": their mean
}

// Most is how many draws are used at most.
const Most = 2000

// Describe has the keys of it, which stand at the top of a spec.
func (d *Doubt) Describe(f *form.Form) {
	form.Field(f, "draws", &d.Draws, form.FileName().Optional(), form.Says("A .csv, .parquet or .npz file of draws of numbers that are not known, as kedge fit writes: a row is a draw, columns are named after numbers of model.let (habit, b[2], B[0,1]) or keys (dynamics.lambda).", "θ ~ draws", "fitted.draws.csv"))
	form.Field(f, "uncertain", &d.Uncertain, form.Count(0, Most).Optional(), form.Says("How many of the draws are used, the first ones: the best decision is found under each of them, so that intervals hold the doubt of the model, and the decision that is best over all of them. Without it the numbers of the spec are taken for true.", "", "400"))
	form.Field(f, "decide", &d.Decide, form.TextOf("mean, regret, or cvar and a part, as in cvar 0.1", valid).Optional(), form.Says("What makes a decision best over the draws: the mean of its settled values, the mean of the worst part of them, or its largest loss against the best of a draw. Without it the mean.", "min over u of E, CVaR or max regret", "cvar 0.1"))
}

func valid(text string) bool {
	_, err := decide.ParseRule(text)
	return err == nil
}

// Rule is what makes a decision best.
func (d *Doubt) Rule() decide.Rule {
	if rule, err := decide.ParseRule(d.Decide); err == nil {
		return rule
	}
	return decide.Rule{Kind: decide.Mean}
}

// Check refuses keys that want others; of a spec that is yet to be fitted draws are still to come.
func (d *Doubt) Check(c *form.Check, toCome bool) {
	c.FailIf(d.Uncertain > 0 && d.Draws == "" && !toCome && c.Sound("uncertain", "draws"), form.Paths("uncertain", "draws"),
		"uncertain is %d, but there is no file of draws; want draws, which kedge fit writes", d.Uncertain)
	c.FailIf(d.Decide != "" && d.Uncertain == 0 && c.Sound("uncertain", "decide"), form.Paths("decide", "uncertain"),
		"decide is %s, which is over draws, but none are used; want uncertain, such as 400", d.Decide)
}

// Table are draws.
type Table struct {
	Names []string
	Rows  [][]float64
}

// DrawsError says what is wrong with a file of draws.
type DrawsError struct {
	File string
	Row  int // from 1; 0: of no row
	What string
}

func (e *DrawsError) Error() string {
	if e.Row > 0 {
		return fmt.Sprintf("%s, row %d: %s", e.File, e.Row, e.What)
	}
	return e.File + ": " + e.What
}

// Read reads the draws that are used.
func (d *Doubt) Read(ctx context.Context, files fs.FS) (*Table, error) {
	frame, err := census.ReadFrame(ctx, files, d.Draws, 0, func(names []string) (places []int, err error) {
		for i := range names {
			places = append(places, i)
		}
		return places, nil
	})
	if err != nil {
		return nil, &DrawsError{File: d.Draws, What: err.Error()}
	}
	if have := frame.Rows(); have < d.Uncertain {
		return nil, &DrawsError{File: d.Draws, What: fmt.Sprintf("%s, but uncertain is %d; want at most as many, or a fit with more", phrase.Count(have, "draw"), d.Uncertain)}
	}
	t := &Table{}
	for _, c := range frame.Columns {
		if c.IsText {
			return nil, &DrawsError{d.Draws, c.Row, fmt.Sprintf("%s is %.40q, want a number", c.Name, c.Sample)}
		}
		t.Names = append(t.Names, strings.ReplaceAll(c.Name, " ", ""))
	}
	for i := range d.Uncertain {
		row := frame.Row(i)
		if j := slices.IndexFunc(row, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }); j >= 0 {
			return nil, &DrawsError{d.Draws, i + 1, fmt.Sprintf("%s is %v, want a finite number; leave such rows out", t.Names[j], row[j])}
		}
		t.Rows = append(t.Rows, row)
	}
	return t, nil
}

// Aim is the number that a column is of: an entry of a value of let or, without one, a key.
type Aim struct {
	Let   int
	Entry int
	Key   string // "": it is of let
}

// Targets finds what columns are of. Names with a point are keys.
func (t *Table) Targets(file string, lets []formula.Binding) ([]Aim, error) {
	var out []Aim
	seen := map[Aim]string{}
	for _, name := range t.Names {
		at, err := target(name, lets)
		if err == "" && seen[at] != "" {
			err = fmt.Sprintf("columns %s and %s are of one number; one must go", seen[at], name)
		}
		if err != "" {
			return nil, &DrawsError{File: file, What: err}
		}
		seen[at] = name
		out = append(out, at)
	}
	return out, nil
}

// target finds what one name is of, or says why nothing is.
func target(name string, lets []formula.Binding) (Aim, string) {
	if strings.Contains(name, ".") {
		return Aim{Key: name}, ""
	}
	base, index, indexed := strings.Cut(name, "[")
	at := slices.IndexFunc(lets, func(l formula.Binding) bool { return l.Name == base })
	if at < 0 {
		known := lists.Of(lets, func(l formula.Binding) string { return l.Name })
		if near := phrase.Nearest(base, known); near != "" {
			return Aim{}, fmt.Sprintf("column %s is no number of model.let; did you mean %s?", name, near)
		}
		return Aim{}, fmt.Sprintf("column %s is no number of model.let; columns are named after those, as in habit or B[0,1]", name)
	}
	v := lets[at].Data
	if v == nil {
		return Aim{}, fmt.Sprintf("column %s: model.let.%s is a formula; draws are of numbers", name, base)
	}
	var entry []int
	if indexed {
		for _, part := range strings.Split(strings.TrimSuffix(index, "]"), ",") {
			i, err := strconv.Atoi(part)
			if err != nil {
				i = -1
			}
			entry = append(entry, i)
		}
	}
	place := 0
	for k, i := range entry {
		if k >= len(v.Shape) || i < 0 || i >= v.Shape[k] {
			place = -1
			break
		}
		place = place*v.Shape[k] + i
	}
	if place < 0 || len(entry) != len(v.Shape) {
		return Aim{}, fmt.Sprintf("column %s: model.let.%s has shape %v; want one column for each of its numbers, counted from 0", name, base, v.Shape)
	}
	return Aim{Let: at, Entry: place}, ""
}

// Put returns the values of let with the numbers of a draw.
func Put(lets []formula.Binding, targets []Aim, row []float64) []formula.Binding {
	out := slices.Clone(lets)
	for j, t := range targets {
		if t.Key != "" {
			continue
		}
		if out[t.Let].Data == lets[t.Let].Data {
			v := *out[t.Let].Data
			v.Data = slices.Clone(v.Data)
			out[t.Let].Data = &v
		}
		out[t.Let].Data.Data[t.Entry] = row[j]
	}
	return out
}
