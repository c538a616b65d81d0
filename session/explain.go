package session

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/internal/rows"
)

// Reasoning is what a step was taken on, entry by entry of the decision.
type Reasoning struct {
	From    []float64 `json:"from"`              // the iterate before it
	At      []float64 `json:"at"`                // what people met, where the gradient is taken
	Direct  []float64 `json:"direct,omitempty"`  // of the loss: what the decision does by itself
	Answer  []float64 `json:"answer,omitempty"`  // and by the answer of the settled population
	Eta     float64   `json:"eta,omitempty"`     // the step size
	Stepped []float64 `json:"stepped,omitempty"` // before it was brought into the set
}

// mostExplained is how many entries a decision has whose every step is written down entry by entry.
const mostExplained = 256

// strider is a rule that knows its last step.
type strider interface {
	Stride() (eta float64, stepped []float64)
}

// reasoningOf is why the rule has just stepped, nil of a decision too long for that.
func reasoningOf(rule Rule, from, at []float64) *Reasoning {
	if len(from) > mostExplained {
		return nil
	}
	r := &Reasoning{From: slices.Clone(from), At: slices.Clone(at)}
	direct, answer := rule.Terms()
	r.Direct, r.Answer = slices.Clone(direct), slices.Clone(answer)
	if s, ok := rule.(strider); ok {
		eta, stepped := s.Stride()
		r.Eta, r.Stepped = eta, slices.Clone(stepped)
	}
	return r
}

// Explanation says why a decision is what it is.
type Explanation struct {
	K     int   `json:"k"`
	Basis Basis `json:"basis"`
	*Reasoning
	Projected []float64 `json:"projected,omitempty"` // the iterate after the step
	Capped    []float64 `json:"capped,omitempty"`    // what the caps left of it, where they cut it
	U         []float64 `json:"u"`
	Words     string    `json:"words"`
}

// Explain says why a decision is what it is, given the newest one before it that a step was taken on; nil: there is none.
func (l *Loop) Explain(d, before *Decision) Explanation {
	e := Explanation{K: d.K, Basis: d.Basis, U: d.U}
	capped := slices.ContainsFunc(d.Reasons, func(s string) bool { return strings.HasPrefix(s, "cap.") })
	if capped {
		e.Capped = d.U
	}
	if before != nil && (d.Basis == Step || d.Basis == Again) {
		e.Reasoning, e.Projected = before.Outcome.Why, before.Outcome.Iterate
	}
	e.Words = strings.Join(l.words(d, before, e), " ")
	return e
}

// words are sentences for somebody who answers for the decision.
func (l *Loop) words(d, before *Decision, e Explanation) (list []string) {
	switch d.Basis {
	case Hold, Baseline:
		list = append(list, "What is live stays live.")
	case Pin:
		list = append(list, "Somebody pinned this decision.")
	case Rollback:
		list = append(list, "The loop goes back to what was deployed before.")
	case Safe:
		list = append(list, "This is the safe decision: the loop was killed.")
	default:
		if before == nil {
			list = append(list, "This is where the spec begins: nothing was learned yet.")
			break
		}
		list = append(list, l.changes(d, before, e.Reasoning)...)
	}
	for _, why := range d.Reasons {
		list = append(list, upper(why)+".")
	}
	return list
}

// mostNamed is how many entries are spoken of, those that change most.
const mostNamed = 3

// changes says which entries change, and what speaks for it.
func (l *Loop) changes(d, before *Decision, why *Reasoning) (list []string) {
	was := before.Deployed.U
	order := make([]int, len(d.U))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Compare(math.Abs(d.U[j]-was[j]), math.Abs(d.U[i]-was[i]))
	})
	if rows.Distance(d.U, was) == 0 {
		return []string{"Nothing changes: the step came to nothing."}
	}
	for _, i := range order[:min(mostNamed, len(order))] {
		change := d.U[i] - was[i]
		if change == 0 {
			continue
		}
		way := "rises"
		if change < 0 {
			way = "falls"
		}
		text := fmt.Sprintf("%s %s by %s, from %s to %s", l.called(i), way, l.amount(i, math.Abs(change)), phrase.Shortest(was[i]), l.amount(i, d.U[i]))
		if why != nil && len(why.Direct) > i && len(why.Answer) > i {
			text += ": " + l.because(why.Direct[i], why.Answer[i], change)
		}
		list = append(list, text+".")
	}
	if left := len(order) - mostNamed; left > 0 {
		list = append(list, fmt.Sprintf("The others, %d of them, change less.", left))
	}
	return list
}

// because weighs what a change does at once against what people's answer does, both as gradients of the loss.
func (l *Loop) because(direct, answer, change float64) string {
	value := l.plan.Names.Value.Name
	if value == "" {
		value = "the value"
	}
	atOnce, settled := -direct*change, -answer*change // gains
	size := func(a, b float64) string {
		if b == 0 {
			return "by far"
		}
		return phrase.Brief(math.Abs(a/b)) + " times"
	}
	switch {
	case atOnce >= 0 && settled >= 0:
		return fmt.Sprintf("%s gains by it at once, and by how people answer once they have settled", value)
	case settled > 0 && settled >= -atOnce:
		return fmt.Sprintf("at once %s loses by it, but how people answer once they have settled outweighs that (%s)", value, size(settled, atOnce))
	case atOnce > 0 && atOnce >= -settled:
		return fmt.Sprintf("%s gains by it at once, which outweighs how people answer once they have settled (%s)", value, size(atOnce, settled))
	}
	return "the rule got here by earlier steps or by other entries"
}

// called is the name of an entry of the decision.
func (l *Loop) called(i int) string {
	n := l.plan.Names
	if i < len(n.Decision) && n.Decision[i].Name != "" {
		return upper(n.Decision[i].Name)
	}
	symbol := n.Symbol
	if symbol == "" {
		symbol = "u"
	}
	return fmt.Sprintf("%s[%d]", symbol, i)
}

// amount is a number with the unit of an entry.
func (l *Loop) amount(i int, v float64) string {
	text := phrase.Shortest(v)
	if n := l.plan.Names.Decision; i < len(n) && n[i].Unit != "" {
		text += " " + n[i].Unit
	}
	return text
}

func upper(text string) string {
	if text == "" {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// Names are what the numbers of the loop are called.
func (l *Loop) Names() kedge.Names { return l.plan.Names }
