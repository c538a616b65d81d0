package server

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/kedge-opt/kedge/problem/live"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/session/guard"
)

// guardRoutes are the calls about guardrails.
func guardRoutes(loop, decision string) []route {
	return []route{
		{Method: "PUT", Path: decision + "/metrics/{name}", Right: MayTell, Says: "Tell a number that a guardrail of the kind external waits for: 201, 200 if it was told before. Until the close another takes its place.", In: session.TellMetric{}, Out: session.MetricVerdict{}, do: with(tellMetric)},
		{Method: "POST", Path: loop + "/guardrails/test", Right: Operate, Says: "Try guardrails, as a spec has them, on the last closes. Nothing changes.", In: railTest{}, Out: guard.Hindsight{}, do: testRails},
	}
}

func tellMetric(c *call, b session.TellMetric) (int, any, error) {
	b.K, b.Name = c.k, c.PathValue("name")
	_, reply, err := c.do(201, b)
	r, _ := reply.(session.MetricVerdict)
	return put(r.Repeat, false), reply, err
}

// railTest is the body of the call that tries guardrails.
type railTest struct {
	Guardrails []json.RawMessage `json:"guardrails"` // as live.guardrails of a spec has them
	Last       int               `json:"last,omitempty"`
}

func testRails(c *call) (int, any, error) {
	b := railTest{Last: 50}
	if err := c.read(&b); err != nil {
		return 0, nil, err
	}
	if n := len(b.Guardrails); n == 0 || n > live.MostGuardrails || b.Last < 1 || b.Last > session.MostHindsight {
		return 0, nil, problem(session.Malformed, fmt.Sprintf("guardrails are 1 to %d, and last is 1 to %d", live.MostGuardrails, session.MostHindsight))
	}
	text, _ := json.Marshal(b.Guardrails) // which came as JSON
	return look(c, func(l *session.Loop) (*guard.Hindsight, error) {
		spec, err := c.edit(l.Spec(), []string{"live.guardrails=" + string(text)})
		if err != nil {
			return nil, err
		}
		return c.hindsight(l, spec, b.Last)
	})
}

// hindsight tries the guardrails of a spec on the last closes of a loop.
func (c *call) hindsight(l *session.Loop, spec string, last int) (*guard.Hindsight, error) {
	plan, err := l.Plan(spec)
	if err != nil {
		return nil, err
	}
	var closed []*session.Decision
	for k := l.Status().K; k >= 1 && len(closed) < last; k-- {
		d, err := c.past(c.loop, k)
		if err != nil {
			return nil, err
		}
		if d.State == session.IsClosed && d.Deployed != nil {
			closed = append(closed, d)
		}
	}
	slices.Reverse(closed)
	plan.Duty.Informed = false // that is about the model, which has no part in it
	g, h := guard.New(plan.Duty), &guard.Hindsight{Would: []guard.Would{}}
	for _, d := range closed {
		seen, err := l.People(d, session.PastOf(c.journal, c.loop))
		if err != nil {
			return nil, err
		}
		var sieved guard.Sieved
		if len(seen.P) > 0 {
			sieved = g.Sieve(&seen)
		}
		if len(seen.P) == 0 {
			h.Lacking++
			continue
		}
		r := g.Examine(guard.Inquiry{People: seen, Losses: plan.Losses(seen), Told: d.Metrics})
		r.Seen.Spread = sieved.Spread
		h.Add(d.K, r.Rails)
		g.Fold(guard.Lesson{Verdicts: guard.Verdicts{K: d.K, Rails: r.Rails}, U: d.Deployed.U, Seen: &r.Seen, Iterate: d.Outcome.Iterate, Stepped: d.Outcome.Outcome == session.Stepped})
	}
	return h, nil
}
