package batch

import (
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
			switch {
			case err != nil:
				s.wrong("%v", err)
			case !isKept(at):
				s.wrong("%s", notKept(at))
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
		b.traitless()
		return
	}
	b.traits, b.b.D = append(b.traits, true), s.numbers(b.b.D, b.dim.Trait)
}

// readLines reads one person a line. Pointers are those of the same batch in columns.
func readLines(s *scanner, b *builder) {
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
			case "id":
				b.person(s.id())
			default:
				s.wrong("a person has no key %q; it has p, d, w and id", key)
			}
		})
		at := "/" + strconv.Itoa(b.n)
		switch {
		case !p:
			panic(short("/p"+at, 0, b.dim.State, "numbers"))
		case !d:
			b.traitless()
		}
		if n := len(b.b.W); n != 0 && n != b.n+1 {
			panic(flaw(DimensionMismatch, "/w"+at, "line %d: some people have a weight and some have none", b.n+1))
		}
		if n := len(b.b.Who); n != 0 && n != b.n+1 {
			panic(flaw(DimensionMismatch, "/id"+at, "line %d: some people have an id and some have none", b.n+1))
		}
		s.path = s.path[:0]
	}
	b.seen = seen{len(b.b.W) > 0, len(b.b.Who) > 0}
}

// scanner reads JSON that has one shape, from the left, and knows where it is.
type scanner struct {
	from  io.Reader
	have  []byte // what was read of it
	at    int    // what of that was taken
	fault error  // of the reader, after that
	token []byte
	path  []step
}

// step is one level of the way to a value.
type step struct {
	key   string
	i     int
	isRow bool
}

func newScanner(r io.Reader) *scanner { return &scanner{from: r} }

// How much is read at a time: little of a small batch, for thousands come at once, and more of one that turns out to be large.
const (
	leastRead = 4 << 10
	mostRead  = 64 << 10
)

// fill reads more once all was taken, and tells whether there is any.
func (s *scanner) fill() bool {
	if room := cap(s.have); room < mostRead && len(s.have) == room && s.fault == nil {
		s.have = make([]byte, 0, max(leastRead, 4*room))
	}
	s.at = 0
	for range 100 { // a reader may give nothing now and then
		if s.fault != nil {
			break
		}
		n, err := s.from.Read(s.have[:cap(s.have)])
		if s.have, s.fault = s.have[:n], err; n > 0 {
			return true
		}
	}
	s.have = s.have[:0]
	if s.fault == nil {
		s.fault = io.ErrNoProgress
	}
	if s.fault != io.EOF {
		must(s.fault)
	}
	return false
}

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
	if s.at == len(s.have) && !s.fill() {
		return 0
	}
	s.at++
	return s.real(s.have[s.at-1])
}

// real is a byte that was read; one of 0 would pass for the end.
func (s *scanner) real(c byte) byte {
	if c == 0 {
		s.wrong("a byte 0, which JSON does not have")
	}
	return c
}

// peek skips white space and looks at what follows, 0 at the end.
func (s *scanner) peek() byte {
	for s.at < len(s.have) || s.fill() {
		switch c := s.have[s.at]; c {
		case ' ', '\t', '\r', '\n':
			s.at++
		default:
			return s.real(c)
		}
	}
	return 0
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
	s.at++
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
	rest := s.have[s.at:]
	return strconv.Quote(string(rest[:min(20, len(rest))]))
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
	s.want('[', "a list")
	depth, got := len(s.path), 0
	s.path = append(s.path, step{isRow: true})
	for ; !s.take(']'); got++ {
		if got > 0 {
			s.want(',', "a comma or ]")
		}
		if got == n {
			s.path = s.path[:depth]
			panic(flaw(DimensionMismatch, s.pointer(), "%s has more than %d numbers", s.pointer(), n))
		}
		s.path[depth].i = got
		to = append(to, s.number())
	}
	s.path = s.path[:depth]
	if got != n {
		panic(short(s.pointer(), got, n, "numbers"))
	}
	return to
}

// null takes null, if it is there.
func (s *scanner) null() bool {
	if s.peek() != 'n' {
		return false
	}
	if word := s.word(); string(word) != "null" {
		s.wrong("want null, not %q", word)
	}
	return true
}

// longestToken is how many bytes a number or a text may have.
const longestToken = 1 << 10

// word reads letters, digits and signs. It stays what it is until more is read.
func (s *scanner) word() []byte {
	s.peek()
	rest := s.have[s.at:]
	for i, c := range rest {
		if !inWord(c) && i <= longestToken {
			s.at += i
			return rest[:i]
		}
	}
	s.token = s.token[:0]
	for s.at < len(s.have) || s.fill() { // it goes on in what is read next
		c := s.have[s.at]
		if !inWord(c) {
			break
		}
		s.grow(c)
		s.at++
	}
	return s.token
}

func inWord(c byte) bool {
	return c >= '0' && c <= '9' || c == '.' || c == '-' || c == '+' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func (s *scanner) grow(c byte) {
	if s.token = append(s.token, c); len(s.token) > longestToken {
		s.wrong("a value of more than %d bytes", longestToken)
	}
}

// number reads one that is finite. What Python writes for those that are not is known.
func (s *scanner) number() float64 {
	word := s.word()
	if !isNumber(word) {
		s.noNumber(string(word))
	}
	v, err := strconv.ParseFloat(string(word), 64)
	if err != nil {
		panic(flaw(NotFinite, s.pointer(), "%s is %.40s, which no double holds", s.pointer(), word))
	}
	return v
}

// noNumber says what a word is instead of a number.
func (s *scanner) noNumber(word string) {
	switch word {
	case "NaN", "Infinity", "-Infinity":
		panic(flaw(NotFinite, s.pointer(), "%s is %s, want a finite number", s.pointer(), word))
	case "null":
		panic(flaw(NotFinite, s.pointer(), "%s is null, want a finite number", s.pointer()))
	case "":
		s.wrong("want a number, not %s", s.shown())
	}
	s.wrong("%q is no number", word)
}

// isNumber tells whether a word is a number as JSON writes it.
func isNumber(word []byte) bool {
	digits := func() bool {
		n := 0
		for n < len(word) && word[n] >= '0' && word[n] <= '9' {
			n++
		}
		word = word[n:]
		return n > 0
	}
	takes := func(a, b byte) bool {
		is := len(word) > 0 && (word[0] == a || word[0] == b)
		if is {
			word = word[1:]
		}
		return is
	}
	takes('-', '-')
	if !takes('0', '0') && !digits() || takes('.', '.') && !digits() {
		return false
	}
	if takes('e', 'E') {
		takes('+', '-')
		if !digits() {
			return false
		}
	}
	return len(word) == 0
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
	word := string(s.word())
	if n, err := strconv.ParseInt(word, 10, 64); err != nil || strconv.FormatInt(n, 10) != word {
		s.wrong("an id is a text or a whole number, not %s", word)
	}
	return word
}
