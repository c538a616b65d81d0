package study

import (
	"os"
	"strings"
	"testing"
)

// Every numbered statement of the paper has a study that says so, is found by its number, and stands in the tutorial and in the list
// of references with it.
func TestEveryTheoremHasAStudy(t *testing.T) {
	tutorial, err := os.ReadFile("../../docs/tutorial/studies.md")
	if err != nil {
		t.Fatal(err)
	}
	references, err := os.ReadFile("../../docs/REFERENCES.md")
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range Statements() {
		found, err := Find(s.slug())
		if err != nil || found.Name != s.Study() || s.Study() == "" {
			t.Errorf("%s: study %q, %v", s.Name, found.Name, err)
		}
		if row := "| " + s.Name + " |"; !strings.Contains(string(tutorial), row) || !strings.Contains(string(tutorial), "`kedge study "+s.Study()+"`") {
			t.Errorf("the tutorial does not say %q and its study", row)
		}
		if part := strings.TrimPrefix(s.Source, "he2025, "); !strings.Contains(string(references), part) {
			t.Errorf("%s: there is no %q", s.Name, part)
		}
		if !strings.HasSuffix(s.Name, []string{" 1", " 2", " 3", " 4", " 5", " 6", " 7", " 8", " 9", " 10", " 11", " 12"}[i]) {
			t.Errorf("statement %d is %s", i+1, s.Name)
		}
	}
}
