package form

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/phrase"
)

// Codec turns the value of a key into a Go value and back.
type Codec[T any] struct {
	Want   string // what is allowed, in words
	Schema Schema // what is allowed, for programs; a schema may allow more
	Read   func(m *Mistakes, n *Node) (x T, ok bool)
	Write  func(x T) *Node

	options []Option    // of one word of several
	below   func(*Form) // describes the mapping that a value is, or the mappings of a list
	list    bool        // there is a list of them

	absent *T     // what an absent key stands for; nil: it must be there
	like   string // the key whose value that is
	silent bool   // it is not printed
}

// Or lets a key be absent and says what it stands for then.
func (c Codec[T]) Or(absent T) Codec[T] {
	c.absent = &absent
	return c
}

// Like lets a key be absent that has the value of another key by default, and says what that is.
func (c Codec[T]) Like(other string, absent T) Codec[T] {
	c.absent, c.like = &absent, other
	return c
}

// Optional lets a key be absent whose absence has a meaning of its own: the zero of T.
func (c Codec[T]) Optional() Codec[T] {
	c.absent, c.silent = new(T), true
	return c
}

// Single makes a codec of single values from how their text is understood and written.
func Single[T any](want string, s Schema, parse func(n *Node) (T, bool), format func(T) string) Codec[T] {
	return Codec[T]{
		Want: want, Schema: s,
		Read: func(m *Mistakes, n *Node) (x T, ok bool) {
			if n.Shape == Scalar {
				x, ok = parse(n)
			}
			if !ok {
				m.Wrong(n, want)
			}
			return x, ok
		},
		Write: func(x T) *Node { return &Node{Shape: Scalar, Text: format(x)} },
	}
}

// FormulaText is a text, which may look like a number.
func FormulaText(want string) Codec[string] {
	c := Single(want, Schema{Type: Types{"string", "number"}, MinLength: 1}, func(n *Node) (string, bool) {
		return n.Text, n.Text != "" && (n.Quoted || !IsPlainValue(n.Text) || IsNumber(n.Text))
	}, nil)
	read := c.Read
	c.Read = func(m *Mistakes, n *Node) (string, bool) {
		if n.Shape == List {
			m.Wrong(n, want+"; a formula that begins with a bracket stands in quotes, as in \"[a, b]\"")
			return "", false
		}
		return read(m, n)
	}
	c.Write = func(s string) *Node { return &Node{Shape: Scalar, Text: s, Quoted: true} }
	return c
}

// Interval is a range of numbers. An infinite end that belongs to it may be written as .inf.
type Interval struct {
	least, most               float64
	withoutLeast, withoutMost bool // the ends do not belong to it
}

// Closed is the interval with both ends.
func Closed(least, most float64) Interval { return Interval{least, most, false, false} }

// Open is the interval without its ends.
func Open(least, most float64) Interval { return Interval{least, most, true, true} }

// Above is the interval without its least number.
func Above(least, most float64) Interval { return Interval{least, most, true, false} }

// Below is the interval without its largest number.
func Below(least, most float64) Interval { return Interval{least, most, false, true} }

func (i Interval) has(x float64) bool {
	return x >= i.least && x <= i.most && !(i.withoutLeast && x == i.least) && !(i.withoutMost && x == i.most)
}

// schema leaves infinities out: to JSON there are none, and to editors they are numbers.
func (i Interval) schema() Schema {
	s := Schema{Type: Types{"number"}}
	if least := bound(i.least); i.withoutLeast {
		s.ExclusiveMinimum = least
	} else {
		s.Minimum = least
	}
	if most := bound(i.most); i.withoutMost {
		s.ExclusiveMaximum = most
	} else {
		s.Maximum = most
	}
	return s
}

func bound(x float64) json.Number {
	if math.IsInf(x, 0) {
		return ""
	}
	return json.Number(FormatNumber(x))
}

// whole is the schema of whole numbers.
func whole(least, most string) Schema {
	return Schema{Type: Types{"integer"}, Minimum: json.Number(least), Maximum: json.Number(most)}
}

// Number is a number of an interval. NaN is in none.
func Number(want string, in Interval) Codec[float64] {
	return Single(want, in.schema(), func(n *Node) (float64, bool) {
		x, ok := ParseNumber(n.Text)
		return x, ok && !n.Quoted && in.has(x)
	}, FormatNumber)
}

// Finite is any number but the infinite ones.
func Finite() Codec[float64] { return Number("a number", Open(math.Inf(-1), math.Inf(1))) }

// Positive is a number above 0.
func Positive() Codec[float64] { return Number("a number above 0", Open(0, math.Inf(1))) }

// NotNegative is a number that is not below 0.
func NotNegative() Codec[float64] { return Number("a number ≥ 0", Below(0, math.Inf(1))) }

// Share is a number from 0 to 1.
func Share() Codec[float64] { return Number("a number from 0 to 1", Closed(0, 1)) }

