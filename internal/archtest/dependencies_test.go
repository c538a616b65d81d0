package archtest

import (
	"fmt"
	"go/ast"
	"regexp"
	"strings"
)

// directive is one line of go.mod, with the verb of its block.
type directive struct {
	verb    string
	args    []string
	comment string
}

func directives(gomod string) (all []directive) {
	block := ""
	for line := range strings.Lines(gomod) {
		code, comment, _ := strings.Cut(line, "//")
		words := strings.Fields(code)
		switch {
		case len(words) == 0:
		case words[0] == ")":
			block = ""
		case len(words) == 2 && words[1] == "(":
			block = words[0]
		case block != "":
			all = append(all, directive{block, words, comment})
		default:
			all = append(all, directive{words[0], words[1:], comment})
		}
	}
	return all
}

// dependenciesHaveReasons reports direct dependencies without a line in docs/DEPENDENCIES.md, lines there that go.mod no
// longer requires, and replaced modules. A module is direct if go.mod says so or if any file imports it.
func dependenciesHaveReasons(m *module) (found []string) {
	listed := map[string]bool{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(m.texts["docs/DEPENDENCIES.md"], -1) {
		listed[row[1]] = true
	}
	for _, d := range directives(m.texts["go.mod"]) {
		switch {
		case d.verb == "replace":
			found = append(found, fmt.Sprintf("go.mod: replace %s; a replaced module cannot be required by others: remove it", d.args[0]))
		case d.verb != "require":
		case !listed[d.args[0]] && (!strings.Contains(d.comment, "indirect") || m.importsModule(d.args[0])):
			found = append(found, fmt.Sprintf("go.mod: %s is a direct dependency without a reason; add a row to docs/DEPENDENCIES.md", d.args[0]))
		default:
			delete(listed, d.args[0])
		}
	}
	for path := range listed {
		found = append(found, fmt.Sprintf("docs/DEPENDENCIES.md: go.mod does not require %s; remove the row", path))
	}
	return found
}

func (m *module) importsModule(module string) (yes bool) {
	m.imports(anyFile, func(_ *source, _ *ast.ImportSpec, target string) {
		yes = yes || target == module || strings.HasPrefix(target, module+"/")
	})
	return yes
}
