package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
)

// Entrant is a method that takes part, with options of its own.
type Entrant struct {
	Label string // as it was written: KIND or KIND:key=value:key=value
	online.Method
	Options []string // key=value, as in a spec

	from string // the algorithm of the spec that it may be; "": of the kind's name
}

// Names lists the kinds of methods.
func Names() (list []string) {
	for _, m := range online.Methods() {
		list = append(list, m.Name)
	}
	return list
}

// ParseMethods reads a list of methods such as vanilla,composite,derivative-free:hold=1; all stands for every kind.
func ParseMethods(text string) ([]Entrant, error) {
	var names []string
	for one := range strings.SplitSeq(text, ",") {
		if one == "all" {
			names = append(names, Names()...)
			continue
		}
		names = append(names, one)
	}
	var list []Entrant
	for _, one := range names {
		m, err := parseMethod(strings.TrimSpace(one))
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(list, func(other Entrant) bool { return other.Label == m.Label }) {
			return nil, fmt.Errorf("the method %s is listed twice", m.Label)
		}
		list = append(list, m)
	}
	return list, nil
}

func parseMethod(text string) (Entrant, error) {
	parts := strings.Split(text, ":")
	known, ok := online.MethodOf(parts[0])
	if !ok {
		return Entrant{}, fmt.Errorf("there is no method %q; the methods are %s", parts[0], strings.Join(Names(), ", "))
	}
	for _, option := range parts[1:] {
		key, value, ok := strings.Cut(option, "=")
		switch {
		case !ok || key == "" || value == "":
			return Entrant{}, fmt.Errorf("method %s: %q is no option; want key=value, as in derivative-free:hold=1", text, option)
		case slices.Contains([]string{"name", "kind", "trials", "batch", "carry"}, key):
			return Entrant{}, fmt.Errorf("method %s: %s is the same for all methods that are compared", text, key)
		}
	}
	return Entrant{Label: text, Method: known, Options: parts[1:]}, nil
}

// setting is one key of an algorithm.
type setting struct {
	key   string
	value any
}

// usual returns the settings of a method that nobody has set, for a problem of known sizes.
func (m Entrant) usual(g geometry) []setting {
	held, near := setting{"hold", m.hold(g)}, setting{"delta", rounded(g.radius / 10)}
	switch m.Name {
	case "lazy":
		return []setting{{"deploy", 5}, {"growth", 0.5}}
	case "repeated-gradient", "delayed-risk":
		return []setting{held}
	case "epoch", "epoch-composite":
		return []setting{{"contraction", g.contraction}, {"delay", max(1, g.epochs()/8)}}
	case "adam":
		return []setting{{"schedule", "diminishing"}, {"delay", max(1, g.turns/40)}}
	case "storm":
		return smoothed(g.turns)
	case "one-point", "derivative-free":
		return append([]setting{near, held}, smoothed(g.turns/m.hold(g))...)
	case "two-point":
		return append([]setting{near, held}, smoothed(g.turns/m.hold(g)/2)...)
	case "epoch-derivative-free":
		return append([]setting{near, {"contraction", g.contraction}}, smoothed(g.epochs())...)
	case "performative", "reinforce":
		return append([]setting{near, held, {"window", 30 * g.entries}}, smoothed(g.turns/m.hold(g))...)
	case "plug-in":
		return []setting{{"delta", rounded(g.radius / 4)}, held}
	}
	return nil
}

// hold is how many turns decisions are held: as the options say, or until the crowd has settled.
func (m Entrant) hold(g geometry) int {
	for _, option := range m.Options {
		value, ok := strings.CutPrefix(option, "hold=")
		if n, err := strconv.Atoi(value); ok && err == nil && n > 0 {
			return n
		}
	}
	return g.settling
}

// smoothed lets steps diminish and averages the later half of the iterates, for methods whose noise is their own.
func smoothed(steps int) []setting {
	return []setting{{"schedule", "diminishing"}, {"delay", 50}, {"power", 0.6}, {"average", max(1, steps/2)}}
}

// jumps tells whether the method finds the next decision by itself, so that its step is a part of the way there.
func (m Entrant) jumps() bool {
	return slices.Contains([]string{"repeated-risk", "delayed-risk", "plug-in"}, m.Name)
}

// learns tells whether the method learns from what it deploys, so that it matters how long decisions are held.
func (m Entrant) learns() bool { return m.Limit != m.Held }

// grid returns the step sizes that are tried, a log grid from above. Gradients are scaled by the curvature of Φ̃ at the optimum, the
// steps of adam, which have a length, by the way to the optimum; those who jump go a part of the way.
func (m Entrant) grid(g geometry, points int) []float64 {
	top, ratio := 2/g.curvature, math.Sqrt(0.1)
	switch {
	case m.jumps():
		top, ratio = 1, math.Pow(0.1, 1.0/6)
	case m.Name == "adam":
		top = 0.2 * g.radius
	}
	list := make([]float64, points)
	for i := range list {
		list[i] = rounded(top * math.Pow(ratio, float64(i)))
	}
	return list
}

// rounded is a number with three digits, so that it can be written down.
func rounded(x float64) float64 {
	y, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 3, 64), 64)
	return y
}

// read returns the algorithm of the method: that of the spec if it has one of the kind's name, otherwise the usual one.
func (m Entrant) read(p Subject, from *problem.Spec, g geometry) (one *problem.Algorithm, settings []setting, own bool, err error) {
	over, name := slices.Clone(p.Over), cmp.Or(m.from, m.Name)
	own = !p.Usual && slices.ContainsFunc(from.Algorithms, func(a problem.Algorithm) bool { return a.Name == name })
	if !own {
		settings = m.usual(g)
		over = append(over, problem.Merge("the usual "+m.Name, []byte(m.yaml(g, settings))))
	}
	for _, option := range m.Options {
		over = append(over, problem.Assign("algorithms."+name+"."+option).As("--methods "+m.Label))
	}
	s, err := problem.Parse(kind.Standard(), p.Name, p.Text, over...)
	if err != nil {
		return nil, nil, own, err
	}
	i := slices.IndexFunc(s.Algorithms, func(a problem.Algorithm) bool { return a.Name == name })
	a := s.Algorithms[i]
	a.Batch = m.batch(g)
	return &a, m.said(settings), own, nil
}

// batch is how many people the method sees a turn: as many as the others, or one less where it must be an even number.
func (m Entrant) batch(g geometry) int {
	if !m.Needs.Panel {
		return g.batch
	}
	return max(2, g.batch-g.batch%2)
}

// yaml is the list of algorithms with the method alone.
func (m Entrant) yaml(g geometry, settings []setting) string {
	var b strings.Builder
	fmt.Fprintf(&b, "algorithms:\n  - {name: %s, batch: %d, step: %v", m.Name, m.batch(g), m.grid(g, 1)[0])
	for _, s := range settings {
		fmt.Fprintf(&b, ", %s: %v", s.key, s.value)
	}
	b.WriteString("}\n")
	return b.String()
}

// said returns the settings with the options over them, in the order in which they are told.
func (m Entrant) said(settings []setting) []setting {
	list := slices.Clone(settings)
	for _, option := range m.Options {
		key, value, _ := strings.Cut(option, "=")
		list = slices.DeleteFunc(list, func(s setting) bool { return s.key == key })
		list = append(list, setting{key, value})
	}
	return list
}
