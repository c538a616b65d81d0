// Package census reads people from files: rows of numbers, and tables of which columns, or formulas of them, are traits, first states, weights and groups.
package census

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/kedge-opt/kedge/formula"
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

// tabulation is the query as formulas of rows.
func (q *Query) tabulation() *Tabulation {
	s := &Tabulation{File: q.File, Where: formula.TableField{Name: "population.where", Body: q.Where, Wants: formula.GivesCondition}}
	add := func(key, body string, wants formula.FieldKind) {
		if body != "" {
			s.Fields = append(s.Fields, formula.TableField{Name: "population." + key, Body: body, Wants: wants})
		}
	}
	for i, body := range q.Traits {
		add(fmt.Sprintf("traits[%d]", i), body, formula.GivesNumbers)
	}
	for i, body := range q.States {
		add(fmt.Sprintf("states[%d]", i), body, formula.GivesNumbers)
	}
	add("weight", q.Weight, formula.GivesScalar)
	add("group", q.Group, formula.GivesLabel)
	return s
}

// Mistakes joins what is wrong with the formulas whatever the file holds, one *formula.Error each.
func (q *Query) Mistakes() error { return errors.Join(q.tabulation().Mistakes()...) }

// Gather reads the table and computes who is in it. Errors are *FileError or join *formula.Error.
func (q *Query) Gather(g Gathering) (*People, error) {
	s := q.tabulation()
	got, err := s.Compute(g)
	if err != nil {
		return nil, err
	}
	p := &People{Rows: got.Total, Notes: got.Notes}
	return p, p.fill(s, got)
}

// fill makes people of the rows.
func (p *People) fill(s *Tabulation, got *Tabulated) error {
	take := func(key string) (data []float64, names []string) {
		var at []int
		for j, e := range got.Of.Entries {
			if strings.HasPrefix(s.Fields[e.Field].Name, "population."+key) {
				at, names = append(at, j), append(names, e.Name)
			}
		}
		if at == nil {
			return nil, nil
		}
		data = make([]float64, 0, len(got.Rows)*len(at))
		for i := range got.Rows {
			for _, j := range at {
				data = append(data, got.Row(i)[j])
			}
		}
		return data, names
	}
	p.Traits.Data, p.TraitNames = take("traits")
	p.States.Data, p.StateNames = take("states")
	p.Traits.Width, p.States.Width = len(p.TraitNames), len(p.StateNames)
	p.Weights, _ = take("weight")
	if i := slices.IndexFunc(p.Weights, func(w float64) bool { return w < 0 }); i >= 0 {
		return &formula.Error{Field: "population.weight", Line: 1, Column: 1, Message: fmt.Sprintf("%s, row %d: the weight is %v, want at least 0", s.File, got.Rows[i]+1, p.Weights[i])}
	}
	if labels, _ := take("group"); labels != nil {
		return p.group(labels, got.Of)
	}
	return nil
}

// Label is a number by which people or groups are called: a whole one by its digits, as files have it.
func Label(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// mostGroups is how many groups there may be.
const mostGroups = 1000

// group numbers the groups: texts in alphabetical order, numbers in theirs.
func (p *People) group(labels []float64, of *formula.Calculation) error {
	names, entry := map[float64]string{}, of.Entries[len(of.Entries)-1]
	for _, v := range labels {
		if _, ok := names[v]; !ok {
			names[v] = Label(v)
			if entry.Texts != nil {
				names[v] = of.Words[int(v)]
			}
		}
	}
	if len(names) > mostGroups {
		return &formula.Error{Field: "population.group", Line: 1, Column: 1, Message: fmt.Sprintf("%s makes %d groups, want at most %d", entry.Name, len(names), mostGroups)}
	}
	values := slices.SortedFunc(maps.Keys(names), func(a, b float64) int {
		if entry.Texts != nil {
			return strings.Compare(names[a], names[b])
		}
		return int(math.Copysign(1, a-b))
	})
	number := map[float64]int{}
	for i, v := range values {
		number[v] = i
		p.GroupNames = append(p.GroupNames, names[v])
	}
	p.Groups = make([]int, len(labels))
	for i, v := range labels {
		p.Groups[i] = number[v]
	}
	return nil
}
