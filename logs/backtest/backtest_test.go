package backtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/logs"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/stream"
)

const spec = `
iterations: 30
model:
  decision: u
  state: p
  trait: d
  let: {slope: "?"}
  next: 0.5*p + slope*u + d
  maximize: p*u
  subject to: 0 <= u <= 20
data: {file: log.csv, person: who, time: week, decision: u, states: p, traits: d}
algorithms: [{name: composite, step: 0.02, batch: 10}]
`

// one is a row of a log.
type one struct{ u, p, d float64 }

// made is a log of people with the slope -0.7, by person and week.
func made(people, weeks int) (log [][]one) {
	s := stream.New(5, "test", "backtest")
	u := make([]float64, weeks)
	for t := range u {
		u[t] = 3 + s.Normal()
	}
	for range people {
		d := 6 + s.Normal()
		p := d
		var rows []one
		for t := range weeks {
			p = 0.5*p - 0.7*u[t] + d + 0.5*s.Normal()
			rows = append(rows, one{u[t], p, d})
		}
		log = append(log, rows)
	}
	return log
}

func written(log [][]one) string {
	var b strings.Builder
	b.WriteString("who,week,u,p,d\n")
	for i, rows := range log {
		for t, r := range rows {
			fmt.Fprintf(&b, "c%02d,%d,%v,%v,%v\n", i, t, r.u, r.p, r.d)
		}
	}
	return b.String()
}

func look(t *testing.T, text, log string, a Lookback) (*Retrospect, error) {
	t.Helper()
	s, err := problem.Parse(kind.Standard(), "shop.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	a.Fit.Seed, a.Fit.Starts = 1, 1
	return Look(context.Background(), s, fstest.MapFS{"log.csv": {Data: []byte(log)}}, a)
}

// ols is the slope by its formula, Σuy/Σu² with y = p' − p/2 − d, from weeks up to one.
func ols(log [][]one, last int) float64 {
	top, bottom := 0.0, 0.0
	for _, rows := range log {
		for t := 1; t <= last; t++ {
			y := rows[t].p - 0.5*rows[t-1].p - rows[t].d
			top += rows[t].u * y
			bottom += rows[t].u * rows[t].u
		}
	}
	return top / bottom
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-6*(1+math.Abs(b)) }

// With one slope unknown everything has a closed form. Settled, p = 2(slope·u + d), so that revenue is best at −mean d/(2 slope), retraining rests where p is 0,
// at −mean d/slope, and values follow; the slope of a date is that of least squares on the rows until then, and values are by that of all rows.
func TestClosedForm(t *testing.T) {
	const people, weeks = 8, 12
	log := made(people, weeks)
	h, err := look(t, spec, written(log), Lookback{From: "5", Every: 2, Draws: 40})
	if err != nil {
		t.Fatal(err)
	}
	if len(h.Dates) != 3 || h.Dates[0].Date != "5" || h.Dates[2].Date != "9" || !h.Maximize {
		t.Fatalf("dates %+v", h.Dates)
	}
	d, all := 0.0, ols(log, weeks-1)
	for _, rows := range log {
		d += rows[0].d / people
	}
	for i, o := range h.Dates {
		week := 5 + 2*i
		then := ols(log, week)
		if got := float64(o.Numbers[0].Value); !near(got, then) {
			t.Errorf("week %d: the slope is %v, by least squares %v", week, got, then)
		}
		p, observed := 0.0, 0.0
		for _, rows := range log {
			p += rows[week].p / people
			observed += rows[week+1].p * rows[week+1].u / people
		}
		for j, u := range []float64{log[0][week+1].u, -d / (2 * then), -d / then, log[0][week].u} {
			v := o.Rules[j]
			once, settled := (0.5*p+all*u+d)*u, 2*(all*u+d)*u
			if !near(v.Decision[0], u) || !near(float64(v.Once.Value), once) || !near(float64(v.Settled.Value), settled) {
				t.Errorf("week %d: %s is %v worth %v and %v, by hand %v worth %v and %v", week, v.Rule, v.Decision, v.Once.Value, v.Settled.Value, u, once, settled)
			}
			if !(v.Settled.Low < v.Settled.Value && v.Settled.Value < v.Settled.High) {
				t.Errorf("week %d: %s is worth %v within %v … %v", week, v.Rule, v.Settled.Value, v.Settled.Low, v.Settled.High)
			}
		}
		if !near(float64(o.Observed), observed) || o.Seen != people {
			t.Errorf("week %d: %v was observed of %d, by hand %v", week, o.Observed, o.Seen, observed)
		}
	}
	if m := h.Margins[0]; m.Against != Done || m.Dates != 3 || !(m.Settled.Value > 0) || !strings.Contains(h.Answer(), "would have earned") || len(h.Assumptions) < 4 {
		t.Errorf("margin %+v, %s", m, h.Answer())
	}
}

// Nothing that comes later than a date has a part in what rules set at it: other rows, other people.
func TestNothingLeaksBack(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and others have workers share")
	}
	log := made(8, 12)
	before, err := look(t, spec, written(log), Lookback{From: "4", Draws: 20})
	if err != nil {
		t.Fatal(err)
	}
	const week = 7
	for i := range log {
		for w := week + 1; w < len(log[i]); w++ {
			log[i][w] = one{1 + 0.3*float64(w), float64(i * w), log[i][w].d}
		}
	}
	text := written(log) + "a-newcomer,9,1,2,30\na-newcomer,10,1.5,2.5,30\n"
	after, err := look(t, spec, text, Lookback{From: "4", Draws: 20})
	if err != nil {
		t.Fatal(err)
	}
	for i := range before.Dates {
		a, b := before.Dates[i], after.Dates[i]
		same := slices.Equal(a.Rules[1].Decision, b.Rules[1].Decision) && slices.Equal(a.Rules[2].Decision, b.Rules[2].Decision)
		if same != (4+i <= week) {
			t.Errorf("week %s: %v and %v, after the change of later weeks %v and %v", a.Date, a.Rules[1].Decision, a.Rules[2].Decision, b.Rules[1].Decision, b.Rules[2].Decision)
		}
	}
}

