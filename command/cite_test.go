package command

import (
	"strings"
	"testing"
)

func TestCiteInAllFormats(t *testing.T) {
	for format, words := range map[string][]string{
		"":       {"kedge developers. kedge: optim", "@software{kedge,\n  author = {{kedge developers}}", "arXiv 2503.07324, 2025"},
		"text":   {"He, Z., Bolognani, S., Dörfler, F., Muehlebach, M. Decision-dependent"},
		"bibtex": {`author = {He, Z. and Bolognani, S. and D{\"o}rfler, F. and Muehlebach, M.}`, "eprint = {2503.07324}", "version = {0.1.0}"},
		"cff":    {"cff-version: 1.2.0"},
	} {
		out, code := command(t, "cite", "--format", format)
		for _, word := range words {
			if code != 0 || !strings.Contains(out, word) {
				t.Errorf("kedge cite --format %q: exit code %d, no %q in\n%s", format, code, word, out)
			}
		}
	}
	if out, code := command(t, "cite", "--format", "ris"); code != exitUsage || !strings.Contains(out, "text, bibtex or cff") {
		t.Errorf("exit code %d: %s", code, out)
	}
}
