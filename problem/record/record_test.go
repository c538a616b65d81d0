package record

import (
	"bytes"
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kedge-opt/kedge/internal/columns"
	"github.com/kedge-opt/kedge/problem/census"
	"github.com/kedge-opt/kedge/problem/form"
)

// What is said of an unknown is read in any order and written in one; what makes no sense is refused. Expected texts are by hand.
func TestUnknownsAreReadAndWritten(t *testing.T) {
	for text, want := range map[string]string{
		"?":                                     "?",
		" ? in [0, 1]":                          "? in [0, 1]",
		"?[3,3] ~ normal(0, 2)":                 "?[3, 3] ~ normal(0, 2)",
		"? ~ normal( 1,2 ) from 0.5 in [0,inf)": "? in [0, inf] from 0.5 ~ normal(1, 2)",
		"?[4] in (-∞, 3]":                       "?[4] in [-inf, 3]",
		"? from -1e-3":                          "? from -0.001",
		"?[12] in [0.125, 2.75] from 1.25 ~ normal(1.75, 2.25)": "?[12] in [0.125, 2.75] from 1.25 ~ normal(1.75, 2.25)",
	} {
		u, fault := ReadUnknown(text)
		if fault != "" || u.String() != want {
			t.Errorf("%q is read as %q, %q, want %q", text, u.String(), fault, want)
		}
	}
	for _, text := range []string{"? in [1, 0]", "? in [0, 0]", "? from 2 in [0, 1]", "? ~ normal(0, 0)", "? ~ cauchy(0, 1)", "?x", "?[0]", "?[1000, 1000]", "?[9999999999]", "? in [nan, 1]", "? from inf", "? in [inf, inf]"} {
		if u, fault := ReadUnknown(text); fault == "" {
			t.Errorf("%q is read as %q", text, u.String())
		}
	}
}

// A search begins where it was told to, or where bounds and priors allow it.
func TestUnknownsStartWithinTheirRange(t *testing.T) {
	for text, want := range map[string]float64{"?": 0, "? in [0, 1]": 0.5, "? in [2, inf]": 3, "? in [-inf, -2]": -3, "? ~ normal(4, 1)": 4, "? in [0, 3] ~ normal(4, 1)": 3, "? from 7": 7} {
		u, _ := ReadUnknown(text)
		if got := u.Start(); got != want {
			t.Errorf("%s starts at %v, want %v", text, got, want)
		}
	}
	u, _ := ReadUnknown("?[2, 2]")
	if got := u.Names("B"); !slices.Equal(got, []string{"B[0,0]", "B[0,1]", "B[1,0]", "B[1,1]"}) {
		t.Errorf("entries are called %v", got)
	}
}

// section is a log's with some keys.
func section(t *testing.T, more string) *DataSection {
	t.Helper()
	found := &form.Mistakes{}
	root := form.ReadText(found, form.Place{File: "x.yaml"}, "{file: a.csv, person: who, time: week, states: y, decision: q, "+more+"}")
	s := &DataSection{}
	if root == nil {
		t.Fatal(found.Join())
	}
	form.Read(root, found, s.Describe)
	if err := found.Join(); err != nil {
		t.Fatal(err)
	}
	return s
}

func read(t *testing.T, more, text string) (*Recorded, error) {
	t.Helper()
	return section(t, more).Read(context.Background(), fstest.MapFS{"a.csv": {Data: []byte(text)}}, 0)
}

// Rows come in the order of people and times whatever the order of the file, and only those a turn apart make pairs.
func TestLogsAreOrderedAndPaired(t *testing.T) {
	l, err := read(t, "weight: 2*q, group: who, beside: {z: q^2}", "q,who,week,y\n1,b,12,5\n2,a,10,1\n3,a,13,4\n4,a,11,2\n5,b,11,3\n6,c,10,9\n")
	if err != nil {
		t.Fatal(err)
	}
	if want := []int{2, 4, 3, 5, 1, 6}; !slices.Equal(l.Line, want) {
		t.Errorf("lines are in the order %v, want %v", l.Line, want)
	}
	if want := []float64{1, 2, 4, 3, 5, 9}; !slices.Equal(l.States.Data, want) {
		t.Errorf("states are %v, want %v", l.States.Data, want)
	}
	if want := []float64{4, 16, 9, 25, 1, 36}; !slices.Equal(l.Beside.Data, want) || l.Beside.Names[0] != "z" {
		t.Errorf("beside are %v %v, want %v", l.Beside.Names, l.Beside.Data, want)
	}
	if want := []float64{4, 8, 6, 10, 2, 12}; !slices.Equal(l.Weight, want) {
		t.Errorf("weights are %v, want %v", l.Weight, want)
	}
	p := l.Pairs()
	if !slices.Equal(p.Before, []int{0, 3}) || !slices.Equal(p.After, []int{1, 4}) || p.Gaps != 1 || p.Alone != 1 {
		t.Errorf("pairs are %+v", p)
	}
	if got := l.Last(); !slices.Equal(got, []int{2, 4, 5}) {
		t.Errorf("the last rows are %v", got)
	}
}

