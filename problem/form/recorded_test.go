package form

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/internal/evidence"
)

// texts are right and wrong ones.
func texts() []string {
	return []string{
		"", "\n", "# nothing", "a: 1", "a: 1\r\nb: 2\r\n", "\uFEFFa: 1", "a: \uFEFF1", "a: x\ry", "a:\tx", "a: \x01", "a: \xff", "a: ä\nb: \xfe", "a: \uFFFD",
		"a:", "a:\nb: 1", "a: null", "a: ~", "- 1\n- 2", "[]", "{}", "a: []", "a: {}", "a: [1, x, 'y', \"z\"]", "a: {b: {c: 1}}", "a: {b: 1, b: 2}",
		"a: 1\nb: 2\na: 3\n", "a: 'it''s'", "a: \"q\\n\"", "a: |\n  u + v\n  + w\nb: >\n    folded\n    text\n", "a: |-\n   three\n", "x: y: z", "a: [1, 2", "a: [1, u[0], 2]", "a: [0 <= u[0] <= 7, 1",
		"a: {b: 1", "a: 'open", "a: \"open", "a: &x 1\nb: *x", "a: *x", "a: [1, 2]*p", "<<: {a: 1}", "a: !!int 1", "%YAML 1.2\n---\na: 1", "? a\n: 1", "---\na: 1\n---\nb: 2", "---\na: 1\n...\n",
		"a: 0x10", "a: 010", "a: 1e-10", "a: .inf", "a: -.inf", "a: +.Inf", "a: .nan", "a: -.nan", "a: 1_000", "a: true", "a: yes", "a: 1:30", "'a b': 1", "a.b: 1", "\"\": 1", "1: 2", "a=b: 1",
		"list:\n  - name: one\n    step: 1\n  - name: two\n    step: [1, 2]\n  - step: 3\n  - name: one\n  - name: 7\n  - name: [x]\n", "- a: 1\n  b: 2\n- - 1\n  - 2\n",
		"a:\n b:\n  c:\n   - d: 1\n     e: 'x'\n", "a: @x", "a: `x`", "a: x # said\n# more\nb: 2", "  a: 1\n b: 2", "a: 1\n  b: 2", "a", "'quoted'", "17", "a: " + strings.Repeat("long ", 20),
		"a: " + strings.Repeat("é", 60), "a: " + strings.Repeat("é", 61), strings.Repeat("k", 65) + ": 1", strings.Repeat("k", 64) + ": 1", "a: x/y_z-1.2", "a: 'on'", "a: '1'", "a: Z9", "a: \u2212x", "a: [\u22120.5, \u22121e\u22123, \u2212.inf, '\u22121', 1\u22122]",
		"a: [{name: big–dash, x: 1}, {name: big-dash, x: 2}]", "a: [{name: big—dash, x: 1}, {name: 'a.b'}]", "a: [[1, 2], [3]]", "a: [null, 1]", "a: [, 1]", "a: {b: }", "a: {b}", "a:\n- 1\n-\n- 3",
	}
}

// Texts are read as when this was recorded: values, places, paths, mistakes, and what is written of them again.
func TestTextsAreReadAsRecorded(t *testing.T) {
	var got []string
	for _, text := range texts() {
		for flag, read := range []func(*Mistakes) *Node{
			func(m *Mistakes) *Node { return ReadText(m, Place{File: "x.yaml", Rank: 1}, text) },
			func(m *Mistakes) *Node { return ReadValue(m, Place{File: "--set"}, "top.list", text) },
		} {
			found := &Mistakes{}
			root := read(found)
			got = append(got, fmt.Sprintf("%q %d: %s", text, flag, told(found)))
			if root == nil {
				continue
			}
			root.Locate([]string{"", "top.list"}[flag])
			got = append(got, dump(root, root)...)
			nodes, names, depth := root.Extent()
			got = append(got, fmt.Sprintf("  %d nodes %d names depth %d; %q; normal %q; settings %q", nodes, names, depth, root.YAML(), root.Normal().Flow(), root.Settings()))
		}
	}
	evidence.AsRecorded(t, "testdata/texts.txt", got)
}

