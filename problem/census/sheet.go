package census

import (
	"context"
	"slices"

	"github.com/kedge-opt/kedge/formula"
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
	if g.Within == nil {
		g.Within = context.Background()
	}
	c := &census{Query: &Query{File: s.File, Where: s.Where.Body}, Gathering: g, fields: slices.Clone(s.all())}
	out := &Tabulated{}
	for _, step := range []func() error{c.read, c.pass, func() error { return c.fill(out, s.Drop) }} {
		if err := step(); err != nil {
			return nil, c.tell(err)
		}
	}
	return out, nil
}

// fill computes the formulas of everybody who is left.
func (c *census) fill(out *Tabulated, drop bool) (err error) {
	c.isFree = drop
	out.Rows, out.Total, out.Notes = c.rows, c.people.Rows, c.people.Notes
	if out.Data, out.Of, err = c.evaluate(len(c.fields)); err != nil || !drop {
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
