package word

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/problem/live"
	"github.com/kedge-opt/kedge/session/guard"
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
	Fine  = "fine"
	Wait  = "wait"
	Hold  = "hold"
	Alarm = "alarm"
)

// Condition is what is known of a loop at some time.
type Condition struct {
	Now    time.Time
	Mode   string // shadow, live, paused, killed or archived
	Pinned bool
	Terms  *live.Arrangement // of its spec

	LiveK     int // 0: nobody has said what is live
	LiveSince time.Time

	K       int        // of the newest decision; 0: there is none
	Stage   string     // proposed, open or deployed; empty: it is past that
	Due     *time.Time // when it is rejected or lapses, or answers are due
	Reasons []string   // of the newest decision
	Held    []string   // why the newest close took no step; nil: it did

	Change  float64  // of the newest decision, from what is live
	Off     float64  // how far what was deployed is from what was decided
	Learned *float64 // trust in what the rule has learned of people's answer, from 0 to 1; nil: it learns nothing
	Have    int      // people who have answered it

	Guarded *guard.Verdicts // what guards said at the newest close; nil: nothing

	Alarms map[string]string
}

// Cards say how the loop is: its mode, what is live, the decision on its way, who has answered, its caps and its alarms.
func (c Condition) Cards() []Card {
	list := []Card{c.mode(), c.live()}
	if c.Stage != "" {
		list = append(list, c.way(), c.samples())
	}
	if c.Held != nil {
		list = append(list, Card{"close", Hold, fmt.Sprintf("Decision %d took no step: %s.", c.K, phrase.Enumerate(c.Held)), "Nothing, if the next close takes a step; until then what is live stays live. Other cards and docs/runbook.md say what to do about each reason."})
	}
	list = append(append(list, c.guards()...), c.caps())
	if c.Off > 0 {
		list = append(list, c.deployment())
	}
	if c.Learned != nil {
		list = append(list, c.learning())
	}
	for _, name := range slices.Sorted(maps.Keys(c.Alarms)) {
		list = append(list, Card{name, Alarm, c.alarm(name), remedy(name)})
	}
	return list
}

// alarm is what an alarm says; that of a guardrail what its card says.
func (c Condition) alarm(name string) string {
	if c.Guarded != nil {
		for _, r := range c.Guarded.Rails {
			if name == "guardrail."+r.Name && r.Acts != "" {
				return acting(r)
			}
		}
	}
	return Upper(c.Alarms[name]) + "."
}

func remedy(alarm string) string {
	if strings.HasPrefix(alarm, "guardrail.") {
		return "See the card of the guardrail."
	}
	return remedies[alarm]
}

// remedies are what to do about alarms.
var remedies = map[string]string{
	"not-deployed":  "See whether the system that deploys still runs; the next ask offers the same decision.",
	"deployed-late": "See why it was deployed so late, or without approval. What is live is known, and the loop goes on from there.",
	"infeasible":    "Deploy something that the set of the spec allows; until then no step is taken.",
	"trust":         "Fit the model to what people do, and revise the spec.",
	"state-unsound": "See what the machine says of its disk, and run kedge verify on the data folder. The loop itself is whole: its log was read instead.",
	"data-overdue":  "See whether the system that collects answers still runs. What is live stays live; at twice the deadline the decision is closed without a step.",
}

func (c Condition) mode() Card {
	switch {
	case c.Mode == "shadow":
		return Card{"mode", Fine, "The loop is in the shadow: it answers what is live and learns what it would have done.", "kedge loop promote, once what it would have done looks right."}
	case c.Mode == "paused":
		return Card{"mode", Hold, "The loop is paused: it answers what is live and learns nothing.", "kedge loop resume"}
	case c.Mode == "killed":
		return Killed(c.Terms.Safe)
	case c.Mode == "archived":
		return Card{"mode", Hold, "The loop is archived.", ""}
	case c.Pinned:
		return Card{"mode", Fine, "A decision is pinned: the loop answers it whatever the rule says.", "kedge loop unpin"}
	}
	return Card{"mode", Fine, "The loop decides.", ""}
}

