package problem

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// codec turns the value of a key into a Go value and back.
type codec[T any] struct {
	want   string // what is allowed, in words
	schema schema // what is allowed, for programs; a schema may allow more
	read   func(m *mistakes, n *node) (x T, ok bool)
	write  func(x T) *node

	options []Option // of one word of several
}

// plain makes a codec of single values from how their text is understood and written.
func plain[T any](want string, s schema, parse func(n *node) (T, bool), format func(T) string) codec[T] {
	return codec[T]{
		want: want, schema: s,
		read: func(m *mistakes, n *node) (x T, ok bool) {
			if n.kind == scalar {
				x, ok = parse(n)
			}
			if !ok {
				m.wrong(n, want)
			}
			return x, ok
		},
		write: func(x T) *node { return &node{kind: scalar, text: format(x)} },
	}
}

// number is a number of an interval. NaN is in none.
func number(want string, in interval) codec[float64] {
	return plain(want, in.schema(), func(n *node) (float64, bool) {
		x, ok := parseNumber(n.text)
		return x, ok && !n.quoted && in.has(x)
	}, formatNumber)
}

func finite() codec[float64]      { return number("a number", open(math.Inf(-1), math.Inf(1))) }
func positive() codec[float64]    { return number("a number above 0", open(0, math.Inf(1))) }
func notNegative() codec[float64] { return number("a number ≥ 0", below(0, math.Inf(1))) }
func share() codec[float64]       { return number("a number from 0 to 1", closed(0, 1)) }

// upperBound is a bound that may be infinite.
func upperBound() codec[float64] {
	return number("a number or .inf", above(math.Inf(-1), math.Inf(1)))
}

func lowerBound() codec[float64] {
	return number("a number or -.inf", below(math.Inf(-1), math.Inf(1)))
}

// formatNumber writes the shortest text that reads back as x.
func formatNumber(x float64) string {
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

// count is a whole number within bounds.
func count(least, most int) codec[int] {
	want := fmt.Sprintf("a whole number from %d to %d", least, most)
	return plain(want, whole(strconv.Itoa(least), strconv.Itoa(most)), func(n *node) (int, bool) {
		i, err := strconv.Atoi(n.text)
		if x, ok := parseNumber(n.text); err != nil && ok && x == math.Trunc(x) && math.Abs(x) <= 1<<53 {
			i, err = int(x), nil
		}
		return i, err == nil && !n.quoted && least <= i && i <= most
	}, strconv.Itoa)
}

// word is a whole number of 64 bits.
func word() codec[uint64] {
	return plain("a whole number from 0 to 18446744073709551615", whole("0", "18446744073709551615"), func(n *node) (uint64, bool) {
		i, err := strconv.ParseUint(n.text, 10, 64)
		return i, err == nil && !n.quoted
	}, func(i uint64) string { return strconv.FormatUint(i, 10) })
}

func boolean() codec[bool] {
	return plain("true or false", schema{Type: words{"boolean"}}, func(n *node) (bool, bool) {
		return n.text == "true", !n.quoted && (n.text == "true" || n.text == "false")
	}, strconv.FormatBool)
}

// oneOf is one word of several.
func oneOf(options ...Option) codec[string] {
	known := values(options)
	c := plain(enumerate(known, "or"), schema{Enum: asAny(known)}, func(n *node) (string, bool) {
		return n.text, slices.Contains(known, n.text)
	}, func(s string) string { return s })
	c.options = options
	return c
}

// values lists options by their words.
func values(options []Option) (list []string) {
	for _, o := range options {
		list = append(list, o.Value)
	}
	return list
}

// text is a printable text for which allowed holds.
func text(want string, allowed func(s string) bool) codec[string] {
	c := plain(want, schema{Type: words{"string"}, MinLength: 1}, func(n *node) (string, bool) {
		return n.text, (n.quoted || !isPlainValue(n.text)) && allowed(n.text)
	}, nil)
	c.write = func(s string) *node { return &node{kind: scalar, text: s, quoted: !needsNoQuotes(s)} }
	return c
}

func fileName() codec[string] {
	return text("the name of a file", func(s string) bool { return isPrintable(s) && len(s) <= 4096 })
}

func label() codec[string] {
	c := text("a name that begins with a letter and has no dot", isLabel)
	c.schema.MaxLength, c.schema.Pattern = 64, `^\p{L}[^.=]*$`
	return c
}

func isPrintable(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool { return !strconv.IsPrint(r) }) < 0
}

// needsNoQuotes tells whether every YAML reader takes the unquoted text for itself.
func needsNoQuotes(s string) bool {
	for _, r := range s {
		if !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '-' || r == '_' || r == '.' || r == '/') {
			return false
		}
	}
	switch strings.ToLower(s) {
	case "y", "n", "yes", "no", "on", "off", "true", "false", "null":
		return false
	}
	return s != "" && 'A' <= s[0] && s[0] <= 'z'
}
