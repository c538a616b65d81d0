package logs

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/stream"
)

// kept is a log without the rows that are out.
func kept(log string, out func(row int) bool) string {
	lines := strings.SplitAfter(log, "\n")
	text := lines[0]
	for i, line := range lines[1:] {
		if !out(i) {
			text += line
		}
	}
	return text
}

// with is a log in which columns are other than they were.
func with(log string, change func(row int, fields []string)) string {
	lines := strings.Split(strings.TrimSpace(log), "\n")
	for i := range lines[1:] {
		fields := strings.Split(lines[1+i], ",")
		change(i, fields)
		lines[1+i] = strings.Join(fields, ",")
	}
	return strings.Join(lines, "\n") + "\n"
}

const countSpec = `
model:
  decision: q
  state: p
  trait: d
  let: {habit: "? in [0, 1]", pull: "? in [-2, 2]", base: "? in [0.05, 9]"}
  next: base + habit*p + pull*q*d
  maximize: p - q^2
  subject to: 0 <= q <= 2
data: {file: log.csv, person: who, time: week, decision: q, states: p, traits: one, errors: LAW}
`

// counted is a log of people whose next state is drawn around base + habit·p + pull·q.
func counted(people, weeks int, base, habit, pull float64, draw func(s *stream.Stream, mean float64) float64) string {
	s := stream.New(6, "test", "counts")
	var b strings.Builder
	b.WriteString("who,week,q,p,one\n")
	for i := range people {
		p := draw(s, base)
		for t := range weeks {
			q := 2 * s.Float64()
			p = draw(s, base+habit*p+pull*q)
			fmt.Fprintf(&b, "c%d,%d,%v,%v,1\n", i, t, q, p)
		}
	}
	return b.String()
}

// around is a count that varies so many times as much as Poisson's.
func around(times float64) func(s *stream.Stream, mean float64) float64 {
	return func(s *stream.Stream, mean float64) float64 {
		return max(0, math.Round(mean+math.Sqrt(times*mean)*s.Normal()))
	}
}

func yesOrNo(s *stream.Stream, mean float64) float64 {
	if s.Float64() < mean {
		return 1
	}
	return 0
}

