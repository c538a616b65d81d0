package kind_test

import (
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/kind"
)

// refusedSet is what is told of a set whose decisions have so many entries, −1 where nobody knows.
func refusedSet(text string, n int) []string {
	var x kind.Set
	s := read("set: "+text, below("set", func(f *form.Form) { kind.Standard().DescribeSet(f, &x) }))
	kind.CheckSet(s.scene(nil, 2, 2), "set", x, form.Length{N: n, Of: "the decision"})
	return s.told()
}

// A list may have 4096 points.
func TestHowManyPointsAListHas(t *testing.T) {
	for n, isTaken := range map[int]bool{4096: true, 4097: false} {
		if got := refusedSet("{kind: finite, points: ["+strings.Repeat("[1, 0], ", n-1)+"[0, 1]]}", 2); (got == nil) != isTaken {
			t.Errorf("%d points: %q", n, got)
		}
	}
}

// Whether a sum can be divided among so many is asked where it is known how many there are.
func TestSumsAmongNobodyKnowsHowMany(t *testing.T) {
	const text = "{kind: capped-simplex, sum: 3, upper: 1}"
	for n, isTaken := range map[int]bool{-1: true, 2: false, 3: true} {
		if got := refusedSet(text, n); (got == nil) != isTaken {
			t.Errorf("among %d: %q", n, got)
		}
	}
}
