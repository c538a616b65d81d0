package form

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kedge-opt/kedge/internal/lists"
)

// Shape is what a node is.
type Shape int

// The shapes of a value: nothing, a text, a list of values, or keys with values.
const (
	Null Shape = iota
	Scalar
	List
	Mapping
)

// Node is a YAML value with the place it was written at. Values of a mapping stand at their key.
type Node struct {
	Shape  Shape
	blank  bool     // null because nothing was written
	Text   string   // of a scalar
	Quoted bool     // of a scalar
	Keys   []string // of a mapping, in the order written
	Items  []*Node  // the entries of a list, the values of a mapping
	At     Place
	from   Place  // of a scalar: where its text begins
	Path   string // as in "algorithms.composite.step"
	IsFile bool   // of a text that was printed: the name of a file
}

// Get returns the value of a key, nil when it is absent. A key that holds null counts as absent.
func (n *Node) Get(key string) *Node {
	i := slices.Index(n.Keys, key)
	if i < 0 || n.Items[i].Shape == Null {
		return nil
	}
	return n.Items[i]
}

// Put sets the value of a key. Null takes away a key that is there.
func (n *Node) Put(key string, value *Node) {
	i := slices.Index(n.Keys, key)
	switch {
	case i < 0:
		n.Keys = append(n.Keys, key)
		n.Items = append(n.Items, value)
	case value.Shape == Null:
		n.Drop(key)
	default:
		n.Items[i] = value
	}
}

// Drop takes a key out.
func (n *Node) Drop(key string) {
	if i := slices.Index(n.Keys, key); i >= 0 {
		n.Keys, n.Items = slices.Delete(n.Keys, i, i+1), slices.Delete(n.Items, i, i+1)
	}
}

// Merge puts another mapping over n: mappings merge key by key, anything else replaces what was there.
func (n *Node) Merge(over *Node) {
	for i, key := range over.Keys {
		value := over.Items[i]
		if below := n.Get(key); below != nil && below.Shape == Mapping && value.Shape == Mapping {
			below.Merge(value)
			continue
		}
		n.Put(key, value)
	}
}

// entry returns the position of a list's entry, named by its number or by the name that the entry itself carries. A hyphen, which can be
// typed, stands for any dash of a name unless another entry has just that name.
func (n *Node) entry(name string) (index int, ok bool) {
	if i, err := strconv.Atoi(name); err == nil {
		return i, i >= 0 && i < len(n.Items)
	}
	for _, same := range []func(string) string{func(s string) string { return s }, hyphened} {
		if i := slices.IndexFunc(n.Items, func(item *Node) bool { return same(item.name()) == name }); i >= 0 {
			return i, true
		}
	}
	return 0, false
}

// hyphened is a name with hyphens for dashes.
func hyphened(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= '\u2010' && r <= '\u2015' || r == '\u2212' {
			return '-'
		}
		return r
	}, name)
}

// name returns the value of a mapping's name key, "" when there is none.
func (n *Node) name() string {
	if v := n.Get("name"); v != nil && v.Shape == Scalar {
		return v.Text
	}
	return ""
}

// Locate gives every node its path. Entries of a list go by their name where that is unambiguous, otherwise by number.
func (n *Node) Locate(path string) {
	n.Path = path
	for i, item := range n.Items {
		key := strconv.Itoa(i)
		if n.Shape == Mapping {
			key = n.Keys[i]
		} else if first, _ := n.entry(item.name()); first == i && IsLabel(item.name()) {
			key = item.name()
		}
		item.Locate(Join(path, key))
	}
}

// find returns the node of a path, or the nearest one above it. A spec that nobody wrote has a single place.
func (n *Node) find(path string) *Node {
	if n == nil {
		return &Node{At: Place{File: "spec"}}
	}
	for _, item := range n.Items {
		if within(path, item.Path) {
			return item.find(path)
		}
	}
	return n
}

// PlaceOf returns where a path was written, or where the nearest key above it was.
func (n *Node) PlaceOf(path string) Place { return n.find(path).At }

// EntryPath returns the path of an entry of the list at a path, which goes by its name if it has one.
func (n *Node) EntryPath(list string, i int) string {
	if found := n.find(list); found.Path == list && found.Shape == List && i < len(found.Items) {
		return found.Items[i].Path
	}
	return Join(list, strconv.Itoa(i))
}

