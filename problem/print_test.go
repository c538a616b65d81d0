package problem

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/kind"
)

// same tells whether two specs hold the same data, wherever it was read from.
func same(a, b *Spec) bool {
	x, y := *a, *b
	x.origin, y.origin = nil, nil
	return reflect.DeepEqual(x, y)
}

// goldens are the specs whose canonical prints are kept in testdata, with the sources they are read from.
func goldens(t *testing.T) map[string]*Spec {
	all := map[string]*Spec{}
	for _, name := range Cases() {
		src, _ := Case(name)
		all[name] = mustParse(t, string(src))
		if over, ok := Case(name + ".published"); ok {
			all[name+".published"] = mustParse(t, string(src), Merge(name+".published", over))
		}
	}
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all[filepath.Base(file)] = mustParse(t, string(src))
	}
	return all
}

// The canonical print of every case and of every kind there is, defaults and all. KEDGE_UPDATE_GOLDENS=1 writes them anew.
func TestCanonicalPrint(t *testing.T) {
	for name, s := range goldens(t) {
		file := filepath.Join("testdata", name+".golden")
		if os.Getenv("KEDGE_UPDATE_GOLDENS") != "" {
			if err := os.WriteFile(file, s.YAML(), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.YAML(); !bytes.Equal(got, want) {
			t.Errorf("%s prints\n%s\nwant\n%s", name, got, want)
		}
	}
}

// Reading a print gives the spec that was printed, and printing that gives the same bytes.
func TestPrintIsReadBack(t *testing.T) {
	for name, s := range goldens(t) {
		again := mustParse(t, string(s.YAML()))
		if !same(s, again) {
			t.Errorf("%s reads back as\n%+v\nwas\n%+v", name, again, s)
		}
		if !bytes.Equal(s.YAML(), again.YAML()) {
			t.Errorf("%s prints differently the second time", name)
		}
	}
}

// Printing changes nothing, not even what reading would have set, so that many may print a spec at once.
func TestPrintingChangesNothing(t *testing.T) {
	text, err := os.ReadFile("../examples/fitting/shop.yaml")
	if err != nil {
		t.Fatal(err)
	}
	logged := mustParse(t, string(text))
	logged.Model.covariates = []string{"mine"}
	logged.YAML()
	if !slices.Equal(logged.Model.covariates, []string{"mine"}) {
		t.Errorf("printing sets covariates to %q", logged.Model.covariates)
	}
	table := mustParse(t, strings.Replace(small, "law: sphere", "law: columns, file: people.csv, traits: [a, b]", 1))
	table.Population.Traits, table.Population.Dim = "mine", 0
	table.YAML()
	if p := table.Population; p.Traits != "mine" || p.Dim != 0 {
		t.Errorf("printing sets traits to %q and their entries to %d", p.Traits, p.Dim)
	}
}

// Workers print one spec at once. What a print would write, even what is there already, the race detector sees.
func TestPrintsAtOnce(t *testing.T) {
	for name, s := range goldens(t) {
		other := make(chan []byte)
		go func() { other <- s.YAML() }()
		if mine := s.YAML(); !bytes.Equal(mine, <-other) {
			t.Errorf("%s prints differently at once", name)
		}
	}
}

// Every kind there is stands in some golden, so that none is left untested.
func TestGoldensCoverEveryKind(t *testing.T) {
	var all bytes.Buffer
	for _, s := range goldens(t) {
		all.Write(s.YAML())
	}
	for _, key := range []string{
		"kind: polarized", "kind: choice", "kind: affine", "kind: friedkin-johnsen",
		"kind: affinity", "kind: revenue", "kind: quadratic", "kind: logistic",
		"kind: whole", "kind: ball", "kind: l1-ball", "kind: box", "kind: simplex", "kind: capped-simplex", "kind: half-space",
		"kind: product", "kind: intersection", "kind: finite", "integer:", "kind: vanilla", "kind: composite", "kind: derivative-free",
		"law: sphere", "law: cap", "law: bimodal", "law: dirichlet", "law: normal", "law: proportions", "law: values", "law: file",
		"minimize:", "maximize:", "let:", "subject to", "sensitivity: implicit", "sensitivity: differences", "norm: previous", "matrix:", "axis:", "array:", "intercept: true",
	} {
		if !bytes.Contains(all.Bytes(), []byte(key)) {
			t.Errorf("no golden has %s", key)
		}
	}
}

func TestNumbersReadBack(t *testing.T) {
	for _, x := range []float64{0, 1, -1, 0.1, 1e-4, 1e-5, 123456789012345, 1e15, 1e300, 5e-324, -2.5e-7, 1.7976931348623157e308, math.Inf(-1)} {
		if got, ok := form.ParseNumber(form.FormatNumber(x)); !ok || got != x {
			t.Errorf("%v is written %s and read as %v", x, form.FormatNumber(x), got)
		}
	}
}

func TestTextReadsBack(t *testing.T) {
	for _, name := range []string{"plain", "a b", "it's", `say "no"`, `back\slash`, "yes", "true", "a: b", "a #b", "é", "x,y", "a{b}[c]", "a-", "Null"} {
		s := mustParse(t, small)
		s.Algorithms[0].Name = name
		if again := mustParse(t, string(s.YAML())); again.Algorithms[0].Name != name {
			t.Errorf("%q reads back as %q", name, again.Algorithms[0].Name)
		}
	}
}

// A spec made by hand prints whatever it holds; what is wrong with it shows when it is read.
func TestHandMadeSpecsPrint(t *testing.T) {
	for _, s := range []*Spec{{}, {Set: &kind.HalfSpaceSet{}, Start: &kind.ValuesStart{}, Dynamics: Dynamics{Of: &kind.AffineDynamics{}}}} {
		if _, err := Parse(kind.Standard(), "x.yaml", s.YAML()); err == nil {
			t.Errorf("%s\nis read without a mistake", s.YAML())
		}
	}
}
