package formula

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Source is a model as its author writes it. Compile says what is wrong with one.
type Source struct {
	Decision string   // declares the decision, as in "q[20]", "Q[3, 4]" or, for a scalar, "q"
	State    string   // declares the state of an individual
	Trait    string   // declares what is fixed about an individual; may be empty
	Beside   []string // names of single numbers that follow the trait's own entries: what else is fixed about an individual
	Noise    []Shock  // what is drawn anew for everybody every step
	Let      []Binding
	Next     string   // the state after a step; may be empty
	Minimize string   // the loss of an individual, or
	Maximize string   // its reward; both may be empty
	Subject  []string // constraints on the decision
}

// Mentions tells whether a formula of the model has a name that the model does not give to anything.
func (s Source) Mentions(name string) bool {
	given, written := append([]string{s.Decision, s.State, s.Trait}, s.Beside...), []string{s.Next, s.Minimize, s.Maximize}
	for _, one := range s.Noise {
		given = append(given, one.Declaration)
	}
	for _, l := range s.Let {
		if l.Name == name {
			return false
		}
		written = append(written, l.Expr)
	}
	return !slices.ContainsFunc(given, func(declaration string) bool { return scan(declaration, 0).text == name }) &&
		slices.ContainsFunc(written, func(body string) bool { return hasName(body, name) })
}

// hasName tells whether a name stands in a formula, up to where that cannot be read any more.
func hasName(body, name string) bool {
	for t := scan(body, 0); t.kind != endToken && t.kind != badToken; t = scan(body, t.end) {
		if t.kind == nameToken && t.text == name {
			return true
		}
	}
	return false
}

// Shock declares numbers that are drawn anew for everybody every step, as in "w" or "w[3]". Who settles does so with the noise at its mean.
type Shock struct {
	Declaration string
	Mean        float64
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

// token is a word of a formula. The text of an operator is its plain spelling.
type token struct {
	kind     tokenKind
	pos, end int
	text     string
	number   float64
	isQuoted bool // a name in backticks, which is never a word of the language
}

// isWord tells whether the token is a word of the language: and, or, not.
func (t token) isWord(word string) bool { return t.kind == nameToken && !t.isQuoted && t.text == word }

type tokenKind int

const (
	endToken tokenKind = iota
	numberToken
	nameToken
	signToken // operators, brackets, commas
	textToken // between double quotes
	badToken  // text says what is wrong; where it ends nobody asks
)

// spellings are the signs that stand for others.
var spellings = map[string]string{
	"−": "-", "·": "*", "×": "*", "≤": "<=", "≥": ">=", "≠": "!=", "ᵀ": "'",
}

// strangers are signs of other languages, with how this one says it.
var strangers = map[string]string{
	"=": "; equality is written ==", "%": "; what is left of x divided by n is x - n*floor(x/n)", "!": "; unequal is written !=",
	"&": "; of two conditions both hold in where(a, where(b, x, y), y)", "|": "; of two conditions one holds in where(a, x, where(b, x, y))",
	"?": "; a choice is written where(condition, x, y)",
}

// scan returns the token that begins at or after a byte.
func scan(s string, at int) token {
	for at < len(s) && strings.IndexByte(" \t\r\n", s[at]) >= 0 {
		at++
	}
	r, size := utf8.DecodeRuneInString(s[at:])
	switch {
	case size == 0:
		return token{kind: endToken, pos: at, end: at, text: "the end"}
	case r >= '0' && r <= '9' || r == '.':
		return scanNumber(s, at)
	case r == '_' || unicode.IsLetter(r) && r != 'ᵀ':
		return scanName(s, at)
	case r == '`' || r == '"':
		return scanQuoted(s, at)
	}
	return scanSign(s, at, r, size)
}

func scanName(s string, at int) token {
	length := strings.IndexFunc(s[at:], func(r rune) bool {
		return r == 'ᵀ' || r != '_' && !unicode.IsLetter(r) && !unicode.IsNumber(r)
	})
	if length < 0 {
		length = len(s) - at
	}
	return token{kind: nameToken, pos: at, end: at + length, text: s[at : at+length]}
}

// scanQuoted takes a name between backticks or a text between double quotes, in which a doubled quote stands for one.
func scanQuoted(s string, at int) token {
	quote, end := s[at:at+1], at+1
	for {
		length := strings.Index(s[end:], quote)
		if length < 0 {
			return token{kind: badToken, pos: at, text: quote + " is not closed"}
		}
		if end += length + 1; !strings.HasPrefix(s[end:], quote) {
			break
		}
		end++
	}
	t := token{kind: textToken, pos: at, end: end, text: strings.ReplaceAll(s[at+1:end-1], quote+quote, quote)}
	if quote == "`" {
		t.kind, t.isQuoted = nameToken, true
	}
	return t
}

func scanSign(s string, at int, r rune, size int) token {
	word := s[at : at+size]
	if plain, ok := spellings[word]; ok {
		return token{kind: signToken, pos: at, end: at + size, text: plain}
	}
	switch two := s[at:min(at+2, len(s))]; two {
	case "<=", ">=", "==", "!=":
		return token{kind: signToken, pos: at, end: at + 2, text: two}
	case "**":
		return token{kind: badToken, pos: at, text: "a power is written ^, as in x^2, and not **"}
	}
	if strings.Contains("+-*/^@()[],:<>'", word) && r != utf8.RuneError {
		return token{kind: signToken, pos: at, end: at + size, text: word}
	}
	return token{kind: badToken, pos: at, text: "unknown character " + strconv.QuoteRune(r) + strangers[word]}
}

// scanNumber takes digits with a point and an exponent.
func scanNumber(s string, at int) token {
	end := digits(s, at)
	if end < len(s) && s[end] == '.' {
		end = digits(s, end+1)
	}
	if end < len(s) && (s[end] == 'e' || s[end] == 'E') {
		from := end + 1
		if from < len(s) && (s[from] == '+' || s[from] == '-') {
			from++
		}
		if last := digits(s, from); last > from {
			end = last
		}
	}
	v, err := strconv.ParseFloat(s[at:end], 64)
	switch {
	case math.IsInf(v, 0):
		return token{kind: badToken, pos: at, text: "the number is too large"}
	case err != nil:
		return token{kind: badToken, pos: at, text: strconv.Quote(s[at:end]) + " is no number"}
	}
	return token{kind: numberToken, pos: at, end: end, text: s[at:end], number: v}
}

// digits returns where the digits from a byte on end.
func digits(s string, at int) int {
	for at < len(s) && s[at] >= '0' && s[at] <= '9' {
		at++
	}
	return at
}
