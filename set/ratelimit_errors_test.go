package set

import (
	"errors"
	"slices"
	"testing"
)

var errSpent = errors.New("spent")

// spent is a set that can be projected onto so many times.
type spent struct {
	Ball
	left *int
}

func (s spent) Project(u []float64) error {
	if *s.left--; *s.left == -1 { // once: what is not told then is never told
		return errSpent
	}
	return s.Ball.Project(u)
}

// A set that fails at any time on the way to the nearest point within reach is told of, and the decision stays: near, far, and so far that it is shortened first.
func TestRateLimitTellsErrors(t *testing.T) {
	for name, far := range map[string]float64{"within reach": 0.95, "out of reach": 3, "very far": 1e9} {
		last, from := []float64{0.9, 0}, []float64{0.5 * far, far}
		if name == "within reach" {
			from = []float64{0.9, 0.1}
		}
		calls := 1 << 20
		left := calls
		limit := RateLimit{spent{Ball{Radius: 1}, &left}, 0.5}
		if err := limit.ProjectAt(slices.Clone(from), 1, last); err != nil {
			t.Fatal(err)
		}
		needs := calls - left
		for n := range needs {
			left = n
			u := slices.Clone(from)
			if err := limit.ProjectAt(u, 1, last); !errors.Is(err, errSpent) || !slices.Equal(u, from) {
				t.Errorf("%s: after %d of %d projections: %v, at %v", name, n, needs, err, u)
			}
		}
		if name == "within reach" && needs != 1 || name != "within reach" && needs < 40 {
			t.Errorf("%s: %d projections", name, needs)
		}
	}
}