// Dates are counted by the step, and told as dates.
func TestLogsTakeDates(t *testing.T) {
	for step, text := range map[string]string{
		"month":   "who,week,y,q\na,2023-12-31,1,1\na,2024-01-01,2,1\na,2024-02-29,3,1\n",
		"week":    "who,week,y,q\na,2024-02-23,1,1\na,2024-03-01,2,1\na,2024-03-08,3,1\n",
		"1":       "who,week,y,q\na,2024-02-28,1,1\na,2024-02-29,2,1\na,2024-03-01,3,1\n",
		"quarter": "who,week,y,q\na,2023-12-31,1,1\na,2024-01-01,2,1\na,2024-06-29,3,1\n",
		"year":    "who,week,y,q\na,2022,1,1\na,2023,2,1\na,2024,3,1\n",
	} {
		l, err := read(t, "step: "+step, text)
		if err != nil || !slices.Equal(l.Turn, []int{0, 1, 2}) {
			t.Errorf("by %s turns are %v, %v", step, l, err)
		}
	}
	l, err := read(t, "step: month", "who,week,y,q\na,2023-12-31,1,1\na,2024-01-01,2,1\n")
	if err != nil || l.When(1) != "2024-01" {
		t.Errorf("turn 1 is %v, %v", l, err)
	}
}

// What cannot be used is refused with the row, and what to do.
func TestLogsRefuseRows(t *testing.T) {
	for _, c := range []struct{ more, text, want string }{
		{"", "who,week,y,q\na,1,1,1\nb,1,1,1\na,1,2,1\n", "a.csv, rows 1 and 3: a has two rows of 1"},
		{"", "who,week,y,q\na,1,1,1\na,1.5,2,1\n", "a.csv, row 2: the time is no whole number of steps"},
		{"", "who,week,y,q\na,1,1,1\na,1e300,2,1\n", "a.csv, row 2: the time is no whole number of steps"},
		{"", "who,week,y,q\na,soon,1,1\n", `a.csv, row 1: the time is "soon"`},
		{"step: week", "who,week,y,q\na,1,1,1\n", "data.time is a number there"},
		{"", "who,week,y,q\na,1,1,1\na,2,,1\n", "a.csv, row 2: y is missing; leave such rows out"},
		{"weight: q", "who,week,y,q\na,1,1,1\na,2,1,-1\n", "a.csv, row 2: the weight is -1"},
		{"weight: q", "who,week,y,q\na,1,1,0\na,2,1,0\n", "all weights are 0"},
		{"states: log(y)", "who,week,y,q\na,1,-1,0\na,2,1,0\n", "a.csv, row 1: log(y) is NaN where y = -1"},
		{"states: z", "who,week,y,q\na,1,-1,0\n", "a.csv has no column z"},
		{"", "who,week,y,q\n", "there are no rows"},
		{"where: q > 1", "who,week,y,q\na,1,-1,0\n", "no row of a.csv passes"},
		{"missing: drop", "who,week,y,q\na,1,,0\n", "missing in every row"},
	} {
		if strings.HasPrefix(c.more, "states") {
			c.more = strings.Replace(c.more, "states", "beside: {z", 1) + "}"
		}
		_, err := read(t, c.more, c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q of %q gives %v, want %q", c.more, c.text, err, c.want)
		}
	}
	if l, err := read(t, "missing: drop", "who,week,y,q\na,1,1,1\na,2,,1\na,3,1,1\n"); err != nil || l.Rows() != 2 || !strings.Contains(strings.Join(l.Notes, " "), "1 row left out") {
		t.Errorf("rows without a value are not left out: %+v, %v", l, err)
	}
}

