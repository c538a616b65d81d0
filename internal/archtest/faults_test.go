package archtest

import (
	"slices"
	"strings"
)

func allTwins() []twin {
	return slices.Concat(importTwins(), nameTwins(), globalTwins(), lengthTwins(), houseTwins(), documentTwins(), hygieneTwins())
}

// file is a module of one file more.
func file(name string, lines ...string) map[string]string {
	return map[string]string{name: strings.Join(lines, "\n") + "\n"}
}

func importTwins() []twin {
	imports := func(file, pkg, target string) map[string]string {
		return map[string]string{file: "// Package " + pkg + " is faulty.\npackage " + pkg + "\n\nimport _ \"" + target + "\"\n"}
	}
	return []twin{
		{"every package has a layer", file("novel/novel.go", "package novel"), "add it to the layers table and to docs/ARCHITECTURE.md"},
		{"the architecture table is true", file("loop/loop.go", "package loop"), "no row for package loop"},
		{"the architecture table is true", file("docs/ARCHITECTURE.md", "| 1 | `stream` | a |"), "stream is on layer 1, in the layers table on 0"},
		{"the architecture table is true", file("docs/ARCHITECTURE.md", "| 2 | `old` | a |"), "there is no package old"},
		{"imports point down", imports("internal/rows/up.go", "rows", "example.org/m"), "layer 0 (internal/rows) imports layer 1 (.)"},
		{"imports point down", imports("set/side.go", "set", "example.org/m/objective"), "layer 2 (set) imports layer 2 (objective)"},
		{"imports point down", imports("internal/rows/up_test.go", "rows", "example.org/m/set"), "layer 0 (internal/rows) imports layer 2 (set)"},
		{"imports point down", imports("loop/up.go", "loop", "example.org/m/cmd/m"), "layer 3 (loop) imports layer 9 (cmd/m)"},
		{"the root stands alone", imports("more.go", "m", "example.org/m/internal/rows"), "more.go:4: the root imports example.org/m/internal/rows"},
		{"the root stands alone", imports("more.go", "m", "example.org/dep"), "only the standard library"},
		{"kernels stay pure", imports("internal/rows/clock.go", "rows", "time"), "layer 0 imports time"},
		{"kernels stay pure", imports("clock.go", "m", "os/exec"), "layer 1 imports os/exec"},
		{"kernels stay pure", imports("set/log.go", "set", "log/slog"), "layer 2 imports log/slog"},
		{"kernels stay pure", imports("set/read.go", "set", "example.org/go-yaml"), "layer 2 imports example.org/go-yaml"},
		{"no cgo", imports("cmd/m/c.go", "main", "C"), `import of "C"`},
		{"no cgo", imports("internal/rows/fast_test.go", "rows", "unsafe"), `import of "unsafe"`},
		{"testing stays in tests", imports("set/check.go", "set", "testing"), "move the code that needs it to a _test.go file"},
		{"testing stays in tests", imports("problem/check.go", "problem", "example.org/m/conform"), "import of example.org/m/conform"},
		{"testing stays in tests", imports("problem/check.go", "problem", "example.org/m/internal/evidence"), "import of example.org/m/internal/evidence"},
	}
}

func nameTwins() []twin {
	return []twin{
		{"no init", file("set/start.go", "package set", "func init() {}"), "set/start.go:2: func init"},
		{"no init", file("set/start_test.go", "package set", "func init() {}"), "set/start_test.go:2"},
		{"packages say what they hold", file("set/util/all.go", "package all"), `package "util" says nothing`},
		{"packages say what they hold", file("internal/rows/x_test.go", "package helpers_test"), `package "helpers" says nothing`},
		{"exports are documented", file("set/a.go", "package set", "func Bare() {}"), "Bare has no doc comment"},
		{"exports are documented", file("set/a.go", "package set", "type Bare struct{}"), "Bare has no doc comment"},
		{"exports are documented", file("set/a.go", "package set", "const A, Bare = 1, 2"), "Bare has no doc comment"},
		{"exports are documented", file("set/a.go", "package set", "// T is.", "type T[E any] struct{}", "func (*T[E]) Bare() {}"), "Bare has no doc comment"},
		{"exports are documented", file("loop/a.go", "package loop"), "package loop has no package comment"},
	}
}

func globalTwins() []twin {
	global := func(lines ...string) map[string]string {
		return file("loop/a.go", slices.Concat([]string{"package loop"}, lines)...)
	}
	uses := func(declaration, statement string) map[string]string {
		return global("import \"net/http\"", declaration, "func f() any { "+statement+"; return http.StatusOK }")
	}
	const rule = "globals are tables"
	return []twin{
		{rule, global("var Limit = 3"), "variable Limit is exported"},
		{rule, global("var state = &struct{ n int }{}"), "variable state can change behind its name"},
		{rule, global("import \"sync\"", "var mu sync.Mutex"), "variable mu can change behind its name"},
		{rule, global("import \"math/rand\"", "var source = rand.New(nil)"), "variable source can change behind its name"},
		{rule, uses("var n int", "n = 1"), "variable n is changed"},
		{rule, uses("var n int", "n++"), "variable n is changed"},
		{rule, uses("var n int", "for n = range 3 {}"), "variable n is changed"},
		{rule, uses("var n int", "_ = &n"), "variable n is changed"},
		{rule, uses("var t = [2]struct{ n int }{}", "t[0].n = 1"), "variable t is changed"},
		{rule, uses("var t = []int{1}", "clear(t)"), "variable t is changed"},
		{rule, uses("var t = []int{1}", "_ = append(t, 2)"), "variable t is changed"},
		{rule, uses("var t = []int{1}", "return t"), "variable t is handed out"},
		{rule, uses("var t = [...]int{1}", "return t[:]"), "variable t is handed out"},
		{rule, uses("var t = map[string]int{}", "m := t; m[\"a\"] = 1"), "variable t is handed out"},
		{rule, uses("type c struct{ n int }\nfunc (x *c) inc() { x.n++ }\nvar t c", "t.inc()"), "variable t is changed by a method"},
		{rule, uses("var t = http.Client{}", "t.Get(\"x\")"), "variable t is changed by a method, or may be"},
		{rule, uses("", "http.DefaultClient = nil"), "variable http is changed"},
	}
}

