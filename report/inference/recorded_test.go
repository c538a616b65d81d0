package inference

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/logs"
	"github.com/kedge-opt/kedge/logs/backtest"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/report/draw"
	"github.com/kedge-opt/kedge/report/page"
	"github.com/kedge-opt/kedge/stream"
)

// asked is a spec of a log with effects, of one state or of two.
func asked(effects string, states int) string {
	state, next, names := "p", "habit*p + a*q[0] + b*q[1] + d", "p"
	if states == 2 {
		state, next, names = "p[2]", "habit*p + a*q[0] + b*q[1] + d", "[p, r]"
	}
	return fmt.Sprintf(`
iterations: 30
model:
  decision: q[2]
  state: %s
  trait: %s
  let: {habit: "? in [0, 1]", a: "?", b: "?"}
  next: %s
  maximize: %s
  subject to: 0 <= q <= 15
data: {file: log.csv, person: who, time: week, decision: [qa, qb], states: %s, effects: %s}
algorithms: [{name: composite, step: 0.02, batch: 10}]
`, state, strings.Replace(state, "p", "d", 1), next, map[int]string{1: "p", 2: "sum(p)"}[states], names, effects)
}

// written is a log of people with the habit 0.5; date writes the time of a week.
func written(people, weeks int, date func(week int) string) string {
	s := stream.New(5, "test", "page")
	var text strings.Builder
	text.WriteString("who,week,qa,qb,p,r\n")
	for i := range people {
		p, r, d := 10.0, 3.0, s.Normal()
		for week := range weeks {
			qa, qb := s.Normal(), s.Normal()
			p, r = 0.5*p+qa-2*qb+d+0.3*s.Normal(), 0.5*r+qa-2*qb-d+0.3*s.Normal()
			fmt.Fprintf(&text, "c%d,%s,%v,%v,%v,%v\n", i, date(week), qa, qb, p, r)
		}
	}
	return text.String()
}

func weekly(week int) string { return fmt.Sprint(week + 3) }
func dated(week int) string  { return fmt.Sprintf("2026-01-%02d", week+1) }

