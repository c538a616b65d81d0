package phrase

import "testing"

// Widths by EastAsianWidth.txt and the categories of Unicode.
func TestCells(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "gap": 3, "−1.2": 4, "3 × 10⁻⁴": 8, "Φ̃★": 2, "e\u0301": 1, "中文": 4, "한글": 4, "ﾊﾝ": 2, "ｆ": 2, "👩\u200d👧": 4, "✓ ░": 3, "ℓ₁": 2, "🀀": 1, "🀄": 2, "⚽⚫♿⚓": 8, "🛒🟠": 4, "㉈": 1,
	} {
		if got := Cells(text); got != want {
			t.Errorf("%q takes %d places, want %d", text, got, want)
		}
	}
	for _, c := range []struct {
		text  string
		cells int
		want  string
	}{{"中文", 3, "中"}, {"中文", 4, "中文"}, {"Φ̃x", 1, "Φ̃"}, {"abc", 0, ""}, {"", 3, ""}} {
		if got := Cut(c.text, c.cells); got != c.want {
			t.Errorf("%q cut to %d places is %q, want %q", c.text, c.cells, got, c.want)
		}
	}
}
