package problem

import (
	"errors"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/set"
)

// Sets with gaps cannot change, belong to players, or be parts of others; every refusal is a mistake with a line and a key that says what is wanted.
func TestSetsWithGapsAreRefused(t *testing.T) {
	const one = "set: {kind: ball, radius: 2}"
	text := limits(t)
	changing := strings.Replace(text, "algorithms:", "changes:\n  - {from: 200, set: {kind: ball, radius: 0.3}}\nalgorithms:", 1)
	for _, c := range []struct{ text, old, new, want string }{
		{changing, one, "set: {kind: box, lower: 0, upper: 3, integer: true}", "changes are given, but decisions are whole numbers; only convex sets change"},
		{changing, one, "set: {kind: finite, points: [[0, 1], [1, 0]]}", "changes are given, but decisions are points of a list; only convex sets change"},
		{changing, "{kind: ball, radius: 0.3}", "{kind: box, lower: 0, upper: 3, integer: true}", "changes.0.set.integer: a set that takes the place of another takes no whole numbers and no lists of points"},
		{changing, "{kind: ball, radius: 0.3}", "{kind: finite, points: [[0, 1], [1, 0]]}", "changes.0.set.kind: a set that takes the place of another takes no whole numbers and no lists of points"},
		{text, one, "set: {kind: product, parts: [{size: 1, kind: whole}, {size: 1, kind: box, lower: 0, upper: 3, integer: true}]}", "set.parts.1.integer: a part of a product takes no whole numbers"},
		{text, one, "set: {kind: intersection, of: [{kind: ball, radius: 2}, {kind: finite, points: [[0, 1]]}]}", "set.of.1.kind: a member of an intersection, which itself may, takes no whole numbers"},
		{text, one, "set: {kind: finite, points: [[0, 1]], integer: true}", "set.integer: the points of a list are what they are; list whole numbers"},
	} {
		_, err := Parse(kind.Standard(), "x.yaml", []byte(strings.Replace(c.text, c.old, c.new, 1)))
		var at *form.Mistake
		if !errors.As(err, &at) || at.Line == 0 || at.Path == "" || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.new, err, c.want)
		}
	}
}

// Beside curves whole numbers are counted out: of u₀² + 2u₁² ≤ 4 those are (±2, 0), (±1, ±1), (±1, 0), (0, ±1) and 0, 11 in all.
func TestWholeNumbersWithinCurves(t *testing.T) {
	p, err := Build("x", mustParse(t, limits(t), Assign("set={kind: convex, where: \"u[0]^2 + 2*u[1]^2 <= 4\", integer: true}")), nil)
	if err != nil {
		t.Fatal(err)
	}
	if all, ok := p.Set.(set.Finite); !ok || len(all.Points) != 11 {
		t.Errorf("%v, want 11 points", p.Set)
	}
}
