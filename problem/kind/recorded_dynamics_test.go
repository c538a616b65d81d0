package kind_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/kind"
)

// moving are dynamics with the population they move, right and wrong.
func moving() []string {
	return []string{
		"dynamics: {kind: polarized, lambda: 0.4, sigma: 0.5}", "dynamics: {kind: polarized, lambda: 0.4, sigma: 0.5}\npopulation: {dim: 3}", "dynamics: {kind: polarized, lambda: 0.5, sigma: 0.5}", "dynamics: {kind: polarized, lambda: 1, sigma: 0}", "dynamics: {kind: polarized, lambda: 0.4, sigma: 0}", "dynamics: {kind: polarized, lambda: 1, sigma: 0.5}",
		"dynamics: {kind: polarized, lambda: 1.2, sigma: -1}", "dynamics: {kind: polarized}", "dynamics: {kind: polarized, lambda: 0.4, sigma: 0.5, epsilon: 1}", "dynamics: {kind: polarised, lambda: 0.4}", "dynamics: {}", "population: {dim: 2}",
		"dynamics: {kind: polarized, lambda: 0.4, sigma: 0.5, heterogeneity: {lambda: [0.3, 0.5]}}", "dynamics: {kind: polarized, lambda: 0.4, sigma: 0.5, heterogeneity: {sigma: [0.4, 0.9]}}", "dynamics: {kind: polarized, lambda: 0.4, sigma: 0.5, heterogeneity: {lambda: [0.3, 0.5], sigma: [0.4, 0.4]}}",
		"dynamics: {kind: polarized, lambda: 0.4, sigma: 0.5, heterogeneity: {}}", "dynamics: {kind: polarized, lambda: 0.4, sigma: 0.5, heterogeneity: {lambda: [0.5, 0.3]}}", "dynamics: {kind: polarized, lambda: 0.4, sigma: 0.5, heterogeneity: {lambda: [0.5]}}",
		"dynamics: {kind: polarized, lambda: 0.4, sigma: 0.5, heterogeneity: {lambda: [0.3, 2], sigma: [2, 1]}}", "dynamics: {kind: polarized, lambda: 0.4, sigma: 0.5, heterogeneity: {sigma: [-1, 1]}}", "dynamics: {kind: polarized, lambda: 0.4, sigma: 0.5}\npopulation: {dim: 0}",
		"dynamics: {kind: choice, lambda1: 0.2, lambda2: 0.5, epsilon: 0.5}", "dynamics: {kind: choice, lambda1: 0.2, lambda2: 0.5, epsilon: 0.5}\npopulation: {dim: 3}", "dynamics: {kind: choice, lambda1: 0.5, lambda2: 0.5, epsilon: 2}", "dynamics: {kind: choice, lambda1: 0, lambda2: 1, epsilon: 1}", "dynamics: {kind: choice, lambda1: 0.6, lambda2: 0.5, epsilon: 0.5}",
		"dynamics: {kind: choice, lambda1: 1, lambda2: 1.1, epsilon: 0}", "dynamics: {kind: choice, lambda1: 0.2, lambda2: 0.5, epsilon: 0.5, heterogeneity: {lambda1: [0.1, 0.3]}}", "dynamics: {kind: choice, lambda1: 0.2, lambda2: 0.5, epsilon: 0.5, heterogeneity: {lambda2: [0.4, 0.8], epsilon: [0.4, 0.6]}}",
		"dynamics: {kind: choice, lambda1: 0.2, lambda2: 0.5, epsilon: 0.5, heterogeneity: {lambda2: [0.4, 0.9]}}", "dynamics: {kind: choice, lambda1: 0.2, lambda2: 0.5, epsilon: 0.5, heterogeneity: {lambda1: [0.1, 0.6]}}", "dynamics: {kind: choice, lambda1: 0.2, lambda2: 0.5, epsilon: 0.5, heterogeneity: {epsilon: [2, 1]}}", "dynamics: {kind: choice, lambda1: 0.2, lambda2: 0.5, epsilon: 0.5, heterogeneity: {lambda1: [0.1, 1], epsilon: [0, 1]}}",
		"dynamics: {kind: affine, a: [[0.5, 0.25], [0, 0.5]], b: [[0.5, 0], [0.25, 0.5]], e: [[0.5, 0], [0, 0.5]]}", "dynamics: {kind: affine, a: [[0.5, 0.25], [0, 0.5]], b: [[0.5], [0.25]], e: [[0.5, 0, 1], [0, 0.5, 1]]}\npopulation: {dim: 3}", "dynamics: {kind: affine, a: [[0.5]], b: [[0.5, 2]], e: [[1]]}\npopulation: {dim: 1}",
		"dynamics: {kind: affine, a: [[0.5, 0.25]], b: [[0.5, 0], [0.25, 0.5]], e: [[0.5, 0], [0, 0.5]]}", "dynamics: {kind: affine, a: [[0.5, 0.25], [0, 0.5]], b: [[0.5, 0]], e: [[0.5, 0], [0, 0.5], [0, 1]]}", "dynamics: {kind: affine, a: [[0.5]], b: [[0.5]], e: [[1]]}\npopulation: {dim: 2}", "dynamics: {kind: affine, a: [[0.5]], b: [[0.5]], e: [[1]]}\npopulation: {dim: 0}",
		"dynamics: {kind: affine, a: [[1]], b: [[0.5]], e: [[1]]}\npopulation: {dim: 1}", "dynamics: {kind: affine, a: [[2]], b: [[0.5]], e: [[1]]}\npopulation: {dim: 1}", "dynamics: {kind: affine, a: [[0.5, x]], b: 1}",
		"dynamics: {kind: friedkin-johnsen, susceptibility: 0.5, influence: 0.3, weights: [[0.5, 0.5], [0.2, 0.8]]}", "dynamics: {kind: friedkin-johnsen, susceptibility: [0.5, 0.2], influence: [0.3, 0.8], weights: [[0.5, 0.5], [0.2, 0.8]]}", "dynamics: {kind: friedkin-johnsen, susceptibility: 0.5, influence: [0.3, 0.6], weights: [[0.5, 0.5], [0.2, 0.8]]}", "dynamics: {kind: friedkin-johnsen, susceptibility: [0.5, 0.8], influence: 0.3, weights: [[0.5, 0.5], [0.2, 0.8]]}",
		"dynamics: {kind: friedkin-johnsen, susceptibility: 0.8, influence: 0.3, weights: [[0.5, 0.5], [0.2, 0.8]]}", "dynamics: {kind: friedkin-johnsen, susceptibility: 0.5, influence: 0.3, weights: [[0.5, 0.6], [0.2, 0.8]]}", "dynamics: {kind: friedkin-johnsen, susceptibility: 0.5, influence: 0.3, weights: [[0.5, 0.5], [-0.2, 1.2]]}", "dynamics: {kind: friedkin-johnsen, susceptibility: 0.5, influence: 0.3, weights: [[1]]}",
		"dynamics: {kind: friedkin-johnsen, susceptibility: [0.5], influence: [0.3, 0.1, 0.9], weights: [[0.5, 0.5], [0.2, 0.8]]}", "dynamics: {kind: friedkin-johnsen, susceptibility: 0.5, influence: [0.3, 0.1, 0.9], weights: [[0.5, 0.5], [0.2, 0.8]]}", "dynamics: {kind: friedkin-johnsen, susceptibility: 2, influence: 0.3, weights: [[1]]}", "dynamics: {kind: friedkin-johnsen, susceptibility: 0.5, influence: 0.3, weights: [[1]]}\npopulation: {dim: 0}",
		"dynamics: {kind: friedkin-johnsen, susceptibility: 1, influence: 0, weights: [[1]]}\npopulation: {dim: 1}",
	}
}