func told(m *Mistakes) string {
	if err := m.Join(); err != nil {
		return fmt.Sprintf("%q broken %q", err, m.broken)
	}
	return "fine"
}

// dump is all that a node and those below it say of themselves.
func dump(root, n *Node) (lines []string) {
	at := root.TextPlace(n.Path, 2, 3)
	lines = []string{fmt.Sprintf("  %q %d %v %v %q %q at %d:%d:%d from %d:%d text at %d:%d is text %v; shown %q flow %q json %#v", n.Path, n.Shape, n.blank, n.Quoted, n.Text, n.Keys,
		n.At.Rank, n.At.Line, n.At.Column, n.from.Line, n.from.Column, at.Line, at.Column, root.IsText(n.Path), n.Show(), n.Flow(), n.asJSON())}
	for i, item := range n.Items {
		if n.Shape == List {
			lines = append(lines, fmt.Sprintf("   entry %s %s", root.EntryPath(n.Path, i), root.EntryPath(n.Path, i+1)))
		}
		lines = append(lines, dump(root, item)...)
	}
	return lines
}

// values are such as keys have.
func listed() []string {
	return []string{
		"0", "-0", "1", "-1", "0.5", "2", "3", "7", "8", "1e3", "1.5e0", "1e-5", "1e15", "123456789012345", "9007199254740992", "9007199254740994", "18446744073709551615", "18446744073709551616", "1e400", ".inf", "-.inf", "+.inf", "--.inf", ".nan", "'1'", "\"true\"", "true", "false", "null", "''",
		"red", "gren", "green", "blu", "x + y", "'[a, b]'", "[a, b]", "[1, 2]", "[1, x]", "[]", "[[1, 2], [3, 4]]", "[[1, 2], [3]]", "[[1], []]", "[1, [2]]", "[red, 7, 'on']", "['']", "{a: 1}", "{}", "{a: null, b: 2, c: x}", "{step: 2}", "{step: x, stap: 1}", "[{step: 1}, {step: 2}]", "[{step: 1}, 2]", "[{}]",
		"7d", "0d", "1d12h", "90s", "1h30m", "24h", "25h", "48h", "90m", "1ms", "0s", "-5s", "-1d", "never", "x7d", "70000d", "106751d", "106752d", "1dd", "9223372036854775807ns", "d", "2h0m3s",
		"file.csv", "'a b.csv'", "a.b", "a=b", "name", "'5'", "ünlaut", "'tab\there'",
		"{a.csv: 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef}", "{b: zz, a: 00}",
	}
}

// asked reads every value with a codec, and writes it again.
func asked[T any](name string, c Codec[T]) (lines []string) {
	schema, err := json.Marshal(c.Schema)
	null, again := json.Marshal(c.Schema.OrNull())
	lines = []string{fmt.Sprintf("%s: %s; %s %v; or null %s %v", name, c.Want, schema, err, null, again)}
	refused := sha256.New()
	for _, text := range listed() {
		found := &Mistakes{}
		n := ReadText(found, Place{File: "v"}, "k: "+text)
		n.Locate("")
		x, ok := c.Read(found, n.Items[0])
		if !ok {
			fmt.Fprintln(refused, text, told(found))
			continue
		}
		out := c.Write(x)
		lines = append(lines, fmt.Sprintf("  %s → %s; %+v written %s quoted %v file %v", text, told(found), deref(x), out.Flow(), out.Quoted, out.IsFile))
	}
	return append(lines, fmt.Sprintf("  others are refused: %.8x", refused.Sum(nil)))
}

func deref(x any) any {
	switch x := x.(type) {
	case *float64:
		return *x
	case *part:
		return *x
	}
	return x
}

// part is what a mapping below a key holds.
type part struct{ Step float64 }

func (p *part) describe(f *Form) {
	Field(f, "step", &p.Step, Positive(), Says("How far.", "η", "0.1"))
}

func named() Codec[[]string] {
	each := Finite()
	return NamedOf(each.Schema, "a mapping of names to numbers", func(m *Mistakes, name string, n *Node) (string, bool) {
		x, ok := each.Read(m, n)
		return fmt.Sprint(name, "=", x), ok
	}, func(s string) (string, *Node) { return s[:1], &Node{Shape: Scalar, Text: s[2:]} })
}