// TextPlace returns the place of a character of the text at a path: line and column count within the text.
func (n *Node) TextPlace(path string, line, column int) Place {
	found := n.find(path)
	at := found.At
	if found.Shape == Scalar && found.Path == path && found.from.Line > 0 {
		at.Line, at.Column = found.from.Line+line-1, found.from.Column+column-1
	}
	return at
}

// IsText tells whether a text was written at a path.
func (n *Node) IsText(path string) bool {
	found := n.find(path)
	return found.Path == path && found.Shape == Scalar
}

// Show writes a value as a message quotes it: short, and unmistakably text where it is text.
func (n *Node) Show() string {
	switch n.Shape {
	case Null:
		return "null"
	case List:
		if len(n.Items) == 0 {
			return "an empty list"
		}
		return fmt.Sprintf("a list of %d", len(n.Items))
	case Mapping:
		return "a mapping"
	}
	if !n.Quoted && IsPlainValue(n.Text) {
		return Shorten(n.Text)
	}
	return strconv.Quote(Shorten(n.Text))
}

// Entries writes a number of entries.
func Entries(n int) string {
	if n == 1 {
		return "1 entry"
	}
	return fmt.Sprintf("%d entries", n)
}

// Shorten cuts a text to what fits in a message.
func Shorten(s string) string {
	const most = 60
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most]) + "…"
}

// Join appends a key to a path.
func Join(path, key string) string {
	if _, err := strconv.Atoi(key); err != nil && !IsLabel(key) {
		key = strconv.Quote(Shorten(key))
	}
	if path == "" {
		return key
	}
	return path + "." + key
}

// within tells whether path is root or lies below it.
func within(path, root string) bool {
	return len(path) >= len(root) && path[:len(root)] == root && (len(path) == len(root) || path[len(root)] == '.')
}

// IsLabel tells whether s can name an entry of a list: short, begins with a letter, no dot and nothing unprintable.
func IsLabel(s string) bool {
	first, _ := utf8.DecodeRuneInString(s)
	return len(s) <= 64 && unicode.IsLetter(first) &&
		strings.IndexFunc(s, func(r rune) bool { return r == '.' || r == '=' || !strconv.IsPrint(r) }) < 0
}

// IsPlainValue tells whether an unquoted text means something other than itself: a number, true, false or null.
func IsPlainValue(s string) bool {
	switch s {
	case "true", "false", "null", "~", "":
		return true
	}
	return IsNumber(s)
}

// IsNumber tells whether a text is a number.
func IsNumber(s string) bool {
	_, ok := ParseNumber(s)
	return ok
}

// ParseNumber reads a decimal number, .inf or .nan. Anything else that some YAML reader takes for a number is text here:
// 0x10, 1_000, 1:30.
func ParseNumber(s string) (x float64, ok bool) {
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

// NumberOf returns the number that a value is, NaN when it is none.
func NumberOf(value string) float64 {
	if x, ok := ParseNumber(value); ok {
		return x
	}
	return math.NaN()
}

// asJSON returns a value as encoding/json knows it, nil for what JSON has no number for.
func (n *Node) asJSON() any {
	switch {
	case n == nil || n.Shape != Scalar:
		return nil
	case n.Quoted || !IsPlainValue(n.Text):
		return n.Text
	case n.Text == "true" || n.Text == "false":
		return n.Text == "true"
	}
	if x, _ := ParseNumber(n.Text); math.IsInf(x, 0) {
		return nil
	}
	return json.Number(n.Text)
}

// Flow writes a value on one line.
func (n *Node) Flow() string {
	switch {
	case n.Shape == List:
		return "[" + strings.Join(lists.Of(n.Items, (*Node).Flow), ", ") + "]"
	case n.Shape == Mapping:
		items := make([]string, len(n.Items))
		for i, item := range n.Items {
			items[i] = keyText(n.Keys[i]) + ": " + item.Flow()
		}
		return "{" + strings.Join(items, ", ") + "}"
	case n.Shape == Null:
		return "null"
	case n.Quoted:
		return strconv.Quote(n.Text)
	}
	return n.Text
}

// keyText writes a key, in quotes where a reader could stumble over it.
func keyText(key string) string {
	if needsNoQuotes(key) {
		return key
	}
	return strconv.Quote(key)
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
	return s != "" && 'A' <= s[0]
}