// at returns a point in which dynamics can be looked at, with parameters of one's own behind the trait.
func at(d kind.Dynamics, dim kedge.Dims) (p, u, trait []float64) {
	some := func(n int, x ...float64) []float64 { return x[:n] }
	p, u, trait = some(dim.State, 0.6, 0.3, 0.1), some(dim.Decision, 0.3, -0.2, 0.5), some(dim.Trait, 0.1, 0.7, 0.2, 0.4, 0.3)
	own := len(kind.ParametersOf(d))
	if mend := kind.HabitatOf(d).Mend(dim.State); mend != nil {
		mend(p)
		mend(trait)
	}
	copy(trait[dim.Trait-own:], []float64{0.4, 0.3, 0.5})
	return p, u, trait
}

// looked is what a model does at a point.
func looked(m kedge.Model, p, u, d []float64) (lines []string) {
	n := m.Dims().State
	next, settled, gp, gu, pulled := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, len(u)), make([]float64, len(u))
	m.Dynamics.Next(next, p, u, d)
	_, err := m.Settler.Settle(settled, u, d)
	v := []float64{1, -2, 0.5, 0.25}[:n]
	m.Smooth().Pullback(gp, gu, p, u, d, v)
	again := m.Sensitivity.PullRows(pulled, settled, u, d, v)
	return []string{fmt.Sprintf("  %T %+v: next %s settles at %s %v; pulls %s %s, settled %s %v", m.Dynamics, m.Dims(), figures(next), figures(settled), err, figures(gp), figures(gu), figures(pulled), again)}
}

