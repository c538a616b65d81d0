package archtest

import (
	"fmt"
	"go/ast"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// layers says where every package stands; imports point strictly down. An entry that ends in a slash covers all below it.
func layers() map[string]int {
	return map[string]int{
		"stream": 0, "internal/rows": 0, "internal/npy": 0, "internal/fixpoint": 0, "internal/crew": 0, "internal/wire": 0,
		"internal/columns": 0, "internal/intake": 0, "internal/dense": 0, "internal/heap": 0, "internal/phrase": 0, "internal/interval": 0, "internal/lists": 0, "internal/archtest": 0,
		"internal/portable": 0, "ptx": 0, "device": 0, "device/emulated": 0, "internal/scratch": 0, "internal/targets": 0, "internal/pages": 0, "internal/evidence": 0, "internal/evidence/board": 0, "internal/licence": 0,
		".":   1,
		"set": 2, "dynamics": 2, "sensitivity": 2, "objective": 2, "population": 2,
		"online": 2, "transport": 2, "steady": 2, "formula": 2, "risk": 2, "panel": 2, "conform": 2,
		"game": 3, "gpu": 3, "loop": 3, "optimum": 3, "proof": 3, "certify": 3, "problem/form": 3, "fit": 3, "problem/census": 3, "internal/plain": 3, "internal/room": 3, "internal/disk": 3, "internal/cluster": 3, "internal/browser": 3, "internal/bench/rival": 3, "internal/outage": 3, "internal/evidence/origin": 3,
		"fit/moments": 4, "problem/kind": 4, "problem/axis": 4, "problem/world": 4, "problem/live": 4, "problem/record": 4, "decide": 4, "design": 4, "problem/doubt": 4, "folder": 4, "report/draw": 4, "web": 4, "internal/disk/disktest": 4,
		"problem": 5, "problem/family": 5, "batch": 5, "session/word": 5, "session/shape": 5, "session/guard": 5, "session/view": 5, "report/page": 5, "report/plot": 5, "server/keyring": 5,
		"lab": 6, "logs": 6, "doctor": 6, "lab/study": 6, "lab/compare": 6, "internal/cite": 6, "report/question": 6, "report/advice": 6, "session": 6, "session/chronicle": 6, "session/fork": 6, "session/replay": 6, "session/plan": 6, "session/kills": 6,
		"session/chain": 5, "session/saved": 5, "session/relay": 5,
		"report": 7, "farm": 7, "report/inference": 7, "logs/backtest": 7, "lab/plan": 7, "internal/bench": 7, "store": 7, "server": 7, "client": 7,
		"command": 8, "command/service": 8, "command/estimate": 8, "command/hosts": 8, "command/interview": 8, "bench/": 8, "internal/release": 8, "internal/mutant": 8, "internal/torture": 8, "internal/bench/served": 8, "internal/site": 8,
		"conform/journal": 7, "command/exit": 7, "store/postgres": 8, "server/hub": 6, "server/tally": 6,
		"cmd/": 9, "examples/": 9,
		"fit/forecast": 4,
	}
}

// bent lists the imports between packages of one layer that are allowed all the same, each with its reason.
func bent() map[[2]string]string {
	return map[[2]string]string{
		{"command", "command/interview"}:                  "the questions of kedge new",
		{"problem/family", "problem"}:                     "a family is of specs",
		{"command", "command/service"}:                    "the service's part of the command",
		{"command", "command/hosts"}:                      "the commands for sweeps over many hosts",
		{"report/inference", "logs/backtest"}:             "a look back is shown like the fit that it rests on",
		{"command", "command/estimate"}:                   "the commands that go from logs to numbers",
		{"session/word", "session/guard"}:                 "cards say what guards found",
		{"session", "session/plan"}:                       "what a spec makes of a loop, before there is one",
		{"command/service", "store/postgres"}:             "one of the journals that it serves",
		{"command", "internal/bench/served"}:              "what the command measures of the service",
		{"session/fork", "session"}:                       "a fork is a loop that is fed with another's log",
		{"session/kills", "session"}:                      "a kill is a command to a session",
		{"session/replay", "session"}:                     "a replay carries out a session's commands again",
		{"server/hub", "session"}:                         "events are a session's",
		{"server/tally", "session"}:                       "it counts a session's events",
		{"session/chronicle", "session"}:                  "a chronicle is written to a session's journal",
		{"problem/doubt", "decide"}:                       "what a spec says to decide by",
		{"problem/census", "internal/plain"}:              "plain is how files are opened, by whoever reads them",
		{"internal/fixpoint", "internal/rows"}:            "rows is the arithmetic of the layer",
		{"internal/dense", "internal/rows"}:               "rows is the arithmetic of the layer",
		{"internal/npy", "internal/intake"}:               "what readers of files have in common",
		{"internal/columns", "internal/intake"}:           "what readers of files have in common",
		{"internal/interval", "internal/portable"}:        "elementary functions are the arithmetic of the layer",
		{"stream", "internal/wire"}:                       "streams are states, and wire writes states down",
		{"internal/evidence", "internal/evidence/board"}:  "the page that tests state rows of",
		{"internal/evidence", "internal/heap"}:            "whether the race detector runs; only tests import evidence, from every layer",
		{"internal/evidence", "internal/evidence/origin"}: "asks git which tree figures are of; only tests import evidence, from every layer",
		{"stream", "internal/rows"}:                       "rows is the arithmetic of the layer",

		{"internal/bench/served", "store/postgres"}: "one of the journals that it measures",
	}
}

// bentInTests lists the imports from a higher layer that the tests of a package may make, each with its reason.
func bentInTests() map[[2]string]string {
	return map[[2]string]string{
		{"session/fork", "store"}:      "they fork what a journal has",
		{"session/kills", "store"}:     "they kill loops of a journal",
		{"server/tally", "store"}:      "they count what a journal has",
		{"session/replay", "store"}:    "they replay what a journal has",
		{"session/chronicle", "store"}: "they write to a journal",
	}
}

func layerOf(dir string) (layer int, ok bool) {
	table := layers()
	if layer, ok = table[dir]; ok {
		return layer, true
	}
	for prefix, layer := range table {
		if strings.HasSuffix(prefix, "/") && strings.HasPrefix(dir, prefix) {
			return layer, true
		}
	}
	return 0, false
}

// everyPackageHasALayer reports packages that the table does not know.
func everyPackageHasALayer(m *module) (found []string) {
	seen := map[string]bool{}
	for _, s := range m.files {
		if _, ok := layerOf(s.dir); !ok && !seen[s.dir] {
			seen[s.dir] = true
			found = append(found, fmt.Sprintf(
				"%s: package %s has no layer; add it to the layers table and to docs/ARCHITECTURE.md", s.name, s.dir))
		}
	}
	return found
}

// architectureTableIsTrue reports packages that the table of docs/ARCHITECTURE.md lacks, has on another layer or has in
// excess. The root goes by the module's last name; internal packages, commands, benchmarks and examples need no row, and a
// dash is no claim.
func architectureTableIsTrue(m *module) (found []string) {
	const doc = "docs/ARCHITECTURE.md"
	rows := map[string]string{}
	for _, r := range regexp.MustCompile("(?m)^\\| ([0-9]+|–) \\| `([^`]+)` \\|").FindAllStringSubmatch(m.texts[doc], -1) {
		rows[r[2]] = r[1]
	}
	for dir := range m.packages() {
		name := strings.Replace(dir, ".", path.Base(m.path), 1)
		row, listed := rows[name]
		delete(rows, name)
		layer, ok := layerOf(dir)
		switch _, needed := layers()[dir]; {
		case listed && ok && row != "–" && row != strconv.Itoa(layer):
			found = append(found, fmt.Sprintf("%s: %s is on layer %s, in the layers table on %d; make them agree", doc, name, row, layer))
		case !listed && needed && !strings.HasPrefix(dir, "internal/"):
			found = append(found, fmt.Sprintf("%s: no row for package %s; add one", doc, name))
		}
	}
	for name := range rows {
		found = append(found, fmt.Sprintf("%s: there is no package %s; remove the row", doc, name))
	}
	return found
}

// importsPointDown reports imports within the module that do not lead to a lower layer; tests may stay level.
func importsPointDown(m *module) (found []string) {
	m.imports(anyFile, func(s *source, spec *ast.ImportSpec, target string) {
		to, ok := m.inside(target)
		if !ok || to == s.dir {
			return
		}
		above, _ := layerOf(s.dir)
		below, _ := layerOf(to)
		_, allowed := bent()[[2]string{s.dir, to}]
		_, tried := bentInTests()[[2]string{s.dir, to}]
		if below < above || allowed || s.test && (tried || below == above) {
			return
		}
		found = append(found, m.at(spec,
			"layer %d (%s) imports layer %d (%s); imports point strictly down: move the shared part below both, or accept an interface",
			above, s.dir, below, to))
	})
	return found
}

// rootStandsAlone reports imports of the root package from outside the standard library.
func rootStandsAlone(m *module) (found []string) {
	m.imports(func(s *source) bool { return s.dir == "." && !s.test }, func(_ *source, spec *ast.ImportSpec, target string) {
		first, _, _ := strings.Cut(target, "/")
		if _, own := m.inside(target); own || strings.Contains(first, ".") {
			found = append(found, m.at(spec, "the root imports %s; it holds the nouns and only the standard library", target))
		}
	})
	return found
}

// kernelsStayPure reports what layers 0 to 2 must not know of: files, clocks, logs, networks, formats.
func kernelsStayPure(m *module) (found []string) {
	m.imports(notTest, func(s *source, spec *ast.ImportSpec, target string) {
		layer, ok := layerOf(s.dir)
		first, _, _ := strings.Cut(target, "/")
		outside := slices.Contains([]string{"os", "time", "log", "net", "syscall"}, first) || strings.Contains(target, "yaml")
		if ok && layer <= 2 && outside && !isForTests(s.dir) {
			found = append(found, m.at(spec,
				"layer %d imports %s; take the value as an argument and leave the world to layers 3 and above", layer, target))
		}
	})
	return found
}

// noCgo reports imports of C and unsafe. Only package device, which calls the driver of a GPU, may hand addresses out, and what stands in for that driver take them.
func noCgo(m *module) (found []string) {
	m.imports(anyFile, func(s *source, spec *ast.ImportSpec, target string) {
		if target == "C" || target == "unsafe" && s.dir != "device" && s.dir != "device/emulated" {
			found = append(found, m.at(spec, "import of %q; write it in plain Go", target))
		}
	})
	return found
}

// isForTests tells whether a package is there for tests alone.
func isForTests(dir string) bool {
	return dir == "conform" || dir == "conform/journal" || dir == "internal/browser" || dir == "internal/evidence"
}

// testingStaysInTests reports code that ships test machinery to users.
func testingStaysInTests(m *module) (found []string) {
	m.imports(notTest, func(s *source, spec *ast.ImportSpec, target string) {
		first, _, _ := strings.Cut(target, "/")
		to, _ := m.inside(target)
		if !isForTests(s.dir) && (first == "testing" || isForTests(to)) {
			found = append(found, m.at(spec, "import of %s outside a test; move the code that needs it to a _test.go file", target))
		}
	})
	return found
}