// FormatNumber writes the shortest text that reads back as x.
func FormatNumber(x float64) string {
	switch {
	case math.IsInf(x, 1):
		return ".inf"
	case math.IsInf(x, -1):
		return "-.inf"
	case math.IsNaN(x):
		return ".nan"
	case x == 0 || math.Abs(x) >= 1e-4 && math.Abs(x) < 1e15:
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return strings.NewReplacer("e-0", "e-", "e+0", "e", "e+", "e").Replace(strconv.FormatFloat(x, 'g', -1, 64))
}

// Count is a whole number within bounds.
func Count(least, most int) Codec[int] {
	want := fmt.Sprintf("a whole number from %d to %d", least, most)
	return Single(want, whole(strconv.Itoa(least), strconv.Itoa(most)), func(n *Node) (int, bool) {
		i, err := strconv.Atoi(n.Text)
		if x, ok := ParseNumber(n.Text); err != nil && ok && x == math.Trunc(x) && math.Abs(x) <= 1<<53 {
			i, err = int(x), nil
		}
		return i, err == nil && !n.Quoted && least <= i && i <= most
	}, strconv.Itoa)
}

// Word64 is a whole number of 64 bits.
func Word64() Codec[uint64] {
	return Single("a whole number from 0 to 18446744073709551615", whole("0", "18446744073709551615"), func(n *Node) (uint64, bool) {
		i, err := strconv.ParseUint(n.Text, 10, 64)
		return i, err == nil && !n.Quoted
	}, func(i uint64) string { return strconv.FormatUint(i, 10) })
}

// Boolean is true or false.
func Boolean() Codec[bool] {
	return Single("true or false", Schema{Type: Types{"boolean"}}, func(n *Node) (bool, bool) {
		return n.Text == "true", !n.Quoted && (n.Text == "true" || n.Text == "false")
	}, strconv.FormatBool)
}

// Pointed reads what c reads to where a pointer points, so that absence is neither of its values.
func Pointed[T any](c Codec[T]) Codec[*T] {
	return Codec[*T]{
		Want: c.Want, Schema: c.Schema, options: c.options, below: c.below,
		Read: func(m *Mistakes, n *Node) (*T, bool) {
			x, ok := c.Read(m, n)
			return &x, ok
		},
		Write: func(x *T) *Node { return c.Write(*x) },
	}
}

// OneOf is one word of several.
func OneOf(options ...Option) Codec[string] {
	known := values(options)
	want := phrase.EnumerateBy(known, "or")
	return Codec[string]{
		Want: want, Schema: Schema{Enum: asAny(known)}, options: options,
		Read: func(m *Mistakes, n *Node) (string, bool) {
			switch {
			case n.Shape == Scalar && slices.Contains(known, n.Text):
				return n.Text, true
			case n.Shape == Scalar && len(known) > 2: // two are easily told apart
				m.Wrong(n, want+Meant(n.Text, known))
			default:
				m.Wrong(n, want)
			}
			return "", false
		},
		Write: func(s string) *Node { return &Node{Shape: Scalar, Text: s} },
	}
}

// Meant asks whether a known word was meant that is near to another, at the end of a message; "" where none is near.
func Meant(word string, known []string) string {
	if near := phrase.Nearest(word, known); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}

// Sense is a word with the value that it stands for.
type Sense[T any] struct {
	Option
	of T
}

// As says what a word stands for, and what that means.
func As[T any](of T, word, meaning, formula string) Sense[T] {
	return Sense[T]{Choice(word, meaning, formula), of}
}

// Which is one of several values, each by its word.
func Which[T comparable](senses ...Sense[T]) Codec[T] {
	options := lists.Of(senses, func(s Sense[T]) Option { return s.Option })
	words := OneOf(options...)
	return Codec[T]{
		Want: words.Want, Schema: words.Schema, options: options,
		Read: func(m *Mistakes, n *Node) (x T, ok bool) {
			word, ok := words.Read(m, n)
			if i := slices.IndexFunc(senses, func(s Sense[T]) bool { return s.Value == word }); ok {
				x = senses[i].of
			}
			return x, ok
		},
		Write: func(x T) *Node {
			return words.Write(senses[slices.IndexFunc(senses, func(s Sense[T]) bool { return s.of == x })].Value)
		},
	}
}

// values lists options by their words.
func values(options []Option) []string {
	return lists.Of(options, func(o Option) string { return o.Value })
}

// TextOf is a printable text for which allowed holds.
func TextOf(want string, allowed func(s string) bool) Codec[string] {
	c := Single(want, Schema{Type: Types{"string"}, MinLength: 1}, func(n *Node) (string, bool) {
		return n.Text, (n.Quoted || !IsPlainValue(n.Text)) && allowed(n.Text)
	}, nil)
	c.Write = func(s string) *Node { return &Node{Shape: Scalar, Text: s, Quoted: !needsNoQuotes(s)} }
	return c
}

// FileName is the name of a file.
func FileName() Codec[string] {
	c := TextOf("the name of a file", func(s string) bool { return IsPrintable(s) && len(s) <= 4096 })
	write := c.Write
	c.Write = func(s string) *Node {
		n := write(s)
		n.IsFile = true
		return n
	}
	return c
}

// Label is a name that an entry of a list can go by.
func Label() Codec[string] {
	c := TextOf("a name that begins with a letter and has no dot", IsLabel)
	c.Schema.MaxLength, c.Schema.Pattern = 64, `^\p{L}[^.=]*$`
	return c
}

// IsPrintable tells whether a text is there and has only characters that show.
func IsPrintable(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool { return !strconv.IsPrint(r) }) < 0
}
