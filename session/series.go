package session

import (
	"fmt"
	"math"
	"strconv"
)

// SeriesPage is series of numbers over the decisions of a loop, thinned to buckets of several decisions.
type SeriesPage struct {
	K      []int               `json:"k"` // the first decision of every bucket
	Series map[string]Extremes `json:"series"`
}

// Extremes is the least and the largest number of every bucket; where a decision has none there is NaN, which JSON calls null.
type Extremes struct {
	Min Sparse `json:"min"`
	Max Sparse `json:"max"`
}

// Sparse are numbers, written as JSON with null for what is not finite.
type Sparse []float64

// MarshalJSON writes them.
func (n Sparse) MarshalJSON() ([]byte, error) {
	b := []byte{'['}
	for i, v := range n {
		if i > 0 {
			b = append(b, ',')
		}
		if math.IsNaN(v) || math.IsInf(v, 0) {
			b = append(b, "null"...)
		} else {
			b = strconv.AppendFloat(b, v, 'g', -1, 64)
		}
	}
	return append(b, ']'), nil
}

// Numbers visits all that a decision says in numbers: u.0 and on, deployed.0, iterate.0, multipliers.0, off, trust, value with value.low and
// value.high, rows, effective, early, without_trait, direct, answer, cosine, step, and stepped, which is 1 or 0.
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
