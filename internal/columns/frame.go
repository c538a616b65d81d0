package columns

import (
	"math"
	"slices"
	"strings"

	"github.com/kedge-opt/kedge/internal/intake"
)

// Frame is some columns of a file, row by row: numbers, NaN where one is missing. A text is the number of its word.
type Frame struct {
	Columns []FrameColumn
	Words   []string  // every text of the frame, once
	Data    []float64 // a row after the other
	Notes   []string  // what was found out about the file, in words
}

// FrameColumn is a column of a frame.
type FrameColumn struct {
	Name   string
	IsText bool
	Row    int    // of a column of texts: the first row, from 1, with something that is no number
	Sample string // which is that
}

// Rows is how many there are.
func (f *Frame) Rows() int { return len(f.Data) / max(1, len(f.Columns)) }

// Row returns a row.
func (f *Frame) Row(i int) []float64 {
	n := len(f.Columns)
	return f.Data[i*n : (i+1)*n : (i+1)*n]
}

// Choice says which of a file's columns, by their names in the order of the file, are wanted: their places.
type Choice func(names []string) (places []int, err error)

// missing are the words that stand for nothing.
var missing = []string{"", "NA", "N/A", "NaN", "nan", "null", "NULL"}

// IsMissing tells whether a field of a file stands for nothing.
func IsMissing(field string) bool { return slices.Contains(missing, field) }

// checkNames refuses columns that cannot be told apart.
func checkNames(names []string) error {
	seen := map[string]int{}
	for i, name := range names {
		switch before, twice := seen[name]; {
		case name == "":
			return wrong("column %d has no name; every column of the first line wants one", i+1)
		case twice:
			return wrong("columns %d and %d are both called %q; give one of them another name", before+1, i+1, name)
		}
		seen[name] = i
	}
	return nil
}

// lexicon numbers texts.
type lexicon struct {
	words []string
	index map[string]int
	left  int64 // bytes that they may still take
}

func newLexicon(most int64) *lexicon { return &lexicon{index: map[string]int{}, left: most} }

// perWord is what a text takes besides its bytes.
const perWord = 64

func (l *lexicon) number(text string) (float64, error) {
	i, ok := l.index[text]
	if !ok {
		if l.left -= int64(len(text)) + perWord; l.left < 0 {
			return 0, because("texts", intake.ErrTooLarge)
		}
		i, text = len(l.words), strings.Clone(text)
		l.words = append(l.words, text)
		l.index[text] = i
	}
	return float64(i), nil
}

// Frame makes a frame of some columns of the table.
func (t Table) Frame(choose Choice, lim intake.Limits) (*Frame, error) {
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = c.Name
	}
	places, err := choose(names)
	if err != nil {
		return nil, err
	}
	f, words := newFrame(names, places), newLexicon(lim.Most())
	f.Data = make([]float64, t.Rows()*len(places))
	for j, place := range places {
		c := &t.Columns[place]
		f.Columns[j].IsText = c.Text != nil
		for row := range t.Rows() {
			v := &f.Data[row*len(places)+j]
			switch {
			case c.Text == nil:
				*v = c.Numbers[row]
			case IsMissing(c.Text[row]):
				*v = math.NaN()
			default:
				f.Columns[j].show(row, c.Text[row])
				if *v, err = words.number(c.Text[row]); err != nil {
					return nil, err
				}
			}
		}
	}
	f.Words = words.words
	return f, nil
}

// show keeps the first text of a column.
func (c *FrameColumn) show(row int, text string) {
	if c.Row == 0 {
		c.Row, c.Sample = row+1, text
	}
}

func newFrame(names []string, places []int) *Frame {
	f := &Frame{}
	for _, place := range places {
		f.Columns = append(f.Columns, FrameColumn{Name: names[place]})
	}
	return f
}
