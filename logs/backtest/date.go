package backtest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strconv"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/logs"
	"github.com/kedge-opt/kedge/optimum"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/record"
	"github.com/kedge-opt/kedge/set"
	"github.com/kedge-opt/kedge/steady"
)

// looker looks back at dates.
type looker struct {
	Lookback
	spec  *problem.Spec
	files fs.FS
	all   *logs.Inference // of the whole log
}

// date fills a date in, and tells whether values are rewards.
func (l *looker) date(ctx context.Context, o *PastDate) (maximize bool, err error) {
	log := l.all.Log
	before, done := o.turn, o.next
	if l.spec.Data.From == record.AsBefore {
		before, done = o.turn-1, o.turn
	}
	o.before = deployed(log, before)
	o.Rules = []Verdict{{Rule: Done, Decision: deployed(log, done)}, {Rule: Composite}, {Rule: Vanilla}, {Rule: Nothing, Decision: o.before}}
	if o.Rules[0].Decision == nil {
		o.Rules[0].Why = "there are no rows of the next date"
	}
	if o.before == nil {
		o.Rules[3].Why = "there are no rows of the date before"
	}
	if err := l.then(ctx, o); err != nil {
		return false, err
	}
	past := l.all.Past(o.turn)
	judge, err := past.Problem(over(len(past.Draws))...)
	if err != nil {
		return false, fmt.Errorf("%s: %w", o.Date, err)
	}
	if err := l.judge(ctx, judge, past, o); err != nil {
		return false, err
	}
	l.observe(judge, o)
	return judge.Maximize, nil
}

// deployed is the mean decision of a turn by weight, nil where there is none.
func deployed(l *record.Recorded, turn int) (u []float64) {
	total := 0.0
	for i, t := range l.Turn {
		if t != turn {
			continue
		}
		if u == nil {
			u = make([]float64, len(l.Decision.Names))
		}
		w := rows.Weight(l.Weight, i)
		total += w
		rows.AddScaled(u, w, l.Decision.Row(i))
	}
	if !(total > 0) {
		return nil
	}
	for j := range u {
		u[j] /= total
	}
	return u
}

// then decides by what was known then: rows until the date, and no other.
func (l *looker) then(ctx context.Context, o *PastDate) error {
	how := l.Fit
	how.Log, how.Workers = l.all.Log.Until(o.turn), 1
	e, err := logs.Fit(ctx, l.spec, l.files, how)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err == nil && !e.Told() {
		err = errors.New(e.Blind[0])
	}
	var p *problem.Problem
	if err == nil {
		o.Numbers = e.Found
		p, err = e.Problem()
	}
	if err != nil {
		o.Why, o.Rules[1].Why, o.Rules[2].Why = err.Error(), tooEarly, tooEarly
		return nil
	}
	f, err := p.Steady()
	if err != nil {
		return err
	}
	return l.decide(ctx, p, f, o)
}

const tooEarly = "cannot be told yet"

// decide finds what both rules would have set.
func (l *looker) decide(ctx context.Context, p *problem.Problem, f *steady.Objective, o *PastDate) error {
	room := p.Set
	if room == nil {
		room = set.Whole{}
	}
	start := slices.Clone(p.Start)
	if o.before != nil {
		if l.MostChange > 0 {
			room = nearby{set.RateLimit{Of: room, Most: l.MostChange}, o.before}
		}
		start = slices.Clone(o.before)
	}
	if err := room.Project(start); err != nil {
		return err
	}
	for i, find := range []func() ([]float64, error){
		func() ([]float64, error) {
			s, err := optimum.Find(ctx, f, room, [][]float64{start}, p.Effort())
			if err != nil {
				return nil, err
			}
			return s.Decision, nil
		},
		func() ([]float64, error) {
			s, err := optimum.Stable(ctx, f.Partial, room, start, p.Search)
			if err != nil {
				return nil, err
			}
			return s.Decision, nil
		},
	} {
		u, err := find()
		switch v := &o.Rules[1+i]; {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			v.Why = err.Error()
		default:
			v.Decision = u
		}
	}
	return nil
}

