package live

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kedge-opt/kedge/problem/form"
)

// Guardrail is a bound that people elsewhere must keep, and what happens if they do not.
type Guardrail struct {
	Name   string
	Kind   string   // metric, external, constraint, value or swing
	Of     string   // a statistic of formulas, or the name of a constraint
	Least  *float64 // how small and
	Most   *float64 // how large it may be; nil: as much as it likes
	By     float64  // of value: the share by which it may be worse
	Window int      // of value and swing: closes to compare with, and turns to look at
	Action string   // warn, hold, rollback or kill; empty: as its kind has it
	After  int      // fails one after the other
	Cool   int      // closes between two holds that end by themselves
}

// What guardrails watch.
const (
	Metric     = "metric"
	External   = "external"
	Constraint = "constraint"
	Value      = "value"
	Swing      = "swing"
)

// What guardrails do.
const (
	Warn   = "warn"
	Hold   = "hold"
	GoBack = "rollback"
	Kill   = "kill"
)

// MostGuardrails is how many a spec may have.
const MostGuardrails = 32

func describeGuardrail(f *form.Form, g *Guardrail) {
	form.Field(f, "name", &g.Name, form.Label(), form.Says("The name in replies and cards; no other guardrail has it.", "", "churn"))
	form.Field(f, "kind", &g.Kind, form.OneOf(
		form.Choice(Metric, "A statistic of the people who answered.", ""),
		form.Choice(External, "A number that is told with kedge tell --metric; while it is missing no step is taken.", ""),
		form.Choice(Constraint, "A constraint of the spec, judged on the people who answered.", ""),
		form.Choice(Value, "The value against that of the first closes.", ""),
		form.Choice(Swing, "Whether successive steps point against each other.", "")).Or(Metric), form.Says("What it watches.", "", External))
	form.Field(f, "of", &g.Of, form.FormulaText("mean(…), quantile(…, 0.05), share(… > …), or the name of a constraint").Optional(), form.Says("The statistic of people that is bounded, of formulas in the names of the model, weighted as people are; with kind: constraint its name.", "", "share(p[3] > 2)"))
	form.Field(f, "least", &g.Least, form.Pointed(form.Finite()).Optional(), form.Says("How small it may be.", "", "0.5"))
	form.Field(f, "most", &g.Most, form.Pointed(form.Finite()).Optional(), form.Says("How large it may be.", "", "0.08"))
	form.Field(f, "by", &g.By, form.NotNegative().Or(0.1), form.Says("With kind: value, by what share the value may be worse than it was.", "", "0.1"))
	form.Field(f, "window", &g.Window, form.Count(2, 1000).Or(20), form.Says("With kind: value, how many first closes it is compared with; with kind: swing, how many turns are looked at.", "", "20"))
	form.Field(f, "action", &g.Action, form.OneOf(
		form.Choice(Warn, "Raise an alarm, and go on.", ""),
		form.Choice(Hold, "Take no step until it passes.", ""),
		form.Choice(GoBack, "Go back to the newest decision that passed all guardrails, then pause.", ""),
		form.Choice(Kill, "Answer the safe decision.", "")).Optional(), form.Says("What a failing one does; without it hold, with kind: swing warn.", "", GoBack))
	form.Field(f, "after", &g.After, form.Count(1, 1000).Or(2), form.Says("How many closes must fail one after the other before it acts. No close that fails takes a step, unless the action is warn.", "", "2"))
	form.Field(f, "cool-down", &g.Cool, form.Count(0, 1000).Or(3), form.Says("A hold ends when the next close passes, but not twice within so many closes.", "", "3"))
}

// Acts is what it does.
func (g *Guardrail) Acts() string {
	if g.Kind == Swing {
		return cmp.Or(g.Action, Warn)
	}
	return cmp.Or(g.Action, Hold)
}

// Statistic is a number of people who answered: a mean, a quantile or a share of what a formula says of each.
type Statistic struct {
	Of    string  // mean, quantile or share
	Body  string  // the formula; of a share it is above 0 for those who count
	Level float64 // of a quantile
	Equal bool    // of a share: those with 0 count, too
}

// Statistics of people.
const (
	MeanOf     = "mean"
	QuantileOf = "quantile"
	ShareOf    = "share"
)

