package kind_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/set"
)

// A formula that has values only near one of the places at which a search begins is found from there: both logarithms are defined within 0.05 of it, and there they are log 0.05
// each, −5.99 together. Between those places nothing is found.
func TestWhereDecisionsInsideAreLookedFor(t *testing.T) {
	for _, c := range []struct {
		at    float64
		found bool
	}{{0, true}, {1, true}, {-1, true}, {0.1, true}, {10, true}, {-10, true}, {1000, true}, {-1000, true}, {0.5, false}, {11, false}, {-2000, false}} {
		where := fmt.Sprintf("log(u - (%v)) + log(%v - u) >= -7", c.at-0.05, c.at+0.05)
		made, err := (&kind.ConvexSet{Where: []string{where}}).Build(1)
		if !c.found {
			if err == nil || !strings.Contains(err.Error(), "no decision was found at which all formulas have a value") {
				t.Errorf("%s: %v", where, err)
			}
			continue
		}
		if got, ok := made.(set.Convex); err != nil || !ok || !(math.Abs(got.Inside[0]-c.at) < 0.05) {
			t.Errorf("%s: %+v, %v", where, made, err)
		}
	}
}

// By hand: exp(u) + 1 is above 1 everywhere, and nearest to it, 1 itself, from −1000. What is said is of there.
func TestWhatIsSaidWhereThereIsNoDecision(t *testing.T) {
	_, err := (&kind.ConvexSet{Where: []string{"exp(u) + 1 <= 0"}}).Build(1)
	var none *set.NoInsideError
	if !errors.As(err, &none) || none.Least != 1 {
		t.Errorf("%v, want at best 1", err)
	}
}
