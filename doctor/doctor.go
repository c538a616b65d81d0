// Package doctor examines a problem before it is run: do the derivatives belong to the functions, do individuals settle, in one
// place only, smoothly in the decision, does the set have points and an end, are steps and batches of a sensible size.
//
// An examination looks at some individuals under some decisions, drawn from a stream of the seed, so it finds faults and never
// proves their absence. Its work is bounded by counts, never by a clock: the same problem gives the same report.
package doctor

import (
	"context"
	"fmt"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/lists"
)

// Verdict is the outcome of a check.
type Verdict string

// What a check can find.
const (
	Pass Verdict = "pass" // nothing wrong was found
	Warn Verdict = "warn" // results need care
	Fail Verdict = "fail" // something is wrong
	Skip Verdict = "skip" // there was nothing to look at
)

// Mark returns the sign of a verdict: ✓, !, ✗ or –.
func (v Verdict) Mark() string {
	return map[Verdict]string{Pass: "✓", Warn: "!", Fail: "✗", Skip: "–"}[v]
}

// Check is one thing that was looked at.
type Check struct {
	ID      string  `json:"id"`
	Rule    string  `json:"rule,omitempty"` // the decision rule that it is about; "": the model
	Title   string  `json:"title"`
	Verdict Verdict `json:"verdict"`
	Figure  string  `json:"figure"`           // what was measured, with where the worst was
	Detail  string  `json:"detail,omitempty"` // what it means
	Remedy  string  `json:"remedy,omitempty"` // what to do about it
}

// Findings is what an examination found.
type Findings struct {
	Checks      []Check `json:"checks"`
	Individuals int     `json:"individuals"` // looked at
	Population  int     `json:"population"`  // of so many
	Decisions   int     `json:"decisions"`   // under which they were looked at
}

// Count returns how many checks ended so.
func (r *Findings) Count(v Verdict) (n int) {
	for _, c := range r.Checks {
		if c.Verdict == v {
			n++
		}
	}
	return n
}

// Summary says in one line how the examination ended.
func (r *Findings) Summary() string {
	checks, failed, warned := len(r.Checks), r.Count(Fail), r.Count(Warn)
	text := fmt.Sprintf("✓ none of %d checks failed", checks)
	if failed > 0 {
		text = fmt.Sprintf("✗ %d of %d checks failed", failed, checks)
	}
	if warned > 0 {
		text += fmt.Sprintf(", %d warned", warned)
	}
	return text
}

// Seen says in one line what was looked at.
func (r *Findings) Seen() string {
	return fmt.Sprintf("%d of %d individuals under %d decisions were looked at", r.Individuals, r.Population, r.Decisions)
}

// Examine checks a model, which needs all its parts and smooth dynamics; only the sensitivity may be missing. Whatever the model does, numbers that are not finite, errors and panics included, becomes a
// finding; the only error is that of a context that ends.
func Examine(ctx context.Context, m kedge.Model, x Examination) (*Findings, error) {
	e := newExam(ctx, m, x)
	r := &Findings{Checks: []Check{e.guard(check{"dimensions", "dimensions", dimensions, ""})}}
	r.Individuals, r.Population = len(e.Individuals), e.population
	if r.Count(Fail) == 0 {
		r.Checks = append(r.Checks, lists.Of(e.checks(), e.guard)...)
	}
	r.Decisions = len(e.us)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return r, nil
}

// check is something to look at.
type check struct {
	id, title string
	look      func(e *exam) Check
	rule      string
}

func (e *exam) checks() []check {
	list := []check{
		{"set", "feasible set", feasible, ""},
		{"bounded", "bounded set", bounded, ""},
		{"dynamics-derivative", "derivative of dynamics", dynamicsDerivative, ""},
		{"objective-finite", "objective is finite", objectiveFinite, ""},
		{"objective-derivative", "derivative of objective", objectiveDerivative, ""},
		{"continuous", "dynamics without jumps", continuous, ""},
		{"settles", "steady states", settles, ""},
		{"radius", "steady states attract", attracts, ""},
		{"starts", "one steady state", starts, ""},
		{"contraction", "contraction", contracts, ""},
		{"settled-continuous", "settled without jumps", settledContinuous, ""},
		{"sensitivity", "sensitivity", sensitive, ""},
	}
	for _, note := range e.Notes {
		list = append(list, check{"note", "known of this model", func(*exam) Check { return Check{Verdict: Warn, Figure: note} }, ""})
	}
	for _, rule := range e.Rules {
		list = append(list,
			check{"step." + rule.Name, "step of " + rule.Name, func(e *exam) Check { return stepSize(e, rule) }, rule.Name},
			check{"batch." + rule.Name, "batch of " + rule.Name, func(e *exam) Check { return batchSize(e, rule) }, rule.Name})
	}
	return list
}

// guard looks, and turns a panic of the model into a finding.
func (e *exam) guard(c check) (found Check) {
	defer func() {
		if r := recover(); r != nil {
			found = Check{Verdict: Fail, Figure: fmt.Sprintf("the model panics: %v", r), Remedy: "mend the function that panics"}
		}
		found.ID, found.Title, found.Rule = c.id, c.title, c.rule
	}()
	return c.look(e)
}
