package served

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/kedge-opt/kedge/client"
	"github.com/kedge-opt/kedge/internal/bench/rival"
	"github.com/kedge-opt/kedge/session"
)

//go:embed optuna_turns.py
var optunaTurns string

// turns is how many turns a second one client gets, beside ask and tell of Optuna's database storage.
func (b Trial) turns(ctx context.Context) ([]Rated, error) {
	rows := []struct {
		name   string
		dim    int
		people int
		bar    float64
		turns  func() turn
	}{
		{"one turn as four calls, 3 numbers, 20 people", 3, 20, 15, func() turn { return fourCalls }},
		{"one turn as exchange, 20 numbers, 50 people × 40 numbers", 20, 50, 25, exchanges},
	}
	var list []Rated
	for _, r := range rows {
		var own, theirs []float64
		beside := fmt.Sprintf("Optuna, RDB on SQLite, ask + tell, %d numbers, no people", r.dim)
		var absent error
		for range b.Rounds {
			rate, err := b.turnRate(ctx, r.dim, r.people, r.turns())
			if err != nil {
				return nil, err
			}
			own = append(own, rate)
			if absent == nil {
				rate, absent = b.optunaRate(ctx, r.dim)
				theirs = append(theirs, rate)
			}
		}
		if absent != nil {
			list = append(list, Rated{Name: r.name, Beside: beside, Bar: fmt.Sprintf("≥ %g×", r.bar), Absent: absent.Error()})
			continue
		}
		list = append(list, atLeast(r.name, "/s", own, beside, theirs, r.bar))
	}
	return list, nil
}

// turn is one round of a loop with people who answer.
type turn func(ctx context.Context, l *client.Remote, a client.Answers) error

// exchanges are rounds in one call each, which also brings the next decision.
func exchanges() turn {
	var next *session.Offer
	return func(ctx context.Context, l *client.Remote, a client.Answers) error {
		if next == nil {
			offer, err := l.Ask(ctx)
			if err != nil {
				return err
			}
			next = &offer
		}
		x, err := l.Exchange(ctx, client.Round{K: next.K, Deployment: &session.Deploy{U: next.U}, Name: "all", Batch: &a, Close: &session.Close{}, Ask: true})
		if err != nil {
			return err
		}
		if x.Closed.Outcome.Outcome != session.Stepped {
			return fmt.Errorf("decision %d came to %s: %v", next.K, x.Closed.Outcome.Outcome, x.Closed.Reasons)
		}
		next = x.Next
		return nil
	}
}

// fourCalls are ask, deploy, tell and close.
func fourCalls(ctx context.Context, l *client.Remote, a client.Answers) error {
	offer, err := l.Ask(ctx)
	if err != nil {
		return err
	}
	if _, err := l.Deploy(ctx, offer.K, offer.U); err != nil {
		return err
	}
	if _, err := l.Tell(ctx, offer.K, "all", a); err != nil {
		return err
	}
	o, err := l.Close(ctx, offer.K)
	if err == nil && o.Outcome.Outcome != session.Stepped {
		err = fmt.Errorf("decision %d came to %s: %v", offer.K, o.Outcome.Outcome, o.Reasons)
	}
	return err
}

func (b Trial) turnRate(ctx context.Context, dim, people int, turn turn) (rate float64, err error) {
	err = in(nil, func(s *site) error {
		c := client.Open(s.address)
		if _, err := c.Create(ctx, "shop", shop(dim), session.Live); err != nil {
			return err
		}
		l, turns, begun := c.Loop("shop"), 0, time.Now()
		for ; time.Since(begun) < b.Span; turns++ {
			if err := turn(ctx, l, answers(people, dim, turns)); err != nil {
				return err
			}
		}
		rate = float64(turns) / time.Since(begun).Seconds()
		return nil
	})
	return rate, err
}

// optunaRate is how many turns a second Optuna takes, if it is there.
func (b Trial) optunaRate(ctx context.Context, dim int) (float64, error) {
	dir, err := os.MkdirTemp("", "kedge-bench-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	c := exec.CommandContext(ctx, rival.Usual(), "-c", optunaTurns, filepath.Join(dir, "study.db"), strconv.Itoa(dim), fmt.Sprint(b.Span.Seconds()))
	out, err := c.Output()
	if err != nil {
		return 0, fmt.Errorf("no Optuna: pip install optuna, and KEDGE_PYTHON names the Python that has it")
	}
	return strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
}
