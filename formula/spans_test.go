package formula

import (
	"slices"
	"testing"

	"github.com/kedge-opt/kedge/internal/interval"
)

// What comparisons of spans say is what all points of them say, at every quarter: 1 where all do, 0 where none does, both elsewhere.
func TestComparisonsOfSpans(t *testing.T) {
	var spans []interval.Span
	for lo := range 4 {
		for hi := lo; hi < 4; hi++ {
			spans = append(spans, interval.Span{Lo: float64(lo), Hi: float64(hi)})
		}
	}
	points := func(s interval.Span) (all []float64) {
		for v := s.Lo; v <= s.Hi; v += 0.25 {
			all = append(all, v)
		}
		return all
	}
	for o, holds := range map[op]func(x, y float64) bool{
		opLess:    func(x, y float64) bool { return x < y },
		opAtMost:  func(x, y float64) bool { return x <= y },
		opEqual:   func(x, y float64) bool { return x == y },
		opUnequal: func(x, y float64) bool { return x != y },
	} {
		for _, x := range spans {
			for _, y := range spans {
				some, all := 0.0, 1.0
				for _, a := range points(x) {
					for _, b := range points(y) {
						if holds(a, b) {
							some = 1
						} else {
							all = 0
						}
					}
				}
				if got, want := comparisons[o](x, y), (interval.Span{Lo: all, Hi: some}); got != want {
					t.Errorf("operator %d of %v and %v is %v, want %v", o, x, y, got, want)
				}
			}
		}
	}
}

// A value that two others are made of is computed once, before them.
func TestValuesAreReachedOnce(t *testing.T) {
	leaf := &node{id: 1}
	left, right := &node{id: 2, args: []*node{leaf}}, &node{id: 3, args: []*node{leaf, leaf}}
	root := &node{id: 4, args: []*node{right, left}}
	if got := reachable([]*node{root, left}); !slices.Equal(got, []*node{leaf, left, right, root}) {
		t.Errorf("reached %v", got)
	}
}
