package main

import "testing"

// The runs of JAX are kedge's, as those of NumPy are.
func TestJAXLoopsAgree(t *testing.T) {
	tl := rivalTools(t)
	if err := tl.findJAX(t.Context()); err != nil {
		t.Skip(err)
	}
	people, shop := newPolarizedInput(), newChoiceInput()
	out := checkWith(t, tl, jaxScript, "polarized", people.write(t))
	sameRun(t, out, "polarized-vanilla", runPolarized(t, people, false))
	sameRun(t, out, "polarized-composite", runPolarized(t, people, true))
	out = checkWith(t, tl, jaxScript, "choice", shop.write(t))
	sameRun(t, out, "choice-vanilla", runChoice(t, shop, false))
	sameRun(t, out, "choice-composite", runChoice(t, shop, true))
	sameRun(t, out, "choice-derivative-free", runTrials(t, shop))
}
