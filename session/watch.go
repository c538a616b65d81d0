package session

import (
	"github.com/kedge-opt/kedge/problem/live"
	"github.com/kedge-opt/kedge/session/guard"
)

// react does what guards want after a close: alarms are raised and taken back, and guardrails that failed often enough act.
func (l *Loop) react(d *Decision, report *guard.Report) error {
	defer l.as("guard")()
	if report != nil {
		for _, j := range report.Rails {
			if err := l.worry("guardrail."+j.Name, j.Acts != "", j.Words); err != nil {
				return err
			}
		}
		if err := l.worry("trust", report.Distrust != "", report.Distrust); err != nil {
			return err
		}
		if acted, err := l.retreat(report.Acts); acted || err != nil {
			return err
		}
	}
	if l.rests && d.Basis == Rollback && l.mode == Live {
		return l.emit(ModeChanged, 0, "", switching{Paused, "a guardrail sent the loop back to what passed, and it is there"}, nil)
	}
	return nil
}

// worry has an alarm stand as long as there is a reason. What each close says of it stands in the close, so that one that goes on is one event.
func (l *Loop) worry(name string, is bool, words string) error {
	if !is {
		return l.clear(name)
	}
	if _, raised := l.alarms[name]; raised {
		return nil
	}
	return l.raise(0, name, words)
}

// retreat goes back to what passed, or to the safe decision, as guardrails of a loop that decides want it.
func (l *Loop) retreat(acts []guard.Act) (acted bool, err error) {
	if l.mode != Live { // no decision is current: one was just closed
		return false, nil
	}
	for _, a := range acts {
		if a.Action == live.Kill {
			return true, l.emit(ModeChanged, 0, "", switching{Killed, a.Words}, nil)
		}
	}
	for _, a := range acts {
		if a.Action == live.GoBack {
			b := turnBack{To: l.plan.Live.Safe, Pause: true, Reason: a.Words}
			if good := l.guard.Good; good != nil {
				b.To = good.U
			}
			return true, l.emit(RolledBack, 0, "", b, nil)
		}
	}
	return false, nil
}
