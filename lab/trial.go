package lab

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/wire"
	"github.com/kedge-opt/kedge/loop"
	"github.com/kedge-opt/kedge/problem"
)

// attempt is a trial under way.
type attempt struct {
	run   *run
	at    reached
	slot  *folder.Trial
	trial *problem.Trial
	rule  kedge.Algorithm // that decides: the trial's, or one from elsewhere
	meter *loop.Meter
	tools []kedge.Instrument // the meter first
	path  *walk
	seen  *Watched
	begun time.Time // earlier by what earlier processes spent
	pulse int64     // the keeper's, when the trial was saved last
	quiet time.Time // until then it is not saved again, unless the run is stopped
}

// attempt runs one trial into its slot.
func (r *run) attempt(ctx context.Context, at place, carried float64) error {
	a, err := r.start(at, carried)
	if err != nil {
		return err
	}
	defer a.leave()
	log := &series{run: r, trial: a.slot, seen: a.seen}
	l := loop.Loop{
		Population: a.trial.People, Algorithm: a.rule, Objective: a.trial.Objective,
		Turns: r.result.Iterations, Batch: a.trial.Batch, Hold: r.problem.Spec.Hold, From: a.at.turns,
		Instruments: a.tools, Recorder: log, Every: r.problem.Spec.Record.Every,
		After: func(turns int) error { return a.after(ctx, turns) },
	}
	within := ctx
	if r.keeper != nil {
		// A trial is saved between two turns, so a stop must not come in the middle of one.
		defer context.AfterFunc(ctx, r.keeper.requestSaves)()
		within = context.WithoutCancel(ctx)
	}
	a.meter.Steady.Until = within
	if err := l.Run(within); err != nil {
		return err
	}
	a.finish(log.last)
	return nil
}

// start makes a trial, where an earlier process saved it if there was one.
func (r *run) start(at place, carried float64) (*attempt, error) {
	a := &attempt{run: r, at: reached{place: at}, slot: r.slot(at), seen: r.Watch.Methods()[at.algorithm]}
	if err := a.begin(carried); err != nil {
		return nil, err
	}
	if a.restore() != nil {
		r.Progress.Done.Add(-int64(r.keeper.underway[at]))
		*a.slot, a.at = folder.Trial{Index: at.trial}, reached{place: at}
		if err := a.begin(carried); err != nil {
			return nil, err
		}
	}
	a.seen.resumed(a.slot, a.at.turns)
	a.begun = time.Now().Add(-time.Duration(a.slot.Seconds * float64(time.Second)))
	a.path = r.walk(a, at.trial == r.result.Runs[at.algorithm].Planned-1)
	a.path.see(a.at.turns)
	a.lend()
	return a, nil
}

// begin makes the trial as it is before its first turn.
func (a *attempt) begin(carried float64) (err error) {
	a.leave()
	if a.trial, err = a.run.problem.TrialIn(a.run.elsewhere(), a.at.algorithm, a.at.trial, carried); err != nil {
		return err
	}
	if err = a.decide(); err != nil {
		return err
	}
	if a.tools, err = a.instruments(); err != nil {
		return err
	}
	r := a.run
	a.slot.Measured = folder.NewMeasured(loop.Columns(a.tools), min(r.result.Iterations/max(1, r.problem.Spec.Record.Every)+2, 1<<16))
	return nil
}

// decide finds who decides in the trial.
func (a *attempt) decide() (err error) {
	if a.rule = a.trial.Algorithm; a.run.Decide == nil {
		return nil
	}
	other, err := a.run.Decide(a.at.algorithm, a.at.trial)
	if err != nil || other == nil {
		return err
	}
	if _, saves := other.(wire.State); !saves && a.run.keeper != nil {
		return fmt.Errorf("a %T decides, whose state cannot be saved: run without a checkpoint, or give it AppendBinary and UnmarshalBinary", other)
	}
	a.rule = other
	return nil
}

// instruments returns what measures the trial, in the order of the columns.
func (a *attempt) instruments() (list []kedge.Instrument, err error) {
	r := a.run
	if a.meter, err = a.ownMeter(); err != nil {
		return nil, err
	}
	list = append(list, a.meter, loop.Trust{})
	if r.sticks != nil {
		theory, err := r.theory(a.at.algorithm)
		if err != nil {
			return nil, err
		}
		list = append(list, theory)
	}
	if a.meter.Course != nil {
		list = append(list, &loop.Track{Meter: a.meter})
	}
	judges, err := r.judges(a.trial.People.TraitRows())
	if err != nil {
		return nil, err
	}
	if judges != nil {
		list = append(list, judges)
	}
	if r.game.settled != nil {
		list = append(list, r.nash())
	}
	record, dim := r.problem.Spec.Record, r.problem.Spec.Dims()
	if r.problem.Spec.KeepsDecisions() {
		list = append(list, loop.Decisions(r.problem.Spec.DecisionColumns()))
	}
	if record.Traits {
		list = append(list, loop.NewTraits(dim.Trait, r.problem.Spec.Called().Trait))
	}
	if r.Instruments != nil {
		list = append(list, r.Instruments()...)
	}
	return list, nil
}

