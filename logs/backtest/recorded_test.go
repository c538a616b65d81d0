package backtest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/stream"
)

type recordedLook struct {
	name    string
	replace []string // of the spec, in pairs
	log     func() string
	look    Lookback
}

// spec is the spec with what is replaced in it.
func (c recordedLook) spec(t *testing.T) *problem.Spec {
	t.Helper()
	s, err := problem.Parse(kind.Standard(), "shop.yaml", []byte(strings.NewReplacer(c.replace...).Replace(spec)))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// allOf is what a look back writes.
func allOf(t *testing.T, h *Retrospect) []string {
	t.Helper()
	files, err := h.Files()
	if err != nil {
		t.Fatal(err)
	}
	return append(evidence.Rounded(string(files[JSONFile])), evidence.Rounded(string(files[CSVFile]))...)
}

// recordedLooks are small looks back: specs by what is replaced in one, and logs by what is left out of one.
var recordedLooks = []recordedLook{
	{"plain", nil, nil, Lookback{Draws: 25, Every: 2}},
	{"without draws", nil, nil, Lookback{From: "0.6", Every: 2}},
	{"few draws", nil, nil, Lookback{From: "6", Every: 2, Draws: 19}},
	{"held near", nil, nil, Lookback{From: "0", Every: 4, Draws: 20, MostChange: 0.125}},
	{"costs", []string{"maximize: p*u", "minimize: (p - 4)^2 + u^2"}, nil, Lookback{From: "5", Every: 2, Draws: 30}},
	{"decisions of the next state", []string{"traits: d}", "traits: d, decision-from: before}"}, nil, Lookback{From: "0", Every: 3, Draws: 20}},
	{"weighed", []string{"traits: d}", "traits: d, weight: w}"}, weighed, Lookback{From: "4", Every: 3, Draws: 20}},
	{"weighed, decisions of the next state", []string{"traits: d}", "traits: d, weight: w, decision-from: before}"}, weighed, Lookback{From: "4", Every: 3, Draws: 20}},
	{"a week nobody was seen", nil, func() string { return without(func(who, week int) bool { return week == 6 }) }, Lookback{From: "5", Draws: 20}},
	{"a week nobody was seen, decisions of the next state", []string{"traits: d}", "traits: d, decision-from: before}"}, func() string { return without(func(who, week int) bool { return week == 6 }) }, Lookback{From: "5", Draws: 20}},
	{"people who come and go", nil, func() string { return without(func(who, week int) bool { return (who+week)%4 == 0 }) }, Lookback{From: "3", Every: 3, Draws: 20}},
	{"people who come and go, decisions of the next state", []string{"traits: d}", "traits: d, decision-from: before}"}, func() string { return without(func(who, week int) bool { return (who+week)%4 == 0 }) }, Lookback{From: "3", Every: 3, Draws: 20}},
	{"a decision for everybody", nil, func() string { return each(2) }, Lookback{From: "5", Every: 2, Draws: 20}},
	{"traits of people", []string{", traits: d}", ", effects: person}"}, func() string { return each(2) }, Lookback{From: "5", Every: 2, Draws: 20}},
	{"traits of people and times", []string{", traits: d}", ", effects: both}"}, func() string { return each(2) }, Lookback{From: "5", Every: 2, Draws: 20}},
	{"times", []string{"traits: d}", "traits: d, effects: time}"}, func() string { return each(2) }, Lookback{From: "5", Every: 2, Draws: 20}},
	{"anywhere", []string{"  subject to: 0 <= u <= 20\n", "", "maximize: p*u", "maximize: p*u + 3*u^2"}, nil, Lookback{From: "7", Draws: 20}},
	{"a habit that may not settle", []string{"slope: \"?\"", "slope: \"?\", habit: \"?\"", "0.5*p", "habit*p"}, func() string { return growing(1.02) }, Lookback{From: "5", Every: 2, Draws: 40}},
	{"a level that is told late", []string{`{slope: "?"}`, `{slope: "?", level: "?"}`, "+ d\n", "+ d + level\n"}, still, Lookback{From: "0.25", Every: 3, Draws: 20}},
	{"two decisions", []string{"decision: u\n", "decision: u[2]\n", "slope*u", "slope*u[0] + u[1]/8", "p*u\n", "p*u[0] - u[1]^2\n", "decision: u,", "decision: [u, d/2],"}, nil, Lookback{From: "5", Every: 2, Draws: 20}},
	{"never", nil, nil, Lookback{From: "11"}},
	{"an odd share", nil, nil, Lookback{From: "1.0"}},
	{"a log that tells nothing", []string{`{slope: "?"}`, `{slope: "?", level: "?"}`, "+ d\n", "+ d + level\n"}, func() string { return stillUntil(12) }, Lookback{}},
	{"sections", []string{"person: who, ", "kind: sections, "}, nil, Lookback{}},
	{"a clock", []string{"slope*u", "slope*u + t/100"}, nil, Lookback{}},
	{"a clock of the log", []string{"slope*u", "slope*u + t/100", "traits: d}", "traits: d, beside: {t: week}}"}, nil, Lookback{From: "6", Every: 2}},
	{"draws of its own", []string{"iterations: 30", "iterations: 30\nuncertain: 4\ndraws: draws.csv"}, nil, Lookback{}},
	{"people of its own", []string{"iterations: 30", "iterations: 30\npopulation: {size: 3, law: values, values: [[1], [2], [3]]}"}, nil, Lookback{}},
	{"nothing unknown", []string{`slope: "?"`, "slope: -0.7"}, nil, Lookback{}},
}

func still() string { return stillUntil(6) }

// stillUntil is a log in which the price stands still until a week.
func stillUntil(week int) string {
	log := made(6, 12)
	for i := range log {
		for w := range week {
			log[i][w].u = 3
		}
	}
	return written(log)
}

// without is a log without some rows.
func without(out func(who, week int) bool) string {
	lines := strings.Split(strings.TrimSpace(written(made(5, 9))), "\n")
	kept := lines[:1:1]
	for i, line := range lines[1:] {
		if !out(i/9, i%9) {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n") + "\n"
}

// weighed is a log with weights.
func weighed() string {
	lines := strings.Split(strings.TrimSpace(each(1)), "\n")
	lines[0] += ",w"
	for i := range lines[1:] {
		lines[1+i] += fmt.Sprintf(",%d", (1+i)%4)
	}
	return strings.Join(lines, "\n") + "\n"
}

// each is a log in which everybody has a price of his own, so much apart.
func each(apart float64) string {
	s := stream.New(11, "test", "each")
	return remade(made(5, 9), 0.5, 0.2, s, func() float64 { return apart * s.Float64() })
}

// growing is a log of people of whom so much is left every week.
func growing(habit float64) string {
	return remade(made(5, 10), habit, 0.9, stream.New(12, "test", "growing"), func() float64 { return 0 })
}

// remade lets people of a log go another way, under prices that are changed.
func remade(log [][]one, habit, noise float64, s *stream.Stream, more func() float64) string {
	for _, rows := range log {
		p := 2.0
		for t := range rows {
			rows[t].u += more()
			p = habit*p - 0.7*rows[t].u + rows[t].d + noise*s.Normal()
			rows[t].p = p
		}
	}
	return written(log)
}

// What small looks back say, and write, is what it was when it was last looked at.
func TestLooksBackAreAsRecorded(t *testing.T) {
	for _, c := range recordedLooks {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := c.spec(t)
			log := written(made(5, 9))
			if c.log != nil {
				log = c.log()
			}
			told := map[int]bool{}
			c.look.Fit.Seed = 1
			c.look.Progress = func(done, total int) { told[done*1000+total] = true }
			h, err := Look(context.Background(), s, fstest.MapFS{"log.csv": {Data: []byte(log)}}, c.look)
			lines := []string{fmt.Sprintf("error: %v", err)}
			if err == nil {
				lines = append(lines, h.Answer(), fmt.Sprintf("decides %v, told of %d", h.Decides(), len(told)))
				lines = append(lines, allOf(t, h)...)
			}
			evidence.AsRecorded(t, "testdata/recorded/"+strings.NewReplacer(" ", "-", ",", "").Replace(c.name)+".txt", lines)
		})
	}
}