// nearby is the part of a set that is within reach of what was deployed.
type nearby struct {
	of   set.RateLimit
	last []float64
}

// Project implements [kedge.Set].
func (n nearby) Project(u []float64) error { return n.of.ProjectAt(u, 0, n.last) }

// judge works out what decisions are worth by the model fitted on the whole log.
func (l *looker) judge(ctx context.Context, p *problem.Problem, past *logs.Inference, o *PastDate) error {
	worlds, err := p.Worlds(ctx, 1)
	if err != nil {
		return err
	}
	here, err := newScales(p.Model, p.Maximize)
	if err != nil {
		return err
	}
	for i := range o.Rules {
		v := &o.Rules[i]
		once, settled := here.weigh(v.Decision)
		v.Once.Value, v.Settled.Value = logs.Amount(once), logs.Amount(settled)
	}
	for k, w := range worlds {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		var under *scales
		if w.Err == nil {
			m := w.Model
			if traits := past.TraitsUnder(k); traits != nil {
				_, width := m.Traits.Size()
				m.Traits = kedge.Block{Data: traits, Width: width}
			}
			under, _ = newScales(m, p.Maximize) // none: the draw has no value
		}
		for i := range o.Rules {
			v := &o.Rules[i]
			once, settled := under.weigh(v.Decision)
			v.Once.drawn, v.Settled.drawn = append(v.Once.drawn, once), append(v.Settled.drawn, settled)
		}
	}
	for i := range o.Rules {
		o.Rules[i].Once.bound()
		o.Rules[i].Settled.bound()
	}
	return nil
}

// scales weigh decisions by one model.
type scales struct {
	settled *steady.Objective
	once    *steady.Rollout
	sign    float64
}

func newScales(m kedge.Model, maximize bool) (*scales, error) {
	f, err := steady.New(m)
	if err != nil {
		return nil, err
	}
	s := &scales{settled: f, once: &steady.Rollout{Model: m, Steps: 1}, sign: 1}
	if maximize {
		s.sign = -1
	}
	return s, nil
}

// weigh is the value a turn later and settled, NaN where there is none.
func (s *scales) weigh(u []float64) (once, settled float64) {
	once, settled = math.NaN(), math.NaN()
	if s == nil || u == nil {
		return once, settled
	}
	if v, err := s.once.Value(u); err == nil {
		once = float64(s.sign*v) + 0 // never -0
	}
	if v, err := s.settled.Value(u); err == nil {
		settled = float64(s.sign*v) + 0
	}
	return once, settled
}

// observe works out the value of what people really did next.
func (l *looker) observe(p *problem.Problem, o *PastDate) {
	log := l.all.Log
	if o.next < 0 || p.Social {
		return
	}
	sum, total := 0.0, 0.0
	for i := 1; i < log.Rows(); i++ {
		if log.Turn[i] != o.next {
			continue
		}
		at := i
		if l.spec.Data.From == record.AsBefore {
			if at = i - 1; log.Person[at] != log.Person[i] || log.Turn[at] != o.turn {
				continue
			}
		}
		w := rows.Weight(log.Weight, i)
		sum += float64(w * p.Objective.Eval(nil, nil, log.States.Row(i), log.Decision.Row(at), l.all.TraitOf(at)))
		total += w
		o.Seen++
	}
	if total > 0 {
		if o.Observed = logs.Amount(sum / total); p.Maximize {
			o.Observed = -o.Observed
		}
	}
}

// over lets a problem be of so many draws.
func over(draws int) []problem.Overlay {
	if draws == 0 {
		return nil
	}
	return []problem.Overlay{problem.Assign("draws=" + logs.DrawsFile), problem.Assign("uncertain=" + strconv.Itoa(draws))}
}
