package axis

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/problem/form"
)

// axes are the values of keys, right and wrong.
func axes() []string {
	return []string{
		"a: [1, 2, 3]", "a: [x, [1, 2], {b: 1}, null]", "a: []", "a: 1", "a: {}", "a: {from: 0, to: 1}", "a: {from: 0, to: 1, count: 5}", "a: {from: 0.1, to: 0.3, count: 3}", "a: {from: 1, to: 100, count: 3, scale: log}", "a: {from: 0.001, to: 1, count: 4, scale: log}", "a: {from: 1, to: 10, count: 4, whole: true}", "a: {from: 1, to: 10, scale: log, whole: true}",
		"a: {from: 0.123456789012345, to: 0.9876543210987654, count: 2}", "a: {from: -1, to: 1, count: 3, scale: log}", "a: {from: 0, to: 1, count: 3, scale: log}", "a: {from: 1, to: 1, count: 2}", "a: {from: 2, to: 1, count: 2}", "a: {from: -1.7e308, to: 1.7e308, count: 2}", "a: {from: 1.7e308, to: -1.7e308, count: 2}", "a: {from: 0, to: 1, count: 1}", "a: {from: 0, to: 1, count: 100000}", "a: {from: 0, to: 1, count: 100001}", "a: {from: x, to: 1, count: 2, scale: cubic, whole: 3}", "a: {from: .inf, to: 1, count: 2}", "a: {from: 0, to: 1, count: 2, step: 1}", "a: {from: 1.4, to: 2.6, count: 2, whole: true}",
		"\"a, b\": [[1, 2], [3, 4]]", "\"a, b\": [[1, 2], [3]]", "\"a, b\": [1, [2, 3]]", "\"a, b\": {from: 1, to: 2, count: 2}", "\"a, b, c\": [[1, 2, 3]]",
		"\"a, b\": [{x: 1, y: 2}, [3, 4]]", "a: {from: 0.8, to: 3.9, count: 3}", "a: {from: 0.3, to: 7, count: 3, scale: log}",
	}
}

// shown writes values.
func shown(list ...*form.Node) string {
	var words []string
	for _, n := range list {
		words = append(words, fmt.Sprintf("%s@%d", n.Flow(), n.At.Line))
	}
	return strings.Join(words, " ")
}

// picked is every value of a grid, up to a few, and the draws of some samples.
func picked(a *Swept, design string) (lines []string) {
	lines = append(lines, "  "+a.Node(design).Flow())
	if design == "grid" {
		lines = append(lines, fmt.Sprintf("  %d values", a.Length()))
		for i := range min(a.Length(), 6) {
			lines = append(lines, fmt.Sprintf("  %d: %s, each %s", i, shown(a.Pick(i)), shown(a.Each(a.Pick(i))...)))
		}
		return lines
	}
	for _, seed := range []uint64{1, 2} {
		var words []string
		for sample := range 5 {
			pick := a.Draw(seed, sample)
			words = append(words, shown(pick), "each", shown(a.Each(pick)...)+";")
		}
		lines = append(lines, "  draws "+strings.Join(words, " "))
	}
	return lines
}

// Values of swept keys are read, refused, written, listed and drawn as when this was recorded.
func TestAxesAsRecorded(t *testing.T) {
	var got []string
	for _, text := range axes() {
		for _, design := range []string{"grid", "random"} {
			found := &form.Mistakes{}
			root := form.ReadText(found, form.Place{File: "x.yaml"}, "\n"+text)
			root.Locate("over")
			a := &Swept{Name: root.Keys[0], Keys: strings.Split(root.Keys[0], ", "), At: root.Items[0].At}
			a.Read(found, root.Items[0], design)
			got = append(got, fmt.Sprintf("%s %s", text, design))
			if err := found.Join(); err != nil {
				got = append(got, "  refused: "+strings.ReplaceAll(err.Error(), "\n", "\n  refused: "))
				continue
			}
			got = append(got, picked(a, design)...)
		}
	}
	schema, err := json.Marshal(Schema())
	got = append(got, fmt.Sprint(string(schema), err))
	evidence.AsRecorded(t, "testdata/axes.txt", strings.Split(strings.Join(got, "\n"), "\n"))
}

// Another sample or key changes no draw: every one has a place of its own, as in "4 of them, in any order".
func TestDrawsHaveAPlaceOfTheirOwn(t *testing.T) {
	a := &Swept{Name: "a", Keys: []string{"a"}, from: 0, to: 1, scale: "linear"}
	third := a.Draw(9, 3).Text
	a.Draw(9, 7)
	if again := a.Draw(9, 3).Text; again != third {
		t.Errorf("sample 3 is %s, and then %s", third, again)
	}
	if other := (&Swept{Name: "b", Keys: []string{"b"}, from: 0, to: 1, scale: "linear"}).Draw(9, 3).Text; other == third {
		t.Errorf("keys a and b both draw %s", other)
	}
}
