package population

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

const (
	maxLine    = 4 << 20 // bytes of a line
	maxEntries = 1 << 27 // numbers of a table, 1 GiB
)

// ReadCSV reads a table of numbers separated by commas, one individual a line. A first line without any number is taken for
// a header and skipped; blank lines may only come last. A line may have 4 MB, the table 2²⁷ numbers. An error is a
// *TableError that names line and column.
func ReadCSV(r io.Reader) (Table, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 64<<10), maxLine)
	c := csvTable{}
	for lines.Scan() {
		if err := c.add(lines.Text()); err != nil {
			return Table{}, err
		}
	}
	if err := lines.Err(); err != nil {
		if errors.Is(err, bufio.ErrTooLong) {
			return Table{}, &TableError{Line: c.line + 1, What: fmt.Sprintf("more than %d bytes", maxLine)}
		}
		return Table{}, &TableError{Line: c.line + 1, What: "read", Err: err}
	}
	if len(c.Data) == 0 {
		return Table{}, &TableError{What: "no numbers"}
	}
	return c.Table, nil
}

// csvTable is a table that grows line by line.
type csvTable struct {
	Table
	line  int // lines read
	blank int // the first of the blank lines at the end
}

// add reads the next line.
func (c *csvTable) add(text string) error {
	c.line++
	if c.line == 1 {
		text = strings.TrimPrefix(text, "\ufeff")
	}
	if strings.TrimSpace(text) == "" {
		if c.blank == 0 {
			c.blank = c.line
		}
		return nil
	}
	if c.blank > 0 {
		return &TableError{Line: c.blank, What: "blank line inside the table"}
	}
	if c.line == 1 && isHeader(text) {
		return nil
	}
	return c.numbers(text)
}

// isHeader tells whether no field of the line is a number.
func isHeader(text string) bool {
	for field := range strings.SplitSeq(text, ",") {
		if _, err := strconv.ParseFloat(strings.TrimSpace(field), 64); err == nil || errors.Is(err, strconv.ErrRange) {
			return false
		}
	}
	return true
}

// numbers adds the row of a line, which must be as long as the first.
func (c *csvTable) numbers(text string) error {
	column := 0
	for field := range strings.SplitSeq(text, ",") {
		column++
		field = strings.TrimSpace(field)
		v, err := strconv.ParseFloat(field, 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return &TableError{Line: c.line, Column: column, What: fmt.Sprintf("%.40q is not a finite number", field)}
		}
		c.Data = append(c.Data, v)
	}
	if c.Width == 0 {
		c.Width = column
	}
	if column != c.Width {
		return &TableError{Line: c.line, What: fmt.Sprintf("%d numbers, the first row has %d", column, c.Width)}
	}
	if len(c.Data) > maxEntries {
		return &TableError{Line: c.line, What: fmt.Sprintf("more than %d numbers in the table", maxEntries)}
	}
	return nil
}
