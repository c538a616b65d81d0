package batch

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"
)

// readObject reads people as one object of columns.
func readObject(s *scanner, b *builder) {
	s.object(func(key string) {
		switch key {
		case "p":
			s.list(func(i int) {
				b.row("/p", i)
				b.b.P = s.numbers(b.b.P, b.dim.State)
				b.n++
			})
		case "d":
			if s.null() {
				return
			}
			b.traits = []bool{}
			s.list(func(i int) {
				b.row("/d", i)
				b.maybe(s)
			})
		case "w":
			if b.seen.w = !s.null(); b.seen.w {
				s.list(func(i int) { b.row("/w", i); b.b.W = append(b.b.W, s.number()) })
			}
		case "id":
			if b.seen.id = !s.null(); b.seen.id {
				s.list(func(i int) { b.row("/id", i); b.person(s.id()) })
			}
		case "epoch":
			b.b.Epoch = s.text()
		case "observed_at":
			at, err := time.Parse(time.RFC3339, s.text())
			if err != nil {
				s.wrong("%v", err)
			}
			b.b.ObservedAt = at
		default:
			s.wrong("a batch has no key %q; it has p, d, w, id, epoch and observed_at", key)
		}
	})
	s.end()
}

// maybe reads the traits of a person, or null.
func (b *builder) maybe(s *scanner) {
	if s.null() {
		b.trait(nil)
		return
	}
	b.traits, b.b.D = append(b.traits, true), s.numbers(b.b.D, b.dim.Trait)
}

// readLines reads one person a line. Pointers are those of the same batch in columns.
func readLines(s *scanner, b *builder) {
	weights, ids := 0, 0
	for ; s.more(); b.n++ {
		b.row("/p", b.n)
		var p, d bool
		s.object(func(key string) {
			s.path = append(s.path[:0], step{key: key}, step{i: b.n, isRow: true})
			switch key {
			case "p":
				b.b.P, p = s.numbers(b.b.P, b.dim.State), true
			case "d":
				if d = !s.null(); d {
					b.traits, b.b.D = append(b.traits, true), s.numbers(b.b.D, b.dim.Trait)
				}
			case "w":
				b.b.W = append(b.b.W, s.number())
				weights++
			case "id":
				b.person(s.id())
				ids++
			default:
				s.wrong("a person has no key %q; it has p, d, w and id", key)
			}
		})
		at := "/" + strconv.Itoa(b.n)
		switch {
		case !p:
			panic(short("/p"+at, 0, b.dim.State, "numbers"))
		case !d:
			b.trait(nil)
		}
		if weights != 0 && weights != b.n+1 {
			panic(flaw(DimensionMismatch, "/w"+at, "line %d: some people have a weight and some have none", b.n+1))
		}
		if ids != 0 && ids != b.n+1 {
			panic(flaw(DimensionMismatch, "/id"+at, "line %d: some people have an id and some have none", b.n+1))
		}
		s.path = s.path[:0]
	}
	b.seen = seen{weights > 0, ids > 0}
}

// scanner reads JSON that has one shape, from the left, and knows where it is.
type scanner struct {
	from  *bufio.Reader
	token []byte
	path  []step
}

// step is one level of the way to a value.
type step struct {
	key   string
	i     int
	isRow bool
}

func newScanner(r io.Reader) *scanner { return &scanner{from: bufio.NewReaderSize(r, 64<<10)} }

// pointer is where the scanner is, by RFC 6901.
func (s *scanner) pointer() (text string) {
	for _, at := range s.path {
		if at.isRow {
			text += "/" + strconv.Itoa(at.i)
		} else {
			text += "/" + at.key
		}
	}
	return text
}

func (s *scanner) wrong(format string, args ...any) {
	f := flaw(Malformed, s.pointer(), format, args...)
	if f.Pointer != "" {
		f.Detail = f.Pointer + ": " + f.Detail
	}
	panic(f)
}

// next is the next byte, 0 at the end.
func (s *scanner) next() byte {
	c, err := s.from.ReadByte()
	if err == io.EOF {
		return 0
	}
	s.must(err)
	if c == 0 { // which would pass for the end
		s.wrong("a byte 0, which JSON does not have")
	}
	return c
}

func (s *scanner) must(err error) {
	if f, is := err.(*Flaw); is {
		panic(f)
	}
	if err != nil {
		panic(stopped{err})
	}
}

// peek skips white space and looks at what follows.
func (s *scanner) peek() byte {
	for {
		switch c := s.next(); c {
		case ' ', '\t', '\r', '\n':
		case 0:
			return 0
		default:
			s.must(s.from.UnreadByte())
			return c
		}
	}
}

func (s *scanner) more() bool { return s.peek() != 0 }

// end refuses what follows.
func (s *scanner) end() {
	if s.more() {
		s.wrong("something stands behind the batch")
	}
}

