package record

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// People and groups that are numbered are called by their digits, as the file has them; whole numbers beyond 2⁵³, of which a float64 rounds several to
// one [IEEE 754, binary64], are refused, since two people would pass for one.
func TestPeopleWithManyDigits(t *testing.T) {
	l, err := read(t, "group: who", "who,week,y,q\n1000000,1,1,1\n1000001,1,1,1\n20000000,1,1,1\n9007199254740991,1,1,1\n0.5,1,1,1\n")
	want := []string{"0.5", "1000000", "1000001", "20000000", "9007199254740991"}
	if err != nil || !slices.Equal(l.People, want) || !slices.Equal(l.Groups, want) {
		t.Fatalf("%+v, %v, want people and groups %v", l, err, want)
	}
	for _, c := range []struct{ more, text, words string }{
		{"", "who,week,y,q\n10000000000000000,1,1,1\n10000000000000001,2,1,1\n", "a.csv, row 1: data.person is a number of about 1e+16, and beyond 9007199254740991 whole numbers"},
		{"group: g", "who,week,y,q,g\na,1,1,1,7\nb,1,1,1,9007199254740993\n", "a.csv, row 2: data.group is a number of about 9.01e+15, and beyond"},
	} {
		l, err := read(t, c.more, c.text)
		var line *LineError
		if !errors.As(err, &line) || !strings.HasPrefix(err.Error(), c.words) {
			t.Errorf("%q is read as %+v, %v", c.text, l, err)
		}
	}
	if l, err := read(t, "", "who,week,y,q\nc10000000000000000,1,1,1\nc10000000000000001,2,1,1\n"); err != nil || len(l.People) != 2 || len(l.Pairs().After) != 0 {
		t.Errorf("with a letter before each: %+v, %v", l, err)
	}
}

// Days are those of the place that times were written at: midnights on both sides of the change to summer time (2024-03-31 in Berlin, of 23 hours) are
// days apart, and a day is called as the file calls it, not by what the date then was in Greenwich. Hours are hours everywhere.
func TestDaysAreThoseOfThePlace(t *testing.T) {
	const text = "who,week,y,q\na,2024-03-30T00:00:00+01:00,1,1\na,2024-03-31T00:00:00+01:00,2,1\na,2024-04-01T00:00:00+02:00,3,1\na,2024-04-02T00:00:00+02:00,3,1\n"
	for _, step := range []string{"day", "1"} {
		l, err := read(t, "step: "+step, text)
		if err != nil || !slices.Equal(l.Turn, []int{0, 1, 2, 3}) || l.When(0) != "2024-03-30" || l.When(3) != "2024-04-02" {
			t.Errorf("step %s: %+v, %v", step, l, err)
		}
	}
	weekly := "who,week,y,q\na,2024-03-25T08:00:00+01:00,1,1\na,2024-04-01T08:00:00+02:00,2,1\n"
	if l, err := read(t, "step: week", weekly); err != nil || !slices.Equal(l.Turn, []int{0, 1}) || l.When(1) != "2024-04-01" {
		t.Errorf("weeks: %+v, %v", l, err)
	}
	hourly := "who,week,y,q\na,2024-03-31T01:00:00+01:00,1,1\na,2024-03-31T03:00:00+02:00,2,1\na,2024-03-31T04:00:00+02:00,2,1\n"
	if l, err := read(t, "step: 0.041666666666666664", hourly); err != nil || !slices.Equal(l.Turn, []int{0, 1, 2}) {
		t.Errorf("hours: %+v, %v", l, err)
	}
}
