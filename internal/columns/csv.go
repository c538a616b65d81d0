package columns

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/kedge-opt/kedge/internal/intake"
)

// longestRecord is how many bytes a line, with the line ends that are in quotes, may have: a quote that is never closed ends there.
const longestRecord = 1 << 20

// ReadCSV reads some columns of a file whose first line names them [shafranovich2005]: separated by commas or, where the first line says
// so, by semicolons or tabs; texts may be in quotes. A column is one of numbers if all that is not missing in it is one.
//
// The file is read twice, to check it and to keep it, so that memory is taken only for what is there.
func ReadCSV(ctx context.Context, r io.ReadSeeker, choose Choice, lim intake.Limits) (*Frame, error) {
	c := &csvFile{ctx: ctx, from: r}
	if err := c.open(); err != nil {
		return nil, err
	}
	places, err := choose(c.names)
	if err != nil {
		return nil, err
	}
	c.frame, c.places = newFrame(c.names, places), places
	if c.comma != ',' {
		c.frame.Notes = append(c.frame.Notes, "fields are separated by "+map[rune]string{';': "semicolons", '\t': "tabs"}[c.comma])
	}
	c.commas, c.texts = make([]int, len(places)), make([]int, len(places))
	if err := c.each(c.look); err != nil {
		return nil, err
	}
	if err := c.judge(lim.Most()); err != nil {
		return nil, err
	}
	c.words = newLexicon(lim.Most() - 8*int64(c.rows*len(places)))
	c.frame.Data = make([]float64, 0, c.rows*len(places))
	before := slices.Clone(c.names)
	if err := c.open(); err != nil {
		return nil, err
	}
	if !slices.Equal(c.names, before) {
		return nil, errChanged()
	}
	if err := c.each(c.keep); err != nil && err != errEnough {
		return nil, err
	}
	if len(c.frame.Data) < c.rows*len(places) {
		return nil, errChanged()
	}
	c.frame.Words = c.words.words
	return c.frame, nil
}

// errEnough ends the second reading of a file to which rows were added meanwhile: those that were checked are kept.
var errEnough = errors.New("all rows that were checked are kept")

func errChanged() error {
	return wrong("the file was changed while it was read; read it again, or a copy of it")
}

// csvFile is a file that is read.
type csvFile struct {
	ctx    context.Context
	from   io.ReadSeeker
	comma  rune
	read   *csv.Reader
	names  []string
	frame  *Frame
	places []int
	rows   int
	commas []int // of every column: how many texts look like numbers with a comma
	texts  []int // and how many texts there are
	words  *lexicon
}

// open goes to the beginning and reads the first line.
func (c *csvFile) open() error {
	if _, err := c.from.Seek(0, io.SeekStart); err != nil {
		return because("read", err)
	}
	in := bufio.NewReaderSize(c.from, 64<<10)
	mark, err := in.Peek(3)
	if bytes.Equal(mark, []byte("\ufeff")) {
		in.Discard(3)
	}
	begin, more := in.Peek(64 << 10)
	if err := cmp.Or(err, more); err != nil && err != io.EOF {
		return because("read", err)
	}
	c.comma = Separator(begin)
	bounded := &bounded{from: in}
	c.read = csv.NewReader(bounded)
	c.read.Comma, c.read.ReuseRecord, c.read.TrimLeadingSpace = c.comma, true, c.comma != '\t'
	bounded.taken = c.read.InputOffset
	first, err := c.read.Read()
	if err == io.EOF {
		return wrong("the file is empty; the first line names the columns")
	}
	if err != nil {
		return c.mistake(err, 0)
	}
	c.names = c.names[:0]
	for _, name := range first {
		c.names = append(c.names, strings.TrimSpace(name))
	}
	return checkNames(c.names)
}

// bounded is a reader that ends with an error where a record becomes too long.
type bounded struct {
	from  io.Reader
	read  int64
	taken func() int64 // bytes of whole records
}

var errLong = fmt.Errorf("a line of more than %d bytes; is a quote not closed?", longestRecord)