// recordedOdd are logs in which something is missing, stands still or goes together, and those of counts.
func recordedOdd() []recordedLog {
	log, priors := shopLog(5, 6, false), []string{`"?[2, 2]"`, `"?[2, 2] ~ normal(0, 5)"`}
	line := linearLog(6, 7, 0.5)
	still := with(log, func(_ int, f []string) { f[2], f[3] = "4", "6" })
	level := []string{`taste: "?"}`, `taste: "?", level: "?"}`, "+ a\n", "+ level\n", "  trait: a\n", ""}
	return []recordedLog{
		{"counts", countSpec, []string{"LAW", "poisson"}, counted(8, 12, 2, 0.5, -0.8, around(1)), Options{}},
		{"counts that vary more", countSpec, []string{"LAW", "poisson"}, counted(8, 12, 3, 0.5, -0.5, around(4)), Options{}},
		{"counts that vary less", countSpec, []string{"LAW", "poisson"}, counted(8, 12, 5, 0.4, -0.5, around(0.1)), Options{}},
		{"yes or no", countSpec, []string{"LAW", "bernoulli", "[0.05, 9]", "[0.05, 0.6]", "[0, 1]", "[0, 0.3]", "[-2, 2]", "[0, 0.04]"}, counted(8, 12, 0.4, 0.2, 0.02, yesOrNo), Options{}},
		{"light tails", bareSpec, []string{"traits: one", "traits: one, errors: student 9"}, swung(0.5), Options{}},
		{"prices together with priors", shop, priors, shopLog(4, 6, true), Options{}},
		{"prices that stand still", shop, nil, still, Options{}},
		{"prices that stand still with priors", shop, priors, still, Options{}},
		{"one price that stands still", shop, nil, with(log, func(_ int, f []string) { f[2] = "4" }), Options{}},
		{"prices of times", shop, []string{"data: {", "data: {effects: time, "}, log, Options{}},
		{"people seen once", shop, nil, kept(log, func(row int) bool { return row < 5 || row > 25 }), Options{}},
		{"people who come and go", shop, nil, kept(log, func(row int) bool { return row%4 == 1 }), Options{}},
		{"people who come and go, decisions before", shop, []string{"db]}", "db], decision-from: before}"}, kept(log, func(row int) bool { return row%5 == 1 }), Options{}},
		{"one person", shop, nil, shopLog(1, 14, false), Options{}},
		{"two people, their own", bareSpec, []string{"traits: one", "effects: person", "pull*q*d", "pull*q + d"}, kept(swung(0.5), func(row int) bool { return row > 23 }), Options{}},
		{"few draws", shop, nil, log, Options{Bootstrap: 5}},
		{"nobody twice", shop, nil, kept(log, func(row int) bool { return row%6 > 0 }), Options{}},
		{"nothing to find out", bareSpec, []string{`habit: "? in [0, 1]", pull: "?"`, "habit: 0.5, pull: 2"}, swung(0.5), Options{}},
		{"a level", linearSpec, append([]string{"EFFECTS", "none"}, level...), line, Options{}},
		{"a level by ols", linearSpec, append([]string{"EFFECTS", "none"}, level...), line, Options{Method: Pooled}},
		{"a level of people", linearSpec, append([]string{"EFFECTS", "person"}, `taste: "?"}`, `taste: "?", level: "?"}`, "+ a\n", "+ a + level\n"), line, Options{}},
		{"a range by within", linearSpec, []string{"EFFECTS", "person", `habit: "?"`, `habit: "? in [0, 0.2]"`}, line, Options{Method: Within}},
		{"a range by itself", linearSpec, []string{"EFFECTS", "person", `habit: "?"`, `habit: "? in [0, 0.2]"`}, line, Options{}},
		{"a prior of a line", linearSpec, []string{"EFFECTS", "both", `habit: "?"`, `habit: "? ~ normal(0.5, 0.1)"`}, line, Options{}},
		{"income of times", linearSpec, []string{"EFFECTS", "both"}, with(line, func(row int, f []string) { f[4] = fmt.Sprint(row % 7 * (row % 7) % 5) }), Options{}},
		{"income that stands still", linearSpec, []string{"EFFECTS", "person"}, with(line, func(_ int, f []string) { f[4] = "1" }), Options{}},
		{"income that goes with the price", linearSpec, []string{"EFFECTS", "person"}, with(line, func(_ int, f []string) { f[4] = f[2] }), Options{}},
		{"weak instruments", linearSpec, []string{"EFFECTS", "person, instruments: [tax]"}, with(line, func(row int, f []string) { f[5] = fmt.Sprint(row * row % 11) }), Options{}},
		{"no way for a shop", shop, nil, log, Options{Method: Within}},
		{"lines of few", linearSpec, []string{"EFFECTS", "person"}, kept(line, func(row int) bool { return row > 12 }), Options{}},
		{"lines with holes", linearSpec, []string{"EFFECTS", "both"}, kept(line, func(row int) bool { return row%5 == 3 || row == 41 }), Options{}},
		{"lines that grow", linearSpec, []string{"EFFECTS", "person"}, with(line, func(row int, f []string) { f[3] = fmt.Sprint(math.Ldexp(1, row%7) + float64(row%3)) }), Options{}},
	}
}

// What odd logs say is what it was when it was last looked at.
func TestOddLogsAreAsRecorded(t *testing.T) {
	evidence.OneGoroutine(t)
	var lines []string
	for _, c := range recordedOdd() {
		lines = append(lines, told(t, c)...)
	}
	evidence.AsRecorded(t, "testdata/odd.txt", lines)
}
