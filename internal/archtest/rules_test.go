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
		{"type names are unique", typeNamesAreUnique},
		{"packages are small", packagesAreSmall},
		{"calls lead down", callsLeadDown},
		{"citations resolve", citationsResolve},
		{"dependencies have reasons", dependenciesHaveReasons},
		{"no machine paths", noMachinePaths},
		{"no loose ends", noLooseEnds},
		{"functions have the same bits everywhere", functionsArePortable},
		{"panics have reasons", panicsHaveReasons},
		{"readers are bounded", readersAreBounded},
		{"files of a service are private", serviceFilesArePrivate},
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
	t.Log(functionBudget().summary(m.functionLengths(false)))
	t.Log(testBudget().summary(m.functionLengths(true)))
	t.Log(fileBudget().summary(m.fileLengths()))
	t.Log(m.climbSummary())
	for _, r := range rules() {
		t.Run(r.name, func(t *testing.T) {
			found := r.check(m)
			slices.Sort(found)
			for _, f := range found {
				t.Error(f)
			}
		})
	}
	t.Run("excuses are needed", func(t *testing.T) { excusesAreNeeded(t, m) })
}

// excusesAreNeeded reports what is excused and needs it no more: an entry that a change has made needless goes with that change.
func excusesAreNeeded(t *testing.T, m *module) {
	for _, f := range m.needless() {
		t.Error(f)
	}
	where, lines, climbing := m.exportedTypes(), m.packageLines(), m.climbing()
	for name := range namesakes() {
		if len(where[name]) < 2 {
			t.Errorf("type %s is in no two packages any more: take it out of the namesakes", name)
		}
	}
	for dir := range halls() {
		if lines[dir] <= mostLines {
			t.Errorf("%s has %d lines, which is within the budget: take it out of the halls", dir, lines[dir])
		}
	}
	for dir, most := range steep() {
		if climbing[dir] <= mostClimbing {
			t.Errorf("%s has %d climbing calls, which is within the budget: take it out of the steep ones (%d)", dir, climbing[dir], most)
		}
	}
}
