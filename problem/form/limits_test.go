package form

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A text may be as large as is said, and not larger. The sizes are those that the manual names.
func TestLimitsOfTexts(t *testing.T) {
	lines := func(n int, line func(i int) string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(line(i))
		}
		return b.String()
	}
	key := func(i int) string { return fmt.Sprintf("k%d: 1\n", i) }
	list := func(n int) string { return "a: [" + strings.Repeat("1,", n-1) + "1]" }
	for _, c := range []struct{ name, text, want string }{
		{"bytes", "a: 1 #" + strings.Repeat("x", 1048576-6), ""},
		{"more bytes", "a: 1 #" + strings.Repeat("x", 1048577-6), "x: 1048577 bytes are too many, at most 1048576 are read"},
		{"keys", lines(4096, key), ""},
		{"more keys", lines(4097, key), "x:4097: more than 4096 keys"},
		{"values", list(79998), ""},
		{"more values", list(79999), "x: too long: more than 80000 values"},
		{"signs", "a: 1 #" + strings.Repeat(",", 200000-1), ""},
		{"more signs", "a: 1 #" + strings.Repeat(",", 200001-1), "x: too long: more than 200000 words and signs"},
		{"depth", strings.Repeat("[", 32) + strings.Repeat("]", 32), ""},
		{"more depth", strings.Repeat("[", 33) + strings.Repeat("]", 33), "x:1: nested more than 32 deep"},
		{"braces", strings.Repeat("{a: ", 33) + "1" + strings.Repeat("}", 33), "x:1: nested more than 32 deep"},
		{"dashes", strings.Repeat("- ", 33) + "1", "x:1: nested more than 32 deep"},
		{"fewer dashes", strings.Repeat("- ", 32) + "1", ""},
		{"dashes of many lines", strings.Repeat("- 1\n", 40), ""},
		{"brackets side by side", "[" + strings.Repeat("[1],", 40) + "{a: 1}, {b: 1}]", ""},
		{"indents", lines(33, func(i int) string { return strings.Repeat(" ", i) + "a:\n" }) + strings.Repeat(" ", 33) + "a: 1", "x:33: nested more than 32 deep"},
	} {
		found := &Mistakes{}
		ReadText(found, Place{File: "x"}, c.text)
		got := ""
		if err := found.Join(); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, Shorten(got), c.want)
		}
	}
}

// The first hundred mistakes are told one by one, and the rest is counted.
func TestMistakesAreCounted(t *testing.T) {
	for _, n := range []int{0, 1, 100, 101, 103} {
		m := &Mistakes{}
		for i := range n {
			m.Report(Place{File: "x", Line: n - i, Column: 1}, "a", "wrong")
		}
		err := m.Join()
		if n == 0 {
			if err != nil {
				t.Error(err)
			}
			continue
		}
		got := strings.Split(err.Error(), "\n")
		want := []string{}
		for i := range min(n, 100) {
			want = append(want, fmt.Sprintf("x:%d: wrong", i+1))
		}
		if n > 100 {
			want = append(want, fmt.Sprintf("x: %d more mistakes are not shown", n-100))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d mistakes: got %q", n, got)
		}
	}
}

// Vectors and matrices have the entries that they list or that one number stands for, and a shape that they do not have is nobody's input.
func TestVectorsAndMatrices(t *testing.T) {
	one, each := Vector{All: 2}, Vector{Each: []float64{1, 3}}
	for _, c := range []struct{ got, want []float64 }{
		{one.Expand(2), []float64{2, 2}}, {each.Expand(2), []float64{1, 3}}, {one.Padded(2, 3), []float64{2, 2, 0}}, {each.Padded(2, 2), []float64{1, 3}}, {Vector{}.Padded(2, 3), nil}, {Vector{Each: []float64{0, 5}}.Padded(2, 3), []float64{0, 5, 0}},
		{[]float64{one.Entry(7), each.Entry(1)}, []float64{2, 3}},
		{Matrix{Scale: 3}.Dense(2, 2), []float64{3, 0, 0, 3}}, {Matrix{Scale: 3}.Dense(2, 3), []float64{3, 0, 0, 0, 3, 0}}, {Matrix{Scale: 3}.Dense(3, 2), []float64{3, 0, 0, 3, 0, 0}}, {Matrix{Rows: RowList{{1, 2}, {3, 4}}}.Dense(2, 2), []float64{1, 2, 3, 4}},
	} {
		if !slices.Equal(c.got, c.want) || (c.got == nil) != (c.want == nil) {
			t.Errorf("got %v, want %v", c.got, c.want)
		}
	}
	if expanded := each.Expand(2); &expanded[0] == &each.Each[0] {
		t.Error("the entries are not the caller's own")
	}
	for i, wrong := range []func(){func() { each.Expand(3) }, func() { Matrix{Rows: RowList{{1, 2}}}.Dense(2, 2) }, func() { Matrix{Rows: RowList{{1, 2}}}.Dense(1, 3) }} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("wrong shape %d is taken", i)
				}
			}()
			wrong()
		}()
	}
}
