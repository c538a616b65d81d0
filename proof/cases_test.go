package proof_test

import (
	"math"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/proof"
	"github.com/kedge-opt/kedge/set"
)

// crowd is a problem with people.
type crowd struct {
	source formula.Source
	traits []float64
	starts []float64
	set    kedge.Set
	from   []float64
	want   proof.Grounds
	at     []float64
}

// crowded are problems of crowds such as users have: prices, orders, wells, people with two steady states, edges of domains.
func crowded() map[string]crowd {
	let := func(pairs ...string) (all []formula.Binding) {
		for i := 0; i < len(pairs); i += 2 {
			all = append(all, formula.Binding{Name: pairs[i], Expr: pairs[i+1]})
		}
		return all
	}
	return map[string]crowd{
		"small losses": {
			formula.Source{
				Decision: "u[2]", State: "p[2]", Trait: "d[2]", Let: let("A", "[[0.5, 0.25], [0, 0.5]]", "B", "[[0.5, 0], [0.25, 0.5]]"),
				Next: "A @ p + B @ u + 0.5*d", Minimize: "1e-12*(dot(u, u) + dot(u, p) + 0.5*dot(p, p))",
			},
			[]float64{2, -0.5, 2, -1.5, 0, -0.5, 0, -1.5}, nil, nil, []float64{0.3, -0.2}, proof.ByConvexity, []float64{-0.2445414847, 0.4323144105},
		},
		"orders": {
			formula.Source{Decision: "q", State: "p", Trait: "d", Next: "40 + 0.25*q + d", Minimize: "q + 4*max(p - q, 0) + max(q - p, 0)"},
			[]float64{-8, -6, -4, -2, 0, 2, 4, 6, 8}, nil, set.Interval{Lower: 0, Upper: 120}, []float64{60}, proof.ByConvexity, []float64{160. / 3},
		},
		"two wells": {
			formula.Source{Decision: "q", State: "p", Trait: "d", Next: "0.5*p + 0.5*(q + d)", Minimize: "-exp(-p^2/2) - 1.5*exp(-(p + 31)^2/6)"},
			[]float64{0.1, -0.1}, nil, set.Interval{Lower: -50, Upper: 50}, []float64{0.4}, proof.ByBounds, []float64{-31},
		},
		"two steady states": {
			formula.Source{Decision: "q", State: "p", Trait: "d", Next: "p + 0.3*(p - p^3) + 0.02*q + 0*d", Maximize: "p*q - 0.5*q^2"},
			[]float64{0.1, 0.1, 0.1, 0.1}, []float64{-1, -1, -1, 1}, set.Interval{Lower: -1, Upper: 1}, []float64{0.1}, proof.ByConvexity, []float64{-0.5350417},
		},
		"prices": {
			formula.Source{
				Decision: "q[3]", State: "p[3]", Trait: "d[3]", Let: let("B", "[[1.2, -0.2, 0], [-0.2, 0.9, -0.1], [0, -0.1, 0.5]]"),
				Next: "0.8*p + 0.2*(d - B @ q)", Maximize: "dot(p, q - [2, 3, 5]) - norm(q - [4, 6, 9])^2",
			},
			[]float64{10, 8, 7, 9, 8, 6}, nil, set.Interval{Lower: 0, Upper: 15}, []float64{4, 6, 9}, proof.ByConvexity, []float64{5.0004848, 6.7553329, 9.3503555},
		},
		"square root": {
			formula.Source{Decision: "u[1]", State: "p[1]", Trait: "d[1]", Next: "sqrt(max(u + 1, 0)) + d", Minimize: "dot(p, u)"},
			[]float64{0.3, -0.3}, nil, set.Interval{Lower: -1, Upper: 1}, []float64{0.5}, proof.ByBounds, []float64{-2. / 3},
		},
		"rest for some decisions only": {
			formula.Source{Decision: "q", State: "p", Trait: "d", Next: "(0.3 + 0.4*q)*p + d", Minimize: "p^2 + q^2 - 3*q"},
			[]float64{1, 0.5}, nil, set.Interval{Lower: -6, Upper: 3}, []float64{0.1}, proof.ByBounds, []float64{0.2772219},
		},
		"features that follow weights": {
			formula.Source{
				Decision: "w[4]", State: "p[3]", Trait: "d[4]",
				Let:  let("y", "where(2*d[0] + d[1] - d[2] + 0.5*d[3] > 0, 1, -1)", "effort", "where(y < 0, 1, 0)", "margin", "y*(dot(w[0:3], p) + w[3])"),
				Next: "0.7*p + 0.3*(d[0:3] + effort*[1.5, 0.8, 0]*w[0:3])", Minimize: "logsumexp([0, -margin]) + 0.01*dot(w, w)",
			},
			[]float64{0.1, 0.2, 0.3, -0.1, -0.2, -0.3, 0.4, 0.5, 1, -1, 0.5, 0.2, 0.3, 0.6, -0.4, 0.2}, nil, nil, zeros(4),
			proof.ByBounds, []float64{0.2478154, 0.0404496, -1.0999334, 1.1428045},
		},
	}
}

// From any start, following what is handed back leads to a decision that is proven.
func TestCrowdsAreProven(t *testing.T) {
	for name, c := range crowded() {
		m, err := formula.Compile(c.source)
		if err != nil {
			t.Fatal(err)
		}
		var starts kedge.Rows
		if c.starts != nil {
			starts = kedge.Block{Data: c.starts, Width: m.Dims().State}
		}
		l, err := m.Landscape(kedge.Block{Data: c.traits, Width: m.Dims().Trait}, starts)
		if err != nil {
			t.Fatal(err)
		}
		p := prove(t, l, c.set, c.from, restingValue(m, c.traits, c.starts, c.from))
		for range 3 {
			if p.IsBetter {
				p = prove(t, l, c.set, p.Decision, p.Upper)
			}
		}
		if p.Grounds != c.want || p.IsBetter {
			t.Errorf("%s: %+v", name, p)
		}
		for i, v := range c.at {
			if math.Abs(p.Decision[i]-v) > 1e-4 {
				t.Errorf("%s: %v, want %v", name, p.Decision, c.at)
			}
		}
	}
}

// restingValue is the mean loss of people who walked from their start until they rest.
func restingValue(m *formula.Model, traits, starts, u []float64) (mean float64) {
	dims := m.Dims()
	count := len(traits) / dims.Trait
	for i := range count {
		p, q, d := zeros(dims.State), zeros(dims.State), kedge.Row(traits, i, dims.Trait)
		if starts != nil {
			copy(p, kedge.Row(starts, i, dims.State))
		}
		for range 2000 {
			m.Dynamics().Next(q, p, u, d)
			p, q = q, p
		}
		mean += m.Objective().Eval(nil, nil, p, u, d) / float64(count)
	}
	return mean
}
