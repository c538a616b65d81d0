package command

import (
	"os"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// The paper is cited as docs/REFERENCES.md has it, where it was taken from the paper itself.
func TestCitationsAgreeWithTheReferences(t *testing.T) {
	text, err := os.ReadFile("../docs/REFERENCES.md")
	if err != nil {
		t.Fatal(err)
	}
	_, entry, _ := strings.Cut(string(text), "**[he2025]** ")
	entry, _, _ = strings.Cut(entry, "\n  - ")
	entry = strings.Join(strings.Fields(strings.ReplaceAll(entry, "*", "")), " ")
	p, names := paper(), []string{}
	for _, name := range p.authors {
		family, given, _ := strings.Cut(name, ", ")
		names = append(names, given+" "+family)
	}
	want := strings.Join(names, ", ") + ". " + p.title + ". arXiv " + p.arXiv + ", 2025."
	if entry != want {
		t.Errorf("docs/REFERENCES.md: %s\nkedge cite:         %s", entry, want)
	}
}

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

// CITATION.cff is what kedge cite --format cff prints, and YAML.
func TestCitationFile(t *testing.T) {
	const file = "../CITATION.cff"
	if os.Getenv("KEDGE_UPDATE") != "" {
		if err := os.WriteFile(file, []byte(citationFile()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil || string(text) != citationFile() {
		t.Errorf("%s is not what kedge cite --format cff prints (%v): run KEDGE_UPDATE=1 go test -run CitationFile ./command", file, err)
	}
	var read struct {
		Title      string
		References []struct{ Authors []map[string]string }
	}
	if err := yaml.Unmarshal(text, &read); err != nil || read.Title != software().title || read.References[0].Authors[2]["family-names"] != "Dörfler" {
		t.Errorf("%+v, %v", read, err)
	}
}
