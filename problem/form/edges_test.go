package form

import (
	"math"
	"strings"
	"testing"
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
