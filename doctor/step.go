package doctor

import (
	"fmt"
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/steady"
)

const (
	curvatureSteps = 12  // gradient differences to see the largest curvature
	goodNoise      = 0.1 // of the first gradient
)

// gradient is what a rule descends along once the crowd has settled.
type gradient func(g, u []float64) (loss float64, err error)

// descent returns the settled gradient of a rule over the crowd.
func (e *exam) descent(rule Candidate) (gradient, error) {
	f, err := steady.New(e.crowd)
	if err != nil {
		return nil, err
	}
	if rule.blind() {
		return f.Partial, nil
	}
	return f.Gradient, nil
}

// stepSize compares the step of a rule with what the curvature of the settled objective allows.
func stepSize(e *exam, rule Candidate) Check {
	if why := rule.Method.Step.Unjudged(); why != "" {
		return Check{Verdict: Skip, Figure: why}
	}
	grad, err := e.descent(rule)
	if err != nil {
		return Check{Verdict: Skip, Figure: oneLine(err)}
	}
	if rule.Method.Step == kind.Residual {
		return exploringStep(e, rule, grad)
	}
	curvature, err := e.bent(rule, grad)
	if err != nil {
		return Check{Verdict: Skip, Figure: "no gradient of the settled objective", Detail: sentence(err) + "."}
	}
	if !rows.Finite([]float64{curvature}) {
		return Check{Verdict: Fail, Figure: "the gradient of the settled objective is not finite", Remedy: "keep the objective smooth on the set"}
	}
	if curvature < 1e-12 {
		return Check{Verdict: Pass, Figure: fmt.Sprintf("%.3g; the settled objective is flat, so the set alone bounds it", rule.Step)}
	}
	return judgeStep(rule, 1/curvature, 2/curvature, "1/L", "2/L")
}

// bend is L, or why it is not known.
type bend struct {
	curvature float64
	err       error
}

// bent returns L, the largest curvature of what a rule descends along, at the first decision and at another: once for all rules that
// descend alike.
func (e *exam) bent(rule Candidate, grad gradient) (float64, error) {
	b, known := e.bends[rule.blind()]
	if known {
		return b.curvature, b.err
	}
	for _, u := range e.us[:min(2, len(e.us))] {
		c, err := e.curvature(grad, u)
		if b.curvature, b.err = max(b.curvature, c), err; err != nil {
			break
		}
	}
	if e.bends == nil {
		e.bends = map[bool]bend{}
	}
	e.bends[rule.blind()] = b
	return b.curvature, b.err
}

// judgeStep compares a step with a good one and with the largest that does not overshoot.
func judgeStep(rule Candidate, good, most float64, formula, limit string) Check {
	figure := fmt.Sprintf("%.3g; good up to %s = %.2g, steady below %.2g", rule.Step, formula, good, most)
	if rule.Step > most {
		return Check{Verdict: Warn, Figure: figure, Detail: fmt.Sprintf("%s's step %.3g is above %s = %.2g: decisions may overshoot and swing.", rule.Name, rule.Step, limit, most),
			Remedy: fmt.Sprintf("set algorithms.%s.step=%.2g", rule.Name, good)}
	}
	return Check{Verdict: Pass, Figure: figure}
}

// curvature returns the largest rate at which the gradient changes around u, by power iteration on differences.
func (e *exam) curvature(grad gradient, u []float64) (float64, error) {
	x := make([]float64, len(u))
	e.draws("curvature").Normals(x)
	rate := 0.0
	for range curvatureSteps {
		rows.Scale(x, 1/rows.Norm(x))
		if err := steady.Bend(grad, x, u, 1e-5*max(1, rows.Norm(u))); err != nil {
			return 0, err
		}
		if rate = rows.Norm(x); rate < 1e-9 || !rows.Finite(x) {
			break
		}
	}
	return rate, e.ctx.Err()
}

