package word

import "strings"

// Ground is what a decision stands on.
type Ground struct {
	Basis   string   // hold, baseline, pinned, rollback or safe; any other is a step of the rule
	Move    *Move    // of a step: from the one before it; nil: there is none
	Reasons []string // what shaped it besides
}

// Words are for somebody who answers for the decision.
func (g Ground) Words() string {
	list := []string{map[string]string{
		"hold": "What is live stays live.", "baseline": "What is live stays live.", "pinned": "Somebody pinned this decision.",
		"rollback": "The loop goes back to what was deployed before.", "safe": "This is the safe decision: the loop was killed.",
	}[g.Basis]}
	switch {
	case list[0] != "":
	case g.Move == nil:
		list[0] = "This is where the spec begins: nothing was learned yet."
	default:
		list = g.Move.Sentences()
	}
	for _, why := range g.Reasons {
		if why != "" { // somebody gave none
			list = append(list, Upper(why)+".")
		}
	}
	return strings.Join(list, " ")
}
