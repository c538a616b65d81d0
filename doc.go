// Package kedge holds the nouns of decision-dependent stochastic optimization.
//
// A decision u is deployed on a population; every individual answers with a lag, p⁺ = f(p, u, d), where d is the
// individual's fixed trait. For a fixed decision the individual settles at h(u, d) = f(h(u, d), u, d). kedge finds, online
// and from samples of the moving population, the decision whose settled population is best:
//
//	minimize Φ̃(u) = E_d Φ(h(u, d), u, d)  over u in a feasible set.
//
// The package is interfaces and small values only. Implementations live below it: dynamics, sensitivity, objective, set,
// population and online hold the parts, loop runs them against each other, optimum finds the exact answer offline.
//
// # Conventions
//
// Arguments come destinations first, then p, u, d, then the rest. A dst is overwritten and never overlaps an input; a g…
// argument is added to, and nil means "not wanted". Inputs are never changed. Blocks are row-major []float64 with one
// individual a row. Kernels panic on a wrong length, which is a programmer's mistake; whatever a user can cause is
// returned as one of the typed errors of this package and changes nothing.
package kedge
