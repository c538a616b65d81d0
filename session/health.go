package session

import (
	"time"

	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/session/word"
)

// Health says how the loop is at some time, in cards.
func (l *Loop) Health(now time.Time) []word.Card {
	c := word.Condition{Now: now, Mode: string(l.mode), Pinned: l.pin != nil, Safe: l.plan.Live.Safe, Least: l.plan.Live.Least, Lead: l.plan.Live.Ahead(), Alarms: l.alarmed()}
	if l.live != nil {
		c.LiveK, c.LiveSince = l.live.K, l.live.Since
	}
	if d := l.current; d != nil {
		c.K, c.Reasons, c.Have, c.Learned = d.K, d.Reasons, d.Answered(), d.Trust
		if l.live != nil {
			c.Change = rows.Distance(d.U, l.live.U)
		}
		if d.Deployed != nil {
			c.Off = d.Deployed.Off
		}
		if d.Outcome != nil && d.Outcome.Outcome != Stepped {
			c.Held = d.Outcome.Reasons
		}
		switch c.Stage = string(d.State); d.State {
		case IsProposed:
			c.Due = d.ApproveBy
		case IsOpen:
			c.Due = d.DeployBy
		case IsDeployed:
			c.Due = d.Deployed.DataBy
		default:
			c.Stage = ""
		}
	}
	if l.guard != nil {
		c.Guarded = word.Guarded{Verdicts: l.guard.Last, Beyond: l.plan.Live.Beyond, Window: l.plan.Live.TrustWindow, Otherwise: l.plan.Live.TrustOtherwise}
	}
	return c.Cards()
}
