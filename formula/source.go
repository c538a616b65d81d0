package formula

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Source is a model as its author writes it. Compile says what is wrong with one.
type Source struct {
	Decision string // declares the decision, as in "q[20]", "Q[3, 4]" or, for a scalar, "q"
	State    string // declares the state of an individual
	Trait    string // declares what is fixed about an individual; may be empty
	Let      []Binding
	Next     string   // the state after a step; may be empty
	Minimize string   // the loss of an individual, or
	Maximize string   // its reward; both may be empty
	Subject  []string // constraints on the decision
}

// Binding gives a name to a formula, which may use earlier names, or to numbers.
type Binding struct {
	Name string
	Expr string
	Data *Value // used instead of Expr if not nil
}

// Value is a scalar (no Shape), a vector (one length) or a matrix (rows and columns, Data row by row).
type Value struct {
	Shape []int
	Data  []float64
}

// Error is a mistake in a Source. Compile joins all it finds; each is one of these.
type Error struct {
	Field        string // such as model.next
	Line, Column int    // from 1; columns count characters
	Message      string
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.Field, e.Line, e.Column, e.Message)
}

// text is one formula and where it comes from.
type text struct {
	field, body string
}

// fault is a mistake at a byte of the text.
func (t text) fault(at int, format string, args ...any) *Error {
	before := t.body[:min(at, len(t.body))]
	line := strings.LastIndexByte(before, '\n') + 1
	return &Error{
		Field:   t.field,
		Line:    1 + strings.Count(before, "\n"),
		Column:  1 + utf8.RuneCountInString(before[line:]),
		Message: fmt.Sprintf(format, args...),
	}
}

// excerpt is the text of an expression, shortened to what fits a message.
func (t text) excerpt(e *expr) string {
	const longest = 48
	s := strings.Join(strings.Fields(t.body[e.pos:e.end]), " ")
	if utf8.RuneCountInString(s) > longest {
		return string([]rune(s)[:longest]) + "…"
	}
	return s
}

// mistakes collects errors.
type mistakes []error

func (m *mistakes) add(err *Error) { *m = append(*m, err) }

func (m mistakes) joined() error { return errors.Join(m...) }
