package form

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/kedge-opt/kedge/internal/phrase"
)

// Chosen are some entries of a vector: none, all, or several by number or by name.
type Chosen struct {
	All  bool
	Some []string
}

// None tells whether there is none.
func (e Chosen) None() bool { return !e.All && len(e.Some) == 0 }

// SomeEntries is true for all entries, or a list of them.
func SomeEntries() Codec[Chosen] {
	const want = "true, or a list of entries such as [0, 2] or [apples]"
	entry, yes := Schema{Type: Types{"integer", "string"}}, Boolean()
	return Codec[Chosen]{
		Want: want, Schema: Schema{AnyOf: []Schema{yes.Schema, {Type: Types{"array"}, Items: &entry, MinItems: 1}}},
		Read: func(m *Mistakes, n *Node) (e Chosen, ok bool) {
			switch {
			case n.Shape == Scalar && !n.Quoted && (n.Text == "true" || n.Text == "false"):
				return Chosen{All: n.Text == "true"}, true
			case n.Shape != List || len(n.Items) == 0:
				m.Wrong(n, want)
				return e, false
			}
			for _, item := range n.Items {
				if item.Shape != Scalar || item.Text == "" {
					m.Wrong(item, "the number or the name of an entry")
					return e, false
				}
				e.Some = append(e.Some, item.Text)
			}
			return e, true
		},
		Write: func(e Chosen) *Node {
			if e.All {
				return yes.Write(true)
			}
			out := &Node{Shape: List}
			for _, text := range e.Some {
				_, err := strconv.Atoi(text)
				out.Items = append(out.Items, &Node{Shape: Scalar, Text: text, Quoted: err != nil})
			}
			return out
		},
	}
}

// Of returns which of n entries are meant, nil for all, or what is wrong with them. Entries may have names.
func (e Chosen) Of(n int, names []string) (which []bool, fault string) {
	if e.All {
		return nil, ""
	}
	which = make([]bool, n)
	for _, text := range e.Some {
		i, err := strconv.Atoi(text)
		if err != nil {
			i = slices.Index(names, text)
		}
		if i < 0 || i >= n {
			return nil, noEntry(text, n, names)
		}
		which[i] = true
	}
	return which, ""
}

// noEntry says that a decision has no entry of a name or number.
func noEntry(text string, n int, names []string) string {
	if _, err := strconv.Atoi(text); err == nil || len(names) == 0 {
		return fmt.Sprintf("names entry %s, but the decision has entries 0 to %d", text, n-1)
	}
	hint := "they are called " + phrase.Enumerate(names)
	if near := phrase.Nearest(text, names); near != "" {
		hint = "did you mean " + near + "?"
	}
	return fmt.Sprintf("names entry %s, which the decision does not have; %s", text, hint)
}
