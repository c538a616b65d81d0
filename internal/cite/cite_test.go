package cite

import (
	"os"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// The paper is cited as docs/REFERENCES.md has it, where it was taken from the paper itself.
func TestCitationsAgreeWithTheReferences(t *testing.T) {
	text, err := os.ReadFile("../../docs/REFERENCES.md")
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

// CITATION.cff is what kedge cite --format cff prints, and YAML.
func TestCitationFile(t *testing.T) {
	const file = "../../CITATION.cff"
	if os.Getenv("KEDGE_UPDATE") != "" {
		if err := os.WriteFile(file, []byte(citationFile()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil || string(text) != citationFile() {
		t.Errorf("%s is not what kedge cite --format cff prints (%v): run KEDGE_UPDATE=1 go test -run CitationFile ./internal/cite", file, err)
	}
	var read struct {
		Title      string
		References []struct{ Authors []map[string]string }
	}
	if err := yaml.Unmarshal(text, &read); err != nil || read.Title != software().title || read.References[0].Authors[2]["family-names"] != "Dörfler" {
		t.Errorf("%+v, %v", read, err)
	}
}

// What is printed in each format, by hand; without one, the texts and then the entries.
func TestReferencesInFormats(t *testing.T) {
	soft, article := software(), paper()
	text := "kedge developers. " + soft.title + ". Version " + soft.version + ". " + soft.url + "\n\n" +
		"He, Z., Bolognani, S., Dörfler, F., Muehlebach, M. " + article.title + ". arXiv 2503.07324, 2025.\n"
	entries := "@software{kedge,\n  author = {{kedge developers}},\n  title = {{" + soft.title + "}},\n  version = {" + soft.version + "},\n  url = {" + soft.url + "}\n}\n\n" +
		`@misc{he2025,
  author = {He, Z. and Bolognani, S. and D{\"o}rfler, F. and Muehlebach, M.},
  title = {{` + article.title + `}},
  eprint = {2503.07324},
  archiveprefix = {arXiv},
  year = {2025}
}
`
	for format, want := range map[string]string{"text": text, "bibtex": entries, "": text + "\n" + entries, "cff": citationFile()} {
		if got, err := In(format); err != nil || got != want {
			t.Errorf("%s is %v\n%s\nwant\n%s", format, err, got, want)
		}
	}
	if got, err := In("x"); got != "" || err == nil || err.Error() != `--format is "x", want text, bibtex or cff` {
		t.Error(got, err)
	}
}
