// Package census reads people from files: rows of numbers, and tables of which columns, or formulas of them, are traits, first states, weights and groups.
package census

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/internal/columns"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/stream"
)

// Query says what is asked of a table.
type Query struct {
	File   string   // a .csv, .parquet or .npz file whose columns have names
	Traits []string // formulas of columns, which give the entries of a trait
	States []string // of a first state; nil: the trait
	Weight string   // how much somebody counts; "": all alike
	Group  string   // which group somebody is in; "": there are none
	Where  string   // who is taken; "": everybody
}

// Gathering is what people are gathered from a table with.
type Gathering struct {
	Within context.Context // ends it; nil: nothing does
	Files  fs.FS
	Size   int            // how many of those who pass are drawn without replacement; 0: all
	Draw   *stream.Stream // where from
	Most   int64          // bytes that may be read; 0: the usual bound
}

// People are those of a table.
type People struct {
	Traits     population.Table
	States     population.Table // without data: everybody starts at the trait
	Weights    []float64        // nil: all count alike
	Groups     []int            // of everybody, counted from 0; nil: there are none
	GroupNames []string
	TraitNames []string // the entries of a trait
	StateNames []string
	Rows       int      // of the table
	Notes      []string // what was found out about the file
}

// Size is how many there are.
func (p *People) Size() int { return len(p.Traits.Data) / p.Traits.Width }

// fields are the formulas of the table, where first.
func (q *Query) fields() (list []formula.TableField) {
	add := func(key, body string, wants formula.FieldKind) {
		if body != "" {
			list = append(list, formula.TableField{Name: "population." + key, Body: body, Wants: wants})
		}
	}
	add("where", q.Where, formula.GivesCondition)
	for i, body := range q.Traits {
		add(fmt.Sprintf("traits[%d]", i), body, formula.GivesNumbers)
	}
	for i, body := range q.States {
		add(fmt.Sprintf("states[%d]", i), body, formula.GivesNumbers)
	}
	add("weight", q.Weight, formula.GivesScalar)
	add("group", q.Group, formula.GivesLabel)
	return list
}

// Mistakes joins what is wrong with the formulas whatever the file holds, one *formula.Error each.
func (q *Query) Mistakes() error {
	var all []error
	for _, f := range q.fields() {
		if _, err := formula.References(f.Name, f.Body); err != nil {
			all = append(all, err)
		}
	}
	return errors.Join(all...)
}

// Gather reads the table and computes who is in it. Errors are *FileError or join *formula.Error.
func (q *Query) Gather(g Gathering) (*People, error) {
	if g.Within == nil {
		g.Within = context.Background()
	}
	c := &census{Query: q, Gathering: g, fields: q.fields()}
	for _, step := range []func() error{c.read, c.pass, c.compute} {
		if err := step(); err != nil {
			return nil, c.tell(err)
		}
	}
	return c.people, nil
}

// census gathers people.
type census struct {
	*Query
	Gathering
	fields []formula.TableField // that are left to compute
	isFree bool                 // rows without a value are left out later
	refs   [][]formula.Reference
	frame  *columns.Frame
	rows   []int // of the file, from 0, of those who are in the frame
	people *People
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
	c.people = &People{Rows: c.frame.Rows(), Notes: c.frame.Notes}
	c.rows = make([]int, c.frame.Rows())
	for i := range c.rows {
		c.rows[i] = i
	}
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
	if c.Where != "" {
		holds, _, err := c.evaluate(1)
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
	var err error
	if c.rows, err = draw(c.rows, c.Size, c.Draw); err != nil {
		return err
	}
	for i, row := range c.rows { // rows only move up
		copy(c.frame.Row(i), c.frame.Row(row))
	}
	c.frame.Data = c.frame.Data[:len(c.rows)*len(c.frame.Columns)]
	return nil
}

// evaluate computes the first formulas of everybody in the frame.
func (c *census) evaluate(count int) (results []float64, of *formula.Calculation, err error) {
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
	if i := slices.IndexFunc(results, func(v float64) bool { return v-v != 0 }); i >= 0 && !c.isFree {
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

// compute makes people of the rows.
func (c *census) compute() error {
	results, of, err := c.evaluate(len(c.fields))
	if err != nil {
		return err
	}
	p, n := c.people, len(c.rows)
	take := func(is func(field string) bool) (data []float64, names []string) {
		var at []int
		for j, e := range of.Entries {
			if is(c.fields[e.Field].Name) {
				at, names = append(at, j), append(names, e.Name)
			}
		}
		if at == nil {
			return nil, nil
		}
		data = make([]float64, 0, n*len(at))
		for i := range n {
			for _, j := range at {
				data = append(data, results[i*len(of.Entries)+j])
			}
		}
		return data, names
	}
	within := func(key string) func(string) bool {
		return func(field string) bool { return strings.HasPrefix(field, "population."+key) }
	}
	p.Traits.Data, p.TraitNames = take(within("traits"))
	p.States.Data, p.StateNames = take(within("states"))
	p.Traits.Width, p.States.Width = len(p.TraitNames), len(p.StateNames)
	p.Weights, _ = take(within("weight"))
	if i := slices.IndexFunc(p.Weights, func(w float64) bool { return w < 0 }); i >= 0 {
		return &formula.Error{Field: "population.weight", Line: 1, Column: 1, Message: fmt.Sprintf("%s, row %d: the weight is %v, want at least 0", c.File, c.rows[i]+1, p.Weights[i])}
	}
	if labels, _ := take(within("group")); labels != nil {
		return c.group(labels, of)
	}
	return nil
}

// mostGroups is how many groups there may be.
const mostGroups = 1000

// group numbers the groups: texts in alphabetical order, numbers in theirs.
func (c *census) group(labels []float64, of *formula.Calculation) error {
	names, entry := map[float64]string{}, of.Entries[len(of.Entries)-1]
	for _, v := range labels {
		if _, ok := names[v]; !ok {
			names[v] = strconv.FormatFloat(v, 'g', -1, 64)
			if entry.Texts != nil {
				names[v] = of.Words[int(v)]
			}
		}
	}
	if len(names) > mostGroups {
		return &formula.Error{Field: "population.group", Line: 1, Column: 1, Message: fmt.Sprintf("%s makes %d groups, want at most %d", entry.Name, len(names), mostGroups)}
	}
	values := make([]float64, 0, len(names))
	for v := range names {
		values = append(values, v)
	}
	slices.SortFunc(values, func(a, b float64) int {
		if entry.Texts != nil {
			return strings.Compare(names[a], names[b])
		}
		return int(math.Copysign(1, a-b))
	})
	number := map[float64]int{}
	for i, v := range values {
		number[v] = i
		c.people.GroupNames = append(c.people.GroupNames, names[v])
	}
	c.people.Groups = make([]int, len(labels))
	for i, v := range labels {
		c.people.Groups[i] = number[v]
	}
	return nil
}

// draw returns the rows of so many people in their order, all if there are no more.
func draw(rows []int, size int, source *stream.Stream) ([]int, error) {
	if size == 0 || size == len(rows) {
		return rows, nil
	}
	picked := make([]int, size)
	if err := (&population.WithoutReplacement{Source: source}).Pick(picked, len(rows)); err != nil {
		return nil, err
	}
	taken := make([]bool, len(rows))
	for _, i := range picked {
		taken[i] = true
	}
	kept := picked[:0]
	for i, row := range rows {
		if taken[i] {
			kept = append(kept, row)
		}
	}
	return kept, nil
}
