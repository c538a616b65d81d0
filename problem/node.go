package problem

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// kind is what a node is.
type kind int

const (
	null kind = iota
	scalar
	list
	mapping
)

// node is a YAML value with the place it was written at. Values of a mapping stand at their key.
type node struct {
	kind   kind
	blank  bool     // null because nothing was written
	text   string   // of a scalar
	quoted bool     // of a scalar
	keys   []string // of a mapping, in the order written
	items  []*node  // the entries of a list, the values of a mapping
	at     place
	from   place  // of a scalar: where its text begins
	path   string // as in "algorithms.composite.step"
}

// get returns the value of a key, nil when it is absent. A key that holds null counts as absent.
func (n *node) get(key string) *node {
	i := slices.Index(n.keys, key)
	if i < 0 || n.items[i].kind == null {
		return nil
	}
	return n.items[i]
}

// put sets the value of a key. Null takes away a key that is there.
func (n *node) put(key string, value *node) {
	i := slices.Index(n.keys, key)
	switch {
	case i < 0:
		n.keys = append(n.keys, key)
		n.items = append(n.items, value)
	case value.kind == null:
		n.keys = slices.Delete(n.keys, i, i+1)
		n.items = slices.Delete(n.items, i, i+1)
	default:
		n.items[i] = value
	}
}

// merge puts another mapping over n: mappings merge key by key, anything else replaces what was there.
func (n *node) merge(over *node) {
	for i, key := range over.keys {
		value := over.items[i]
		if below := n.get(key); below != nil && below.kind == mapping && value.kind == mapping {
			below.merge(value)
			continue
		}
		n.put(key, value)
	}
}

// entry returns the position of a list's entry, named by its number or by the name that the entry itself carries.
func (n *node) entry(name string) (index int, ok bool) {
	if i, err := strconv.Atoi(name); err == nil {
		return i, i >= 0 && i < len(n.items)
	}
	for i, item := range n.items {
		if item.name() == name {
			return i, true
		}
	}
	return 0, false
}

// name returns the value of a mapping's name key, "" when there is none.
func (n *node) name() string {
	if n.kind != mapping {
		return ""
	}
	if v := n.get("name"); v != nil && v.kind == scalar {
		return v.text
	}
	return ""
}

// locate gives every node its path. Entries of a list go by their name where that is unambiguous, otherwise by number.
func (n *node) locate(path string) {
	n.path = path
	for i, item := range n.items {
		switch {
		case n.kind == mapping:
			item.locate(join(path, n.keys[i]))
		case isLabel(item.name()) && n.firstNamed(item.name()) == i:
			item.locate(join(path, item.name()))
		default:
			item.locate(join(path, strconv.Itoa(i)))
		}
	}
}

func (n *node) firstNamed(name string) int {
	i, _ := n.entry(name)
	return i
}

// find returns the node of a path, or the nearest one above it.
func (n *node) find(path string) *node {
	for _, item := range n.items {
		if within(path, item.path) {
			return item.find(path)
		}
	}
	return n
}

// placeOf returns where a path was written, or where the nearest key above it was.
func (n *node) placeOf(path string) place {
	if n == nil {
		return place{file: "spec"}
	}
	return n.find(path).at
}

// textPlace returns the place of a character of the text at a path: line and column count within the text.
func (n *node) textPlace(path string, line, column int) place {
	if n == nil {
		return n.placeOf(path)
	}
	found := n.find(path)
	at := found.at
	if found.kind == scalar && found.path == path && found.from.line > 0 {
		at.line, at.column = found.from.line+line-1, found.from.column+column-1
	}
	return at
}

// show writes a value as a message quotes it: short, and unmistakably text where it is text.
func (n *node) show() string {
	switch n.kind {
	case null:
		return "null"
	case list:
		if len(n.items) == 0 {
			return "an empty list"
		}
		return fmt.Sprintf("a list of %d", len(n.items))
	case mapping:
		return "a mapping"
	}
	if !n.quoted && isPlainValue(n.text) {
		return shorten(n.text)
	}
	return strconv.Quote(shorten(n.text))
}

// plural writes a number of things: "1 entry", "2 entries".
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func entries(n int) string { return plural(n, "entry", "entries") }

// shape writes how large a matrix is.
func shape(rows, columns int) string {
	return plural(rows, "row", "rows") + " of " + entries(columns)
}

// shorten cuts a text to what fits in a message.
func shorten(s string) string {
	const most = 60
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most]) + "…"
}

// join appends a key to a path.
func join(path, key string) string {
	if _, err := strconv.Atoi(key); err != nil && !isLabel(key) {
		key = strconv.Quote(shorten(key))
	}
	if path == "" {
		return key
	}
	return path + "." + key
}

// isLabel tells whether s can name an entry of a list: short, begins with a letter, no dot and nothing unprintable.
func isLabel(s string) bool {
	first, _ := utf8.DecodeRuneInString(s)
	return len(s) <= 64 && unicode.IsLetter(first) &&
		strings.IndexFunc(s, func(r rune) bool { return r == '.' || r == '=' || !strconv.IsPrint(r) }) < 0
}

// isPlainValue tells whether an unquoted text means something other than itself: a number, true, false or null.
func isPlainValue(s string) bool {
	switch s {
	case "true", "false", "null", "~", "":
		return true
	}
	return isNumber(s)
}

func isNumber(s string) bool {
	_, ok := parseNumber(s)
	return ok
}

// parseNumber reads a decimal number, .inf or .nan. Anything else that some YAML reader takes for a number is text here:
// 0x10, 1_000, 1:30.
func parseNumber(s string) (x float64, ok bool) {
	switch strings.ToLower(strings.TrimLeft(s, "+-")) {
	case ".inf":
		return math.Inf(1 - 2*strings.Count(s, "-")), len(s) <= len("-.inf")
	case ".nan":
		return math.NaN(), len(s) == len(".nan")
	}
	if strings.Trim(s, "+-.0123456789eE") != "" {
		return 0, false
	}
	x, err := strconv.ParseFloat(s, 64)
	return x, err == nil
}

// asJSON returns a value as encoding/json knows it, nil for what JSON has no number for.
func (n *node) asJSON() any {
	switch {
	case n == nil || n.kind != scalar:
		return nil
	case n.quoted || !isPlainValue(n.text):
		return n.text
	case n.text == "true" || n.text == "false":
		return n.text == "true"
	}
	if x, _ := parseNumber(n.text); math.IsInf(x, 0) {
		return nil
	}
	return json.Number(n.text)
}

// enumerate writes a list of words: "a, b and c".
func enumerate(words []string, last string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	end := len(words) - 1
	return strings.Join(words[:end], ", ") + " " + last + " " + words[end]
}
