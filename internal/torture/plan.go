// Package torture runs the tests behind docs/RELIABILITY.md tier by tier, and has faults planted that these must notice.
package torture

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kedge-opt/kedge/internal/evidence/board"
	"github.com/kedge-opt/kedge/internal/lists"
)

// Tier is how much is tried.
type Tier string

// The tiers: what every change passes, what a night has room for, and everything.
const (
	Gate    Tier = "gate"
	Nightly Tier = "nightly"
	Release Tier = "release"
)

// Tiers lists them.
func Tiers() []Tier { return []Tier{Gate, Nightly, Release} }

// Budget is how long a tier may take, 0 if it takes what it takes.
func (t Tier) Budget() time.Duration {
	return map[Tier]time.Duration{Gate: 3 * time.Minute, Nightly: 2 * time.Hour}[t]
}

// Ordeal is one thing to try: a test with all its rows, a planted fault or a fuzz target.
type Ordeal struct {
	Rows    []string // names
	Of      []string // promises and tests of the programme
	What    string
	Pack    string // as in ./store
	Test    string
	Whole   bool // with KEDGE_TORTURE=1
	Short   bool // the test has a whole version, which this is not
	Fault   *board.Planted
	Fuzz    time.Duration // how long, for a target
	Seconds float64       // that it took when last measured, 0 if nobody knows
}

// ID tells an ordeal from all others of a plan.
func (o Ordeal) ID() string {
	switch {
	case o.Fault != nil:
		return "fault " + o.Fault.Name
	case o.Fuzz > 0:
		return "fuzz " + o.Pack + " " + o.Test
	case o.Whole && !o.Short:
		return "whole " + o.Pack + " " + o.Test
	}
	return "short " + o.Pack + " " + o.Test
}

// Command is how somebody would try it by hand.
func (o Ordeal) Command() string {
	switch {
	case o.Fault != nil:
		return fmt.Sprintf("KEDGE_TORTURE=1 go test -v -run '^TestPlantedFaultsAreNoticed$/^%s$' ./internal/torture", strings.ReplaceAll(o.Fault.Name, " ", "-"))
	case o.Fuzz > 0:
		return fmt.Sprintf("go test -run '^$' -fuzz '^%s$' -fuzztime %v %s", o.Test, o.Fuzz, o.Pack)
	case o.Whole:
		return fmt.Sprintf("KEDGE_TORTURE=1 go test -v -timeout 1h -run '^%s$' %s", o.Test, o.Pack)
	}
	return fmt.Sprintf("go test -v -run '^%s$' %s", o.Test, o.Pack)
}

// source is what a plan is made of.
type source struct {
	rows   map[string]board.Testimony
	faults []board.Planted
	fuzz   []Ordeal
}

// Make lists what a tier tries, in its order. Only, if not empty, names promises, tests of the programme, rows, test functions, packages, or fuzz. The seed draws
// the planted faults for which the gate has time.
func Make(module fs.FS, tier Tier, only []string, seed string) (plan []Ordeal, err error) {
	rows, err := board.ReadAll(module)
	if err != nil {
		return nil, err
	}
	fuzz, err := targets(module)
	if err != nil {
		return nil, err
	}
	s := source{rows, board.Faults(), fuzz}
	switch tier {
	case Gate:
		plan = s.gate(len(only) > 0, seed)
	case Nightly:
		plan = s.nightly()
	case Release:
		plan = slices.Concat(s.tests(true), s.twins(), s.targets(10*time.Minute))
	default:
		return nil, fmt.Errorf("there is no tier %q: gate, nightly or release", tier)
	}
	for _, name := range only {
		if !slices.ContainsFunc(plan, func(o Ordeal) bool { return o.isOf(name) }) {
			return nil, fmt.Errorf("nothing of the tier %s is called %q: --list has promises (P1), tests (T31), rows and packages; fuzz is all targets", tier, name)
		}
	}
	return slices.DeleteFunc(plan, func(o Ordeal) bool { return len(only) > 0 && !slices.ContainsFunc(only, o.isOf) }), nil
}

func (o Ordeal) isOf(name string) bool {
	return name == "fuzz" && o.Fuzz > 0 || slices.Contains(o.Of, name) || slices.Contains(o.Rows, name) || o.Test == name || o.Pack == name || o.Fault != nil && o.Fault.Name == name
}

// gateTwins are so many faults as the gate has time for.
const gateTwins = 2

