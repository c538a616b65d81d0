package population

import (
	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/stream"
)

// Sphere is the uniform law on the unit sphere.
type Sphere struct{}

// Check demands at least one coordinate.
func (Sphere) Check(n, dim int) error { return checkSizes(n, dim) }

// Fill draws normal vectors and scales them to length 1.
func (Sphere) Fill(dst []float64, dim, first int, s *stream.Stream) {
	eachRow(dst, dim, first, s, func(x []float64) { unit(x, s) })
}

// unit draws a uniform point of the unit sphere.
func unit(x []float64, s *stream.Stream) {
	norm := 0.0
	for norm == 0 {
		s.Normals(x)
		norm = rows.Norm(x)
	}
	divide(x, norm)
}

func checkShare(share float64) error {
	return kedge.CheckRange("share", share, share >= 0 && share <= 1, "0 ≤ share ≤ 1")
}
