package form

import (
	"cmp"
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
	entry := Single("the number or the name of an entry", Schema{Type: Types{"integer", "string"}}, func(n *Node) (string, bool) {
		return n.Text, n.Text != ""
	}, nil)
	entry.Write = func(text string) *Node {
		_, err := strconv.Atoi(text)
		return &Node{Shape: Scalar, Text: text, Quoted: err != nil}
	}
	yes, several := Boolean(), ListOf(entry, want)
	return either(want, yes, several, func(n *Node) bool { return !n.Quoted && (n.Text == "true" || n.Text == "false") },
		func(all bool) Chosen { return Chosen{All: all} },
		func(some []string) Chosen { return Chosen{Some: some} },
		func(e Chosen) (bool, []string, bool) { return e.All, e.Some, e.All })
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
	hint := cmp.Or(Meant(text, names), "; they are called "+phrase.Enumerate(names))
	return fmt.Sprintf("names entry %s, which the decision does not have%s", text, hint)
}
