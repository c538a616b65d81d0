package client

import (
	"context"
	"encoding/json"
	"net/url"

	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/session/guard"
)

// Metric tells a number that a guardrail of the kind external waits for.
func (l *Remote) Metric(ctx context.Context, k int, name string, number guard.Metered) (v session.MetricVerdict, err error) {
	return v, l.call(ctx, "PUT", l.path("/decisions/%d/metrics/%s", k, url.PathEscape(name)), session.TellMetric{Epoch: l.Epoch(), Metered: number}, &v)
}

// TryGuardrails tries guardrails, a list as live.guardrails of a spec has it in JSON, on the last closes of the loop.
func (l *Remote) TryGuardrails(ctx context.Context, rails json.RawMessage, last int) (h guard.Hindsight, err error) {
	return h, l.call(ctx, "POST", l.path("/guardrails/test"), map[string]any{"guardrails": rails, "last": last}, &h)
}
