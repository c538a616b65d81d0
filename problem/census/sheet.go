package census

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/internal/columns"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/stream"
)

// Tabulation is formulas of the rows of a table, whatever they are for.
type Tabulation struct {
	File   string // a .csv, .tsv, .parquet or .npz file whose columns have names
	Where  formula.TableField
	Fields []formula.TableField
	Drop   bool // leave rows out in which a formula has no value; otherwise they are an error
}

// Tabulated are what the formulas of a sheet give.
type Tabulated struct {
	Data  []float64 // row by row
	Of    *formula.Calculation
	Rows  []int // of the file, from 0
	Total int   // rows of the file
	Left  int   // rows that were left out for want of a value
	Notes []string
}

// Row returns what the formulas give in a row.
func (c *Tabulated) Row(i int) []float64 {
	width := len(c.Of.Entries)
	return c.Data[i*width : (i+1)*width : (i+1)*width]
}

// Mistakes joins what is wrong with the formulas whatever the file holds, one *formula.Error each.
func (s *Tabulation) Mistakes() (all []error) {
	for _, f := range s.all() {
		if _, err := formula.References(f.Name, f.Body); err != nil {
			all = append(all, err)
		}
	}
	return all
}

func (s *Tabulation) all() []formula.TableField {
	if s.Where.Body == "" {
		return s.Fields
	}
	return append([]formula.TableField{s.Where}, s.Fields...)
}

// Compute reads the table. Errors are *FileError or join *formula.Error.
func (s *Tabulation) Compute(g Gathering) (*Tabulated, error) {
	g.Within = cmp.Or(g.Within, context.Background())
	c := &census{Tabulation: s, Gathering: g, fields: s.all(), found: &Tabulated{}}
	for _, step := range []func() error{c.read, c.pass, c.compute} {
		if err := step(); err != nil {
			return nil, c.tell(err)
		}
	}
	return c.found, nil
}

// compute computes the formulas of everybody who is left.
func (c *census) compute() (err error) {
	out := c.found
	out.Rows = c.rows
	if out.Data, out.Of, err = c.evaluate(len(c.fields), c.Drop); err != nil || !c.Drop {
		return err
	}
	width, kept := len(out.Of.Entries), 0
	for i, row := range out.Rows {
		values := out.Data[i*width : (i+1)*width]
		if slices.ContainsFunc(values, func(v float64) bool { return v-v != 0 }) {
			out.Left++
			continue
		}
		copy(out.Data[kept*width:], values)
		out.Rows[kept] = row
		kept++
	}
	out.Data, out.Rows = out.Data[:kept*width], out.Rows[:kept]
	return nil
}

// census gathers the rows of a table.
type census struct {
	*Tabulation
	Gathering
	fields []formula.TableField // that are left to compute
	refs   [][]formula.Reference
	frame  *columns.Frame
	rows   []int // of the file, from 0, of those who are in the frame
	found  *Tabulated
}

// tell says of which file an error is; those of formulas say so themselves.
func (c *census) tell(err error) error {
	if of := (*formula.Error)(nil); errors.As(err, &of) || c.Within.Err() != nil {
		return err
	}
	return &FileError{c.File, err}
}

// read reads the columns that formulas name.
func (c *census) read() error {
	var err error
	if c.frame, err = ReadFrame(c.Within, c.Files, c.File, c.Most, c.choose); err != nil {
		return err
	}
	if c.frame.Rows() == 0 {
		return errors.New("there are no rows")
	}
	c.found.Total, c.found.Notes = c.frame.Rows(), c.frame.Notes
	c.rows = kedge.Some(c.frame.Rows(), c.frame.Rows())
	return nil
}

// choose finds the columns that formulas name.
func (c *census) choose(names []string) (places []int, err error) {
	var all []error
	for _, f := range c.fields {
		refs, err := formula.References(f.Name, f.Body)
		if err != nil {
			return nil, err
		}
		c.refs = append(c.refs, refs)
		for _, r := range refs {
			place := slices.Index(names, r.Name)
			if place >= 0 {
				places = append(places, place)
			} else if !r.Constant {
				all = append(all, &formula.Error{Field: f.Name, Line: r.Line, Column: r.Column, Message: c.unknown(r.Name, names)})
			}
		}
	}
	if len(all) == 0 && len(places) == 0 {
		return nil, fmt.Errorf("no formula names a column; there are %s", quoted(names))
	}
	slices.Sort(places)
	return slices.Compact(places), errors.Join(all...)
}

func (c *census) unknown(name string, names []string) string {
	if best := phrase.Nearest(name, names); best != "" {
		return fmt.Sprintf("%s has no column %s; did you mean %s?", c.File, name, quoted([]string{best}))
	}
	return fmt.Sprintf("%s has no column %s; there are %s", c.File, name, quoted(names))
}

