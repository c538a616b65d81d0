// Package world is what models say of the world around an individual: noise that is drawn anew, and groups with values of their own.
package world

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/problem/form"
)

// ModelNoise are numbers that are drawn anew for everybody every step.
type ModelNoise struct {
	Name string // with a length for several, as in w[3]
	Law  population.Number
}

// ModelGroup is a part of the people, with values of its own of parameters that all groups have.
type ModelGroup struct {
	Name       string
	Share      float64
	Parameters []string
	Values     []float64
}

// Noises is a mapping of names to laws.
func Noises() form.Codec[[]ModelNoise] {
	return form.NamedOf(form.Schema{Type: form.Types{"string"}, MinLength: 1}, "a mapping of names to laws such as normal(0, 0.1)",
		func(m *form.Mistakes, name string, n *form.Node) (ModelNoise, bool) {
			law, fault := readLaw(n)
			if fault != "" {
				m.Wrong(n, fault)
			}
			return ModelNoise{name, law}, fault == ""
		},
		func(one ModelNoise) (string, *form.Node) {
			return one.Name, &form.Node{Shape: form.Scalar, Text: one.written(), Quoted: true}
		})
}

var lawText = regexp.MustCompile(`^\s*([A-Za-z_]+)\s*\(([^()]*)\)\s*$`)

// readLaw reads a law such as normal(0, 0.1), or says what is wanted instead.
func readLaw(n *form.Node) (law population.Number, fault string) {
	laws := population.NumberLaws()
	known := lists.Of(laws, func(l population.NumberLaw) string { return l.Name })
	parts := lawText.FindStringSubmatch(n.Text)
	if n.Shape != form.Scalar || parts == nil {
		return law, "a law such as normal(0, 0.1)"
	}
	at := slices.Index(known, parts[1])
	if at < 0 {
		return law, phrase.EnumerateBy(known, "or") + form.Meant(parts[1], known)
	}
	law.NumberLaw = laws[at]
	for _, word := range strings.Split(parts[2], ",") {
		v, err := strconv.ParseFloat(strings.TrimSpace(phrase.Typed(word)), 64)
		if err != nil {
			break
		}
		law.Of = append(law.Of, v)
	}
	if len(law.Of) != len(law.Parameters) || strings.Count(parts[2], ",") >= len(law.Parameters) {
		return law, law.Name + "(" + strings.Join(law.Parameters, ", ") + "), all of them numbers"
	}
	if err := law.Check(); err != nil {
		return law, "another law: " + err.Error()
	}
	return law, ""
}

// written is the law as specs write it.
func (n *ModelNoise) written() string {
	return n.Law.Name + "(" + strings.Join(lists.Of(n.Law.Of, func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }), ", ") + ")"
}

// Words is the law as readers see it.
func (n *ModelNoise) Words() string {
	return n.Law.Name + "(" + strings.Join(lists.Of(n.Law.Of, phrase.Exact), ", ") + ")"
}

// Groups is a mapping of names to shares and values.
func Groups() form.Codec[[]ModelGroup] {
	number := form.Finite()
	return form.NamedOf(form.Schema{Type: form.Types{"object"}, Additional: &number.Schema}, "a mapping of names to {share: …} with the values that the group has",
		func(m *form.Mistakes, name string, n *form.Node) (g ModelGroup, ok bool) {
			g.Name = name
			ok = g.read(m, n)
			return g, ok
		},
		func(g ModelGroup) (string, *form.Node) {
			item := &form.Node{Shape: form.Mapping}
			item.Put("share", number.Write(g.Share))
			for i, name := range g.Parameters {
				item.Put(name, number.Write(g.Values[i]))
			}
			return g.Name, item
		})
}

func (g *ModelGroup) read(m *form.Mistakes, n *form.Node) bool {
	if n.Shape != form.Mapping {
		m.Wrong(n, "a mapping with a share and values")
		return false
	}
	hasShare := false
	for i, key := range n.Keys {
		v, ok := form.Finite().Read(m, n.Items[i])
		switch {
		case !ok:
			return false
		case key != "share":
			g.Parameters, g.Values = append(g.Parameters, key), append(g.Values, v)
		case !(v > 0 && v <= 1):
			m.Wrong(n.Items[i], "a number above 0 up to 1")
			return false
		default:
			g.Share, hasShare = v, true
		}
	}
	if !hasShare {
		m.Wrong(n, "a share, as in {share: 0.5}")
	}
	return hasShare
}

// Told are the values in words.
func (g *ModelGroup) Told() (text string) {
	for i, name := range g.Parameters {
		text += ", " + name + " " + phrase.Exact(g.Values[i])
	}
	return text
}
