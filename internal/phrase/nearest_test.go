package phrase

import "testing"

func TestNearest(t *testing.T) {
	known := []string{"kind", "lambda", "sigma", "step", "batch"}
	for key, want := range map[string]string{
		"lamda": "lambda", "labmda": "lambda", "Lambda": "lambda", "sgima": "sigma", "stp": "step", "batchs": "batch",
		"temperature": "", "x": "", "": "", "knd": "kind", "stepp": "step",
	} {
		if got := Nearest(key, known); got != want {
			t.Errorf("%q is taken for %q, want %q", key, got, want)
		}
	}
}

func TestSuggestionsStandInTheSentence(t *testing.T) {
	for text, want := range map[string]string{
		"unknown command": "unknown command",
		"unknown command\n\nDid you mean this?\n\trun":              "unknown command; did you mean run?",
		"unknown command\n\nDid you mean this?\n\trun\n\truns\n\tu": "unknown command; did you mean run, runs or u?",
	} {
		if got := Suggested(text); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
