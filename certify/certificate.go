package certify

import (
	"encoding/json"
	"math"
)

// Certificate is what the theory says about a problem and the rule that is to solve it.
type Certificate struct {
	Horizon int      `json:"T"`
	Tau     float64  `json:"tau"`     // of the bounds with probability 1−τ
	Verdict []string `json:"verdict"` // sentences, the most important first
	*Constants
	Assumptions    []Assumption    `json:"assumptions"`
	Beyond         []string        `json:"beyond,omitempty"` // what the run does that the theorems do not cover
	Steps          []Step          `json:"steps"`
	Bounds         []Bound         `json:"bounds"`
	Extensions     []Extension     `json:"extensions,omitempty"`     // of runs that the theorems do not cover
	Generalization *Generalization `json:"generalization,omitempty"` // nil where traits are no sample
}

// figure is a number in JSON, where neither NaN nor infinities have a form: null and "inf" stand for them.
type figure float64

// MarshalJSON writes the number.
func (f figure) MarshalJSON() ([]byte, error) {
	switch x := float64(f); {
	case math.IsNaN(x):
		return []byte("null"), nil
	case math.IsInf(x, 0):
		return []byte(`"inf"`), nil
	default:
		return json.Marshal(x)
	}
}

// object writes a JSON object of keys and values in turn.
func object(pairs ...any) ([]byte, error) {
	text := []byte("{")
	for i, x := range pairs {
		part, err := json.Marshal(x)
		if err != nil {
			return nil, err
		}
		text = append(append(text, part...), ":,"[i%2])
	}
	text[len(text)-1] = '}'
	return text, nil
}

// MarshalJSON writes the constant with its symbol, meaning and source.
func (c Constant) MarshalJSON() ([]byte, error) {
	return object("key", c.Key, "symbol", c.Symbol(), "value", figure(c.Value), "known", c.Known, "how", c.How,
		"meaning", c.Meaning(), "source", c.Source())
}

// MarshalJSON writes the step and by how much the run's exceeds it.
func (s Step) MarshalJSON() ([]byte, error) {
	return object("form", s.Form, "probable", s.Probable, "largest", figure(s.Largest), "used", figure(s.Used),
		"excess", figure(s.Excess()), "known", s.Known, "source", s.Source)
}

// MarshalJSON writes the bound and whether it is vacuous.
func (b Bound) MarshalJSON() ([]byte, error) {
	return object("of", b.Of, "theorem", b.Theorem, "form", b.Form, "probable", b.Probable, "value", figure(b.Value),
		"step", figure(b.Step), "compare", figure(b.Compare), "vacuous", b.Vacuous(), "known", b.Known, "source", b.Source)
}

// MarshalJSON writes the numbers; those that cannot be computed are null.
func (g Generalization) MarshalJSON() ([]byte, error) {
	return object("individuals", g.Individuals, "rate", figure(g.Rate), "logarithm", g.Logarithm, "split", figure(g.Split),
		"distance", figure(g.Distance), "gradient", figure(g.Gradient), "known", g.Known)
}
