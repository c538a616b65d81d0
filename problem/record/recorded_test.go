package record

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/problem/form"
)

// sections are right and wrong ones.
func sections() []string {
	return []string{
		"{file: a.csv, person: who, time: week, states: y, decision: q}", "{file: a.csv, time: week, states: y, decision: q}", "{file: a.csv, kind: sections, time: week, states: y, decision: q}", "{file: a.csv, kind: aggregates, time: week, states: [y], decision: [q, q^2]}", "{file: a.csv, kind: table, time: week, states: y, decision: q}", "{}", "{file: '', person: '', time: '', states: [], decision: []}", "{file: a.csv, person: who, time: week, states: y, decision: q, step: 7, decision-from: before, traits: [d], beside: {z: q^2, t: week}, effects: person, weight: w, group: g, where: y > 0, missing: drop}",
		"{file: a.csv, person: who, time: week, states: y, decision: q, step: 0}", "{file: a.csv, person: who, time: week, states: y, decision: q, step: inf}", "{file: a.csv, person: who, time: week, states: y, decision: q, step: -1}", "{file: a.csv, person: who, time: week, states: y, decision: q, step: fortnight, decision-from: never, effects: all, missing: keep}", "{file: a.csv, person: who, time: week, states: y, decision: q, step: quarter, effects: random-and-time}", "{file: a.csv, person: who, time: week, states: y, decision: q, effects: both}", "{file: a.csv, person: who, time: week, states: y, decision: q, effects: time}", "{file: a.csv, person: who, time: week, states: y, decision: q, effects: random}",
		"{file: a.csv, person: who, time: week, states: [y, z], decision: q, errors: student 4}", "{file: a.csv, person: who, time: week, states: [y, z], decision: q, errors: [normal, poisson]}", "{file: a.csv, person: who, time: week, states: [y, z], decision: q, errors: [normal, normal]}", "{file: a.csv, person: who, time: week, states: [y, z], decision: q, errors: [normal, poisson, bernoulli]}", "{file: a.csv, person: who, time: week, states: y, decision: q, errors: cauchy}", "{file: a.csv, person: who, time: week, states: y, decision: q, errors: normal}",
		"{file: a.csv, person: who, time: week, states: y, decision: q, instruments: tax, endogenous: [q]}", "{file: a.csv, person: who, time: week, states: y, decision: q, endogenous: [q]}", "{file: a.csv, person: who, time: week, states: 'y +', decision: 'q > 1', where: y, weight: 'y*', beside: {z: '('}, traits: [')'], instruments: ['[']}", "{file: a.csv, person: who, time: week, states: y, decision: q, beside: [z]}", "{file: a.csv, person: who, time: week, states: y, decision: q, beside: {z: ''}}",
	}
}

// Sections of a log are read, checked, refused and printed as when this was recorded.
func TestSectionsAsRecorded(t *testing.T) {
	var got []string
	for _, text := range sections() {
		s, found := &DataSection{}, &form.Mistakes{}
		root := form.ReadText(found, form.Place{File: "x.yaml"}, "data: "+text)
		root.Locate("")
		form.Read(root, found, func(f *form.Form) { f.Section("data", form.Says("It.", "", ""), s.Describe) })
		formulas := s.Check(&form.Check{Mistakes: found, Root: root})
		got = append(got, text, "  "+form.Print(s.Describe).Flow())
		for _, err := range []error{found.Join(), formulas} {
			if err != nil {
				got = append(got, "  refused: "+strings.ReplaceAll(err.Error(), "\n", "\n  refused: "))
			}
		}
		one, fits := s.Laws(1)
		two, both := s.Laws(2)
		got = append(got, fmt.Sprintf("  people %v times %v drawn %v; laws %v %v, of two %v %v; beside %q; counts %+v", s.HasPeople(), s.HasTimes(), s.Drawn(), one, fits, two, both, s.Names(), s.calendar()))
	}
	got = append(got, fmt.Sprint((*DataSection)(nil).Names()))
	for _, k := range form.NewVocabulary((&DataSection{}).Describe).Keys() {
		text, err := json.Marshal(k)
		got = append(got, fmt.Sprint(string(text), err))
	}
	evidence.AsRecorded(t, "testdata/sections.txt", strings.Split(strings.Join(got, "\n"), "\n"))
}