// A limit holds rules near what was deployed: the optimum of a concave value is then at the limit, or where it was.
func TestMostChange(t *testing.T) {
	evidence.OneGoroutine(t)
	log := made(8, 12)
	h, err := look(t, spec, written(log), Lookback{From: "5", Every: 3, Draws: 20, MostChange: 0.25})
	if err != nil {
		t.Fatal(err)
	}
	free, err := look(t, spec, written(log), Lookback{From: "5", Every: 3, Draws: 20})
	if err != nil {
		t.Fatal(err)
	}
	for i, o := range h.Dates {
		last := o.Rules[3].Decision[0]
		for j := 1; j <= 2; j++ {
			want := min(max(free.Dates[i].Rules[j].Decision[0], last-0.25), last+0.25)
			if !near(o.Rules[j].Decision[0], want) {
				t.Errorf("%s at %s is %v, want %v", o.Rules[j].Rule, o.Date, o.Rules[j].Decision, want)
			}
		}
	}
}

// While the price stands still, what it does and what it would be without cannot be told: such dates are shown, and what was done beside them.
func TestTooEarly(t *testing.T) {
	evidence.OneGoroutine(t)
	log := made(6, 12)
	for i := range log {
		for w := range 6 {
			log[i][w].u = 3
		}
	}
	text := strings.Replace(strings.Replace(spec, `{slope: "?"}`, `{slope: "?", level: "?"}`, 1), "+ d\n", "+ d + level\n", 1)
	h, err := look(t, text, written(log), Lookback{From: "0.25", Draws: 20})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range h.Dates {
		early := o.turn < 6
		if (o.Why != "") != early || (o.of(Composite) == nil) != early || o.of(Done) == nil || !o.of(Nothing).Settled.Value.Known() {
			t.Errorf("%s: %q, %+v", o.Date, o.Why, o.Rules)
		}
	}
	files, err := h.Files()
	if err != nil || !strings.Contains(string(files[CSVFile]), "3,composite,,,,,,,,,cannot be told yet: ") {
		t.Errorf("%v\n%s", err, files[CSVFile])
	}
}

