package archtest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// bibliography is the keys of docs/REFERENCES.md with the named parts of each work; a part may have several names.
type bibliography map[string][]string

func readBibliography(text string) bibliography {
	entry := regexp.MustCompile(`^- \*\*\[([^\]]+)\]\*\*`)
	part := regexp.MustCompile(`^  - ([^(:]+?)(?: \(|:|$)`)
	works := bibliography{}
	key := ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if e := entry.FindStringSubmatch(line); e != nil {
			key = e[1]
			works[key] = nil
		} else if p := part.FindStringSubmatch(line); p != nil && key != "" {
			works[key] = append(works[key], strings.Split(p[1], " / ")...)
		}
	}
	return works
}

// citationsResolve reports citations in comments that lead nowhere, such as a key, a key and a part, or several of these.
func citationsResolve(m *module) (found []string) {
	works := readBibliography(m.texts["docs/REFERENCES.md"])
	bracket := regexp.MustCompile(`\[([a-z]+[0-9]{4}[a-z]?(?:[,;] [^\]]+)?)\]`)
	for _, s := range m.files {
		for _, group := range s.code.Comments {
			flat := strings.Join(strings.Fields(group.Text()), " ")
			for _, b := range bracket.FindAllStringSubmatch(flat, -1) {
				for _, wrong := range works.unresolved(b[1]) {
					found = append(found, m.at(group, "citation %s does not resolve; %s", b[0], wrong))
				}
			}
		}
	}
	return found
}

// unresolved reads the inside of a citation: keys and, after a key, the name of a part of that work.
func (b bibliography) unresolved(citation string) (wrong []string) {
	isKey := regexp.MustCompile(`^[a-z]+[0-9]{4}[a-z]?$`).MatchString
	key := ""
	for _, piece := range regexp.MustCompile(`[,;] `).Split(citation, -1) {
		parts, known := b[key]
		switch {
		case isKey(piece):
			key = piece
			if _, ok := b[key]; !ok {
				wrong = append(wrong, fmt.Sprintf("add an item \"- **[%s]** …\" to docs/REFERENCES.md", key))
			}
		case known && len(parts) > 0 && !slices.Contains(parts, piece):
			wrong = append(wrong, fmt.Sprintf("docs/REFERENCES.md lists no part %q of %s: use a listed name or add it", piece, key))
		}
	}
	return wrong
}
