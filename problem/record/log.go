package record

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/problem/census"
)

// Columns are some numbers of every row.
type Columns struct {
	Data  []float64 // row by row
	Names []string
}

// Row returns those of a row.
func (c *Columns) Row(i int) []float64 { return c.Data[i*len(c.Names) : (i+1)*len(c.Names)] }

// Recorded is what was seen, in the order of people and times, whatever the order of the file.
type Recorded struct {
	People      []string // by number
	Person      []int    // whose row it is
	Turn        []int    // when it is of, counted from the first
	Line        []int    // of the file it comes from, counted from 1 behind the names
	States      Columns
	Decision    Columns
	Traits      Columns
	Beside      Columns
	Instruments Columns
	Weight      []float64 // nil: all count alike
	Group       []int     // nil: there are none
	Groups      []string
	Total       int      // rows of the file
	Notes       []string // what was found out about it

	again bool // people are seen more than once
	when  calendar
	dates bool
}

// Rows is how many there are.
func (l *Recorded) Rows() int { return len(l.Turn) }

// When is a turn as a reader knows it.
func (l *Recorded) When(turn int) string { return l.when.label(turn, l.dates) }

// LineError says which rows of a log cannot be used.
type LineError struct {
	File string
	Rows []int // counted from 1 behind the names
	What string
}

func (e *LineError) Error() string {
	rows := "row "
	if len(e.Rows) > 1 {
		rows = "rows "
	}
	return fmt.Sprintf("%s, %s%s: %s", e.File, rows, phrase.Enumerate(lists.Of(e.Rows, strconv.Itoa)), e.What)
}

// Read reads the log. Errors are *LineError, *census.FileError, or join *formula.Error.
func (s *DataSection) Read(ctx context.Context, files fs.FS, most int64) (*Recorded, error) {
	sheet := s.sheet()
	cells, err := sheet.Compute(census.Gathering{Within: ctx, Files: files, Most: most})
	if err != nil {
		return nil, err
	}
	if len(cells.Rows) == 0 {
		return nil, &census.FileError{Name: s.File, Err: errors.New("something is missing in every row; data.missing: drop leaves none")}
	}
	r := &reader{DataSection: s, cells: cells, log: &Recorded{Total: cells.Total, when: s.calendar(), again: s.Kind == Panel}, field: func(entry int) string {
		return sheet.Fields[cells.Of.Entries[entry].Field].Name
	}}
	for _, step := range []func() error{r.people, r.times, r.order, r.fill, r.groups, r.unique} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	r.note()
	return r.log, nil
}

// reader makes a log of cells.
type reader struct {
	*DataSection
	cells *census.Tabulated
	log   *Recorded
	field func(entry int) string
	rank  []int // of cells, in the order of the log
}

// entry is the place of a field that has one, -1 for none.
func (r *reader) entry(key string) int {
	for j := range r.cells.Of.Entries {
		if r.field(j) == "data."+key {
			return j
		}
	}
	return -1
}

// labels numbers what a field says, texts in alphabetical order and numbers in theirs, and says what each number stands for.
func (r *reader) labels(at int) (number []int, names []string) {
	n, texts := len(r.cells.Rows), r.cells.Of.Entries[at].Texts != nil
	values := make([]float64, n)
	for i := range values {
		values[i] = r.cells.Row(i)[at]
	}
	distinct := slices.Compact(slices.Sorted(slices.Values(values)))
	name := func(v float64) string {
		if texts {
			return r.cells.Of.Words[int(v)]
		}
		return census.Label(v)
	}
	if texts {
		slices.SortFunc(distinct, func(a, b float64) int { return strings.Compare(name(a), name(b)) })
	}
	index := make(map[float64]int, len(distinct))
	for i, v := range distinct {
		index[v] = i
		names = append(names, name(v))
	}
	for _, v := range values {
		number = append(number, index[v])
	}
	return number, names
}

// apart refuses names that are numbers of so many digits that others are rounded to the same one.
func (r *reader) apart(at int) error {
	for i, row := range r.cells.Rows {
		if v := r.cells.Row(i)[at]; math.Abs(v) >= 1<<53 { // texts have numbers of their own, none of them large
			return &LineError{r.File, []int{row + 1}, fmt.Sprintf("%s is a number of about %.3g, and beyond 9007199254740991 whole numbers that differ are rounded to one; want texts, as with a letter before each", r.field(at), v)}
		}
	}
	return nil
}

func (r *reader) people() error {
	if at := r.entry("person"); at >= 0 {
		r.log.Person, r.log.People = r.labels(at)
		return r.apart(at)
	}
	for i, row := range r.cells.Rows {
		r.log.Person, r.log.People = append(r.log.Person, i), append(r.log.People, "row "+strconv.Itoa(row+1))
	}
	return nil
}

// times counts turns.
func (r *reader) times() error {
	at, l := r.entry("time"), r.log
	l.dates = r.cells.Of.Entries[at].Texts != nil
	if !l.dates && l.when.unit != "" && l.when.unit != "year" {
		return &LineError{r.File, []int{r.cells.Rows[0] + 1}, fmt.Sprintf("data.time is a number there, and data.step a %s; want dates such as \"2024-01-31\", or a number for data.step", l.when.unit)}
	}
	values := make([]float64, len(r.cells.Rows))
	for i := range values {
		values[i] = r.cells.Row(i)[at]
		if !l.dates {
			continue
		}
		text := r.cells.Of.Words[int(values[i])]
		var ok bool
		if values[i], ok = l.when.date(text); !ok {
			return &LineError{r.File, []int{r.cells.Rows[i] + 1}, fmt.Sprintf("the time is %.40q; want a number, or a date such as 2024-01-31", text)}
		}
	}
	l.when.zero = slices.Min(values)
	l.Turn = make([]int, len(values))
	for i, v := range values {
		var ok bool
		if l.Turn[i], ok = l.when.turn(v); !ok {
			return &LineError{r.File, []int{r.cells.Rows[i] + 1}, fmt.Sprintf("the time is no whole number of steps (data.step: %s) after the first, %s; another step, or a formula such as floor(time/7)", r.Step, l.when.label(0, l.dates))}
		}
	}
	return nil
}

