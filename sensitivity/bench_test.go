package sensitivity_test

import (
	"slices"
	"testing"

	"github.com/kedge-opt/kedge/sensitivity"
	"github.com/kedge-opt/kedge/stream"
)

// A thousand individuals of twenty entries.
func BenchmarkPolarized(b *testing.B) {
	r := stream.New(5)
	s := &sensitivity.Polarized{Dim: 20, Lambda: 0.4, Sigma: 0.5}
	u, d, mixed := decision(r, 20, 1), directions(r, 1000, 20), normals(r, 20_000)
	for name, v := range map[string][]float64{"any v": mixed, "v = u": slices.Repeat(u, 1000)} {
		b.Run(name, func(b *testing.B) {
			gu := make([]float64, 20)
			b.ReportAllocs()
			for b.Loop() {
				if err := s.PullRows(gu, d, u, d, v); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// Six individuals of three entries.
func BenchmarkPullRows(b *testing.B) {
	for _, s := range subjects(b) {
		b.Run(s.name, func(b *testing.B) {
			gu := make([]float64, len(s.u))
			b.ReportAllocs()
			for b.Loop() {
				if err := s.of.PullRows(gu, s.p, s.u, s.d, s.v); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
