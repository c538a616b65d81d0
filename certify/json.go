package certify

import (
	"encoding/json"
	"math"
)

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

// MarshalJSON writes the constant with its symbol, meaning and source.
func (c Constant) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Key     Key    `json:"key"`
		Symbol  string `json:"symbol"`
		Value   figure `json:"value"`
		Known   Known  `json:"known"`
		How     string `json:"how"`
		Meaning string `json:"meaning"`
		Source  string `json:"source"`
	}{c.Key, c.Symbol(), figure(c.Value), c.Known, c.How, c.Meaning(), c.Source()})
}

// MarshalJSON writes the step and by how much the run's exceeds it.
func (s Step) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Form     Form   `json:"form"`
		Probable bool   `json:"probable"`
		Largest  figure `json:"largest"`
		Used     figure `json:"used"`
		Excess   figure `json:"excess"`
		Known    Known  `json:"known"`
		Source   string `json:"source"`
	}{s.Form, s.Probable, figure(s.Largest), figure(s.Used), figure(s.Excess()), s.Known, s.Source})
}

// MarshalJSON writes the bound and whether it is vacuous.
func (b Bound) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Of       string `json:"of"`
		Theorem  string `json:"theorem"`
		Form     Form   `json:"form"`
		Probable bool   `json:"probable"`
		Value    figure `json:"value"`
		Step     figure `json:"step"`
		Trivial  figure `json:"trivial"`
		Vacuous  bool   `json:"vacuous"`
		Known    Known  `json:"known"`
		Source   string `json:"source"`
	}{b.Of, b.Theorem, b.Form, b.Probable, figure(b.Value), figure(b.Step), figure(b.Trivial), b.Vacuous(), b.Known, b.Source})
}

// MarshalJSON writes the numbers; those that cannot be computed are null.
func (g Generalization) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Individuals int    `json:"individuals"`
		Rate        figure `json:"rate"`
		Logarithm   bool   `json:"logarithm"`
		Split       figure `json:"split"`
		Distance    figure `json:"distance"`
		Gradient    figure `json:"gradient"`
		Known       Known  `json:"known"`
	}{g.Individuals, figure(g.Rate), g.Logarithm, figure(g.Split), figure(g.Distance), figure(g.Gradient), g.Known})
}

// MarshalJSON writes the whole certificate; the metric P is left out where it is the identity.
func (c Certificate) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Horizon        int             `json:"T"`
		Tau            float64         `json:"tau"`
		Verdict        []string        `json:"verdict"`
		Constants      []Constant      `json:"constants"`
		Metric         []float64       `json:"P,omitempty"`
		Assumptions    []Assumption    `json:"assumptions"`
		Beyond         []string        `json:"beyond,omitempty"`
		Steps          []Step          `json:"steps"`
		Bounds         []Bound         `json:"bounds"`
		Generalization *Generalization `json:"generalization,omitempty"`
	}{c.Horizon, c.Tau, c.Verdict, c.List, c.Metric, c.Assumptions, c.Beyond, c.Steps, c.Bounds, c.Generalization})
}
