package problem

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/problem/kind"
)

// Comments change nothing: an annotated spec reads as the spec itself, and every line fits.
func TestAnnotated(t *testing.T) {
	evidence.OneGoroutine(t)
	for name, s := range goldens(t) {
		text := s.Annotated()
		again, err := Parse(kind.Standard(), name+" annotated", text)
		if err != nil || !bytes.Equal(again.YAML(), s.YAML()) {
			t.Errorf("%s reads back otherwise (%v):\n%s", name, err, text)
		}
		for line := range strings.Lines(string(text)) {
			if utf8.RuneCountInString(line) > 119 {
				t.Errorf("%s: a line of %d characters: %s", name, utf8.RuneCountInString(line), line)
			}
		}
		if n := strings.Count(string(text), "The step size"); n != 1 {
			t.Errorf("%s: the step is explained %d times", name, n)
		}
	}
}
