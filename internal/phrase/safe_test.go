package phrase

import (
	"encoding/json"
	"testing"
)

func TestSafe(t *testing.T) {
	for text, want := range map[string]string{
		"":                       "",
		"Φ̃ = 3.1\u202f× 10⁻⁴":   "Φ̃ = 3.1\u202f× 10⁻⁴",
		"\x1b[2J":                `\u001b[2J`,
		"a\nb\tc\rd\x7f":         `a\u000ab\u0009c\u000dd\u007f`,
		"\u009b31m":              `\u009b31m`,
		"\u202eevil\u2066\u061c": `\u202eevil\u2066\u061c`,
		"a\u2028b":               `a\u2028b`,
		"\U000e0041tag":          `\U000e0041tag`,
		"\xff\x9b1\ufffd":        `\xff\x9b1` + "\ufffd",
		"👩‍👧 e\u00adf":           "👩‍👧 e\u00adf",
	} {
		if got := Safe(text); got != want || !IsSafe(got) {
			t.Errorf("Safe(%q) = %q, want %q", text, got, want)
		}
	}
	var back string
	if err := json.Unmarshal([]byte(`"`+Safe("\x1b\u009b\n")+`"`), &back); err != nil || back != "\x1b\u009b\n" {
		t.Errorf("JSON reads %q, %v", back, err)
	}
}