// gate has the short tests of the programme's gate, and some faults; all short tests and faults if somebody chooses among them.
func (s source) gate(all bool, seed string) []Ordeal {
	first := map[string]bool{}
	for _, t := range board.Tests() {
		first[t.ID] = t.Gate
	}
	tests, twins := s.tests(false), s.twins()
	if all {
		return slices.Concat(tests, twins)
	}
	tests = slices.DeleteFunc(tests, func(o Ordeal) bool {
		return o.isDear() || !slices.ContainsFunc(o.Of, func(id string) bool { return first[id] })
	})
	draw := func(o Ordeal) uint64 {
		h := fnv.New64a()
		h.Write([]byte(seed + "\x00" + o.ID()))
		return h.Sum64()
	}
	twins = slices.DeleteFunc(twins, Ordeal.isDear)
	slices.SortFunc(twins, func(a, b Ordeal) int { return cmp.Compare(draw(a), draw(b)) })
	return slices.Concat(tests, twins[:min(gateTwins, len(twins))])
}

// isDear tells what the gate leaves to the tests of all packages, although it is of its programme: it builds the program, builds for other machines or drives a
// browser.
func (o Ordeal) isDear() bool {
	return slices.Contains([]string{"./internal/targets", "./command"}, o.Pack) || slices.Contains([]string{"TestPagesOfTheDashboard", "TestSweepTorture"}, o.Test)
}

// nightly has all short tests, all faults, a while of fuzzing, then the whole tests, the one first that was measured longest ago.
func (s source) nightly() []Ordeal {
	whole := slices.DeleteFunc(s.tests(true), func(o Ordeal) bool { return !o.Whole })
	day := func(o Ordeal) string {
		if run := s.rows[o.Rows[0]].Run; run != nil {
			return run.Date
		}
		return ""
	}
	slices.SortStableFunc(whole, func(a, b Ordeal) int { return cmp.Compare(day(a), day(b)) })
	return slices.Concat(s.tests(false), s.twins(), s.targets(20*time.Second), whole)
}

// tests are the tests of all rows, each once, by promise and test of the programme.
func (s source) tests(whole bool) (all []Ordeal) {
	at := map[string]int{}
	for _, name := range slices.Sorted(maps.Keys(s.rows)) {
		f := s.rows[name]
		key := f.Package + " " + f.Test
		if f.Test == "TestPlantedFaultsAreNoticed" && whole {
			continue // each fault is an ordeal of its own
		}
		i, there := at[key]
		if !there {
			i, at[key] = len(all), len(all)
			all = append(all, Ordeal{What: f.Promise, Pack: f.Package, Test: f.Test, Whole: whole && f.Short != "", Short: !whole && f.Short != ""})
		}
		o := &all[i]
		o.Rows = append(o.Rows, name)
		for _, id := range slices.Concat(f.Keeps, f.Tests) {
			if !slices.Contains(o.Of, id) {
				o.Of = append(o.Of, id)
			}
		}
		if f.Run != nil && f.Whole == (f.Short == "" || whole) {
			o.Seconds = max(o.Seconds, f.Run.Seconds)
		}
	}
	for i := range all {
		slices.SortFunc(all[i].Of, compareIDs)
	}
	slices.SortStableFunc(all, func(a, b Ordeal) int { return cmp.Or(compareIDs(a.last(), b.last()), cmp.Compare(a.Pack, b.Pack)) })
	return all
}

// last is the test of the programme by which an ordeal is put in its place.
func (o Ordeal) last() string {
	if len(o.Of) == 0 {
		return "~"
	}
	return o.Of[len(o.Of)-1]
}

// compareIDs puts P2 before P10, and all of these before T01.
func compareIDs(a, b string) int {
	if a == "" || b == "" || a[0] != b[0] {
		return cmp.Compare(a, b)
	}
	return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
}

// twins are the planted faults, with the promises of the rows whose tests must notice.
func (s source) twins() (all []Ordeal) {
	tests := s.tests(false)
	for _, p := range s.faults {
		o := Ordeal{What: "a fault: " + p.Name, Pack: p.Pack, Test: p.Test, Fault: &p}
		if i := slices.IndexFunc(tests, func(t Ordeal) bool { return t.Pack == p.Pack && t.Test == p.Test }); i >= 0 {
			o.Rows, o.Of = tests[i].Rows, tests[i].Of
		}
		all = append(all, o)
	}
	return all
}

func (s source) targets(each time.Duration) []Ordeal {
	all := slices.Clone(s.fuzz)
	for i := range all {
		all[i].Fuzz = each
	}
	return all
}

// targets are all fuzz targets of the module, with the test of the programme that they serve.
func targets(module fs.FS) (all []Ordeal, err error) {
	found, err := board.Targets(module)
	return lists.Of(found, func(t board.Fuzzed) Ordeal {
		return Ordeal{Of: []string{"P5", "P7", fuzzed(t.Pack)}, What: "inputs to " + t.Name + " of " + t.Pack, Pack: t.Pack, Test: t.Name}
	}), err
}

// fuzzed is the test of the programme that a package's fuzz targets serve: of specs, formulas, arrays, or of files in general.
func fuzzed(pack string) string {
	switch {
	case strings.HasPrefix(pack, "./problem"):
		return "T28"
	case pack == "./formula":
		return "T29"
	case pack == "./internal/npy":
		return "T30"
	}
	return "T33"
}
