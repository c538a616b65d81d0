package record

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/problem/form"
)

// A thousand groups are taken, one more is refused, with the first row.
func TestMoreGroupsThanAreTaken(t *testing.T) {
	of := func(n int) string {
		var text strings.Builder
		text.WriteString("who,week,y,q,g\n")
		for i := range n {
			fmt.Fprintf(&text, "a,%d,1,1,g%d\n", i, i)
		}
		return text.String()
	}
	if l, err := read(t, "group: g", of(1000)); err != nil || len(l.Groups) != 1000 {
		t.Errorf("1000 groups: %v", err)
	}
	if _, err := read(t, "group: g", of(1001)); err == nil || err.Error() != "a.csv, row 1: data.group makes 1001 groups, want at most 1000" {
		t.Errorf("1001 groups: %v", err)
	}
}

// Times that are numbers are told with twelve digits, so that what steps add up to by rounding is not told.
func TestTimesAreToldWithTwelveDigits(t *testing.T) {
	for want, c := range map[string]calendar{
		"0.333333333333": {every: 1, zero: 1.0 / 3}, "0.3": {every: 0.1, zero: 0.3}, "1.23456789012e+12": {every: 1, zero: 1234567890123},
	} {
		if got := c.label(0, false); got != want {
			t.Errorf("%v is told as %s, want %s", c.zero, got, want)
		}
	}
	if got := (calendar{every: 0.1}).label(3, false); got != "0.3" {
		t.Errorf("three tenths are told as %s", got)
	}
}

// Quarters begin in January, April, July and October, and end with the months before.
func TestWhereQuartersBegin(t *testing.T) {
	for month, want := range []string{"2024 Q1", "2024 Q1", "2024 Q1", "2024 Q2", "2024 Q2", "2024 Q2", "2024 Q3", "2024 Q3", "2024 Q3", "2024 Q4", "2024 Q4", "2024 Q4"} {
		for _, day := range []string{"01", "28"} {
			text := fmt.Sprintf("2024-%02d-%s", month+1, day)
			at, ok := (calendar{unit: "quarter", every: 1}).date(text)
			if got := (calendar{unit: "quarter", every: 1, zero: at}).label(0, true); !ok || got != want {
				t.Errorf("%s is in %s, want %s", text, got, want)
			}
			at, ok = (calendar{unit: "month", every: 1}).date(text)
			if got := (calendar{unit: "month", every: 1, zero: at}).label(0, true); !ok || got != text[:7] {
				t.Errorf("%s is in the month %s", text, got)
			}
		}
	}
}

// A list of one number is an unknown with one entry.
func TestUnknownsOfOneEntry(t *testing.T) {
	for text, names := range map[string]string{"?": "a", "?[1]": "a[0]", "?[1, 1]": "a[0,0]", "?[1, 2]": "a[0,0] a[0,1]"} {
		if u, fault := ReadUnknown(text); fault != "" || u.String() != text || strings.Join(u.Names("a"), " ") != names {
			t.Errorf("%s is read as %s with %q, %s", text, u.String(), u.Names("a"), fault)
		}
	}
}

// What is asked for is taken out of a copy that stands where the document does: ranks among documents are as they were. What was found out about the file is told.
func TestWhatIsTakenOver(t *testing.T) {
	found := &form.Mistakes{}
	root := form.ReadText(found, form.Place{File: "x.yaml", Rank: 3}, "dynamics: {kind: polarized, lambda: '?', sigma: 0.5}")
	plain, asked := Ask(root, found)
	if len(asked) != 1 || plain == root || plain.At != root.At || plain.Get("dynamics").Get("sigma").At != root.Get("dynamics").Get("sigma").At {
		t.Errorf("%+v at %+v, want %+v", asked, plain.At, root.At)
	}
	if l, err := read(t, "", "who;week;y;q\na;1;1;1\na;2;2;1\n"); err != nil || len(l.Notes) != 1 || l.Notes[0] != "fields are separated by semicolons" {
		t.Errorf("%+v, %v", l, err)
	}
}