// Statistic reads what a metric is of.
func (g *Guardrail) Statistic() (s Statistic, err error) {
	text := strings.TrimSpace(g.Of)
	word, rest, found := strings.Cut(text, "(")
	s.Of = strings.TrimSpace(word)
	known := s.Of == MeanOf || s.Of == QuantileOf || s.Of == ShareOf
	if text == "" {
		return s, errors.New("is missing, want mean(…), quantile(…, 0.05) or share(… > …)")
	}
	if !found || !known || !strings.HasSuffix(rest, ")") || depthAt(rest[:len(rest)-1], len(rest)-1) != 0 {
		return s, fmt.Errorf("is %s, want mean(…), quantile(…, 0.05) or share(… > …)", form.Shorten(g.Of))
	}
	s.Body = rest[:len(rest)-1]
	switch s.Of {
	case QuantileOf:
		at := outermost(s.Body, ",")
		if at < 0 {
			return s, fmt.Errorf("is %s, want quantile(…, level) with a level such as 0.05", form.Shorten(g.Of))
		}
		level, err := strconv.ParseFloat(strings.TrimSpace(s.Body[at+1:]), 64)
		if err != nil || !(level > 0 && level < 1) {
			return s, fmt.Errorf("has the level %s, want a number between 0 and 1", strings.TrimSpace(s.Body[at+1:]))
		}
		s.Body, s.Level = s.Body[:at], level
	case ShareOf:
		at := outermost(s.Body, "<>")
		if at < 0 {
			return s, fmt.Errorf("is %s, want share(… > …) with a comparison", form.Shorten(g.Of))
		}
		left, right := s.Body[:at], s.Body[at+1:]
		if s.Equal = strings.HasPrefix(right, "="); s.Equal {
			right = right[1:]
		}
		if s.Body[at] == '<' {
			left, right = right, left
		}
		s.Body = "(" + left + ") - (" + right + ")"
	}
	return s, nil
}

// outermost is where the last of some characters stands that is in no bracket, −1 for nowhere.
func outermost(text, of string) int {
	for i := len(text) - 1; i >= 0; i-- {
		if strings.IndexByte(of, text[i]) >= 0 && depthAt(text, i) == 0 {
			return i
		}
	}
	return -1
}

// depthAt is how many brackets are open at a place, −1 if one was closed that was never open.
func depthAt(text string, at int) (depth int) {
	for _, c := range text[:at] {
		switch c {
		case '(', '[':
			depth++
		case ')', ']':
			if depth--; depth < 0 {
				return -1
			}
		}
	}
	return depth
}

// checkGuardrails refuses guardrails that say too little or name what is not there.
func (l *Arrangement) checkGuardrails(c *form.Check, constraints []string) {
	c.FailIf(len(l.Guardrails) > MostGuardrails, form.Paths("live.guardrails"), "live.guardrails are %d, want at most %d", len(l.Guardrails), MostGuardrails)
	seen := map[string]bool{}
	for i := range l.Guardrails {
		g, path := &l.Guardrails[i], c.Root.EntryPath("live.guardrails", i)
		if !c.Sound(path) {
			continue
		}
		c.FailIf(seen[g.Name], form.Paths(path+".name"), "%s.name is %s, which another guardrail has", path, g.Name)
		seen[g.Name] = true
		bounded := g.Least != nil || g.Most != nil
		switch g.Kind {
		case Metric:
			_, err := g.Statistic()
			c.FailIf(err != nil, form.Paths(path+".of"), "%s.of %v", path, err)
			c.FailIf(!bounded, form.Paths(path), "%s bounds nothing, want least or most", path)
		case External:
			c.FailIf(!bounded, form.Paths(path), "%s bounds nothing, want least or most", path)
			c.FailIf(g.Of != "", form.Paths(path+".of"), "%s.of is of no use: the number is told under the guardrail's name", path)
		case Constraint:
			c.FailIf(!slices.Contains(constraints, g.Of), form.Paths(path+".of"), "%s.of is %q, which is none of the spec's constraints", path, g.Of)
			c.FailIf(bounded, form.Paths(path), "%s has a bound, but a constraint has its own", path)
		default:
			c.FailIf(bounded || g.Of != "", form.Paths(path), "%s watches %s, want no of, least or most", path, g.Kind)
		}
		if g.Least != nil && g.Most != nil {
			c.FailIf(*g.Least > *g.Most, form.Paths(path), "%s wants at least %v and at most %v", path, *g.Least, *g.Most)
		}
	}
}