// quoted lists the first names of columns as formulas have them.
func quoted(names []string) string {
	var list []string
	for _, name := range names[:min(len(names), 20)] {
		if strings.IndexFunc(name, func(r rune) bool {
			return !(r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z')
		}) >= 0 {
			name = "`" + strings.ReplaceAll(name, "`", "``") + "`"
		}
		list = append(list, name)
	}
	if len(list) < len(names) {
		list = append(list, "…")
	}
	return strings.Join(list, ", ")
}

// table describes the frame as it is now to formulas. Words are in alphabetical order, whatever the order of the rows.
func (c *census) table() formula.Table {
	t := formula.Table{Words: c.frame.Words}
	for j, of := range c.frame.Columns {
		one := formula.TableColumn{Name: of.Name}
		if of.IsText {
			one.Texts = c.words(j)
			one.Sample = fmt.Sprintf("row %d has %.40q", of.Row, of.Sample)
		}
		t.Columns = append(t.Columns, one)
	}
	return t
}

// words lists the texts of a column that occur.
func (c *census) words(column int) []int {
	seen, list := make([]bool, len(c.frame.Words)), []int{}
	for i := range c.rows {
		if v := c.frame.Row(i)[column]; !math.IsNaN(v) && !seen[int(v)] {
			seen[int(v)] = true
			list = append(list, int(v))
		}
	}
	slices.SortFunc(list, func(a, b int) int { return strings.Compare(c.frame.Words[a], c.frame.Words[b]) })
	return list
}

// pass keeps those for whom the condition holds, and so many of them as are wanted.
func (c *census) pass() error {
	if c.Where.Body != "" {
		holds, _, err := c.evaluate(1, false)
		if err != nil {
			return err
		}
		kept := c.rows[:0]
		for i, v := range holds {
			if v == 1 {
				kept = append(kept, c.rows[i])
			}
		}
		if c.rows = kept; len(kept) == 0 {
			return &formula.Error{Field: c.fields[0].Name, Line: 1, Column: 1, Message: fmt.Sprintf("no row of %s passes; want a condition that holds for somebody", c.File)}
		}
		c.fields, c.refs = c.fields[1:], c.refs[1:]
	}
	if c.Size > len(c.rows) {
		return fmt.Errorf("population.size is %d, more than there is to draw from (%s); want at most as many, or none for all", c.Size, phrase.Count(len(c.rows), "row"))
	}
	c.rows = draw(c.rows, c.Size, c.Draw)
	for i, row := range c.rows { // rows only move up
		copy(c.frame.Row(i), c.frame.Row(row))
	}
	c.frame.Data = c.frame.Data[:len(c.rows)*len(c.frame.Columns)]
	return nil
}

// evaluate computes the first formulas of everybody in the frame, which may have no value if that is free.
func (c *census) evaluate(count int, free bool) (results []float64, of *formula.Calculation, err error) {
	of, err = c.table().Compile(c.fields[:count]...)
	if err != nil {
		return nil, nil, err
	}
	const block = 4096
	width, n := len(of.Entries), c.frame.Rows()
	results = make([]float64, n*width)
	for first := 0; first < n; first += block {
		if err := c.Within.Err(); err != nil {
			return nil, nil, err
		}
		last := min(first+block, n)
		of.Rows(results[first*width:last*width], c.frame.Data[first*len(c.frame.Columns):last*len(c.frame.Columns)])
	}
	if i := slices.IndexFunc(results, func(v float64) bool { return v-v != 0 }); i >= 0 && !free {
		return nil, nil, c.unusable(i/width, of.Entries[i%width], results[i])
	}
	return results, of, nil
}

// unusable says why a formula has no value in a row.
func (c *census) unusable(i int, of formula.TableEntry, got float64) error {
	var values []string
	at, field := c.frame.Row(i), c.fields[of.Field]
	fail := func(format string, args ...any) error {
		message := fmt.Sprintf("%s, row %d: ", c.File, c.rows[i]+1) + fmt.Sprintf(format, args...)
		return &formula.Error{Field: field.Name, Line: 1, Column: 1, Message: message}
	}
	for _, r := range c.refs[of.Field] {
		j := slices.IndexFunc(c.frame.Columns, func(one columns.FrameColumn) bool { return one.Name == r.Name })
		if j < 0 {
			continue
		}
		name := quoted([]string{r.Name})
		if math.IsNaN(at[j]) {
			with := "0"
			if c.frame.Columns[j].IsText {
				with = `"unknown"`
			}
			return fail("%s is missing; leave such rows out by where: not missing(%s), or fill them: fill(%s, %s)", name, name, name, with)
		}
		value := fmt.Sprint(at[j])
		if c.frame.Columns[j].IsText {
			value = strconv.Quote(c.frame.Words[int(at[j])])
		}
		values = append(values, name+" = "+value)
	}
	return fail("%s is %v where %s; want a finite number, or where: without such rows", of.Name, got, phrase.Enumerate(values))
}

// draw returns the rows of so many people in their order, all if there are no more.
func draw(rows []int, size int, source *stream.Stream) []int {
	if size == 0 || size == len(rows) {
		return rows
	}
	picked := make([]int, size)
	_ = (&population.WithoutReplacement{Source: source}).Pick(picked, len(rows)) // in their order; of more than are drawn nothing fails
	for i, at := range picked {
		picked[i] = rows[at]
	}
	return picked
}
