package population

import (
	"math"

	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/stream"
)

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
		z := d.bottom + math.Log(1-s.Float64())/d.rate
		bar := math.Log(1 - s.Float64())
		if z <= 0 {
			continue
		}
		if bar <= float64(d.k*math.Log(z/d.touch*((2-z)/(2-d.touch))))+float64(d.rate*(d.touch-z)) {
			return z
		}
	}
}

// arc draws from z^(−½) and accepts in proportion to (2−z)^(−½): the angle is uniform, and no sine is needed, whose bits
// would depend on the processor.
func (d *depth) arc(s *stream.Stream) float64 {
	for {
		u, v := s.Float64(), s.Float64()
		z := d.bottom * float64(u*u)
		if v*v*(2-z) <= 2-d.bottom {
			return z
		}
	}
}