// order sorts by person and time.
func (r *reader) order() error {
	l := r.log
	r.rank = kedge.Some(len(r.cells.Rows), len(r.cells.Rows))
	slices.SortFunc(r.rank, func(a, b int) int {
		if r.Person == "" {
			return cmp.Or(cmp.Compare(l.Turn[a], l.Turn[b]), cmp.Compare(a, b))
		}
		return cmp.Or(cmp.Compare(l.Person[a], l.Person[b]), cmp.Compare(l.Turn[a], l.Turn[b]), cmp.Compare(a, b))
	})
	pick := func(x []int) []int { return lists.Of(r.rank, func(i int) int { return x[i] }) }
	l.Person, l.Turn, l.Line = pick(l.Person), pick(l.Turn), pick(r.cells.Rows)
	for i := range l.Line {
		l.Line[i]++
	}
	return nil
}

// fill takes the numbers of rows.
func (r *reader) fill() error {
	for _, part := range []struct {
		key string
		to  *Columns
	}{{"states[", &r.log.States}, {"decision[", &r.log.Decision}, {"traits[", &r.log.Traits}, {"beside.", &r.log.Beside}, {"instruments[", &r.log.Instruments}} {
		var places []int
		for j, e := range r.cells.Of.Entries {
			if name := r.field(j); strings.HasPrefix(name, "data."+part.key) {
				if places = append(places, j); part.key == "beside." {
					e.Name = strings.TrimPrefix(name, "data.beside.")
				}
				part.to.Names = append(part.to.Names, e.Name)
			}
		}
		part.to.Data = make([]float64, 0, len(r.rank)*len(places))
		for _, i := range r.rank {
			for _, j := range places {
				part.to.Data = append(part.to.Data, r.cells.Row(i)[j])
			}
		}
	}
	at := r.entry("weight")
	if at < 0 {
		return nil
	}
	for _, i := range r.rank {
		w := r.cells.Row(i)[at]
		if w < 0 {
			return &LineError{r.File, []int{r.cells.Rows[i] + 1}, fmt.Sprintf("the weight is %v, want at least 0", w)}
		}
		r.log.Weight = append(r.log.Weight, w)
	}
	if slices.Max(r.log.Weight) == 0 {
		return &LineError{r.File, []int{r.log.Line[0]}, "all weights are 0, so that nothing counts"}
	}
	return nil
}

// mostGroups is how many groups there may be.
const mostGroups = 1000

func (r *reader) groups() error {
	at := r.entry("group")
	if at < 0 {
		return nil
	}
	if err := r.apart(at); err != nil {
		return err
	}
	number, names := r.labels(at)
	if len(names) > mostGroups {
		return &LineError{r.File, []int{1}, fmt.Sprintf("data.group makes %d groups, want at most %d", len(names), mostGroups)}
	}
	r.log.Groups = names
	r.log.Group = lists.Of(r.rank, func(i int) int { return number[i] })
	return nil
}

// unique refuses two rows of one person and time.
func (r *reader) unique() error {
	l := r.log
	for i := 1; i < l.Rows(); i++ { // without persons every row is of its own
		if l.Person[i] == l.Person[i-1] && l.Turn[i] == l.Turn[i-1] {
			return &LineError{r.File, []int{l.Line[i-1], l.Line[i]}, fmt.Sprintf("%s has two rows of %s; want one, as data.where can choose it", l.People[l.Person[i]], l.When(l.Turn[i]))}
		}
	}
	return nil
}

// note says what became of rows.
func (r *reader) note() {
	l := r.log
	l.Notes = slices.Clone(r.cells.Notes)
	if passed := len(r.cells.Rows) + r.cells.Left; passed < l.Total {
		l.Notes = append(l.Notes, fmt.Sprintf("%d of %s pass data.where", passed, phrase.Count(l.Total, "row")))
	}
	if r.cells.Left > 0 {
		l.Notes = append(l.Notes, phrase.Count(r.cells.Left, "row")+" left out for want of a value")
	}
}

// Pairs are rows of one person a turn apart.
type Pairs struct {
	Before, After []int // rows of the log
	Gaps          int   // rows that follow another of their person by more than a turn
	Alone         int   // people without a pair
}

// Pairs finds them.
func (l *Recorded) Pairs() (p Pairs) {
	seen := make([]bool, len(l.People))
	for i := 1; i < l.Rows(); i++ {
		if l.Person[i] != l.Person[i-1] {
			continue
		}
		if l.Turn[i] != l.Turn[i-1]+1 {
			p.Gaps++
			continue
		}
		p.Before, p.After = append(p.Before, i-1), append(p.After, i)
		seen[l.Person[i]] = true
	}
	for _, one := range seen {
		if !one {
			p.Alone++
		}
	}
	return p
}

// Last are the last rows of everybody or, where nobody is seen again, all of the last time.
func (l *Recorded) Last() (rows []int) {
	last := slices.Max(l.Turn)
	for i := range l.Rows() {
		if !l.again {
			if l.Turn[i] == last {
				rows = append(rows, i)
			}
			continue
		}
		if i+1 == l.Rows() || l.Person[i+1] != l.Person[i] {
			rows = append(rows, i)
		}
	}
	return rows
}

// Span is the number of the last turn.
func (l *Recorded) Span() int { return slices.Max(l.Turn) }
