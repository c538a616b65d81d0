package kind

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
	const want = "a mapping of names to laws such as normal(0, 0.1)"
	one := form.Schema{Type: form.Types{"string"}, MinLength: 1}
	return form.Codec[[]ModelNoise]{
		Want: want, Schema: form.Schema{Type: form.Types{"object"}, Additional: one.OrNull()},
		Read: func(m *form.Mistakes, n *form.Node) (all []ModelNoise, ok bool) {
			if n.Shape != form.Mapping {
				m.Wrong(n, want)
				return nil, false
			}
			ok = true
			for i, name := range n.Keys {
				if n.Items[i].Shape == form.Null {
					continue
				}
				law, fault := readLaw(n.Items[i])
				if fault != "" {
					m.Wrong(n.Items[i], fault)
					ok = false
				}
				all = append(all, ModelNoise{name, law})
			}
			return all, ok
		},
		Write: func(all []ModelNoise) *form.Node {
			out := &form.Node{Shape: form.Mapping}
			for _, one := range all {
				out.Put(one.Name, &form.Node{Shape: form.Scalar, Text: one.Words(), Quoted: true})
			}
			return out
		},
	}
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
		hint := ""
		if near := phrase.Nearest(parts[1], known); near != "" {
			hint = "; did you mean " + near + "?"
		}
		return law, phrase.EnumerateBy(known, "or") + hint
	}
	law.NumberLaw = laws[at]
	for _, word := range strings.Split(parts[2], ",") {
		v, err := strconv.ParseFloat(strings.TrimSpace(word), 64)
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

// Words is the law as specs write it.
func (n *ModelNoise) Words() string {
	return n.Law.Name + "(" + strings.Join(lists.Of(n.Law.Of, phrase.Exact), ", ") + ")"
}

// Groups is a mapping of names to shares and values.
func Groups() form.Codec[[]ModelGroup] {
	const want = "a mapping of names to {share: …} with the values that the group has"
	number := form.Finite()
	one := form.Schema{Type: form.Types{"object"}, Additional: &number.Schema}
	return form.Codec[[]ModelGroup]{
		Want: want, Schema: form.Schema{Type: form.Types{"object"}, Additional: one.OrNull()},
		Read: func(m *form.Mistakes, n *form.Node) (all []ModelGroup, ok bool) {
			if n.Shape != form.Mapping {
				m.Wrong(n, want)
				return nil, false
			}
			ok = true
			for i, name := range n.Keys {
				if n.Items[i].Shape != form.Null {
					all = append(all, ModelGroup{Name: name})
					ok = all[len(all)-1].read(m, n.Items[i], want) && ok
				}
			}
			return all, ok
		},
		Write: func(all []ModelGroup) *form.Node {
			out := &form.Node{Shape: form.Mapping}
			for _, g := range all {
				item := &form.Node{Shape: form.Mapping}
				item.Put("share", number.Write(g.Share))
				for i, name := range g.Parameters {
					item.Put(name, number.Write(g.Values[i]))
				}
				out.Put(g.Name, item)
			}
			return out
		},
	}
}

func (g *ModelGroup) read(m *form.Mistakes, n *form.Node, want string) bool {
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
