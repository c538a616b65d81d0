package kedge

import "strings"

// Names are what the numbers of a problem are called. Lists are nil where entries go by their numbers.
type Names struct {
	Symbol   string   `json:"symbol,omitempty"` // of the decision as a whole; empty: u
	Decision []Called `json:"decision,omitempty"`
	State    []Called `json:"state,omitempty"`
	Trait    []Called `json:"trait,omitempty"`
	Value    Called   `json:"value,omitzero"` // what decisions are judged by
}

// Called is what one number is called, and its unit.
type Called struct {
	Name string `json:"name,omitempty"`
	Unit string `json:"unit,omitempty"` // empty for a pure number
}

// CalledBy reads a name that may have its unit behind it, as in "apples in EUR".
func CalledBy(text string) Called {
	name, unit, _ := strings.Cut(text, " in ")
	return Called{strings.TrimRight(name, " "), strings.TrimSpace(unit)}
}

// In is a text that has the unit of an entry.
func (e Called) In(text string) string {
	if e.Unit == "" {
		return text
	}
	return text + " " + e.Unit
}

// CalledAt is entry i of a list of entries of which there may be none.
func CalledAt(list []Called, i int) Called {
	if i < len(list) {
		return list[i]
	}
	return Called{}
}

// Given tells whether anything has a name or a unit of its own.
func (n Names) Given() bool {
	return n.Symbol != "" || n.Decision != nil || n.State != nil || n.Trait != nil || n.Value != Called{}
}