// Dynamics are read, checked, refused, printed, built and moved as when this was recorded.
func TestDynamicsAsRecorded(t *testing.T) {
	c := kind.Standard()
	var got []string
	for _, text := range moving() {
		var d kind.Dynamics
		dim, size := 0, 0
		describe := below("dynamics", func(f *form.Form) { c.DescribeDynamics(f, &d) })
		s := read(text, func(f *form.Form) {
			describe(f)
			people(&dim, &size)(f)
		})
		got = append(got, fmt.Sprintf("%q", text))
		if d == nil {
			got = append(got, s.told()...)
			continue
		}
		scene := s.scene(d, dim, size)
		got = append(got, fmt.Sprintf("  %s; %s; parameters %v lives %d keys %v", form.Print(describe).Flow(), d.Words(), kind.ParametersOf(d), kind.HabitatOf(d), scene.DimKeys))
		d.Check(scene)
		if s.found.Join() != nil {
			got = append(got, s.told()...)
			continue
		}
		if w, ok := d.(kind.Wary); ok {
			for _, reach := range []float64{0.5, 1, 1.5, math.Inf(1)} {
				got = append(got, fmt.Sprintf("  up to %v: %s", reach, w.Warning(reach)))
			}
		}
		m, err := d.Build(scene.Dims)
		if err != nil {
			got = append(got, "  not built: "+err.Error())
			continue
		}
		p, u, trait := at(d, scene.Dims)
		got = append(got, looked(m, p, u, trait)...)
		if r, ok := d.(kind.Remembering); ok && len(kind.ParametersOf(d)) == 0 {
			got = append(got, looked(r.Remember(dim), append(p, 1), u, trait)...)
		}
	}
	for _, d := range c.Dynamics {
		for _, dim := range []int{1, 2, 3, 7} {
			got = append(got, fmt.Sprintf("%s of %d: %+v", form.NameOf(d), dim, d.(kind.SketchedDynamics).Sketch(dim)))
		}
	}
	var d kind.Dynamics
	got = append(got, vocabulary(func(f *form.Form) { c.DescribeDynamics(f, &d) })...)
	recorded(t, "dynamics.txt", got)
}

// Vectors are brought back to where states live, and it is told why one is not there.
func TestHabitatsAsRecorded(t *testing.T) {
	var got []string
	for _, h := range []kind.Habitat{kind.Anywhere, kind.Sphere, kind.Simplex, kind.Listed} {
		for _, x := range [][]float64{{1, 0}, {0.6, 0.8}, {0.5, 0.5}, {0.5, 0.5 + 5e-10}, {0.5, 0.5 + 5e-9}, {1 + 5e-10, 0}, {1 + 5e-9, 0}, {-0.5, 1.5}, {3, 4, 5}, {}} {
			line := fmt.Sprintf("%d %v: %q", h, x, h.Fault(x, "these"))
			if mend := h.Mend(min(2, len(x))); mend != nil && len(x) > 0 {
				mend(x)
				line += " mended " + figures(x)
			}
			got = append(got, line)
		}
	}
	recorded(t, "habitats.txt", got)
}