// Bytes do not depend on the number of workers; wrong dates and logs that tell nothing are refused.
func TestWorkersAndRefusals(t *testing.T) {
	log := made(6, 10)
	var before []byte
	for _, workers := range []int{1, 4} {
		h, err := look(t, spec, written(log), Lookback{Draws: 20, Fit: logs.Options{Workers: workers}})
		if err != nil {
			t.Fatal(err)
		}
		files, err := h.Files()
		if err != nil || before != nil && !bytes.Equal(before, files[JSONFile]) {
			t.Errorf("%d workers: other bytes, %v", workers, err)
		}
		before = files[JSONFile]
	}
	var from *FromError
	for _, date := range []string{"9", "1.5", "monday", "-1", "NaN"} {
		if _, err := look(t, spec, written(log), Lookback{From: date}); !errors.As(err, &from) {
			t.Errorf("from %s: %v", date, err)
		}
	}
	var lost *logs.NoLogError
	nowhere := strings.Replace(spec, "data: {file: log.csv, person: who, time: week, decision: u, states: p, traits: d}", "population: {size: 9, law: normal, mean: 6, deviation: 1}", 1)
	if _, err := look(t, nowhere, "", Lookback{}); !errors.As(err, &lost) || err.Error() != "shop.yaml: there is no section data; want one that says where the log is, with file, person, time, states and decision" {
		t.Errorf("without a log: %v", err)
	}
	var known *logs.NothingUnknownError
	settled := strings.Replace(spec, `{slope: "?"}`, "{slope: -0.7}", 1) + "population: {size: 9, law: normal, mean: 6, deviation: 1}\n"
	if _, err := look(t, settled, written(log), Lookback{}); !errors.As(err, &known) {
		t.Errorf("nothing unknown: %v", err)
	}
	var untold *UntoldError
	for i := range log {
		for w := range log[i] {
			log[i][w].u = 3
		}
	}
	text := strings.Replace(strings.Replace(spec, `{slope: "?"}`, `{slope: "?", level: "?"}`, 1), "+ d\n", "+ d + level\n", 1)
	if _, err := look(t, text, written(log), Lookback{}); !errors.As(err, &untold) {
		t.Errorf("a log that tells nothing: %v", err)
	}
}

// Of the draws 0, 1, 4, … 400 the interval goes from half way between the first two to half way between the last two, a share of 0.5 and 19.5 of 20; one draw in 41
// without a value is let be, one in 40 not, and neither are fewer than 20 draws.
func TestIntervalsAreQuantiles(t *testing.T) {
	squares := make([]float64, 21)
	for i := range squares {
		squares[len(squares)-1-i] = float64(i * i)
	}
	same := slices.Repeat([]float64{3}, 40)
	for _, c := range []struct {
		drawn     []float64
		low, high float64
	}{{squares, 0.5, 380.5}, {append(slices.Clone(same), math.NaN()), 3, 3}, {append(same[1:], math.Inf(1)), math.NaN(), math.NaN()}, {squares[2:], math.NaN(), math.NaN()}, {squares[1:], 0.475, 343.425}} {
		w := Worth{drawn: c.drawn}
		w.bound()
		if low, high := float64(w.Low), float64(w.High); !(near(low, c.low) && near(high, c.high)) && !(math.IsNaN(low) && math.IsNaN(high) && math.IsNaN(c.low)) {
			t.Errorf("of %v %v … %v, want %v … %v", c.drawn, low, high, c.low, c.high)
		}
	}
}

// A decision of 0 earns 0, a turn later and settled, and 0 has no sign, whichever way the objective goes.
func TestNothingHasNoSign(t *testing.T) {
	for _, way := range []string{"maximize", "minimize"} {
		text := strings.NewReplacer(`"?"`, "-0.7", "maximize", way, "data: {file: log.csv, person: who, time: week, decision: u, states: p, traits: d}", "population: {size: 9, law: normal, mean: 6, deviation: 1}").Replace(spec)
		s, err := problem.Parse(kind.Standard(), "sign.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		p, err := problem.Build("sign", s, fstest.MapFS{})
		if err != nil {
			t.Fatal(err)
		}
		scale, err := newScales(p.Model, p.Maximize)
		if err != nil {
			t.Fatal(err)
		}
		if once, settled := scale.weigh([]float64{0}); once != 0 || settled != 0 || math.Signbit(once) || math.Signbit(settled) {
			t.Errorf("%s: %v and %v", way, once, settled)
		}
	}
}