func colours() []Option {
	return []Option{Choice("red", "Like fire.", ""), Choice("green", "Like grass.", "λ ≈ 530 nm"), Choice("blue", "Like the sea.", "")}
}

// Values are read by every codec, refused or written again as when this was recorded.
func TestValuesAreReadAsRecorded(t *testing.T) {
	got := slices.Concat(
		asked("finite", Finite()), asked("positive", Positive()), asked("not negative", NotNegative()), asked("share", Share()),
		asked("closed", Number("a number from -1 to .inf", Closed(-1, math.Inf(1)))), asked("open", Number("between 0 and 1", Open(0, 1))), asked("above", Number("above 1", Above(1, 7))), asked("below", Number("from 1 below 7", Below(1, 7))),
		asked("count", Count(-1, 7)), asked("large", Count(0, math.MaxInt)), asked("word", Word64()), asked("boolean", Boolean()), asked("pointed", Pointed(Share())),
		asked("one of", OneOf(colours()...)), asked("one of two", OneOf(colours()[:2]...)), asked("which", Which(As(1.5, "red", "", ""), As(2.5, "green", "", ""), As(3.5, "blue", "", ""))),
		asked("formula", FormulaText("a formula")), asked("formulas", Formulas("formulas")), asked("label", Label()), asked("labels", OneOrMore(Label(), "labels")), asked("file", FileName()),
		asked("text", TextOf("at most 3 letters", func(s string) bool { return len(s) <= 3 })),
		asked("vector", VectorOf(Share())), asked("numbers", Numbers(Positive())), asked("rows", Rows()), asked("matrix", MatrixOf()), asked("chosen", SomeEntries()),
		asked("span", Span()), asked("span or never", SpanOrNever()), asked("sums", Sums()), asked("named", named()),
		asked("part", Part((*part).describe)), asked("parts", Parts("a list of parts", func(f *Form, p *part) { p.describe(f) })),
		asked("list or part", ListOrPart(Numbers(Finite()), func(xs []float64) *part { return &part{float64(len(xs))} }, func(p *part) []float64 {
			if p.Step < 2 {
				return []float64{p.Step}
			}
			return nil
		}, "a list or a mapping", (*part).describe)),
	)
	for _, text := range listed() {
		d, err := ParseSpan(text)
		x, ok := ParseNumber(text)
		got = append(got, fmt.Sprintf("%s is a span of %v %v written %s, a number %v %v %v, a label %v, plain %v, joined %s %s", text, d, err != nil, formatSpan(d), x, ok, IsNumber(text), IsLabel(text), IsPlainValue(text), Join("", text), Join("a", text)))
	}
	for _, x := range []float64{0, 1, -1, 1e-4, 9.9e-5, -1e-4, 1e15, 999999999999999, -1e15, 1e16, 1.25e-7, 1e100, 1e-100, math.Inf(1), math.Inf(-1), math.NaN()} {
		got = append(got, FormatNumber(x))
	}
	for _, d := range []time.Duration{0, time.Second, time.Hour, 23 * time.Hour, day, day + 1, day + time.Hour, 2 * day, 90 * time.Minute, time.Hour + time.Second, Never, 10 * time.Minute, 10 * time.Hour} {
		got = append(got, formatSpan(d))
	}
	evidence.AsRecorded(t, "testdata/values.txt", got)
}

// Entries are chosen by number or by name, and nothing is chosen that is not there.
func TestEntriesAreChosenAsRecorded(t *testing.T) {
	var got []string
	for _, names := range [][]string{nil, {"apples", "pears"}} {
		for _, e := range []Chosen{{}, {All: true}, {Some: []string{"0"}}, {Some: []string{"1", "0"}}, {Some: []string{"2"}}, {Some: []string{"-1"}}, {Some: []string{"pears"}}, {Some: []string{"paers"}}, {Some: []string{"zzzzzz"}}} {
			which, fault := e.Of(2, names)
			got = append(got, fmt.Sprintf("%v of %v: %v %q none %v", e, names, which, fault, e.None()))
		}
	}
	evidence.AsRecorded(t, "testdata/chosen.txt", got)
}
