package archtest

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"
)

// excused is how often a file does what is dangerous in a program that runs for long, and why that does no harm there.
type excused struct {
	times int
	why   string
}

// Why panics do no harm.
const (
	caught   = "typed errors on their way to a recover in the same package, which returns them"
	internal = "a length that the caller has from the same place; every reader of what users give compares lengths first"
	builtIn  = "of what is built into the program; a test starts it"
	onward   = "a panic of a worker, told to who waits for it; the service answers 500 and lets go of the loop"
)

// panics are all there are. A service recovers those of requests; one in a goroutine of its own ends the program, which loses nothing that was acknowledged.
func panics() map[string]excused {
	return map[string]excused{
		"batch/build.go": {7, caught}, "batch/json.go": {9, caught}, "batch/read.go": {1, caught}, "batch/table.go": {10, caught}, "internal/columns/page.go": {3, caught},
		"internal/columns/read.go": {3, caught}, "internal/columns/columns.go": {1, caught}, "internal/columns/footer.go": {1, caught}, "internal/intake/intake.go": {1, caught},
		"internal/npy/header.go": {1, caught}, "internal/npy/npy.go": {1, caught}, "internal/npy/zip.go": {4, caught}, "conform/failure.go": {2, caught}, "lab/study/work.go": {2, caught},
		"batched.go": {1, internal}, "dynamics/dynamics.go": {3, internal}, "formula/dynamics.go": {1, internal}, "formula/entries.go": {1, "of operations that the compiler sends elsewhere"}, "sensitivity/sensitivity.go": {1, internal}, "objective/logistic.go": {1, internal},
		"objective/objective.go": {4, internal}, "internal/fixpoint/fixpoint.go": {2, internal}, "internal/rows/rows.go": {1, internal}, "internal/rows/block.go": {2, internal},
		"problem/form/vector.go": {2, internal}, "stream/numpy.go": {1, internal}, "stream/stream.go": {1, internal}, "device/device.go": {1, internal}, "device/use.go": {1, internal},
		"ptx/print.go": {1, internal}, "ptx/build.go": {2, internal}, "problem/kind/constrained.go": {1, "a kind of constraint that the compiler of formulas does not make"},
		"web/web.go": {1, builtIn}, "lab/compare/classics.go": {2, builtIn}, "command/complete.go": {1, builtIn}, "problem/form/schema.go": {1, builtIn},
		"internal/crew/panic.go":  {1, onward},
		"problem/family/cells.go": {1, "of a cell that was read before"},
		"gpu/crowd.go":            {2, "of a step that went well before, taken again"},
	}
}

// panicsHaveReasons reports calls of panic that nobody has looked at.
func panicsHaveReasons(m *module) []string {
	return m.dangers("panics", panics(), isBeyond, "return an error, or say in panics why it does no harm", isPanic)
}

func isPanic(c *ast.CallExpr) bool {
	name, is := c.Fun.(*ast.Ident)
	return is && name.Name == "panic"
}

// endless are the reads without a bound of their own.
func endless() map[string]excused {
	return map[string]excused{
		"batch/read.go":          {1, "of a reader that ends at the limit of a batch"},
		"client/faults.go":       {1, "of what the client itself sends"},
		"client/spool.go":        {1, "of a file that the client wrote, in a folder of its own"},
		"farm/embed.go":          {1, "of a file that the queue wrote, in a folder of its own"},
		"lab/keeper.go":          {1, "of a checkpoint, which is as long as the states of its run"},
		"problem/census/file.go": {1, "of a file that cannot be sought in, which is in memory"},
	}
}

// readersAreBounded reports reads that end only where what is read does: a device, a pipe or a file of another would take all memory.
func readersAreBounded(m *module) []string {
	return m.dangers("reads without a bound", endless(), isBeyond, "plain.ReadFile and io.LimitReader have one, or say in endless why none is needed", isEndless)
}

func isEndless(c *ast.CallExpr) bool {
	switch {
	case calls(c, "os", "ReadFile"):
		return true
	case calls(c, "io", "ReadAll") && len(c.Args) == 1:
		inner, is := c.Args[0].(*ast.CallExpr)
		return !is || !calls(inner, "io", "LimitReader")
	}
	return false
}

// calls tells whether a call is one of a function of a package.
func calls(c *ast.CallExpr, pack, name string) bool {
	f, is := c.Fun.(*ast.SelectorExpr)
	if !is || f.Sel.Name != name {
		return false
	}
	of, is := f.X.(*ast.Ident)
	return is && of.Name == pack
}

// needless reports excuses for more than there is.
func (m *module) needless() []string {
	fewer := func(times, known int) bool { return times < known }
	return append(m.dangers("panics", panics(), fewer, "take the rest out of panics", isPanic), m.dangers("reads without a bound", endless(), fewer, "take the rest out of endless", isEndless)...)
}

func isBeyond(times, known int) bool { return times > known }

// serviceFilesArePrivate reports modes of files by which others could read or change what a service keeps.
func serviceFilesArePrivate(m *module) (found []string) {
	for _, s := range m.files {
		if s.test || !hasPrefix(s.dir, "store", "server", "session", "command/service", "client") {
			continue
		}
		ast.Inspect(s.code, func(n ast.Node) bool {
			if lit, is := n.(*ast.BasicLit); is && lit.Kind == token.INT && len(lit.Value) == 5 && strings.HasPrefix(lit.Value, "0o") && !strings.HasSuffix(lit.Value, "00") && lit.Value != "0o077" {
				found = append(found, m.at(lit, "mode %s lets others at what a service keeps: 0o600 or 0o700", lit.Value))
			}
			return true
		})
	}
	return found
}

// dangers counts calls by file, and reports counts that are wrong beside those that are excused. What builds, measures and tests kedge may do as it likes.
func (m *module) dangers(what string, excuses map[string]excused, isWrong func(times, known int) bool, remedy string, is func(*ast.CallExpr) bool) (found []string) {
	for _, s := range m.files {
		if s.test || ast.IsGenerated(s.code) || hasPrefix(s.dir, "bench", "cmd", "device/emulated", "examples", "web/build", "internal/archtest", "internal/bench", "internal/browser", "internal/cite", "internal/cluster",
			"internal/disk/disktest", "internal/evidence", "internal/licence", "internal/mutant", "internal/outage", "internal/release", "internal/rows/asm", "internal/site", "internal/targets", "internal/torture") {
			continue
		}
		times := 0
		ast.Inspect(s.code, func(n ast.Node) bool {
			if c, call := n.(*ast.CallExpr); call && is(c) {
				times++
			}
			return true
		})
		if known := excuses[s.name].times; isWrong(times, known) {
			found = append(found, fmt.Sprintf("%s: %d %s, %d are known of: %s", s.name, times, what, known, remedy))
		}
	}
	return found
}

// hasPrefix tells whether a folder is one of some, or in one.
func hasPrefix(dir string, some ...string) bool {
	for _, one := range some {
		if dir == one || strings.HasPrefix(dir, one+"/") {
			return true
		}
	}
	return false
}