// after looks after the trial between two turns.
func (a *attempt) after(ctx context.Context, turns int) error {
	a.at.turns = turns
	a.path.see(turns)
	a.run.Progress.Done.Add(1)
	a.seen.done.Add(1)
	a.lend()
	if !a.run.keeper.wantsSave(&a.pulse) {
		return nil
	}
	now := time.Now()
	if ctx.Err() == nil && now.Before(a.quiet) {
		return nil
	}
	a.slot.Seconds = now.Sub(a.begun).Seconds()
	a.save()
	a.quiet = quietUntil(now, time.Now())
	return ctx.Err()
}

// quietUntil is when a trial may be saved again that was saved between two moments: as long after as that took, so that at most half of its time goes
// into saves, however often they are asked for and however large it is.
func quietUntil(from, to time.Time) time.Time { return to.Add(to.Sub(from)) }

// finish fills in what is known at the end.
func (a *attempt) finish(last []float64) {
	a.slot.Decision = last
	if a.run.problem.Carries(a.at.algorithm) {
		a.slot.Carried = a.trial.Carried()
	}
	if a.run.problem.SharedSpace() {
		a.slot.Angles = degrees(a.trial.States(a.run.shown), last)
	}
	a.slot.Seconds = time.Since(a.begun).Seconds()
	a.slot.Finished = true
	a.run.keeper.finish(a.file(), a.at, *a.slot)
}

// employer is an instrument that can use several workers.
type employer interface{ Employ(workers int) }

// lend gives the trial the workers that it may use now: when fewer jobs are left than there are workers, each gets its share.
func (a *attempt) lend() {
	n := max(1, a.run.Workers/int(max(1, a.run.open.Load())))
	a.trial.People.Employ(n)
	for _, one := range a.tools {
		if e, ok := one.(employer); ok {
			e.Employ(n)
		}
	}
}

// ownMeter returns a meter of the trial's own, which judges by the people who are there where they change.
func (a *attempt) ownMeter() (*loop.Meter, error) {
	m := a.run.meter.Clone()
	if !a.run.problem.Moves() {
		a.judgeThere(m)
		return m, nil
	}
	var err error
	m.Steady, err = a.run.problem.SteadyOf(a.trial.People.TraitRows())
	return m, err
}

// series records the measured turns of one trial.
type series struct {
	run   *run
	trial *folder.Trial
	seen  *Watched
	last  []float64
}

func (s *series) Record(step *kedge.Step) error {
	s.trial.Add(step.K, step.Row)
	s.run.watchFor(step.Row, step.U, s.trial.Columns)
	s.last = append(s.last[:0], step.U...)
	s.seen.measured(step.K, s.trial.Last("gap"))
	return nil
}

// file is the name of the trial's file in a checkpoint.
func (a *attempt) file() string {
	return fmt.Sprintf("%s%d-%d.bin", folder.CheckpointTrial, a.at.algorithm, a.at.trial)
}

// states are what the file of a trial holds.
func (a *attempt) states() []wire.State {
	list := []wire.State{&a.at, a.slot, a.trial.People, a.rule.(wire.State)}
	for _, one := range a.tools {
		if s, ok := one.(wire.State); ok {
			list = append(list, s)
		}
	}
	return list
}

// save saves the trial as far as it is.
func (a *attempt) save() {
	k := a.run.keeper
	k.warn(k.write(a.file(), a.states()...))
}

// restore brings the trial to where an earlier process saved it, if one did. On an error the trial is spoiled.
func (a *attempt) restore() error {
	k := a.run.keeper
	if k == nil {
		return nil
	}
	a.pulse = k.pulse.Load()
	if _, found := k.underway[a.at.place]; !found {
		return nil
	}
	data, err := k.readFile(a.file())
	if err == nil {
		err = a.read(data)
	}
	if err != nil {
		k.tell(fmt.Sprintf("a trial begins again, because %s cannot be used: %v", k.dir.Path(inCheckpoint(a.file())), err))
	}
	return err
}

// read reads the file of the trial.
func (a *attempt) read(data []byte) error {
	at := a.at.place
	rest, err := restore(data, a.states()...)
	switch {
	case err != nil:
		return err
	case !slices.Equal(a.slot.Columns, loop.Columns(a.tools)):
		return &wire.Error{Kind: reachedKind, Reason: "other quantities were measured"}
	case a.at.place != at || a.slot.Index != at.trial || a.at.turns > a.run.result.Iterations || len(rest) > 0:
		return &wire.Error{Kind: reachedKind, Reason: "it is of another trial"}
	}
	return nil
}

// resume puts what earlier processes have done into the result.
func (r *run) resume() {
	k := r.keeper
	if k == nil || !k.resumed {
		return
	}
	turns, total := 0, 0
	for a, one := range r.result.Runs {
		total += one.Planned * r.result.Iterations
		for t := range one.Trials {
			if saved := k.finished[place{a, t}]; saved != nil && saved.Index == t {
				one.Trials[t] = *saved
				turns += r.result.Iterations
			} else {
				turns += k.underway[place{a, t}]
			}
		}
	}
	r.Progress.Done.Store(int64(turns))
	k.tell(fmt.Sprintf("resumed at %d %%", 100*turns/max(1, total)))
}

// slot returns where a trial is kept.
func (r *run) slot(at place) *folder.Trial { return &r.result.Runs[at.algorithm].Trials[at.trial] }
