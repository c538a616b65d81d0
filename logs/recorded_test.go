package logs

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/problem/record"
)

// recordedLog is a spec, with what is replaced in it, a log, and how it is fitted.
type recordedLog struct {
	name, spec string
	replace    []string
	log        string
	o          Options
}

// recordedLogs are small ones, by every way to find numbers.
func recordedLogs() (list []recordedLog) {
	list = append(list, recordedShops()...)
	list = append(list, recordedLines()...)
	return append(list, recordedSamples()...)
}

func recordedShops() []recordedLog {
	log := shopLog(5, 6, false)
	return []recordedLog{
		{"a shop", shop, nil, log, Options{}},
		{"a shop again", shop, nil, log, Options{Bootstrap: 21}},
		{"prices together", shop, nil, shopLog(4, 6, true), Options{}},
		{"priors", shop, []string{`"?[2, 2]"`, `"?[2, 2] ~ normal(0, 5)"`, "data: {", "data: {effects: time, "}, log, Options{}},
		{"tails", shop, []string{"db]}", "db], errors: [student 3, normal]}"}, log, Options{}},
		{"people of a shop", shop, []string{", traits: [da, db]", ", effects: person"}, log, Options{}},
		{"chance of a shop", shop, []string{", traits: [da, db]", ", effects: random"}, log, Options{}},
		{"decisions before", shop, []string{"db]}", "db], decision-from: before}"}, log, Options{}},
		{"weights of a shop", shop, []string{"db]}", "db], weight: 1 + week}"}, log, Options{}},
		{"weights of times", shop, []string{`"?[2, 2]"`, `"?[2, 2] ~ normal(0, 5)"`, "data: {", "data: {effects: time, ", "db]}", "db], weight: 1 + week}"}, log, Options{}},
		{"a bound", bareSpec, nil, swung(-0.12), Options{}},
		{"no bound", bareSpec, nil, swung(0.5), Options{}},
		{"nothing left", bareSpec, []string{"habit*p", "(1 + habit)*p"}, swung(0.99), Options{}},
		{"a clock", bareSpec, []string{"pull*q*d", "pull*q*d + t/50"}, swung(0.5), Options{}},
		{"no way", shop, nil, log, Options{Method: "magic"}},
	}
}

// swung is the first people of a log that swings.
func swung(habit float64) string {
	log, _ := swinging(habit)
	return strings.Join(strings.SplitAfter(log, "\n")[:1+6*12], "")
}

func recordedLines() (list []recordedLog) {
	log := linearLog(6, 7, 0.5)
	for i, effects := range []string{"none", "time", "none, instruments: [tax]", "person", "both", "random", "random-and-time", "person, instruments: [tax]", "both, instruments: [tax, inc + tax], endogenous: [income]"} {
		replace := []string{"EFFECTS", effects}
		if i < 3 {
			replace = append(replace, "+ a\n", "+ 0.1\n", "  trait: a\n", "")
		}
		for _, method := range []string{"", Pooled, Within, SplitPanel, ArellanoBond, TwoStage}[:1+i%4/3*5] {
			list = append(list, recordedLog{"line " + effects + " by " + method, linearSpec, replace, log, Options{Method: method, Bootstrap: 22 * (len(list) % 2)}})
		}
	}
	return list
}

const sampled = `
model: {decision: q, state: p, trait: d, let: {habit: "? in [0, 1]", answer: "?"}, next: habit*p + (1-habit)*(d + answer*q), maximize: p*q, subject to: 0 <= q <= 15}
data: {file: log.csv, kind: KIND, time: t, decision: q, states: pTRAITS}
`

func recordedSamples() []recordedLog {
	people, means := sectionLog(6, 30)
	return []recordedLog{
		{"sections", sampled, []string{"KIND", "sections", "TRAITS", ", traits: d"}, people, Options{}},
		{"sections of nobody", sampled, []string{"KIND", "sections", "TRAITS", ""}, people, Options{}},
		{"aggregates", sampled + "population: {size: 40, law: normal, mean: 10, deviation: 1}\n", []string{"KIND", "aggregates", "TRAITS", ""}, means, Options{}},
		{"aggregates of nobody", sampled, []string{"KIND", "aggregates", "TRAITS", ""}, means, Options{}},
	}
}

// What small logs say, and the specs that are written of them, are what they were when they were last looked at.
func TestLogsAreAsRecorded(t *testing.T) {
	evidence.OneGoroutine(t)
	var lines []string
	for _, c := range recordedLogs() {
		lines = append(lines, told(t, c)...)
	}
	evidence.AsRecorded(t, "testdata/recorded.txt", lines)
}

// told is what a log says under its name, or why it says nothing.
func told(t *testing.T, c recordedLog) []string {
	t.Helper()
	e, err := fitted(t, strings.NewReplacer(c.replace...).Replace(c.spec), c.log, c.o)
	if err != nil {
		return append([]string{"== " + c.name}, evidence.Rounded(err.Error())...)
	}
	return append([]string{"== " + c.name}, said(t, e)...)
}

// said is what a fit writes, the first of its draws and people, and how it looks at the past.
func said(t *testing.T, e *Inference) (lines []string) {
	t.Helper()
	files, err := e.Files("out")
	if err != nil {
		t.Fatal(err)
	}
	var short bytes.Buffer
	if err := json.Compact(&short, files[JSONFile]); err != nil {
		t.Fatal(err)
	}
	lines = evidence.Rounded(strings.ReplaceAll(short.String(), `},`, "},\n"))
	return append(append(lines, written(files)...), pastOf(t, e)...)
}

// written are the spec and the tables of a fit: how they begin, and the sum of all.
func written(files map[string][]byte) (lines []string) {
	for _, name := range []string{SpecFile, DrawsFile, record.PeopleFile} {
		text := evidence.Rounded(string(files[name]))
		sum := sha256.Sum256([]byte(strings.Join(text, "\n")))
		lines = append(append(lines, text[:min(3, len(text))]...), fmt.Sprintf("%s of %d lines %x", name, len(text), sum[:8]))
	}
	return lines
}

// pastOf is what a fit says of an earlier date, turn by turn, and of paths.
func pastOf(t *testing.T, e *Inference) (lines []string) {
	t.Helper()
	if e.Answer != nil {
		for _, r := range e.Answer.Entries {
			lines = append(lines, evidence.Rounded(fmt.Sprintf("path %+v", r.Path))...)
		}
	}
	if e.Ahead != nil {
		lines = append(lines, evidence.Rounded(fmt.Sprintf("ahead %v", e.Ahead.Said))...)
	}
	if e.Told() && e.Spec.Data.Kind == record.Panel {
		e.Redraw(3)
		for _, turn := range []int{0, 2, 99} {
			past, who := e.Past(turn), min(1, len(e.Log.People)-1)
			lines = append(lines, evidence.Rounded(fmt.Sprintf("past %v %v %v %v", past.Draws, past.TraitOf(who), past.TraitsUnder(who), past.TraitsFollow()))...)
			files, err := past.Files("out")
			if err != nil {
				t.Fatal(err)
			}
			lines = append(lines, written(files)...)
		}
	}
	return lines
}