func (b *bounded) Read(p []byte) (int, error) {
	if b.read-b.taken() > longestRecord {
		return 0, errLong
	}
	n, err := b.from.Read(p)
	b.read += int64(n)
	return n, err
}

// Separator is what the first line is separated by: the one that is there most often outside of quotes, a comma where none is.
func Separator(begin []byte) rune {
	count, quoted := map[rune]int{}, false
	for _, b := range begin {
		if b == '"' {
			quoted = !quoted
		}
		if quoted {
			continue
		}
		if b == '\n' {
			break
		}
		count[rune(b)]++
	}
	best := ','
	for _, r := range ";\t" {
		if count[r] > count[best] {
			best = r
		}
	}
	return best
}

// each hands over the rows, from 0, with their fields.
func (c *csvFile) each(take func(row int, fields []string) error) error {
	for row := 0; ; row++ {
		if row%4096 == 0 {
			if err := c.ctx.Err(); err != nil {
				return err
			}
		}
		fields, err := c.read.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return c.mistake(err, row+1)
		}
		if err := take(row, fields); err != nil {
			return err
		}
	}
}

// mistake tells what is wrong with a record.
func (c *csvFile) mistake(err error, row int) error {
	where := fmt.Sprintf("row %d", row)
	if row == 0 {
		where = "the names of the columns"
	}
	if e := (*csv.ParseError)(nil); errors.As(err, &e) {
		where += fmt.Sprintf(" (line %d)", e.StartLine)
		switch err = e.Err; {
		case errors.Is(err, csv.ErrFieldCount):
			return wrong("%s has another number of fields than the first line, which names %d columns", where, len(c.names))
		case errors.Is(err, csv.ErrBareQuote), errors.Is(err, csv.ErrQuote):
			return wrong("%s: a quote inside of a field; fields with quotes are put in quotes, and theirs are doubled", where)
		}
	}
	return because(where, err)
}

// look finds out what a row holds.
func (c *csvFile) look(row int, fields []string) error {
	for j, place := range c.places {
		field := strings.TrimSpace(fields[place])
		if _, ok := number(field); ok || IsMissing(field) {
			continue
		}
		c.frame.Columns[j].show(row, strings.Clone(field))
		c.texts[j]++
		if _, ok := number(strings.Replace(field, ",", ".", 1)); ok {
			c.commas[j]++
		}
	}
	c.rows++
	return nil
}

// judge decides which columns are texts, and refuses more than may be read.
func (c *csvFile) judge(most int64) error {
	if c.rows == 0 {
		return wrong("there are no rows below the names of the columns")
	}
	for j := range c.frame.Columns {
		of := &c.frame.Columns[j]
		of.IsText = c.texts[j] > 0
		if of.IsText && c.commas[j] == c.texts[j] {
			return wrong("row %d, column %q: %q has a decimal comma; write numbers with a point", of.Row, of.Name, of.Sample)
		}
	}
	if width := 8 * int64(len(c.places)); int64(c.rows) > most/max(1, width) {
		return because(fmt.Sprintf("%d rows of %d columns", c.rows, len(c.places)), intake.ErrTooLarge)
	}
	return nil
}

// keep keeps the wanted fields of a row.
func (c *csvFile) keep(row int, fields []string) (err error) {
	if row == c.rows {
		return errEnough
	}
	for j, place := range c.places {
		field, v := strings.TrimSpace(fields[place]), math.NaN()
		switch {
		case IsMissing(field):
		case c.frame.Columns[j].IsText:
			if v, err = c.words.number(field); err != nil {
				return err
			}
		default:
			var is bool
			if v, is = number(field); !is {
				return errChanged()
			}
		}
		c.frame.Data = append(c.frame.Data, v)
	}
	return nil
}

// number reads a decimal number that a float64 holds.
func number(field string) (float64, bool) {
	if field == "" || strings.Trim(field, "0123456789+-.eE") != "" {
		return 0, false
	}
	v, err := strconv.ParseFloat(field, 64)
	return v, err == nil
}
