package session

import "github.com/kedge-opt/kedge/session/guard"

// MetricTold is the kind of an event with a number for a guardrail.
const MetricTold Kind = "metric"

type metered = map[string]guard.Metered

// metricTold is its body.
type metricTold struct {
	Name string `json:"name"`
	guard.Metered
}

// TellMetric tells a number that a guardrail of the kind external waits for. Until the close another takes its place.
type TellMetric struct {
	K     int    `json:"-"`
	Name  string `json:"-"`
	Epoch string `json:"epoch,omitempty"`
	guard.Metered
}

// MetricVerdict is what a guardrail says of a number.
type MetricVerdict struct {
	Name    string `json:"name"`
	Verdict string `json:"verdict"`
	Repeat  bool   `json:"-"` // the same was told before
}

func (c TellMetric) do(l *Loop) (any, error) {
	d, err := l.of(c.K, c.Epoch)
	if err != nil {
		return nil, err
	}
	if l.guard == nil {
		return nil, refuse(NotFound, "loop %s has no guardrails; revise its spec", l.name)
	}
	verdict, known := l.guard.JudgeTold(c.Name, c.Metered)
	if !known {
		return nil, refuse(NotFound, "loop %s has no guardrail %s of the kind external", l.name, c.Name)
	}
	if pointer, why := c.Metered.Wrong(); why != "" {
		return nil, &Refusal{Type: NotFinite, Detail: why, Errors: []Fault{{pointer, why}}}
	}
	reply := MetricVerdict{Name: c.Name, Verdict: verdict}
	if was, told := d.Metrics[c.Name]; told && was.Equal(c.Metered) {
		reply.Repeat = true
		return reply, nil
	}
	if !d.current() {
		return nil, d.refuse(NotOpen, "decision %d is %s", d.K, d.State)
	}
	return reply, l.emit(MetricTold, d.K, "", metricTold{c.Name, c.Metered}, nil)
}
