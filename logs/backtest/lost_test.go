package backtest

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/logs"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
)

var errNoWay = errors.New("there is no way into the set")

// closing is a set into which nothing can be brought from some call on.
type closing struct {
	kedge.Set
	calls, at int
}

func (c *closing) Project(u []float64) error {
	if c.calls++; c.calls >= c.at {
		return errNoWay
	}
	return c.Set.Project(u)
}

// looking is about to look back at a short log, without draws.
func looking(t *testing.T) *looker {
	t.Helper()
	s, err := problem.Parse(kind.Standard(), "shop.yaml", []byte(spec))
	if err != nil {
		t.Fatal(err)
	}
	files := fstest.MapFS{"log.csv": {Data: []byte(written(made(3, 6)))}}
	all, err := logs.Fit(t.Context(), s, files, logs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	all.Redraw(0)
	return &looker{Lookback: Lookback{From: "4"}, spec: s, files: files, all: all}
}

// A date ends with its context, though no draws would ask for that later.
func TestDatesWithoutDrawsEnd(t *testing.T) {
	l := looking(t)
	dates, err := l.origins(l.all.Log)
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	if _, err := l.date(ctx, &dates[0]); err != nil {
		t.Fatal(err)
	}
	end()
	if _, err := l.date(ctx, &dates[0]); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end: %v", err)
	}
}

// Where the decision of before cannot be brought into the set nothing is decided; where a rule finds none, it says why.
func TestRulesThatFindNoDecision(t *testing.T) {
	l := looking(t)
	p, err := l.all.Problem()
	if err != nil {
		t.Fatal(err)
	}
	f, err := p.Steady()
	if err != nil {
		t.Fatal(err)
	}
	whole := p.Set
	p.Set = &closing{Set: whole, at: 1}
	if err := l.decide(t.Context(), p, f, &PastDate{Rules: make([]Verdict, 4)}); !errors.Is(err, errNoWay) {
		t.Errorf("without a start: %v", err)
	}
	p.Set = &closing{Set: whole, at: 2}
	o := &PastDate{Rules: make([]Verdict, 4)}
	if err := l.decide(t.Context(), p, f, o); err != nil {
		t.Fatal(err)
	}
	for _, v := range o.Rules[1:3] {
		if want := "project the start: " + errNoWay.Error(); v.Decision != nil || v.Why != want {
			t.Errorf("decides %v, %q, want %q", v.Decision, v.Why, want)
		}
	}
}

// A look back at people of whom two columns have one name is refused; where neither the model nor the log can be read, the model comes first.
func TestLooksBackThatAreRefused(t *testing.T) {
	log := written(made(3, 6))
	named := strings.NewReplacer("state: p", "state: who", "0.5*p", "0.5*who", "p*u", "who*u", "person: who", "person: id").Replace(spec)
	if _, err := look(t, named, strings.Replace(log, "who,", "id,", 1), Lookback{From: "4"}); err == nil || !strings.Contains(err.Error(), `two columns have the name "who"`) {
		t.Errorf("two columns of a name: %v", err)
	}
	var nothing *logs.NothingUnknownError // whatever else is wrong with the log
	known := strings.NewReplacer(`slope: "?"`, "slope: -0.7", "person: who", "kind: sections").Replace(spec)
	if _, err := look(t, known, log, Lookback{From: "4"}); !errors.As(err, &nothing) {
		t.Errorf("with nothing unknown: %v", err)
	}
	files := strings.NewReplacer(`slope: "?"`, `slope: "?", table: {file: gone.csv}`, "slope*u + d", "slope*u + d + table", "log.csv", "away.csv").Replace(spec)
	if _, err := look(t, files, log, Lookback{From: "4"}); err == nil || !strings.Contains(err.Error(), "gone.csv") {
		t.Errorf("without a table of the model and without a log: %v", err)
	}
}

// A model that nothing can be worth under has no scales, and what has none weighs nothing.
func TestScalesOfNoModel(t *testing.T) {
	s, err := newScales(kedge.Model{}, true)
	if s != nil || err == nil {
		t.Errorf("%+v, %v", s, err)
	}
	l := &looker{}
	if err := l.judge(t.Context(), &problem.Problem{}, nil, &PastDate{}); err == nil {
		t.Error("decisions are judged by no model")
	}
	if once, settled := s.weigh([]float64{1}); !math.IsNaN(once) || !math.IsNaN(settled) {
		t.Errorf("%v, %v", once, settled)
	}
}