// Killed is the card of a loop that was killed.
func Killed(safe []float64) Card {
	return Card{"mode", Alarm, fmt.Sprintf("The loop was killed: it answers the safe decision, %s.", numbers(safe)), "kedge loop resume LOOP --reason …, once the cause is found."}
}

// numbers are those of a decision, some of them if there are many.
func numbers(u []float64) string {
	const most = 8
	list := lists.Of(u[:min(most, len(u))], phrase.Shortest)
	if len(u) > most {
		list = append(list, fmt.Sprintf("… (%d numbers)", len(u)))
	}
	return strings.Join(list, " ")
}

// deployment is what was deployed instead of what was decided.
func (c Condition) deployment() Card {
	if lead := c.Terms.Ahead(); c.Off > lead {
		return Card{"deployment", Wait, fmt.Sprintf("What was deployed is %s from what was decided, more than the lead of %s: the rule cannot get ahead of it.", phrase.Brief(c.Off), phrase.Brief(lead)),
			"Deploy what is decided, or nearer to it; or revise live.lead to more than what deployments are rounded to."}
	}
	return Card{"deployment", Fine, fmt.Sprintf("What was deployed is %s from what was decided; the rule learns at what was deployed.", phrase.Brief(c.Off)), ""}
}

// learning is what a rule makes of people's answer that it learns.
func (c Condition) learning() Card {
	if *c.Learned == 0 {
		return Card{"learning", Wait, "Learning: what was learned of people's answer is not trusted yet (0 of 1), so that the rule takes the step that retraining would take.", "Nothing; decisions that differ let it learn."}
	}
	return Card{"learning", Fine, fmt.Sprintf("What was learned of people's answer is trusted to %s of 1.", phrase.Brief(*c.Learned)), ""}
}

func (c Condition) live() Card {
	if c.LiveK == 0 {
		return Card{"live", Wait, "Nobody has said what is live.", "Ask, deploy, and say what was deployed."}
	}
	return Card{"live", Fine, fmt.Sprintf("Decision %d is live, for %s.", c.LiveK, phrase.Duration(max(0, c.Now.Sub(c.LiveSince).Seconds()))), ""}
}

// way is where the newest decision is on its way.
func (c Condition) way() Card {
	due := func(what string) string {
		if c.Due == nil {
			return ""
		}
		return fmt.Sprintf(" %s by %s.", what, c.Due.Format(time.RFC3339))
	}
	switch c.Stage {
	case "proposed":
		return Card{"decision", Wait, fmt.Sprintf("Decision %d, %s from what is live, waits for approval.%s", c.K, phrase.Brief(c.Change), due("It is rejected unless somebody approves it")), "kedge loop approve, or reject."}
	case "open":
		return Card{"decision", Wait, fmt.Sprintf("Decision %d is open.%s", c.K, due("It lapses unless it is deployed")), "Deploy it, and say so."}
	}
	state := Fine
	if c.Due != nil && c.Now.After(*c.Due) {
		state = Alarm
	}
	return Card{"decision", state, fmt.Sprintf("Decision %d is deployed.%s", c.K, due("People's answers are due")), "Tell who answered, then close."}
}

func (c Condition) samples() Card {
	card := Card{"samples", Fine, fmt.Sprintf("%d of the %d people wanted have answered.", c.Have, c.Terms.Least), ""}
	if c.Have < c.Terms.Least {
		card.State, card.Do = Wait, "Tell more people before the close, or revise live.samples.least; with fewer no step is taken."
	}
	return card
}

func (c Condition) caps() Card {
	for _, why := range c.Reasons {
		if strings.HasPrefix(why, "cap.") {
			return Card{"cap", Wait, Upper(why) + ".", "If that goes on, raise the cap or lower the step."}
		}
	}
	return Card{"cap", Fine, "No cap cuts the newest decision.", ""}
}
