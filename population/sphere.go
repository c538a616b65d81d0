package population

import (
	"errors"
	"fmt"
	"math"

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

// Cap is the uniform law on a spherical cap: the points of the unit sphere within Angle degrees of Axis. The polarized case
// study starts from a cap of 90° around a random axis, a hemisphere [he2025, polarized dynamics].
type Cap struct {
	Angle float64   // 0 < Angle ≤ 180
	Axis  []float64 // of any length but 0; nil draws one axis from a range of the stream that is no individual's
}

// Check demands at least two coordinates, an angle in (0, 180] and an axis with a direction.
func (l Cap) Check(n, dim int) error { return checkCap(n, dim, l, 180) }

func checkCap(n, dim int, l Cap, widest float64) error {
	err := errors.Join(
		checkSizes(n, dim), kedge.CheckRange("the dimension", dim, dim != 1, "at least 2 for a cap"),
		kedge.CheckRange("angle", l.Angle, l.Angle > 0 && l.Angle <= widest, fmt.Sprintf("0° < angle ≤ %v°", widest)),
	)
	if l.Axis != nil {
		err = errors.Join(err, checkAxis(l.Axis, dim))
	}
	return err
}

func checkAxis(axis []float64, dim int) error {
	if err := kedge.CheckVector("axis", axis, dim); err != nil {
		return err
	}
	return kedge.CheckRange("the axis's length", 0, rows.MaxAbs(axis) != 0, "more than 0")
}

// Fill draws every point from the individual's own range.
func (l Cap) Fill(dst []float64, dim, first int, s *stream.Stream) {
	c := newTilted(l, dim, s)
	eachRow(dst, dim, first, s, func(x []float64) { c.draw(x, s) })
}

// Bimodal is the law of a crowd in two camps: caps of Angle degrees around Axis and around its opposite. Share is the
// probability of the camp around Axis; 0 means ½.
type Bimodal struct {
	Angle float64   // 0 < Angle ≤ 90
	Axis  []float64 // as in Cap
	Share float64   // 0 ≤ Share ≤ 1
}

// Check demands what Cap demands, an angle of at most 90° and a share that is a probability.
func (l Bimodal) Check(n, dim int) error {
	return errors.Join(checkCap(n, dim, Cap{l.Angle, l.Axis}, 90), checkShare(l.Share))
}

// Fill draws every individual's camp and point from the individual's own range.
func (l Bimodal) Fill(dst []float64, dim, first int, s *stream.Stream) {
	share := l.Share
	if share == 0 {
		share = 0.5
	}
	c := newTilted(Cap{l.Angle, l.Axis}, dim, s)
	eachRow(dst, dim, first, s, func(x []float64) {
		opposite := s.Float64() >= share
		c.draw(x, s)
		if opposite {
			rows.Scale(x, -1)
		}
	})
}

// axisRange is the range of a stream that a random axis is drawn from; no crowd is so large that it is an individual's.
const axisRange = math.MaxUint64

// direction returns the unit vector along axis, a random one for nil.
func direction(axis []float64, dim int, s *stream.Stream) []float64 {
	a := make([]float64, dim)
	if axis == nil {
		s.Seek(axisRange)
		unit(a, s)
		return a
	}
	copy(a, axis)
	divide(a, rows.MaxAbs(a)) // whose squares neither overflow nor vanish
	divide(a, rows.Norm(a))
	return a
}

func checkShare(share float64) error {
	return kedge.CheckRange("share", share, share >= 0 && share <= 1, "0 ≤ share ≤ 1")
}
