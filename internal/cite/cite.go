// Package cite says how kedge and the paper it implements are cited.
package cite

import (
	"fmt"
	"strings"

	"github.com/kedge-opt/kedge/folder"
)

// work is what can be cited.
type work struct {
	key, title, version string
	authors             []string // "He, Z." of a person, a name without a comma of a group
	arXiv, url          string
	year                int // 0 where there is none
}

// software is kedge itself.
func software() work {
	return work{
		key: "kedge", title: "kedge: optimization of decisions that move the data they are judged on", version: folder.Version,
		authors: []string{"kedge developers"}, url: "https://github.com/kedge-opt/kedge",
	}
}

// paper is what kedge implements, as docs/REFERENCES.md has it [he2025].
func paper() work {
	return work{
		key: "he2025", title: "Decision-dependent stochastic optimization: the role of distribution dynamics",
		authors: []string{"He, Z.", "Bolognani, S.", "Dörfler, F.", "Muehlebach, M."}, year: 2025, arXiv: "2503.07324",
	}
}

// In is the references in a format: text, bibtex, cff, or both of the first where none is named.
func In(format string) (string, error) {
	text, entries := software().text()+"\n"+paper().text(), software().bibTeX()+"\n"+paper().bibTeX()
	references := map[string]string{"text": text, "bibtex": entries, "cff": citationFile(), "": text + "\n" + entries}
	if found, known := references[format]; known {
		return found, nil
	}
	return "", fmt.Errorf("--format is %q, want text, bibtex or cff", format)
}

// text is a reference as a list of references has it.
func (w work) text() string {
	names := strings.Join(w.authors, ", ")
	if w.arXiv != "" {
		return fmt.Sprintf("%s %s. arXiv %s, %d.\n", names, w.title, w.arXiv, w.year)
	}
	return fmt.Sprintf("%s. %s. Version %s. %s\n", names, w.title, w.version, w.url)
}

// bibTeX is an entry of a .bib file. Braces keep the name of a group whole and the case of titles.
func (w work) bibTeX() string {
	var b strings.Builder
	kind, names := "software", "{"+w.authors[0]+"}"
	if w.arXiv != "" {
		kind, names = "misc", strings.NewReplacer("ö", `{\"o}`).Replace(strings.Join(w.authors, " and "))
	}
	fmt.Fprintf(&b, "@%s{%s,\n  author = {%s},\n  title = {{%s}}", kind, w.key, names, w.title)
	field := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, ",\n  %s = {%s}", name, value)
		}
	}
	field("version", w.version)
	field("url", w.url)
	if w.arXiv != "" {
		field("eprint", w.arXiv)
		field("archiveprefix", "arXiv")
		field("year", fmt.Sprint(w.year))
	}
	b.WriteString("\n}\n")
	return b.String()
}

// citationFile is CITATION.cff, which hosts of repositories and reference managers read.
func citationFile() string {
	soft, article := software(), paper()
	var b strings.Builder
	fmt.Fprintf(&b, "cff-version: 1.2.0\nmessage: If you use kedge, cite it and the paper it implements; kedge cite prints both.\n")
	fmt.Fprintf(&b, "type: software\ntitle: %q\nversion: %s\nlicense: Apache-2.0\nrepository-code: %s\nauthors:\n  - name: %s\n", soft.title, soft.version, soft.url, soft.authors[0])
	fmt.Fprintf(&b, "references:\n  - type: article\n    title: %q\n    year: %d\n    url: https://arxiv.org/abs/%s\n    authors:\n", article.title, article.year, article.arXiv)
	for _, name := range article.authors {
		family, given, _ := strings.Cut(name, ", ")
		fmt.Fprintf(&b, "      - family-names: %s\n        given-names: %s\n", family, given)
	}
	return b.String()
}