// logs are files with the keys they are read by.
func logsOf() [][2]string {
	weeks := "who,week,y,q,g,w\nb,3,5,1,x,1\na,1,1,2,y,2\na,4,4,3,y,0\na,2,2,4,y,1\nb,2,3,5,x,1\nc,1,9,6,z,3\n"
	return [][2]string{
		{"", weeks}, {"weight: w, group: g, beside: {z: q^2}, traits: [w, q/2], instruments: [q + 1]", weeks}, {"where: y < 5", weeks}, {"where: y < 2", weeks}, {"where: y < 0", weeks}, {"kind: sections", weeks}, {"kind: aggregates", weeks}, {"step: 2", weeks}, {"step: 0.5", weeks}, {"step: month", weeks}, {"step: year", weeks}, {"group: 2*q", weeks}, {"weight: 0*q", weeks}, {"weight: y - 2", weeks}, {"states: [y, q]", weeks}, {"traits: [g]", weeks}, {"states: none", weeks},
		{"", "who,week,y,q\na,1,1,2\na,1,2,3\n"}, {"", "who,week,y,q\n2,1,1,2\n10,1,2,3\n2,2,5,5\n"}, {"", "who,week,y,q\na,1,,2\nb,1,2,3\n"}, {"missing: drop", "who,week,y,q\na,1,,2\nb,1,2,3\nb,2,2,3\n"}, {"missing: drop, where: q > 2", "who,week,y,q\na,1,,2\nb,1,2,3\nb,2,,3\n"}, {"missing: drop", "who,week,y,q\na,1,,2\nb,1,,3\n"}, {"", "who,week,y,q\n"}, {"", "week,y,q\n1,2,3\n"}, {"", "who,week,y,q\na,1,x,2\n"}, {"", "who,week,y,q\na,1.5,1,2\na,2,1,2\n"}, {"", "who,week,y,q\na,0,1,2\na,1e12,1,2\n"},
		{"", "who,week,y,q\na,2024-02-28,1,1\na,2024-03-01,2,1\nb,2024-02-29,3,1\n"}, {"step: week", "who,week,y,q\na,2024-02-23,1,1\na,2024-03-01,2,1\na,2024-03-15,3,1\n"}, {"step: month", "who,week,y,q\na,2023-12-31,1,1\na,2024-01-01,2,1\nb,2024-02,3,1\n"}, {"step: quarter", "who,week,y,q\na,2023-12-31,1,1\na,2024-01-01,2,1\nb,2024-06-30T10:00:00Z,3,1\n"}, {"step: year", "who,week,y,q\na,2022-05-05,1,1\na,2024-01-01 10:00:00,2,1\n"}, {"step: year", "who,week,y,q\na,2022,1,1\na,2024,2,1\n"}, {"step: 7", "who,week,y,q\na,2024-02-23,1,1\na,2024-03-01,2,1\n"}, {"step: week", "who,week,y,q\na,2024-02-23,1,1\na,2024-03-02,2,1\n"}, {"step: day", "who,week,y,q\na,2024-02-23,1,1\na,yesterday,2,1\n"},
	}
}

// seen is all that a log holds.
func seen(l *Recorded) (lines []string) {
	last, each := l.Span(), float64(l.Rows())/float64(max(1, len(l.People)))
	lines = append(lines, fmt.Sprintf("  people %q rows %d of %d, turns %v, the last %d, %.4g each", l.People, l.Rows(), l.Total, l.Turns(), last, each))
	for i := range l.Rows() {
		line := fmt.Sprintf("  line %d: %d %s at %d, %s:", l.Line[i], l.Person[i], l.People[l.Person[i]], l.Turn[i], l.When(l.Turn[i]))
		for _, c := range []*Columns{&l.States, &l.Decision, &l.Traits, &l.Beside, &l.Instruments} {
			line += fmt.Sprint(" ", c.Names, c.Row(i))
		}
		if l.Weight != nil {
			line += fmt.Sprint(" weight ", l.Weight[i])
		}
		if l.Group != nil {
			line += " in " + l.Groups[l.Group[i]]
		}
		lines = append(lines, line)
	}
	return append(lines, fmt.Sprintf("  notes %q pairs %+v", l.Notes, l.Pairs()))
}

// Logs are read, ordered, paired, cut short and refused as when this was recorded.
func TestLogsAsRecorded(t *testing.T) {
	var got []string
	for _, one := range logsOf() {
		text := "{file: a.csv, person: who, time: week, states: y, decision: q, " + one[0] + "}"
		if strings.Contains(one[0], "states:") {
			text = strings.Replace(text, "states: y, ", "", 1)
		}
		s, found := &DataSection{}, &form.Mistakes{}
		form.Read(form.ReadText(found, form.Place{File: "x.yaml"}, text), found, s.Describe)
		if s.Kind == Aggregates {
			s.Person = ""
		}
		got = append(got, fmt.Sprintf("read by {%s} of %q", one[0], one[1]))
		l, err := s.Read(t.Context(), fstest.MapFS{"a.csv": {Data: []byte(one[1])}}, 0)
		if err != nil || found.Join() != nil {
			got = append(got, "  refused: "+strings.ReplaceAll(fmt.Sprint(err, found.Join()), "\n", "\n  "))
			continue
		}
		got = append(append(got, seen(l)...), fmt.Sprint("  last ", l.Last()), " until 1")
		got = append(got, seen(l.Until(1))...)
	}
	evidence.AsRecorded(t, "testdata/logs.txt", strings.Split(strings.Join(got, "\n"), "\n"))
}