// exploringStep bounds the step of residual feedback [zhang2022]. An estimate is as long as n/δ times the difference of two
// losses, which has the part ‖∇Φ̃‖/√n of the step before, whose direction was random: beyond η = δ/(√n‖∇Φ̃‖) estimates feed on
// each other.
func exploringStep(e *exam, rule Candidate, grad gradient) Check {
	g, steepest := make([]float64, e.dim.Decision), 0.0
	for _, u := range e.us {
		if _, err := grad(g, u); err != nil {
			return Check{Verdict: Skip, Figure: "no gradient of the settled objective", Detail: sentence(err) + "."}
		}
		steepest = max(steepest, rows.Norm(g))
	}
	most := rule.Method.Reach / (math.Sqrt(float64(len(g))) * steepest)
	return judgeStep(rule, most/2, most, "δ/(2√n‖∇‖)", "δ/(√n‖∇‖)")
}

// batchSize compares the noise of a batch with the gradient at the first decision.
func batchSize(e *exam, rule Candidate) Check {
	switch {
	case rule.values():
		return Check{Verdict: Skip, Figure: "its noise comes from exploring, not from the batch"}
	case e.population == 1 || !rule.Replacement && rule.Batch >= e.population:
		return Check{Verdict: Pass, Figure: fmt.Sprintf("%d is everybody: no noise", rule.Batch)}
	}
	mean, variance, err := e.noise(rule)
	if err != nil {
		return Check{Verdict: Skip, Figure: "no gradient of everybody looked at", Detail: sentence(err) + "."}
	}
	if mean == 0 || !rows.Finite([]float64{mean, variance}) {
		return Check{Verdict: Skip, Figure: fmt.Sprintf("the first gradient is %v", mean)}
	}
	noise := math.Sqrt(variance/float64(rule.Batch)) / mean
	enough := math.Ceil(variance / (goodNoise * goodNoise * mean * mean))
	figure := fmt.Sprintf("%d: noise is %.0f %% of the gradient; 10 %% with %.0f", rule.Batch, 100*noise, enough)
	if noise > 1 {
		return Check{Verdict: Warn, Figure: figure, Detail: "A sample says little about the direction.",
			Remedy: fmt.Sprintf("raise algorithms.%s.batch, or take smaller steps", rule.Name)}
	}
	return Check{Verdict: Pass, Figure: figure}
}

// noise returns the length of the mean gradient at the first decision and the variance of one individual's.
func (e *exam) noise(rule Candidate) (mean, variance float64, err error) {
	n, count := e.dim.Decision, len(e.Individuals)
	each, sum := make([]float64, n*count), make([]float64, n)
	weights, err := kedge.ScaleWeights(e.weights, count)
	if err != nil {
		return 0, 0, err
	}
	share, others := func(int) float64 { return 1 / float64(count) }, float64(max(1, count-1))
	if weights != nil {
		share = func(i int) float64 { return weights[i] / float64(count) }
	}
	for i := range count {
		g := each[i*n : (i+1)*n]
		if err := e.single(g, rule, e.visit(0, i, e.Start)); err != nil {
			return 0, 0, err
		}
		rows.AddScaled(sum, share(i), g)
	}
	for i := range count {
		apart := rows.Distance(each[i*n:(i+1)*n], sum)
		if weights == nil {
			variance += apart * apart / others
		} else {
			variance += float64(apart * apart * share(i))
		}
	}
	return rows.Norm(sum), variance, nil
}

// single writes the gradient of one settled individual.
func (e *exam) single(g []float64, rule Candidate, v visit) error {
	h := e.home(v)
	if h == nil {
		return e.failed[v.k][v.i]
	}
	pull := make([]float64, len(h))
	e.Objective.Eval(pull, g, h, v.u, v.d)
	if rule.blind() || e.Sensitivity == nil {
		return nil
	}
	return e.Sensitivity.PullRows(g, h, v.u, v.d, pull)
}
