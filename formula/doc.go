// Package formula turns a model written as on paper into dynamics, an objective and constraints with everything the
// built-in ones have: block kernels, derivatives, steady states and sensitivities where they have a closed form.
//
//	decision: q[20]
//	state:    p[20]
//	trait:    p0[20]
//	let:      { lambda: 0.4, sigma: 0.5 }
//	next:     normalize(lambda*p + (1-lambda)*p0 + sigma*dot(p,q)*q)
//	maximize: dot(p, q)
//	subject to: norm(q) <= 1
//
// The language is total: scalars, vectors and matrices of fixed shapes, no loops, no input. Compile finds all mistakes of a
// Source and gives each its field, line and column. docs/formula.md describes the language.
//
// A formula becomes a graph in which equal parts are one part and constant parts are numbers. Derivatives are built in the
// same graph by reverse accumulation. A graph is then laid out as a program: what depends on the decision alone is computed
// once a call, the rest for blocks of individuals, one pass of a kernel for a whole block. Programs are safe for concurrent
// use, allocate nothing once warm, and give an individual the same bits alone and in a block.
package formula