// take skips white space and then c, if it is there.
func (s *scanner) take(c byte) bool {
	if s.peek() != c || c == 0 {
		return false
	}
	s.next()
	return true
}

func (s *scanner) want(c byte, what string) {
	if !s.take(c) {
		s.wrong("want %s, not %s", what, s.shown())
	}
}

// shown is what stands here, in short.
func (s *scanner) shown() string {
	if s.peek() == 0 {
		return "the end"
	}
	text, _ := s.from.Peek(min(20, s.from.Buffered()))
	return strconv.Quote(string(text))
}

// object reads an object, whose keys are there once.
func (s *scanner) object(each func(key string)) {
	s.want('{', "an object")
	seen := make([]string, 0, 8)
	depth := len(s.path)
	for first := true; !s.take('}'); first = false {
		if !first {
			s.want(',', "a comma or }")
		}
		key := s.text()
		if slices.Contains(seen, key) {
			s.wrong("the key %q is there twice", key)
		}
		seen = append(seen, key)
		s.want(':', "a colon")
		s.path = append(s.path, step{key: key})
		each(key)
		s.path = s.path[:depth]
	}
}

// list reads a list.
func (s *scanner) list(each func(i int)) {
	s.want('[', "a list")
	depth := len(s.path)
	s.path = append(s.path, step{isRow: true})
	for i := 0; !s.take(']'); i++ {
		if i > 0 {
			s.want(',', "a comma or ]")
		}
		s.path[depth].i = i
		each(i)
	}
	s.path = s.path[:depth]
}

// numbers reads a list of n numbers.
func (s *scanner) numbers(to []float64, n int) []float64 {
	got, pointer := 0, s.pointer
	s.list(func(i int) {
		if got++; got > n {
			s.path = s.path[:len(s.path)-1]
			panic(flaw(DimensionMismatch, pointer(), "%s has more than %d numbers", pointer(), n))
		}
		to = append(to, s.number())
	})
	if got != n {
		panic(short(pointer(), got, n, "numbers"))
	}
	return to
}

// null takes null, if it is there.
func (s *scanner) null() bool {
	if s.peek() != 'n' {
		return false
	}
	if s.word() != "null" {
		s.wrong("want null, not %q", s.token)
	}
	return true
}

// longestToken is how many bytes a number or a text may have.
const longestToken = 1 << 10

// word reads letters, digits and signs.
func (s *scanner) word() string {
	s.peek()
	s.token = s.token[:0]
	for {
		c := s.next()
		if !(c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '+' || c == '-' || c == '.') {
			if c != 0 {
				s.must(s.from.UnreadByte())
			}
			return string(s.token)
		}
		s.grow(c)
	}
}

func (s *scanner) grow(c byte) {
	if s.token = append(s.token, c); len(s.token) > longestToken {
		s.wrong("a value of more than %d bytes", longestToken)
	}
}

// number reads one that is finite. What Python writes for those that are not is known.
func (s *scanner) number() float64 {
	word := s.word()
	switch word {
	case "NaN", "Infinity", "-Infinity":
		panic(flaw(NotFinite, s.pointer(), "%s is %s, want a finite number", s.pointer(), word))
	case "null":
		panic(flaw(NotFinite, s.pointer(), "%s is null, want a finite number", s.pointer()))
	case "":
		s.wrong("want a number, not %s", s.shown())
	}
	if !json.Valid(s.token) || word == "true" || word == "false" {
		s.wrong("%q is no number", word)
	}
	v, err := strconv.ParseFloat(word, 64)
	if err != nil {
		panic(flaw(NotFinite, s.pointer(), "%s is %.40s, which no double holds", s.pointer(), word))
	}
	return v
}

// text reads a string.
func (s *scanner) text() string {
	s.want('"', "a text")
	s.token = append(s.token[:0], '"')
	for escaped := false; ; {
		c := s.next()
		if c == 0 {
			s.wrong("a text without an end")
		}
		s.grow(c)
		switch {
		case escaped:
			escaped = false
		case c == '\\':
			escaped = true
		case c == '"':
			return s.decoded()
		}
	}
}

// decoded is the text of a token in quotes.
func (s *scanner) decoded() (text string) {
	plain := !bytes.ContainsFunc(s.token, func(r rune) bool { return r < ' ' || r == '\\' })
	switch {
	case !utf8.Valid(s.token) || !plain && json.Unmarshal(s.token, &text) != nil:
		s.wrong("a text that is not UTF-8 without control characters")
	case plain:
		return string(s.token[1 : len(s.token)-1])
	}
	return text
}

// id reads who somebody is: a text, or a whole number, which is the text of its digits.
func (s *scanner) id() string {
	if s.peek() == '"' {
		return s.text()
	}
	word := s.word()
	if n, err := strconv.ParseInt(word, 10, 64); err != nil || strconv.FormatInt(n, 10) != word {
		s.wrong("an id is a text or a whole number, not %s", word)
	}
	return word
}
