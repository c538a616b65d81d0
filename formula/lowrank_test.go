package formula_test

import (
	"math"
	"testing"

	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/stream"
)

// Models whose Jacobian is a diagonal with rank-one terms, in every way that they can be written: sums, differences, multiples and quotients of vectors and of products with the state, choices
// with one or two branches, and terms that share a vector. The independent method is to let people take steps until they rest, on both sides of a decision.
func TestDiagonalsWithRankOneTerms(t *testing.T) {
	const n, h = 4, 1e-5
	for _, next := range []string{
		"0.3*p + 0.2*dot(p, q)*q/(1 + dot(q, q)) + d",
		"0.3*p - 0.1*dot(p, d)*q + 0.05*sum(p)*d",
		"0.4*tanh(p + q) - 0.1*sum(p)/4*q + d",
		"where(q > 0, 0.3*p, 0.1*sum(p)*q/4) + d + 0.1*q",
		"where(q > 0, 0.3*p*q + d, d)",
		"where(q > 0, d, -0.3*p*q) + q",
		"-(0.2*p) + 0.1*(dot(p, q) - dot(p, d))*q + 0.05*(dot(q, p) + sum(p))*d",
		"0.2*p*q/(1 + norm(q)) - 0.1*sum(p*d)/2*q + d",
		"d/(3 + 0.1*sum(tanh(p))) + 0.1*p*q",
		"0.2*(p - 0.5*sum(p)*q/4) + q + d - 0.1*(-dot(p, q))*d",
		"0.1*dot(p, q)*q + 0.1*(2*sum(p))*q - sum(p)*q/8 + d + 0.2*p",
		"0.1*dot(p, q)*d + 0.1*sum(p*q)*q + 0.2*p",
		"0.1*tanh(dot(p, q))*d + 0.1*sin(sum(p*q))*q + 0.2*tanh(p)",
		"0.3*tanh(p) - 0.1*tanh(dot(p, d))*q + 0.1*(sin(sum(p)) - tanh(sum(p*d)))*d + q",
		"normalize(2*d + 0.3*p + 0.2*dot(p, q)*q) + 0.1*tanh(sum(p))*d - 0.1*normalize(3*d - p)",
		"0.3*p + 0.05*sum(p) + q",
		"0.3*tanh(p) + 0.1*tanh(dot(p, q)) + d*q",
		"dot(p, q)/9*d + q*(sum(p*p)/(40 + sum(p*p))) + 0.1*p",
	} {
		m := compile(t, formula.Source{Decision: "q[4]", State: "p[4]", Trait: "d[4]", Next: next, Minimize: "sum(p)"})
		r := stream.New(3, "rank one")
		for range 3 {
			u, d, v := normals(r, n), normals(r, n), normals(r, n)
			rows.Scale(u, 1/rows.Norm(u))
			rows.Scale(d, 1/rows.Norm(d))
			rest := func() []float64 {
				p, to := make([]float64, n), make([]float64, n)
				for range 400 {
					m.Dynamics().Next(to, p, u, d)
					p, to = to, p
				}
				return p
			}
			got := make([]float64, n)
			if err := m.Sensitivity().PullRows(got, rest(), u, d, v); err != nil {
				t.Fatal(next, err)
			}
			for j := range u {
				was := u[j]
				u[j] = was + h
				ahead := rows.Dot(v, rest())
				u[j] = was - h
				slope := (ahead - rows.Dot(v, rest())) / (2 * h)
				if u[j] = was; !(math.Abs(got[j]-slope) <= 1e-8*max(1, math.Abs(slope))) {
					t.Errorf("%s: entry %d is %v, steps on both sides say %v", next, j, got[j], slope)
				}
			}
		}
	}
}
