package word

import "strings"

// Ground says what a decision stands on, to somebody who answers for it: its basis is hold, baseline, pinned, rollback or safe; any other is a
// step of the rule, which moved it from the one before, nil: there is none. Reasons are what shaped it besides.
func Ground(basis string, move *Move, reasons []string) string {
	list := []string{map[string]string{
		"hold": "What is live stays live.", "baseline": "What is live stays live.", "pinned": "Somebody pinned this decision.",
		"rollback": "The loop goes back to what was deployed before.", "safe": "This is the safe decision: the loop was killed.",
	}[basis]}
	switch {
	case list[0] != "":
	case move == nil:
		list[0] = "This is where the spec begins: nothing was learned yet."
	default:
		list = move.Sentences()
	}
	for _, why := range reasons {
		if why != "" { // somebody gave none
			list = append(list, Upper(why)+".")
		}
	}
	return strings.Join(list, " ")
}
