package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/kedge-opt/kedge/internal/portable"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/kind"
)

// Entrant is a method that takes part, with options of its own.
type Entrant struct {
	Label   string // as it was written: KIND or KIND:key=value:key=value
	Method  kind.Method
	Options []string // key=value, as in a spec

	from string // the algorithm of the spec that it may be; "": of the kind's name
}

// ParseMethods reads a list of methods of a catalogue such as vanilla,composite,derivative-free:hold=1; all stands for every kind.
func ParseMethods(kinds *kind.Catalogue, text string) ([]Entrant, error) {
	var names []string
	for one := range strings.SplitSeq(text, ",") {
		if one == "all" {
			names = append(names, kinds.MethodNames()...)
			continue
		}
		names = append(names, one)
	}
	var list []Entrant
	for _, one := range names {
		m, err := parseMethod(kinds, strings.TrimSpace(one))
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

func parseMethod(kinds *kind.Catalogue, text string) (Entrant, error) {
	parts := strings.Split(text, ":")
	method := kinds.MethodOf(parts[0])
	if method == nil {
		return Entrant{}, fmt.Errorf("there is no method %q; the methods are %s", parts[0], strings.Join(kinds.MethodNames(), ", "))
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
	return Entrant{Label: text, Method: method, Options: parts[1:]}, nil
}

// kind is the name of the method.
func (m Entrant) kind() string { return form.NameOf(m.Method) }

// usual returns the settings of a method that nobody has set, for a problem of known scales.
func (m Entrant) usual(g kind.Scales) []form.Setting {
	one, ok := m.Method.(kind.ComparedMethod)
	if !ok {
		return nil
	}
	g.Hold = m.hold(g)
	return one.Usual(g)
}

// hold is how many turns decisions are held: as the options say, or until the crowd has settled.
func (m Entrant) hold(g kind.Scales) int {
	for _, option := range m.Options {
		value, ok := strings.CutPrefix(option, "hold=")
		if n, err := strconv.Atoi(value); ok && err == nil && n > 0 {
			return n
		}
	}
	return g.Hold
}

// grid returns the step sizes that are tried, a log grid from above. Gradients are scaled by the curvature of Φ̃ at the optimum,
// steps that have a length by the way to the optimum; those who jump go a part of the way.
func (m Entrant) grid(g kind.Scales, points int) []float64 {
	top, ratio := 2/g.Curvature, math.Sqrt(0.1)
	switch m.Method.Facts().Step {
	case kind.Share:
		top, ratio = 1, portable.Pow(0.1, 1.0/6)
	case kind.Length:
		top = 0.2 * g.Radius
	}
	list := make([]float64, points)
	for i := range list {
		list[i] = kind.Rounded(top * portable.Pow(ratio, float64(i)))
	}
	return list
}

// steps are the step sizes that are tried: the one that is given, or the grid.
func (m Entrant) steps(one *kind.Algorithm, said []form.Setting, own bool, g kind.Scales, o Terms) []float64 {
	grid := m.grid(g, o.Points)
	switch {
	case slices.ContainsFunc(said, func(s form.Setting) bool { return s.Key == "step" }), o.NoTune && own:
		return []float64{one.Step}
	case o.NoTune:
		return grid[len(grid)/2 : len(grid)/2+1]
	}
	return grid
}

// read returns the algorithm of the method: that of the spec if it has one of the kind's name, otherwise the usual one.
func (m Entrant) read(p Subject, from *problem.Spec, g kind.Scales) (one *kind.Algorithm, settings []form.Setting, own bool, err error) {
	over, name := slices.Clone(p.Over), cmp.Or(m.from, m.kind())
	own = !p.Usual && slices.ContainsFunc(from.Algorithms, func(a kind.Algorithm) bool { return a.Name == name })
	if !own {
		settings = m.usual(g)
		over = append(over, problem.Merge("the usual "+m.kind(), []byte(m.yaml(g, settings))))
	}
	for _, option := range m.Options {
		over = append(over, problem.Assign("algorithms."+name+"."+option).As("--methods "+m.Label))
	}
	s, err := problem.Parse(from.Kinds, p.Name, p.Text, over...)
	if err != nil {
		return nil, nil, own, err
	}
	i := slices.IndexFunc(s.Algorithms, func(a kind.Algorithm) bool { return a.Name == name })
	a := s.Algorithms[i]
	a.Batch = m.batch(g)
	return &a, m.said(settings), own, nil
}

// batch is how many people the method sees a turn: as many as the others, or one less where it must be an even number.
func (m Entrant) batch(g kind.Scales) int {
	if !m.Method.Facts().Needs.Panel {
		return g.Batch
	}
	return max(2, g.Batch-g.Batch%2)
}

// yaml is the list of algorithms with the method alone.
func (m Entrant) yaml(g kind.Scales, settings []form.Setting) string {
	var b strings.Builder
	fmt.Fprintf(&b, "algorithms:\n  - {name: %s, batch: %d, step: %v", m.kind(), m.batch(g), m.grid(g, 1)[0])
	for _, s := range settings {
		fmt.Fprintf(&b, ", %s: %s", s.Key, s.Value)
	}
	b.WriteString("}\n")
	return b.String()
}

// said returns the settings with the options over them, in the order in which they are told.
func (m Entrant) said(settings []form.Setting) []form.Setting {
	list := slices.Clone(settings)
	for _, option := range m.Options {
		key, value, _ := strings.Cut(option, "=")
		list = slices.DeleteFunc(list, func(s form.Setting) bool { return s.Key == key })
		list = append(list, form.Setting{Key: key, Value: value})
	}
	return list
}
