package archtest

import (
	"os"
	"slices"
	"testing"
)

// rule is one property of the module's source.
type rule struct {
	name  string
	check func(*module) []string
}

func rules() []rule {
	return []rule{
		{"every package has a layer", everyPackageHasALayer},
		{"the architecture table is true", architectureTableIsTrue},
		{"imports point down", importsPointDown},
		{"the root stands alone", rootStandsAlone},
		{"kernels stay pure", kernelsStayPure},
		{"no cgo", noCgo},
		{"testing stays in tests", testingStaysInTests},
		{"no init", noInit},
		{"packages say what they hold", packagesSayWhatTheyHold},
		{"globals are tables", globalsAreTables},
		{"functions are short", functionsAreShort},
		{"files are short", filesAreShort},
		{"exports are documented", exportsAreDocumented},
		{"citations resolve", citationsResolve},
		{"dependencies have reasons", dependenciesHaveReasons},
		{"no machine paths", noMachinePaths},
		{"no loose ends", noLooseEnds},
	}
}

func TestModule(t *testing.T) {
	m, err := load(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	if m.path == "" || len(m.files) == 0 {
		t.Fatalf("loaded %d files of module %q: not the root of the module", len(m.files), m.path)
	}
	t.Log(functionBudget().summary(m.functionLengths()))
	t.Log(fileBudget().summary(m.fileLengths()))
	for _, r := range rules() {
		t.Run(r.name, func(t *testing.T) {
			found := r.check(m)
			slices.Sort(found)
			for _, f := range found {
				t.Error(f)
			}
		})
	}
}
