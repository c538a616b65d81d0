package session

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/kedge-opt/kedge/internal/phrase"
)

// Card is one thing to know about a loop.
type Card struct {
	Name  string `json:"name"`
	State string `json:"state"` // fine, wait, hold or alarm
	Words string `json:"words"`
	Do    string `json:"do,omitempty"` // what to do about it
}

// States of cards.
const (
	CardFine  = "fine"
	CardWait  = "wait"
	CardHold  = "hold"
	CardAlarm = "alarm"
)

// Health says how the loop is at some time, in cards: its mode, what is live, the decision on its way, who has answered, its caps and its alarms.
func (l *Loop) Health(now time.Time) []Card {
	list := []Card{l.modeCard(), l.liveCard(now)}
	if l.current.current() {
		list = append(list, l.wayCard(now), l.sampleCard())
	}
	if d := l.current; d != nil && d.Outcome != nil && d.Outcome.Outcome != Stepped {
		list = append(list, Card{"close", CardHold, fmt.Sprintf("Decision %d took no step: %s.", d.K, phrase.Enumerate(d.Outcome.Reasons)), "Nothing, if the next close steps; else look at the reasons."})
	}
	list = append(list, l.capCard())
	for _, name := range slices.Sorted(maps.Keys(l.alarms)) {
		list = append(list, Card{name, CardAlarm, upper(l.alarms[name]) + ".", remedies[name]})
	}
	return list
}

// remedies are what to do about alarms.
var remedies = map[string]string{
	"not-deployed":  "See whether the system that deploys still runs; the next ask offers the same decision.",
	"deployed-late": "See why it was deployed so late, or without approval. What is live is known, and the loop goes on from there.",
	"infeasible":    "Deploy something that the set of the spec allows; until then no step is taken.",
	"data-overdue":  "See whether the system that collects answers still runs. What is live stays live.",
}

func (l *Loop) modeCard() Card {
	switch l.mode {
	case Shadow:
		return Card{"mode", CardFine, "The loop is in the shadow: it answers what is live and learns what it would have done.", "kedge loop promote, once what it would have done looks right."}
	case Paused:
		return Card{"mode", CardHold, "The loop is paused: it answers what is live and learns nothing.", "kedge loop resume"}
	case Killed:
		return Card{"mode", CardAlarm, "The loop was killed: it answers the safe decision.", "kedge loop resume --reason, once the cause is found."}
	case Ended:
		return Card{"mode", CardHold, "The loop is archived.", ""}
	}
	if l.pin != nil {
		return Card{"mode", CardFine, "A decision is pinned: the loop answers it whatever the rule says.", "kedge loop unpin"}
	}
	return Card{"mode", CardFine, "The loop decides.", ""}
}

func (l *Loop) liveCard(now time.Time) Card {
	if l.live == nil {
		return Card{"live", CardWait, "Nobody has said what is live.", "Ask, deploy, and say what was deployed."}
	}
	return Card{"live", CardFine, fmt.Sprintf("Decision %d is live, for %s.", l.live.K, phrase.Duration(max(0, now.Sub(l.live.Since).Seconds()))), ""}
}

// wayCard is where the current decision is on its way.
func (l *Loop) wayCard(now time.Time) Card {
	d := l.current
	due := func(t *time.Time, what string) string {
		if t == nil {
			return ""
		}
		return fmt.Sprintf(" %s by %s.", what, t.Format(time.RFC3339))
	}
	switch d.State {
	case IsProposed:
		return Card{"decision", CardWait, fmt.Sprintf("Decision %d waits for approval.%s", d.K, due(d.ApproveBy, "It is rejected unless somebody approves it")), "kedge loop approve, or reject."}
	case IsOpen:
		return Card{"decision", CardWait, fmt.Sprintf("Decision %d is open.%s", d.K, due(d.DeployBy, "It lapses unless it is deployed")), "Deploy it, and say so."}
	}
	state := CardFine
	if by := d.Deployed.DataBy; by != nil && now.After(*by) {
		state = CardAlarm
	}
	return Card{"decision", state, fmt.Sprintf("Decision %d is deployed.%s", d.K, due(d.Deployed.DataBy, "People's answers are due")), "Tell who answered, then close."}
}

func (l *Loop) sampleCard() Card {
	have, least := l.current.rows(), l.plan.Live.Least
	c := Card{"samples", CardFine, fmt.Sprintf("%d of the %d people wanted have answered.", have, least), ""}
	if have < least {
		c.State, c.Do = CardWait, "Tell more people before the close; with fewer it takes no step."
	}
	return c
}

func (l *Loop) capCard() Card {
	if d := l.current; d != nil {
		for _, why := range d.Reasons {
			if len(why) > 4 && why[:4] == "cap." {
				return Card{"cap", CardWait, upper(why) + ".", "If that goes on, raise the cap or lower the step."}
			}
		}
	}
	return Card{"cap", CardFine, "No cap cuts the newest decision.", ""}
}
