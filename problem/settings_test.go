package problem_test

import (
	"slices"
	"testing"

	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/kind"
)

// Every setting can be given back by --set without changing the spec.
func TestSettingsAreAssignments(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and on one goroutine")
	}
	for _, name := range problem.Cases() {
		src, _ := problem.Case(name)
		s, err := problem.Parse(kind.Standard(), name, src)
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range s.Settings() {
			again, err := problem.Parse(kind.Standard(), name, s.YAML(), problem.Assign(one.Key+"="+one.Value))
			if err != nil {
				t.Errorf("%s: %s=%s: %v", name, one.Key, one.Value, err)
				continue
			}
			if !slices.Equal(s.Settings(), again.Settings()) {
				t.Errorf("%s: %s=%s changes the spec", name, one.Key, one.Value)
			}
		}
	}
}

func TestSettingsNameEntriesOfLists(t *testing.T) {
	src, _ := problem.Case("polarized")
	s, err := problem.Parse(kind.Standard(), "polarized", src)
	if err != nil {
		t.Fatal(err)
	}
	if want := (form.Setting{Key: "algorithms.composite.step", Value: "0.005"}); !slices.Contains(s.Settings(), want) {
		t.Errorf("%v is not among %v", want, s.Settings())
	}
}