// Whatever a log holds, reading it ends in a log whose rows are finite and in order, or in an error of a known type.
func FuzzLogs(f *testing.F) {
	for _, text := range []string{"who,week,y,q\na,1,1,1\na,2,2,1\n", "who,week,y,q\na,2024-01-31,1,1\n", "who\tweek\ty\tq\nx\t1\tNaN\t2\n", "who,week,y,q\n1,1e308,inf,-1\n"} {
		f.Add("1", text)
		f.Add("week", text)
	}
	f.Fuzz(func(t *testing.T, step, text string) {
		s := &DataSection{File: "a.csv", Kind: Panel, Person: "who", Time: "week", Step: step, States: []string{"y"}, Decision: []string{"q"}, From: AsAnswered, Effects: NoEffects, Missing: Drop}
		if !isStep(step) {
			return
		}
		l, err := s.Read(context.Background(), fstest.MapFS{"a.csv": {Data: []byte(text)}}, 1<<20)
		var row *LineError
		var file *census.FileError
		if err != nil {
			if !errors.As(err, &row) && !errors.As(err, &file) && !strings.Contains(err.Error(), "data.") {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		for i := range l.Rows() {
			if math.IsNaN(l.States.Data[i]) || math.IsInf(l.States.Data[i], 0) || i > 0 && l.Person[i] == l.Person[i-1] && l.Turn[i] <= l.Turn[i-1] {
				t.Fatalf("%q: row %d of %+v", text, i, l)
			}
			_ = l.When(l.Turn[i])
		}
	})
}

// Whatever bytes are called a Parquet file, reading them as a log ends in a log or in an error of a known type, and takes no more memory than it may.
func FuzzColumnLogs(f *testing.F) {
	whole := columns.Table{Columns: []columns.Column{{Name: "who", Text: []string{"a", "a", "b"}}, {Name: "week", Numbers: []float64{1, 2, 1}}, {Name: "y", Numbers: []float64{1, math.NaN(), 3}}, {Name: "q", Numbers: []float64{1, 2, 3}}}}
	var b bytes.Buffer
	if err := whole.WriteParquet(&b); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add(b.Bytes()[:b.Len()/2])
	f.Add([]byte("PAR1\x00\x00\x00\xff\xff\xff\x7fPAR1"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s := &DataSection{File: "a.parquet", Kind: Panel, Person: "who", Time: "week", Step: "1", States: []string{"y"}, Decision: []string{"q"}, From: AsAnswered, Effects: NoEffects, Missing: Drop}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		l, err := s.Read(context.Background(), fstest.MapFS{"a.parquet": {Data: data}}, 1<<20)
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > 64<<20+64*uint64(len(data)) {
			t.Fatalf("%d bytes took %d of memory", len(data), took)
		}
		var row *LineError
		var file *census.FileError
		if err != nil {
			if !errors.As(err, &row) && !errors.As(err, &file) && !strings.Contains(err.Error(), "data.") {
				t.Fatal(err)
			}
			return
		}
		for i := range l.Rows() {
			if math.IsNaN(l.States.Data[i]) || math.IsInf(l.States.Data[i], 0) {
				t.Fatalf("row %d is %v", i, l.States.Data[i])
			}
		}
	})
}

// Whatever is said of an unknown, what is read of it reads again as the same.
func FuzzUnknown(f *testing.F) {
	f.Add("?[3,3] in [0, 1] from 0.5 ~ normal(0, 2)")
	f.Add("? in (-inf, 3]")
	f.Fuzz(func(t *testing.T, text string) {
		u, fault := ReadUnknown(text)
		if fault != "" {
			return
		}
		again, fault := ReadUnknown(u.String())
		if fault != "" || again.String() != u.String() || u.Start() < u.Lower || u.Start() > u.Upper {
			t.Fatalf("%q is %q, then %q, %s", text, u.String(), again.String(), fault)
		}
	})
}

// A time is that of a turn if it is at most a millionth of a step beside it, and less than 2³⁰ steps from the first.
func TestTimesOfTurns(t *testing.T) {
	for _, c := range []struct {
		at   float64
		turn int
		ok   bool
	}{
		{0, 0, true}, {1e-6, 0, true}, {math.Nextafter(1e-6, 1), 0, false}, {-1e-6, 0, true}, {math.Nextafter(-1e-6, -1), 0, false}, {0.5, 0, false},
		{1 << 30, 0, false}, {1<<30 - 1, 1<<30 - 1, true}, {1 - 1<<30, 1 - 1<<30, true}, {-1 << 30, 0, false}, {math.NaN(), 0, false}, {math.Inf(1), 0, false},
	} {
		if turn, ok := (calendar{every: 1}).turn(c.at); turn != c.turn || ok != c.ok {
			t.Errorf("%v is of turn %d, %v, want %d, %v", c.at, turn, ok, c.turn, c.ok)
		}
	}
	if turn, ok := (calendar{every: 0.25, zero: 8}).turn(7.5); turn != -2 || !ok {
		t.Errorf("half before 8 is turn %d by quarters, %v", turn, ok)
	}
}
