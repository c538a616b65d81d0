package session

import (
	"fmt"

	"github.com/kedge-opt/kedge/session/view"
)

// What a loop shows in numbers.
type (
	SeriesPage = view.SeriesPage
	Extremes   = view.Extremes
	Sparse     = view.Sparse

	Sample        = view.Sample
	SampleValue   = view.SampleValue
	GradientTerms = view.GradientTerms
)

// Numbers visits all that a decision says in numbers: u.0 and on, deployed.0, iterate.0, multipliers.0, off, trust, value with value.low and
// value.high, rows, effective, early, without_trait, quarantined, direct, answer, cosine, step, ratio with ratio.low and ratio.high, and stepped,
// which is 1 or 0.
func (d *Decision) Numbers(visit func(name string, v float64)) {
	list := func(name string, values []float64) {
		for i, v := range values {
			visit(fmt.Sprintf("%s.%d", name, i), v)
		}
	}
	list("u", d.U)
	list("iterate", d.Iterate)
	list("multipliers", d.Prices)
	if d.Trust != nil {
		visit("trust", *d.Trust)
	}
	if p := d.Deployed; p != nil {
		list("deployed", p.U)
		visit("off", p.Off)
	}
	if d.Outcome != nil {
		d.Outcome.numbers(visit)
	}
}

func (o *Outcome) numbers(visit func(name string, v float64)) {
	stepped := 0.0
	if o.Outcome == Stepped {
		stepped = 1
	}
	visit("stepped", stepped)
	visit("rows", float64(o.Sample.Rows))
	visit("effective", o.Sample.Effective)
	visit("early", float64(o.Sample.Early))
	visit("without_trait", float64(o.Sample.WithoutTrait))
	visit("quarantined", float64(o.Sample.Quarantined))
	if q := o.Trust; q != nil && q.Ratio != nil {
		visit("ratio", *q.Ratio)
		visit("ratio.low", *q.Low)
		visit("ratio.high", *q.High)
	}
	if v := o.Value; v != nil {
		visit("value", v.Mean)
		visit("value.low", v.Low)
		visit("value.high", v.High)
	}
	if t := o.Terms; t != nil {
		visit("direct", t.Direct)
		visit("answer", t.Answer)
		visit("cosine", t.Cosine)
		visit("step", t.Step)
	}
}
