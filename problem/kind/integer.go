package kind

import (
	"fmt"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/set"
)

// IntegerSet is the part of a set with whole numbers in some entries.
type IntegerSet struct {
	Of    Set
	Which form.Chosen
	names []string // of the entries, where they have any
}

// mostCounted is how many whole numbers between the ends of a set are tried, entry by entry.
const mostCounted = 1 << 18

// Word implements [form.Kind].
func (s *IntegerSet) Word() form.Option { return s.Of.Word() }

// Describe implements [Set].
func (s *IntegerSet) Describe(f *form.Form, c *Catalogue) { s.Of.Describe(f, c) }

// Check implements [Set].
func (s *IntegerSet) Check(c *Scene, path string, n form.Length) {
	s.Of.Check(c, path, n)
	key := path + ".integer"
	if !c.Sound(path) || n.N < 0 {
		return
	}
	whole, fault := s.Which.Of(n.N, c.Names)
	c.FailIf(fault != "", form.Paths(key), "%s %s", key, fault)
	c.FailIf(IsDiscrete(s.Of), form.Paths(key, path+".kind"), "%s: the points of a list are what they are; list whole numbers", key)
	c.FailIf(whole != nil && fault == "" && !s.isBox() && slices.Contains(whole, false), form.Paths(key, path+".kind"),
		"%s names some entries, but in a set of kind %s all are whole numbers or none; want true, or kind box", key, form.NameOf(s.Of))
}

// isBox tells whether bounds are all there is to the set.
func (s *IntegerSet) isBox() bool {
	switch s.Of.(type) {
	case *BoxSet, *WholeSet:
		return true
	}
	return false
}

// Build implements [Set]. Of a set that is no box the points are counted out.
func (s *IntegerSet) Build(n int) (kedge.Set, error) {
	whole, fault := s.Which.Of(n, s.names)
	if fault != "" {
		return nil, form.Under("integer", fmt.Errorf("integer %s", fault))
	}
	made, err := BuildSet(s.Of, n)
	if err != nil {
		return nil, err
	}
	switch of := made.(type) {
	case set.Box:
		l := set.Lattice{Lower: of.Lower, Upper: of.Upper, Whole: whole}
		return l, form.Under("integer", l.Check(n))
	case set.Whole:
		if whole == nil {
			whole = slices.Repeat([]bool{true}, n)
		}
		return set.Lattice{Whole: whole}, nil
	}
	points, err := set.Wholes(made, n, mostCounted)
	if err == nil && len(points.Points) > mostPoints {
		err = fmt.Errorf("%d points of the set are whole numbers, and at most %d are looked at", len(points.Points), mostPoints)
	}
	if err != nil {
		return nil, form.Under("integer", fmt.Errorf("the whole numbers of a set that is no box are counted out: %w", err))
	}
	return points, nil
}

// Words implements [Set].
func (s *IntegerSet) Words() string {
	if s.Which.All {
		return s.Of.Words() + ", whole numbers"
	}
	return s.Of.Words() + ", some of them whole numbers"
}