// fitted is what is found in a log.
func fitted(t *testing.T, spec, log string) *logs.Inference {
	t.Helper()
	parsed, err := problem.Parse(kind.Standard(), "dir/made.yaml", []byte(spec))
	if err != nil {
		t.Fatal(err)
	}
	e, err := logs.Fit(t.Context(), parsed, fstest.MapFS{"log.csv": {Data: []byte(log)}}, logs.Options{Seed: 1, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// paged is a document in words, its charts and the words of its figures, with numbers of a few digits.
func paged(t *testing.T, name string, d *page.Document) []string {
	t.Helper()
	graphs, err := json.Marshal(d.Graphs)
	if err != nil {
		t.Fatal(err)
	}
	spec := d.Spec
	d.Spec = ""
	text := string(d.Markdown()) + strings.ReplaceAll(string(graphs), "]", "]\n")
	d.Spec = spec
	lines := append([]string{"=== " + name}, evidence.Rounded(text)...)
	for _, f := range d.Figures {
		lines = append(lines, fmt.Sprintf("figure %s: %s %x", f.Name, f.Title, sha256.Sum256(f.SVG)))
	}
	return lines
}

// Pages about logs of all sorts say what they said when they were last read, and draw what they drew.
func TestPagesAboutLogsAreAsRecorded(t *testing.T) {
	made := fitted(t, asked("person", 1), written(12, 10, weekly))
	var lines []string
	add := func(name string, e *logs.Inference) {
		d, err := Document(e, Recipe{How: "Found somehow.", Command: "kedge fit x", Seed: 7})
		if err != nil {
			t.Fatal(name, err)
		}
		lines = append(lines, paged(t, name, d)...)
	}
	add("one state", made)
	add("two states and dates", fitted(t, asked("person", 2), written(9, 9, dated)))
	add("times", fitted(t, asked("both", 1), written(9, 9, weekly)))
	nan := logs.Amount(math.NaN())
	for _, c := range []struct {
		name   string
		change func(e *logs.Inference, q *logs.Quality, a *logs.Response)
	}{
		{"nothing found", func(e *logs.Inference, _ *logs.Quality, _ *logs.Response) {
			for i := range e.Found {
				e.Found[i].Value, e.Found[i].Low, e.Found[i].High = nan, nan, nan
			}
			e.Blind, e.Warn, e.Notes, e.Quality, e.Answer, e.Ahead, e.Linear, e.DrawOf, e.Pairs = []string{"a cannot be told", ""}, []string{"A warning."}, []string{"A note."}, nil, nil, nil, nil, "", 0
		}},
		{"one is dark", func(e *logs.Inference, q *logs.Quality, a *logs.Response) {
			e.Found[1].Value, e.Found[0].High, e.Found[2].Low, e.Found[2].High = nan, nan, nan, nan
			a.Settles, a.People, e.People = false, 1, 1
			q.Steps = q.Steps[:1]
			q.Steps[0].Gain, q.Steps[0].GainError = -0.5, 0.1
			q.Echoes[0].Share, q.Echoes[0].Error = 0.9, 0.1
			q.Halves[0].Chance, q.Halves[1].Chance = 0.009, 0.01
		}},
		{"many numbers", func(e *logs.Inference, q *logs.Quality, a *logs.Response) {
			e.Found = append(e.Found, e.Found...)
			a.Entries = a.Entries[:1]
			a.Entries[0].Path[2].Low, a.Entries[0].Path[3].High = nan, nan
			q.Steps[len(q.Steps)-1].Gain, q.Steps[len(q.Steps)-1].GainError = 0.1, 0.06
			q.Steps[0].Static[0], q.Steps[1].Usual[0] = nan, nan
			q.Echoes[0].Share, q.Echoes[0].Error = -0.9, 0.1
			e.Linear[0].Fault = "it broke"
		}},
		{"exactly at bounds", func(e *logs.Inference, q *logs.Quality, a *logs.Response) {
			e.Found = append(e.Found, e.Found[0])
			a.Entries = nil
			last := &q.Steps[len(q.Steps)-1]
			last.Gain, last.GainError = 0.2, 0.1
			e.Linear = e.Linear[:1]
		}},
		{"not forecast", func(e *logs.Inference, q *logs.Quality, a *logs.Response) {
			q.Steps, q.Echoes, q.Halves, q.Notes = nil, nil, nil, []string{"too short"}
			a.Entries[1].Settled.Value, a.Entries[0].Once.Low = nan, nan
			a.Entries[0].Path = nil
			e.Linear = e.Linear[:2]
		}},
	} {
		e, q, a := *made, *made.Quality, *made.Answer
		text, err := json.Marshal([]any{made.Quality, made.Answer, made.Found, made.Linear})
		if err != nil {
			t.Fatal(err)
		}
		e.Found, e.Linear = nil, nil
		q, a = logs.Quality{}, logs.Response{}
		if err := json.Unmarshal(text, &[]any{&q, &a, &e.Found, &e.Linear}); err != nil {
			t.Fatal(err)
		}
		for i := range a.Entries { // which JSON leaves out
			a.Entries[i].Path = append([]logs.Inferred(nil), made.Answer.Entries[i].Path...)
		}
		e.Quality, e.Answer = &q, &a
		c.change(&e, &q, &a)
		add(c.name, &e)
	}
	evidence.AsRecorded(t, "testdata/logs.txt", lines)
}

// Of two states whose squares are 90 and 70 % smaller the mean is said: no square is smaller by more than all of it.
func TestGainsAreAveraged(t *testing.T) {
	for text, m := range map[string]logs.Missed{
		"are 80.0\u202f% smaller than those of no change (standard error 5.00\u202f%)": {Gain: 1.6, GainError: 0.1, Model: make([]logs.Amount, 2)},
		"are 60.0\u202f% larger than those of no change (standard error 10.0\u202f%)":  {Gain: -0.6, GainError: 0.1, Model: make([]logs.Amount, 1)},
	} {
		if got := gained(m); got != text {
			t.Errorf("%q, want %q", got, text)
		}
	}
}

// Pages of looks back, over weeks and over dates, say what they said when they were last read, and draw what they drew.
func TestLooksBackAreAsRecorded(t *testing.T) {
	var lines []string
	for name, date := range []func(int) string{weekly, dated} {
		parsed, err := problem.Parse(kind.Standard(), "made.yaml", []byte(asked("person", 1)))
		if err != nil {
			t.Fatal(err)
		}
		log := fstest.MapFS{"log.csv": {Data: []byte(written(10, 10, date))}}
		h, err := backtest.Look(t.Context(), parsed, log, backtest.Lookback{From: "0.5", Every: 1 + name, Draws: 10, Fit: logs.Options{Seed: 1}})
		if err != nil {
			t.Fatal(err)
		}
		for variant := range 3 {
			switch variant {
			case 1:
				h.Dates[0].Rules[1].Decision, h.Dates[0].Rules[1].Why, h.Dates[1].Observed = nil, "not yet", logs.Amount(math.NaN())
				h.Dates[0].Rules[2].Decision, h.Dates[0].Rules[2].Why = nil, h.Dates[0].TooEarly()
				h.Dates[1].Rules[2].Once.Low, h.Dates[1].Rules[3].Settled.High, h.Maximize, h.Notes = logs.Amount(math.NaN()), logs.Amount(math.NaN()), !h.Maximize, []string{"a note"}
				h.Dates[0].Rules[3].Decision = []float64{1, 2, 3, 4}
			case 2:
				h.Dates = h.Dates[:1]
				for i := range h.Dates {
					h.Dates[i].Observed = logs.Amount(math.NaN())
				}
			}
			files, err := Lookback(h, "spec: 1", Recipe{Command: "kedge backtest x", Seed: 3})
			if err != nil {
				t.Fatal(err)
			}
			_, html, _ := strings.Cut(string(files[LookbackFile]), "<main>")
			html, _, _ = strings.Cut(html, "</main>")
			lines = append(lines, fmt.Sprintf("page %x", sha256.Sum256([]byte(html))))
			lines = append(lines, paged(t, fmt.Sprint("look back ", name, variant), &page.Document{Title: h.Answer(), Verdict: trust(h), Graphs: charts(h), Tables: lookbackTables(h), Figures: []draw.Figure{{Name: "f", Title: "of " + fmt.Sprint(len(files)), SVG: files[LookbackFigure+ending]}}})...)
			lines = append(lines, strings.Split(page.Terminal{Width: 100}.Render(WouldSet(h), WouldBeWorth(h, false), WouldBeWorth(h, true)), "\n")...)
		}
	}
	for _, v := range []float64{0, math.Copysign(0, -1), 1, -1, 9.9999, 0.0001, 0.00009999, 999999, 1e6, 123456, 0.012345, math.NaN(), -3e-9, 1.23456e-7, 1234567} {
		lines = append(lines, fmt.Sprintf("%g is shown as %s", v, Digits(logs.Amount(v))))
	}
	lines = append(lines, cmp.Or("", "none")+cmp.Or("x", "none"), capital(""), capital("a"), turnsAhead(1), turnsAhead(3), fmt.Sprint(IsFigure("fit-x.svg"), IsFigure("fit-x.png"), IsFigure("x.svg")))
	evidence.AsRecorded(t, "testdata/looks.txt", lines)
}
