package problem

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/problem/record"
)

// asking is a key of the dynamics whose number is to be found from a log.
type asking struct {
	key  string
	text string // as it was written
	of   record.Question
}

// ranges are the keys of dynamics that a log can tell, with the range that each has by itself.
func ranges(kind string) map[string]string {
	switch kind {
	case "polarized":
		return map[string]string{"lambda": "? in [0, 1]", "sigma": "? in [0, inf]"}
	case "choice":
		return map[string]string{"lambda1": "? in [0, 1]", "lambda2": "? in [0, 1]", "epsilon": "? in [0, inf]"}
	}
	return nil
}

// ask takes unknown numbers of dynamics out of a document, and puts others in their place for what is checked without them.
func (s *Spec) ask(root *form.Node, found *form.Mistakes) *form.Node {
	of := root.Get("dynamics")
	if of == nil || of.Shape != form.Mapping || !slices.ContainsFunc(of.Items, func(n *form.Node) bool { return n.Shape == form.Scalar && record.IsUnknown(n.Text) }) {
		return root
	}
	known := ""
	if n := of.Get("kind"); n != nil {
		known = n.Text
	}
	root = root.Copied(-1)
	of = root.Get("dynamics")
	for i, key := range of.Keys {
		n := of.Items[i]
		usual, can := ranges(known)[key]
		if n.Shape != form.Scalar || !record.IsUnknown(n.Text) || !can {
			continue
		}
		q, fault := record.ReadUnknown(n.Text)
		within, _ := record.ReadUnknown(usual)
		if fault != "" || q.Shape != nil {
			found.Wrong(n, "an unknown single number, as in "+strconv.Quote(usual))
			fault = ""
		}
		q.Lower, q.Upper = max(q.Lower, within.Lower), min(q.Upper, within.Upper)
		s.asked = append(s.asked, asking{key, n.Text, q})
		at := *n
		at.Text, at.Quoted = "0.25", false // lambda1 and lambda2 add up to less than 1
		of.Items[i] = &at
	}
	return root
}

// unask prints unknown numbers as they were written.
func (s *Spec) unask(root *form.Node) *form.Node {
	for _, a := range s.asked {
		if of := root.Get("dynamics"); of != nil {
			of.Put(a.key, form.FormulaText("").Write(a.text))
		}
	}
	return root
}

// translated are dynamics of a kind as formulas, for fits.
func (s *Spec) translated() (out formula.Source, ok bool) {
	n := s.Dims().State
	each := func(name string) string { return fmt.Sprintf("%s[%d]", name, n) }
	out = formula.Source{Decision: each("u"), State: each("p"), Trait: each("d")}
	number := func(key string, v float64) {
		if !slices.ContainsFunc(s.asked, func(a asking) bool { return a.key == key }) {
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
