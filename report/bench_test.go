package report

import "testing"

// The figures of a run at the scale of the case studies, in all three formats.
func BenchmarkFigures(b *testing.B) {
	r := polarized()
	for b.Loop() {
		if _, err := Figures(r); err != nil {
			b.Fatal(err)
		}
	}
}
