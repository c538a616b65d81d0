package form

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// A name of a file shows from its first character on.
func TestFilesThatDoNotShow(t *testing.T) {
	for text, want := range map[string]bool{"a": true, "a b.csv": true, "": false, "\x01a": false, "a\x01": false, "a\u200bb": false, "\n": false} {
		if IsPrintable(text) != want {
			t.Errorf("%q is printable: %v", text, !want)
		}
	}
	for n, want := range map[int]bool{4096: true, 4097: false} {
		if _, ok := FileName().Read(&Mistakes{}, &Node{Shape: Scalar, Text: strings.Repeat("a", n)}); ok != want {
			t.Errorf("a name of %d bytes is taken: %v", n, ok)
		}
	}
}

// A key that must be there is missed where it says null, and not told twice where nothing stands behind it.
func TestKeysThatSayNothingAreMissed(t *testing.T) {
	for text, want := range map[string]string{
		"a: null": "x.yaml:1: a is missing, want a number above 0", "a: ~": "x.yaml:1: a is missing, want a number above 0", "{}": "x.yaml:1: a is missing, want a number above 0",
		"a:": "x.yaml:1: a has no value; null stands for its default", "aa: 1": "x.yaml:1: unknown key aa, did you mean a?",
	} {
		found, x := &Mistakes{}, 0.0
		root := ReadText(found, Place{File: "x.yaml"}, text)
		root.Locate("")
		Read(root, found, func(f *Form) { Field(f, "a", &x, Positive(), Says("It.", "", "1")) })
		if err := found.Join(); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// Hyphens stand for the dashes from U+2010 to U+2015 and for the minus sign, and for nothing beside them.
func TestHyphensStandForDashes(t *testing.T) {
	for r, want := range map[rune]rune{'\u200f': '\u200f', '\u2010': '-', '\u2011': '-', '\u2013': '-', '\u2014': '-', '\u2015': '-', '\u2016': '\u2016', '\u2211': '\u2211', '\u2212': '-', '\u2213': '\u2213', '-': '-', 'a': 'a'} {
		if got := hyphened("x" + string(r) + "y"); got != "x"+string(want)+"y" {
			t.Errorf("%U is %q", r, got)
		}
	}
}

// A place behind a text counts lines, and characters of the last line, from 1.
func TestPlacesBehindTexts(t *testing.T) {
	for text, want := range map[string]Place{"": {Line: 1, Column: 1}, "ab": {Line: 1, Column: 3}, "ab\n": {Line: 2, Column: 1}, "ab\ncä": {Line: 2, Column: 3}, "\n\nüüü": {Line: 3, Column: 4}} {
		if got := behind(text); got != want {
			t.Errorf("behind %q: %+v, want %+v", text, got, want)
		}
	}
	for text, want := range map[string]Place{"a: \xff": {Line: 1, Column: 4}, "a: ä\nb: \x01": {Line: 2, Column: 4}, "ää: \uFEFF1": {Line: 1, Column: 5}} {
		if at := checkText(text).Place; at != want {
			t.Errorf("%q is wrong at %+v, want %+v", text, at, want)
		}
	}
}

// Days are decimal.
func TestDaysAreDecimal(t *testing.T) {
	for text, want := range map[string]string{"10d": "10d", "1ad": "", "ad": "", "9d1h": "217h", "65535d": "65535d", "65536d": ""} {
		d, err := ParseSpan(text)
		if (err == nil) != (want != "") || err == nil && formatSpan(d) != want {
			t.Errorf("%s is %s (%v), want %q", text, formatSpan(d), err, want)
		}
	}
}

// What is a number has its value, and anything else none.
func TestNumbersOfValues(t *testing.T) {
	for text, want := range map[string]float64{"5": 5, "-2.5e1": -25, "0": 0, ".inf": math.Inf(1), "-.inf": math.Inf(-1)} {
		if got := NumberOf(text); got != want {
			t.Errorf("%s is %v, want %v", text, got, want)
		}
	}
	for _, text := range []string{"x", "", "true", ".nan", "1_0"} {
		if got := NumberOf(text); !math.IsNaN(got) {
			t.Errorf("%s is %v", text, got)
		}
	}
}

// A value is left out beside what it follows, where that is there and the same.
func TestWhatFollowsIsLeftOut(t *testing.T) {
	var trials, times int
	describe := func(f *Form) {
		Field(f, "trials", &trials, Count(1, 9).Optional(), Says("How many.", "", "3"))
		Field(f, "times", &times, Count(1, 9).Like("trials", 4), Says("How often.", "", "3"))
	}
	v := NewVocabulary(describe)
	for text, want := range map[string]string{"trials: 3\ntimes: 3": "trials: 3", "trials: 3\ntimes: 4": "trials: 3 times: 4", "times: 3": "times: 3"} {
		root := ReadText(&Mistakes{}, Place{File: "x"}, text)
		var lines []string
		for line := range strings.Lines(string(v.Annotate(root))) {
			lines = append(lines, strings.TrimSpace(line[:strings.Index(line, "#")]))
		}
		if got := strings.Join(lines, " "); got != want {
			t.Errorf("%q is written %q", text, got)
		}
	}
}

// A text may have 200,000 words and signs, however they are counted.
func TestWordsAreCounted(t *testing.T) {
	l, word := limits{tokens: MaxTokens - 1}, &token.Token{Type: token.StringType}
	for i, want := range []string{"", "too long: more than 200000 words and signs", "too long: more than 200000 words and signs"} {
		if got := l.refuse(word); got != want {
			t.Errorf("word %d is refused by %q, want %q", MaxTokens+i, got, want)
		}
	}
}

// What the library leaves out is nowhere in the file, and no value at all.
func TestTokensWithoutAPlace(t *testing.T) {
	for _, tk := range []*token.Token{nil, {}} {
		if m := faultAt(tk, "it is %s", "odd"); m.Line != 0 || m.Column != 0 || m.Msg != "it is odd" {
			t.Errorf("%+v", m)
		}
		if at := (&tree{origin: Place{File: "x", Rank: 2}}).at(tk); at != (Place{File: "x", Rank: 2}) {
			t.Errorf("at %+v", at)
		}
	}
	if m := faultAt(&token.Token{Position: &token.Position{Line: 3, Column: 4}}, "odd"); m.Line != 3 || m.Column != 4 {
		t.Errorf("%+v", m)
	}
	found := &Mistakes{}
	root := (&tree{Mistakes: found, origin: Place{File: "x"}, path: "a"}).read(func(string) (ast.Node, *Mistake) { return &ast.NullNode{BaseNode: &ast.BaseNode{}}, nil }, "")
	if err := found.Join(); root == nil || root.Shape != Null || !root.blank || err == nil || err.Error() != "x: a has no value; null stands for its default" {
		t.Errorf("%+v, %v", root, err)
	}
}

// Lines are broken where the next word does not fit any more, and not where it just does.
func TestLinesAreBroken(t *testing.T) {
	for width, want := range map[int][]string{4: {"äb", "cd", "efg"}, 5: {"äb cd", "efg"}, 8: {"äb cd", "efg"}, 9: {"äb cd efg"}, 1: {"äb", "cd", "efg"}} {
		if got := breakLines([]string{" äb  cd efg"}, width); !slices.Equal(got, want) {
			t.Errorf("%d wide: %q, want %q", width, got, want)
		}
	}
	if got := breakLines([]string{"", "a"}, 9); !slices.Equal(got, []string{"", "a"}) {
		t.Errorf("%q", got)
	}
}

// An entry goes by the name that it has in the list of that path, and by its number in any other.
func TestEntriesOfOtherLists(t *testing.T) {
	root := ReadText(&Mistakes{}, Place{File: "x"}, "a: [{name: one}, {name: two}]\nb: {name: x}")
	root.Locate("")
	for _, c := range []struct {
		list string
		i    int
		want string
	}{{"a", 1, "a.two"}, {"a", 2, "a.2"}, {"a.zzz", 1, "a.zzz.1"}, {"a.one", 0, "a.one.0"}, {"b", 0, "b.0"}, {"c", 0, "c.0"}} {
		if got := root.EntryPath(c.list, c.i); got != c.want {
			t.Errorf("entry %d of %s is %s, want %s", c.i, c.list, got, c.want)
		}
	}
}

// What several sections share is told once where it is all of a section, and not where a choice comes first.
func TestChoicesComeBeforeWhatIsShared(t *testing.T) {
	var size float64
	shared := func(f *Form) {
		f.Shared("s", func() { Field(f, "size", &size, Positive(), Says("How large.", "", "1")) })
	}
	for name, x := range map[string]struct {
		describe func(*Form)
		want     []string
	}{"all of it": {shared, []string{"s"}}, "behind a choice": {func(f *Form) {
		if f.Decide("x", false) {
			shared(f)
		}
	}, nil}, "behind a key": {func(f *Form) {
		Field(f, "other", &size, Positive(), Says("Another.", "", "1"))
		shared(f)
	}, nil}, "within another": {func(f *Form) { f.Shared("r", func() { shared(f) }) }, []string{"r"}}} {
		if got := NewVocabulary(x.describe).root.shelf.names; !slices.Equal(got, x.want) {
			t.Errorf("%s: %q, want %q", name, got, x.want)
		}
	}
}

// Comments are as wide as 118 columns let them be: above a section behind its indentation and a sign, beside a key behind column 34.
func TestCommentsFillTheirLines(t *testing.T) {
	words := func(n int) string { return strings.Repeat("x", n-51) + " " + strings.Repeat("y", 50) }
	for name, x := range map[string]struct {
		room     int
		describe func(m Meaning) func(*Form)
	}{
		"a section": {116, func(m Meaning) func(*Form) { return func(f *Form) { f.Section("a", m, below) } }},
		"a section of a section": {114, func(m Meaning) func(*Form) {
			return func(f *Form) { f.Section("b", Says("", "", ""), func(f *Form) { f.Section("a", m, below) }) }
		}},
		"a key": {82, func(m Meaning) func(*Form) { return func(f *Form) { Field(f, "a", new(float64), Positive(), m) } }},
	} {
		for more, lines := range []int{1, 2} {
			describe := x.describe(Says(words(x.room+more), "", "1"))
			text := string(NewVocabulary(describe).Annotate(Print(describe)))
			if got := len(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' })); strings.Count(text, "# x")+strings.Count(text, "# y") != lines {
				t.Errorf("%s: %d characters in %d lines:\n%s", name, x.room+more, got, text)
			}
		}
	}
}

// below is a section with one key.
func below(f *Form) { Field(f, "k", new(float64), Positive(), Says("", "", "1")) }

// A vector of no length, or of more than numbers hold, points nowhere; the longest that they hold points somewhere.
func TestVectorsThatPointNowhere(t *testing.T) {
	for name, x := range map[string]struct {
		v    []float64
		want string
	}{
		"nothing": {nil, ""}, "zeros": {[]float64{0, 0}, "x: a has length 0 and points nowhere"}, "short": {[]float64{5e-324, 0}, ""}, "long": {[]float64{math.MaxFloat64, 0}, ""},
		"endless": {[]float64{math.MaxFloat64, -math.MaxFloat64}, "x: a has length +Inf and points nowhere"}, "of another length": {[]float64{1}, "x: a has 1 entry, it has 2"},
	} {
		c := &Check{Mistakes: &Mistakes{}, Root: &Node{Shape: Mapping, At: Place{File: "x"}}}
		c.Direction("a", x.v, Length{2, "it", nil})
		got := ""
		if err := c.Join(); err != nil {
			got = err.Error()
		}
		if got != x.want {
			t.Errorf("%s: %q, want %q", name, got, x.want)
		}
	}
}

// Whole numbers that are written with a point or an exponent are taken up to 2⁵³, beyond which neighbours are the same.
func TestWholeNumbersWithAPoint(t *testing.T) {
	c := Count(-1<<62, 1<<62)
	for text, want := range map[string]int{"9007199254740992.0": 1 << 53, "-9.007199254740992e15": -1 << 53, "9007199254740994": 1<<53 + 2, "9007199254740994.0": 0, "-9.007199254740994e15": 0, "1.5": 0, "3.0": 3, "1e3": 1000} {
		if got, ok := c.Read(&Mistakes{}, &Node{Shape: Scalar, Text: text}); ok != (want != 0) || ok && got != want {
			t.Errorf("%s is %d, %v, want %d", text, got, ok, want)
		}
	}
}

// Entries of lists that begin on one line are nested, at most 32 of them; on another line the count begins again.
func TestDashesOfALineAreCounted(t *testing.T) {
	l := limits{}
	for i := range 2*MaxDepth + 1 {
		line := 1 + i/MaxDepth
		got := l.refuse(&token.Token{Type: token.SequenceEntryType, Position: &token.Position{Line: line}})
		if got != "" {
			t.Errorf("dash %d is refused: %s", i, got)
		}
	}
	for range MaxDepth - 1 {
		l.refuse(&token.Token{Type: token.SequenceEntryType, Position: &token.Position{Line: 3}})
	}
	if got := l.refuse(&token.Token{Type: token.SequenceEntryType, Position: &token.Position{Line: 3}}); got != "nested more than 32 deep" {
		t.Errorf("one dash more is refused by %q", got)
	}
}

// Words without a sentence are told beside keys without one.
func TestWordsWithoutASentenceAreTold(t *testing.T) {
	var x string
	v := NewVocabulary(func(f *Form) {
		Field(f, "colour", &x, OneOf(Choice("red", "Like fire", ""), Choice("green", "Like grass.", ""), Choice("blue", "", "")), Says("How it looks", "", "pink"))
	})
	want := []string{`colour means "How it looks", want a sentence`, `colour: red means "Like fire", want a sentence`, `colour: blue means "", want a sentence`, `the example "pink" of colour is not accepted, want red, green or blue`}
	if got := v.Faults(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A character is looked for in the text of its path, and not in one above it.
func TestPlacesInTexts(t *testing.T) {
	root := ReadText(&Mistakes{}, Place{File: "x"}, "a: 'u + v'\nb: [1, 2]")
	root.Locate("")
	for path, want := range map[string][2]int{"a": {2, 7}, "a.zzz": {1, 1}, "b": {2, 1}, "b.0": {3, 7}} {
		if at := root.TextPlace(path, 2, 3); at.Line != want[0] || at.Column != want[1] {
			t.Errorf("%s: %d:%d, want %v", path, at.Line, at.Column, want)
		}
	}
}

// Of more than two words the nearest is suggested for another word, and none for what is no word.
func TestNearWordsAreSuggested(t *testing.T) {
	three := []Option{Choice("red", "", ""), Choice("green", "", ""), Choice("blue", "", "")}
	for text, want := range map[string]string{"k: gren": "want red, green or blue; did you mean green?", "k: [gren]": "want red, green or blue", "k: 7": "want red, green or blue"} {
		found := &Mistakes{}
		n := ReadText(found, Place{File: "v"}, text)
		n.Locate("")
		if _, ok := OneOf(three...).Read(found, n.Items[0]); ok || !strings.HasSuffix(found.Found[0].Msg, want) {
			t.Errorf("%s: %s, want %s", text, found.Found[0].Msg, want)
		}
	}
}

// A kind that is picked is a copy of the known one, with what that has.
func TestFreshKindsHaveWhatIsKnown(t *testing.T) {
	known := []rule{&still{Calm: 0.5}}
	got := Fresh(known, "still").(*still)
	if got.Calm != 0.5 {
		t.Errorf("it is %+v", got)
	}
	if got.Calm = 1; known[0].(*still).Calm != 0.5 {
		t.Error("it is the known one itself")
	}
}
