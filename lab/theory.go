package lab

import "github.com/kedge-opt/kedge/loop"

// theory returns what compares the turns of a trial with the theory, nil when the spec does not ask.
func (r *run) theory() (*loop.Theory, error) {
	if !r.problem.Spec.Record.Theory {
		return nil, nil
	}
	return loop.NewTheory(r.problem.Lag(), loop.Unbounded(), r.problem.Spec.Record.Transport)
}