// Unknown numbers are read, refused, written, named and started as when this was recorded.
func TestUnknownsAsRecorded(t *testing.T) {
	var got []string
	for _, text := range []string{
		"?", " ?", "x?", "? in [0, 1]", "? in (0, 1)", "? in [0,1] from 0", "? in [0, 1] from 1", "? in [0, 1] from 1.5", "? in [0, 1] from -1", "? in [1, 0]", "? in [0, 0]", "? in [-inf, 3]", "? in [−∞, ∞]", "? in [2, .inf]", "? in [-.Inf, -2]", "? in [-5, inf]", "? in [-inf, 5]", "? in [inf, inf]", "? in [-inf, -inf]", "? in [nan, 1]", "? in [0, 0x10]", "? in [a, b]", "? in [0, 1e400]", "? from 7", "? from inf", "? from x", "? ~ normal(4, 1)", "? ~ normal(4, 0)", "? ~ normal(4, -1)", "? ~ normal(inf, 1)", "? ~ normal(1, inf)", "? ~ normal(1)", "? ~ cauchy(0, 1)", "? in [0, 3] ~ normal(4, 1)", "? in [0, 3] ~ normal(-4, 1) from 2", "?[3]", "?[2, 2]", "?[0]", "?[400]", "?[401]", "?[20, 20]", "?[20, 21]", "?[1, 0]", "?[1, 2, 3]", "?[999999999, 999999999]", "?[ 2 ] in [0, 1] from 0.25 ~ normal(0, 2)", "? in [0, 1] in [0, 2]", "? +1", "?in[0,1]",
	} {
		u, fault := ReadUnknown(text)
		line := fmt.Sprintf("%q unknown %v", text, IsUnknown(text))
		if fault != "" {
			got = append(got, line+" refused: want "+fault)
			continue
		}
		names := u.Names("B")
		got = append(got, fmt.Sprintf("%s: %s, %d entries from %v, %s, %q…%q", line, u.String(), u.Entries(), u.Start(), u.Declared("B"), names[:min(5, len(names))], names[len(names)-1]))
	}
	evidence.AsRecorded(t, "testdata/unknowns.txt", got)
}

// Documents are asked for unknown numbers, and completed for logs, as when this was recorded.
func TestDocumentsAsRecorded(t *testing.T) {
	var got []string
	for _, text := range []string{
		"dynamics: {kind: polarized, lambda: '?', sigma: 0.5}", "dynamics: {kind: polarized, lambda: '? in [-1, 0.5] from 0.2', sigma: '? in [0, 9]'}", "dynamics: {kind: choice, lambda1: '?', lambda2: '? in [0, 2]', epsilon: '? in [1, inf]'}", "dynamics: {kind: choice, lambda1: '?[2]', lambda2: '? in [2, 1]', epsilon: 1}", "dynamics: {kind: polarized, lambda: '? in [2, 3]', sigma: '? from -1'}", "dynamics: {kind: polarized, lambda: '? from 7', sigma: '? in [-2, -1]'}", "dynamics: {kind: affine, a: '?'}", "dynamics: {lambda: '?'}", "dynamics: {kind: polarized, lambda: 0.5, sigma: 0.5}", "dynamics: {kind: polarized, lambda: [1], sigma: '?'}", "dynamics: 3", "seed: 1",
		"data: {file: a.csv, states: y}", "data: {file: a.csv, states: [y, z]}", "data: 3", "data: {states: {a: 1}}", "data: {}\nmodel: {state: 'p[2]', trait: d}", "data: {}\nmodel: {state: p}", "data: {}\nmodel: {state: p, next: alike + p}", "data: {beside: {alike: q}}\nmodel: {state: p, next: alike_*p}", "data: {beside: {alike: q}}\nmodel: {state: p}", "data: {effects: person}\nmodel: {state: p}", "data: {effects: time}\nmodel: {state: p}", "data: {effects: none}\nmodel: {state: p}", "data: {traits: x}\nmodel: {state: p}", "data: {}\nmodel: 3", "data: {}\nmodel: {trait: d}", "data: {}\npopulation: {size: 3}", "data: {}\niterations: 7\nalgorithms: []", "data: {}\nalgorithms: [{name: composite}]\npopulation: {}", "iterations: 3", "[1]",
	} {
		found := &form.Mistakes{}
		root := form.ReadText(found, form.Place{File: "x.yaml"}, text)
		root.Locate("")
		rules := Complete(root)
		got = append(got, fmt.Sprintf("%q rules %v: %s", text, rules, root.Flow()))
		if root.Shape != form.Mapping {
			continue
		}
		before := root.Flow()
		read, asked := Ask(root, found)
		if root.Flow() != before {
			t.Errorf("%s was changed to %s", before, root.Flow())
		}
		if len(asked) > 0 || found.Join() != nil {
			got = append(got, "  read as "+read.Flow()+" "+strings.ReplaceAll(fmt.Sprint(found.Join()), "\n", "\n  "))
			for _, a := range asked {
				got = append(got, fmt.Sprintf("  %s %q is %s", a.Key, a.Text, a.Of.String()))
			}
			got = append(got, "  printed as "+Unask(read, asked).Flow())
		}
	}
	got = append(got, fmt.Sprint(Complete(nil)), Unask(form.ReadText(&form.Mistakes{}, form.Place{}, "seed: 1"), []Asking{{Key: "lambda", Text: "?"}}).Flow())
	evidence.AsRecorded(t, "testdata/documents.txt", strings.Split(strings.Join(got, "\n"), "\n"))
}