func lengthTwins() []twin {
	function := func(lines int) string { return "func _() {" + strings.Repeat("\n", lines-1) + "}\n" }
	file := func(functions ...string) map[string]string {
		return map[string]string{"set/long.go": "package set\n" + strings.Join(functions, "")}
	}
	comments := func(lines int) string { return strings.Repeat("//\n", lines) }
	return []twin{
		{"functions are short", file(function(81)), "set/long.go:2: _: 81 lines, at most 80"},
		{"functions are short", file(strings.Repeat(function(11), 20)), "50 % of the functions have up to 11 lines"},
		{"functions are short", file(strings.Repeat(function(1), 18), function(41), function(41)), "95 % of the functions have up to 41 lines"},
		{"files are short", file(comments(600)), "set/long.go: 601 lines, at most 600"},
		{"files are short", file(comments(400)), "95 % of the files have up to 401 lines"},
	}
}

func houseTwins() []twin {
	calls := func(name, other string, n int) string {
		return "package loop\n\nfunc " + name + "() {\n" + strings.Repeat("\t"+other+"()\n", n) + "}\n"
	}
	climbs := func(n int) map[string]string {
		return map[string]string{"loop/a.go": calls("a", "b", n), "loop/b.go": calls("b", "a", n), "loop/c.go": calls("c", "a", 50)}
	}
	code := "package loop\n" + strings.Repeat("\n// Comment.\nvar _ = 1\n", mostLines)
	return []twin{
		{"type names are unique", map[string]string{"set/a.go": "package set\n\ntype Same struct{}\n", "loop/a.go": "package loop\n\ntype Same struct{}\n"},
			"type Same is in loop and in set"},
		{"packages are small", file("loop/a.go", code), "loop: 3501 lines of code, at most 3500"},
		{"calls lead down", climbs(23), "loop: 23 calls climb to files above, at most 22"},
		{"calls lead down", climbs(mostClimbingAll + 1), "calls of the module climb to files above, at most"},
	}
}

func documentTwins() []twin {
	const deps = "docs/DEPENDENCIES.md"
	return []twin{
		{"citations resolve", file("set/a.go", "// Package set cites [poe2001].", "package set"), `add an item "- **[poe2001]**`},
		{"citations resolve", file("set/a.go", "package set", "func f() {", "// [doe2020, side", "// result]", "}"), `no part "side result" of doe2020`},
		{"citations resolve", file("set/a.go", "// Package set cites [roe1999, poe2001].", "package set"), `add an item "- **[poe2001]**`},
		{"citations resolve", file("set/a.go", "// Package set cites [roe1999; doe2020, side].", "package set"), `no part "side" of doe2020`},
		{"citations resolve", file("docs/REFERENCES.md", "nothing"), "[roe1999, doe2020] does not resolve"},
		{"dependencies have reasons", file(deps, "none"), "example.org/dep is a direct dependency without a reason"},
		{"dependencies have reasons", file("cmd/m/far.go", "package main", `import _ "example.org/far/sub"`), "example.org/far is a direct dependency"},
		{"dependencies have reasons", file(deps, "| `example.org/dep` | because |", "| `example.org/old` | once |"), "does not require example.org/old"},
		{"dependencies have reasons", file("go.mod", "module example.org/m", "require example.org/dep v1.0.0", "replace example.org/dep => ../dep"), "replace example.org/dep"},
	}
}

func hygieneTwins() []twin {
	const paths = "no machine paths"
	return []twin{
		{paths, file("README.md", "see /wo"+"rk/notes"), "README.md:1: "},
		{paths, file(".ci/run", "#!/bin/sh", "cd /ro"+"ot/here"), ".ci/run:2: "},
		{paths, file("set/testdata/spec.yaml", "path: '/fa"+"rm/x'"), "spec.yaml:1: "},
		{paths, file("Makefile", "GOPROXY=https://proxy."+"golang.org"), "registry host"},
		{"no loose ends", file("set/a.go", "package set", "// TO"+"DO: more"), "set/a.go:2: "},
		{"no loose ends", file("set/a_test.go", "package set", "// FIX"+"ME"), "set/a_test.go:2: "},
		{"functions have the same bits everywhere", file("set/a.go", "package set", "", "import \"math\"", "var x = math.Exp(1)"), "set/a.go:4: "},
		{"panics have reasons", file("set/a.go", "package set", "", "func f() { panic(1) }"), "set/a.go: 1 panics, 0 are known of"},
		{"readers are bounded", file("set/a.go", "package set", "", "import \"os\"", "", "func f() { os.ReadFile(\"a\") }"), "set/a.go: 1 reads without a bound"},
		{"readers are bounded", file("set/a.go", "package set", "", "import \"io\"", "", "func f(r io.Reader) { io.ReadAll(r); io.ReadAll(io.LimitReader(r, 9)) }"), "set/a.go: 1 reads without a bound"},
		{"files of a service are private", file("store/a.go", "package store", "", "const mode = 0o640"), "store/a.go:3: mode 0o640"},
	}
}
