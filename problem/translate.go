package problem

import (
	"fmt"
	"slices"

	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/problem/record"
)

// translated are dynamics of a kind as formulas, for fits.
func (s *Spec) translated() (out formula.Source, ok bool) {
	n := s.Dims().State
	each := func(name string) string { return fmt.Sprintf("%s[%d]", name, n) }
	out = formula.Source{Decision: each("u"), State: each("p"), Trait: each("d")}
	number := func(key string, v float64) {
		if !slices.ContainsFunc(s.asked, func(a record.Asking) bool { return a.Key == key }) {
			out.Let = append(out.Let, formula.Binding{Name: key, Data: &formula.Value{Data: []float64{v}}})
		}
	}
	switch d := s.Dynamics.Of.(type) {
	case *kind.PolarizedDynamics:
		number("lambda", d.Lambda)
		number("sigma", d.Sigma)
		out.Let = append(out.Let, formula.Binding{Name: "moved", Expr: "lambda*p + (1-lambda)*d + sigma*dot(p, u)*u"})
		out.Next = "moved/norm(moved)"
		return out, d.Each == nil && s.Dynamics.plain()
	case *kind.ChoiceDynamics:
		number("lambda1", d.Lambda1)
		number("lambda2", d.Lambda2)
		number("epsilon", d.Epsilon)
		out.Next = "lambda1*p + lambda2*softmax(-epsilon*u) + (1-lambda1-lambda2)*d"
		return out, d.Each == nil && s.Dynamics.plain()
	}
	return out, false
}
