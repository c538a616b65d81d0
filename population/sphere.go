package population

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/portable"
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
		err = errors.Join(err, cmp.Or(kedge.CheckVector("axis", l.Axis, dim), kedge.CheckRange("the axis's length", 0, rows.MaxAbs(l.Axis) != 0, "more than 0")))
	}
	return err
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
	share, c := cmp.Or(l.Share, 0.5), newTilted(Cap{l.Angle, l.Axis}, dim, s)
	eachRow(dst, dim, first, s, func(x []float64) {
		opposite := s.Float64() >= share
		c.draw(x, s)
		if opposite {
			rows.Scale(x, -1)
		}
	})
}

// tilted draws points of a spherical cap.
//
// Of a uniform point of the cap within α of the axis a, in m dimensions, the depth z = 1 − cos θ under the pole has the
// density ∝ [z(2−z)]^k on [0, 1 − cos α], k = (m−3)/2, and the direction across the axis is uniform and independent of it.
// Working with the depth keeps every digit of a narrow cap.
type tilted struct {
	axis   []float64
	floor  float64   // for α > 90°, cos α
	sign   float64   // of a₁; 0 for α > 90°
	mirror []float64 // a + sign·e₁, whose reflection takes −sign·e₁ to a
	half   float64   // 1 + |a₁|, half the squared length of mirror
	depth  depth
}

func newTilted(l Cap, dim int, s *stream.Stream) *tilted {
	axis := direction(l.Axis, dim, s)
	if l.Angle > 90 {
		return &tilted{axis: axis, floor: versine(180-l.Angle) - 1}
	}
	t := &tilted{axis: axis, sign: math.Copysign(1, axis[0]), depth: newDepth(dim, versine(l.Angle))}
	t.mirror = append(t.mirror, axis...)
	t.mirror[0] += t.sign
	t.half = math.Abs(t.mirror[0])
	return t
}

// draw writes a point of the cap to x: for α > 90° the first point of the sphere that lies in it, otherwise a point around
// the first coordinate's axis, reflected to lie around a.
func (t *tilted) draw(x []float64, s *stream.Stream) {
	if t.sign == 0 {
		unit(x, s)
		for rows.Dot(t.axis, x) < t.floor {
			unit(x, s)
		}
		return
	}
	z := t.depth.draw(s)
	x[0] = t.sign * (z - 1)
	unit(x[1:], s)
	rows.Scale(x[1:], math.Sqrt(z*(2-z)))
	rows.AddScaled(x, -rows.Dot(t.mirror, x)/t.half, t.mirror)
}

// depth draws z with density ∝ [z(2−z)]^k on [0, bottom], bottom ≤ 1, by rejection.
//
// For k > 0 the density is log-concave and rises towards the bottom, so every tangent of its logarithm bounds it. The
// tangent taken is the one under which most draws are accepted, as in the tail of a normal law [robert1995]: it touches
// where its exponential law below the bottom has its mean, which makes the touching point the smaller root of
//
//	(m−2)z² − (m−1+(m−3)·bottom)z + (m−3)·bottom = 0.
type depth struct {
	dim         int
	bottom      float64
	k           float64
	touch, rate float64
}

// flat is a depth so small that squares of sines underflow; the cap is then its pole.
const flat = 1e-300

func newDepth(dim int, bottom float64) depth {
	d := depth{dim: dim, bottom: bottom}
	if dim < 4 || bottom < flat {
		return d
	}
	m := float64(dim)
	c := float64((m - 3) * bottom)
	b := m - 1 + c
	d.k = (m - 3) / 2
	d.touch = 2 * c / (b + math.Sqrt(float64(b*b)-float64(4*(m-2)*c)))
	d.rate = (m - 3) * (1 - d.touch) / (d.touch * (2 - d.touch))
	return d
}

func (d *depth) draw(s *stream.Stream) float64 {
	switch {
	case d.bottom < flat:
		return 0
	case d.dim == 2:
		return d.arc(s)
	case d.dim == 3:
		return d.bottom * s.Float64() // Archimedes: equal depths have equal areas
	}
	for {
		z := d.bottom + portable.Log(1-s.Float64())/d.rate
		bar := portable.Log(1 - s.Float64())
		if z <= 0 {
			continue
		}
		if bar <= float64(d.k*portable.Log(z/d.touch*((2-z)/(2-d.touch))))+float64(d.rate*(d.touch-z)) {
			return z
		}
	}
}

// arc draws from z^(−½) and accepts in proportion to (2−z)^(−½): the angle is uniform, and no sine is needed, whose bits
// would depend on the processor.
func (d *depth) arc(s *stream.Stream) float64 {
	for {
		u, v := s.Float64(), s.Float64()
		z := float64(d.bottom * float64(u*u))
		if v*v*(2-z) <= 2-d.bottom {
			return z
		}
	}
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
