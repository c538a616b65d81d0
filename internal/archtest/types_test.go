package archtest

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// namesakes lists the exported types that share their name with one of another package, each with its reason.
func namesakes() map[string]string {
	const (
		model   = "a dynamics and its sensitivity are one model"
		shape   = "formula knows the shape of the set of that name"
		section = "the section of a spec goes by what it describes"
		own     = "the error of a package that has one"
		renamed = "until one of them is renamed"
	)
	return map[string]string{
		"Affine":        shape,
		"Algorithm":     section,
		"Ball":          shape,
		"Box":           shape,
		"CappedSimplex": shape,
		"L1Ball":        shape,
		"Check":         renamed,
		"Loop":          "one rule against one population, in the laboratory and live",
		"Choice":        model,
		"Column":        renamed,
		"Constant":      renamed,
		"Convex":        shape,
		"Constraint":    section,
		"Coupled":       model,
		"Drift":         section,
		"Dynamics":      section,
		"Error":         own,
		"Field":         renamed,
		"Form":          renamed,
		"Function":      renamed,
		"HalfSpace":     shape,
		"Interval":      renamed,
		"Key":           renamed,
		"Kind":          renamed,
		"Lag":           renamed,
		"Law":           section,
		"Learning":      renamed,
		"Model":         renamed,
		"Objective":     section,
		"Options":       renamed,
		"Player":        section,
		"Point":         renamed,
		"Polarized":     model,
		"PolarizedNorm": model,
		"Population":    section,
		"Reference":     renamed,
		"Result":        renamed,
		"Rule":          renamed,
		"Set":           section,
		"Simplex":       shape,
		"Source":        renamed,
		"Stage":         renamed,
		"Step":          renamed,
		"Table":         renamed,
		"Theory":        renamed,
		"Trial":         renamed,
		"Verdict":       renamed,
		"Wrong":         section,
	}
}

// typeNamesAreUnique reports exported types of one name in several packages. Another name of the same type is none, and
// programs export nothing.
func typeNamesAreUnique(m *module) (found []string) {
	for name, where := range m.exportedTypes() {
		if _, allowed := namesakes()[name]; !allowed && len(where) > 1 {
			found = append(found, fmt.Sprintf("type %s is in %s; give each its own name, or add it to the namesakes with a reason", name, strings.Join(where, " and in ")))
		}
	}
	return found
}

// exportedTypes are the packages that have an exported type, by its name.
func (m *module) exportedTypes() map[string][]string {
	types := map[string][]string{}
	for _, s := range m.files {
		if s.test || s.code.Name.Name == "main" {
			continue
		}
		for _, decl := range s.code.Decls {
			g, ok := decl.(*ast.GenDecl)
			if !ok || g.Tok != token.TYPE {
				continue
			}
			for _, spec := range g.Specs {
				if t := spec.(*ast.TypeSpec); t.Name.IsExported() && !t.Assign.IsValid() {
					types[t.Name.Name] = append(types[t.Name.Name], s.dir)
				}
			}
		}
	}
	for _, where := range types {
		slices.Sort(where)
	}
	return types
}

const mostLines = 3500 // of code in a package: neither blank nor comment, neither tests nor generated

// halls lists the packages that are larger all the same.
func halls() map[string]string {
	return map[string]string{
		"formula": "one language: its parser, compiler, derivatives and what it knows of convexity",
	}
}

// packagesAreSmall reports packages over the budget.
func packagesAreSmall(m *module) (found []string) {
	for dir, n := range m.packageLines() {
		if _, allowed := halls()[dir]; n > mostLines && !allowed {
			found = append(found, fmt.Sprintf("%s: %d lines of code, at most %d; split it where its name no longer covers what it holds", dir, n, mostLines))
		}
	}
	return found
}

// packageLines counts the lines of code of every package.
func (m *module) packageLines() map[string]int {
	lines := map[string]int{}
	for _, s := range m.files {
		if s.test || generated(s) {
			continue
		}
		for line := range strings.Lines(m.texts[s.name]) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") {
				lines[s.dir]++
			}
		}
	}
	return lines
}
