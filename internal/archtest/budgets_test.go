package archtest

import (
	"cmp"
	"fmt"
	"go/ast"
	"math"
	"slices"
	"strings"
)

// budget bounds the lengths of functions or files in lines; a zero bound is none.
type budget struct {
	what             string
	median, p95, max int
}

// length is one measured function or file.
type length struct {
	where string
	lines int
}

func functionBudget() budget { return budget{"function", 9, 32, 80} }
func testBudget() budget     { return budget{"test function", 15, 45, 80} }
func fileBudget() budget     { return budget{"file", 0, 400, 600} }

// functionsAreShort reports functions over budget; generated files are exempt. Tests, which are tables and stories, have a budget of their own: more of them do not make the code worse.
func functionsAreShort(m *module) []string {
	return append(functionBudget().judge(m.functionLengths(false)), testBudget().judge(m.functionLengths(true))...)
}

// filesAreShort reports files over budget; generated files are exempt.
func filesAreShort(m *module) []string { return fileBudget().judge(m.fileLengths()) }

func (m *module) functionLengths(ofTests bool) (all []length) {
	for _, s := range m.files {
		if generated(s) || strings.HasSuffix(s.name, "_test.go") != ofTests {
			continue
		}
		for _, decl := range s.code.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok {
				from, to := m.fset.Position(f.Pos()), m.fset.Position(f.End())
				all = append(all, length{fmt.Sprintf("%s:%d: %s", s.name, from.Line, f.Name.Name), to.Line - from.Line + 1})
			}
		}
	}
	return all
}

func (m *module) fileLengths() (all []length) {
	for _, s := range m.files {
		if !generated(s) {
			all = append(all, length{s.name, strings.Count(m.texts[s.name], "\n")})
		}
	}
	return all
}

func (b budget) judge(all []length) (found []string) {
	sortByLines(all)
	for _, l := range slices.Backward(all) {
		if l.lines > b.max {
			found = append(found, fmt.Sprintf("%s: %d lines, at most %d; one thought a %s: split it", l.where, l.lines, b.max, b.what))
		}
	}
	for _, q := range []struct {
		share float64
		bound int
	}{{0.5, b.median}, {0.95, b.p95}} {
		if l := quantile(all, q.share); q.bound > 0 && l.lines > q.bound {
			found = append(found, fmt.Sprintf("%g %% of the %ss have up to %d lines, at most %d wanted; shorten the longest, from %s on",
				100*q.share, b.what, l.lines, q.bound, l.where))
		}
	}
	return found
}

// summary is the measured figures in one line.
func (b budget) summary(all []length) string {
	sortByLines(all)
	return fmt.Sprintf("%d %ss: median %d, p95 %d, max %d lines (%s)", len(all), b.what,
		quantile(all, 0.5).lines, quantile(all, 0.95).lines, quantile(all, 1).lines, quantile(all, 1).where)
}

func sortByLines(all []length) {
	slices.SortStableFunc(all, func(a, b length) int { return cmp.Compare(a.lines, b.lines) })
}

// quantile is by nearest rank in sorted lengths.
func quantile(all []length, share float64) length {
	if len(all) == 0 {
		return length{}
	}
	rank := int(math.Ceil(share*float64(len(all)))) - 1
	return all[min(max(rank, 0), len(all)-1)]
}
