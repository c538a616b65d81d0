package archtest

import (
	"fmt"
	"regexp"
	"strings"
)

// noMachinePaths reports folders of a build machine and hosts of package registries in any text file. Both belong to the
// place where the code was built, not to the code.
func noMachinePaths(m *module) []string {
	hosts := []string{"proxy." + "golang.org", "registry." + "npmjs.org", "deb." + "debian.org", "pypi" + ".org"}
	for i, h := range hosts {
		hosts[i] = regexp.QuoteMeta(h)
	}
	leak := regexp.MustCompile(`(^|[^A-Za-z0-9_.])/(work|farm|root)/|` + strings.Join(hosts, "|"))
	return m.grep(leak, func(name string) bool { return name != "go.sum" },
		"a machine path or a registry host; write a relative path or leave it out")
}

// noLooseEnds reports marks of unfinished work in Go files.
func noLooseEnds(m *module) []string {
	mark := regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|XX` + `X)\b`)
	return m.grep(mark, func(name string) bool { return strings.HasSuffix(name, ".go") },
		"a mark of unfinished work; finish it, or open an issue and describe what holds today")
}

// functionsArePortable reports elementary functions of package math, whose bits depend on the target. Tests may use them, and so may what
// tells targets apart and programs of users.
func functionsArePortable(m *module) []string {
	call := regexp.MustCompile(`\bmath\.(Exp|Exp2|Expm1|Log|Log2|Log10|Log1p|Pow|Cbrt|Hypot|Sin|Cos|Sincos|Tan|Sinh|Cosh|Tanh|Asin|Acos|Atan|Atan2|Asinh|Acosh|Atanh|Gamma|Lgamma|Erf|Erfc|Erfinv|Erfcinv)\(`)
	isFree := func(name string) bool {
		return strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "internal/portable/") || strings.HasPrefix(name, "examples/") || name == "folder/build.go"
	}
	return m.grep(call, func(name string) bool { return strings.HasSuffix(name, ".go") && !isFree(name) },
		"a function whose bits depend on the target; take that of internal/portable")
}

// grep reports the lines of the kept text files that match.
func (m *module) grep(pattern *regexp.Regexp, keep func(name string) bool, remedy string) (found []string) {
	for name, text := range m.texts {
		if !keep(name) {
			continue
		}
		number := 0
		for line := range strings.Lines(text) {
			number++
			if hit := pattern.FindString(line); hit != "" {
				found = append(found, fmt.Sprintf("%s:%d: %q is %s", name, number, strings.TrimSpace(hit), remedy))
			}
		}
	}
	return found
}
