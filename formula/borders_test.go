package formula

import (
	"reflect"
	"strings"
	"testing"
)

// Sets may be as small as a point, and as large as what they are within: by the definitions of balls and simplices.
func TestSetsAtTheirSmallest(t *testing.T) {
	for all, want := range map[string]Constraint{
		"sum(abs(q)) <= 0": L1Ball{}, "sum(abs(q)) <= 0.5": L1Ball{Radius: 0.5}, "norm(q) <= 0": Ball{}, "norm(q) <= 0.5": Ball{Radius: 0.5}, "dot(q, q) <= 0": Ball{}, "dot(q, q) <= 0.25": Ball{Radius: 0.5}, "norm(q)^2 <= 0.25": Ball{Radius: 0.5}, "sum(q^2) <= 0.25": Ball{Radius: 0.5},
		"q >= 0; sum(q) == 0": Simplex{0}, "q >= 0; sum(q) == 0.5": Simplex{0.5}, "0 <= q <= 1; sum(q) == 0": CappedSimplex{0, 1}, "0 <= q <= 1; sum(q) == 3": CappedSimplex{3, 1}, "0 <= q <= 0.5; 2*sum(q) == 2": CappedSimplex{1, 0.5}, "q == 2; q <= 2; q >= 2": nil,
	} {
		list, err := compileConstraints(strings.Split(all, "; ")...)
		if err != nil || want != nil && !reflect.DeepEqual(list, []Constraint{want}) {
			t.Errorf("%s: %+v, %v, want %+v", all, list, err, want)
		}
	}
	for all, want := range map[string]string{
		"0 <= q <= 1; sum(q) == 3.0000001": "[1]:1:1: no decision is feasible: entries between 0 and 1 do not add up to 3.0000001", "q >= 0; sum(q) == -1e-9": "[1]:1:1: no decision is feasible: entries between 0 and +Inf do not add up to -1e-09",
		"sum(abs(q)) <= -1e-9": ":1:1: sum(abs(q)) <= -1e-9: no decision satisfies it", "norm(q) <= -1e-9": ":1:1: norm(q) <= -1e-9: no decision satisfies it", "q[0] >= 1; q[0] <= 0.999": "[1]:1:1: no decision is feasible: entry 0 must be at least 1 and at most 0.999",
	} {
		if list, err := compileConstraints(strings.Split(all, "; ")...); err == nil || err.Error() != "model.subject to"+want {
			t.Errorf("%s: %+v, %v, want %s", all, list, err, want)
		}
	}
}

// What is outside of a ball or the like is no convex set, which is told where it is written: before what is wrong behind it.
func TestMistakesOfConstraintsAreToldInOrder(t *testing.T) {
	for _, body := range []string{"norm(q) >= 1", "1 <= norm(2*q)", "dot(q, q) >= 1", "sum(q^2) >= 1", "norm(q)^2 >= 1", "abs(q) >= 1", "abs(q[0]) >= 1", "max(q) >= 1", "2 <= max(q)"} {
		_, err := compileConstraints(body, "q < 1")
		want := "model.subject to[0]:1:1: " + body + ": not convex; decisions between two feasible ones might not be feasible\nmodel.subject to[1]:1:1: q < 1: feasible sets are closed; want <=, >= or ==, not <"
		if err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// By hand: 1023 planes of two among 1024 numbers, and one more, have 1024² coefficients, as many as are allowed; one plane more is told, once, and so is one after that.
func TestTheLastPlaneIsLetThrough(t *testing.T) {
	planes := []string{"q[0:1023] + q[1:1024] <= 1", "q[0] + q[2] <= 3", "q[0] + q[3] <= 3", "q[0] + q[4] <= 3"}
	for n := 2; n <= 4; n++ {
		m, err := Compile(Source{Decision: "q[1024]", State: "p", Subject: planes[:n]})
		switch {
		case n == 2 && (err != nil || len(m.Constraints()) != 1024):
			t.Errorf("as many as are allowed: %v", err)
		case n > 2 && (err == nil || err.Error() != "model.subject to[2]:1:1: q[0] + q[3] <= 3: the constraints have more than 1048576 coefficients" && err.Error() != "model.subject to[2]:1:1: the constraints have more than 1048576 coefficients"):
			t.Errorf("%d: %v", n, err)
		}
	}
}
