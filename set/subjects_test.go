package set

import (
	"math"
	"slices"
	"sort"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/stream"
)

func subjects() []subject {
	return append(simplices(),
		subject{name: "ball", of: newBall, farthest: farthestOfBall, misses: missesBall, symmetric: true},
		subject{name: "centered ball", of: newCenteredBall, farthest: farthestOfBall, misses: missesBall},
		subject{name: "l1 ball", of: newL1Ball, farthest: farthestOfL1Ball, misses: missesL1Ball, slack: 0.99, symmetric: true},
		subject{name: "centered l1 ball", of: newCenteredL1Ball, farthest: farthestOfL1Ball, misses: missesL1Ball},
		subject{name: "interval", of: newInterval, farthest: farthestOfBox, misses: missesBox, symmetric: true},
		subject{name: "box", of: newBox, farthest: farthestOfBox, misses: missesBox},
		subject{name: "half-space", of: newHalfSpace, farthest: farthestOfHalfSpace, misses: missesHalfSpace},
		subject{name: "affine", of: remembered(newPlane), farthest: farthestOfPlane, misses: missesPlane, slack: -1},
	)
}

// simplices are the two simplex types at the ends and in the middle of what their parameters can do.
func simplices() []subject {
	family := func(name string, of func(n int, scale float64) kedge.Set) subject {
		return subject{name: name, of: of, farthest: farthestOfSimplex, misses: missesSimplex, slack: 1, symmetric: true}
	}
	capped := func(name string, each, upper float64) subject {
		return family(name, func(n int, scale float64) kedge.Set {
			return CappedSimplex{Sum: scale * each * float64(n), Upper: scale * upper}
		})
	}
	return []subject{
		family("simplex", func(n int, scale float64) kedge.Set { return Simplex{Sum: scale * min(float64(n), 1)} }),
		family("capped above the sum", func(n int, scale float64) kedge.Set {
			return CappedSimplex{Sum: scale * min(float64(n), 2), Upper: scale * 3}
		}),
		capped("capped, half full", 0.35, 0.7),
		capped("capped, nearly empty", 0.001, 0.7),
		capped("capped, nearly full", 0.699, 0.7),
		capped("capped, full", 0.7, 0.7),
		capped("capped at zero", 0, 0),
	}
}

// remembered makes every set once.
func remembered(of func(int, float64) kedge.Set) func(int, float64) kedge.Set {
	type key struct {
		n     int
		scale float64
	}
	known := map[key]kedge.Set{}
	return func(n int, scale float64) kedge.Set {
		k := key{n, scale}
		if known[k] == nil {
			known[k] = of(n, scale)
		}
		return known[k]
	}
}

// asCapped gives both simplex types the form of the second.
func asCapped(s kedge.Set) CappedSimplex {
	if c, ok := s.(CappedSimplex); ok {
		return c
	}
	return s.(Simplex).capped()
}

// farthestOfSimplex fills the entries in descending order of g.
func farthestOfSimplex(w []float64, s kedge.Set, g []float64) {
	c := asCapped(s)
	order := make([]int, len(w))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(i, j int) bool { return g[order[i]] > g[order[j]] })
	left := c.Sum
	for _, i := range order {
		w[i] = min(left, c.Upper)
		left -= w[i]
	}
}

func missesSimplex(s kedge.Set, x []float64) (ratio, bar float64) {
	c := asCapped(s)
	if len(x) > 0 && (slices.Min(x) < 0 || slices.Max(x) > c.Upper) {
		return math.Inf(1), barFeasible
	}
	return over(math.Abs(toFloat(bigSum(x).sub(bigOf(c.Sum)))), len(x), c.Sum), barFeasible
}

func newBall(_ int, scale float64) kedge.Set { return Ball{Radius: 0.7 * scale} }

func newCenteredBall(n int, scale float64) kedge.Set {
	return Ball{Radius: 0.7 * scale, Center: normals(n, 3*scale, "center")}
}

func farthestOfBall(w []float64, s kedge.Set, g []float64) {
	b := s.(Ball)
	norm := rows.Norm(g)
	for i := range w {
		if w[i] = b.center(i); norm > 0 {
			w[i] += float64(g[i] / norm * b.Radius)
		}
	}
}

func missesBall(s kedge.Set, x []float64) (ratio, bar float64) {
	b := s.(Ball)
	return max(0, b.distance(x)-b.Radius), barNever
}

func newL1Ball(_ int, scale float64) kedge.Set { return L1Ball{Radius: 0.7 * scale} }

func newCenteredL1Ball(n int, scale float64) kedge.Set {
	return L1Ball{Radius: 0.7 * scale, Center: normals(n, 3*scale, "center")}
}

// farthestOfL1Ball is the vertex on the axis along which g is longest.
func farthestOfL1Ball(w []float64, s kedge.Set, g []float64) {
	b, along := s.(L1Ball), 0
	for i := range w {
		w[i] = Ball(b).center(i)
		if math.Abs(g[i]) > math.Abs(g[along]) {
			along = i
		}
	}
	if len(w) > 0 {
		w[along] += math.Copysign(b.Radius, g[along])
	}
}

// missesL1Ball is in roundings of the radius an entry, and of every entry of the center.
func missesL1Ball(s kedge.Set, x []float64) (ratio, bar float64) {
	b := s.(L1Ball)
	excess, size := bigOf(-b.Radius), float64(float64(len(x))*b.Radius)
	for i, v := range x {
		c := Ball(b).center(i)
		d := bigOf(v).sub(bigOf(c))
		if d.Sign() < 0 {
			d = bigOf(c).sub(bigOf(v))
		}
		excess = excess.add(d)
		size += 2 * math.Abs(c)
	}
	if b.Center != nil {
		size += 2 * b.Radius
	}
	return over(toFloat(excess), 1, max(size, tiny*float64(len(x)))), barFeasible
}

func newInterval(_ int, scale float64) kedge.Set {
	return Interval{Lower: -0.3 * scale, Upper: 0.7 * scale}
}

// newBox has every kind of side: two bounds, one point, and bounds so wide that they hardly matter.
func newBox(n int, scale float64) kedge.Set {
	b := Box{Lower: normals(n, scale, "lower"), Upper: normals(n, scale, "upper")}
	for i := range n {
		b.Lower[i], b.Upper[i] = min(b.Lower[i], b.Upper[i]), max(b.Lower[i], b.Upper[i])
		switch i % 5 {
		case 3:
			b.Lower[i] = b.Upper[i]
		case 4:
			b.Lower[i], b.Upper[i] = -1e9*scale, 1e9*scale
		}
	}
	return b
}

func asBox(s kedge.Set, n int) Box {
	if i, ok := s.(Interval); ok {
		return Box{Lower: slices.Repeat([]float64{i.Lower}, n), Upper: slices.Repeat([]float64{i.Upper}, n)}
	}
	return s.(Box)
}

func farthestOfBox(w []float64, s kedge.Set, g []float64) {
	b := asBox(s, len(w))
	for i, v := range g {
		if w[i] = b.Upper[i]; v < 0 {
			w[i] = b.Lower[i]
		}
	}
}

func missesBox(s kedge.Set, x []float64) (ratio, bar float64) {
	b := asBox(s, len(x))
	for i, v := range x {
		if v < b.Lower[i] || v > b.Upper[i] {
			ratio++
		}
	}
	return ratio, barNever
}

// newHalfSpace has its plane at the given distance from the origin, and a normal of another scale.
func newHalfSpace(n int, scale float64) kedge.Set {
	a := normals(n, 1e-30, "normal")
	return HalfSpace{Normal: a, Bound: -scale * rows.Norm(a)}
}

// farthestOfHalfSpace stops at a large ball: the set has no end.
func farthestOfHalfSpace(w []float64, s kedge.Set, g []float64) {
	h := s.(HalfSpace)
	a, norm := h.Normal, rows.Norm(h.Normal)
	along := rows.Dot(g, a) / norm
	for i := range w {
		w[i] = float64(h.Bound/norm*(a[i]/norm)) + float64(math.Abs(h.Bound/norm)*(g[i]-float64(max(along, 0)*(a[i]/norm))))
	}
}

func missesHalfSpace(s kedge.Set, x []float64) (ratio, bar float64) {
	h := s.(HalfSpace)
	excess := bigDot(h.Normal, x).sub(bigOf(h.Bound))
	if excess.Sign() <= 0 {
		return 0, barNever
	}
	// Between doubled precision and the exact value lies a second rounding of the rounding error.
	size := bigOf(rows.Norm(h.Normal)).mul(bigOf(max(rows.Norm(x)*unit*unit, 5e-324)))
	return toFloat(excess.quo(size)) / float64(4*len(x)), 1
}

// newPlane has half as many equations as unknowns, of very different scales, and the last twice.
func newPlane(n int, scale float64) kedge.Set {
	a, b := planeEquations(n, scale)
	s, err := NewAffine(a, b)
	if err != nil {
		panic(err)
	}
	return s
}

func planeEquations(n int, scale float64) (a, b []float64) {
	m := (n + 1) / 2
	a = normals(m*n, 1, "equations")
	b = normals(m, scale, "right-hand sides")
	for i := range m {
		f := math.Ldexp(1, 20*i%300-150)
		rows.Scale(kedge.Row(a, i, n), f)
		b[i] *= f
	}
	if m == 0 {
		return nil, []float64{0}
	}
	return append(a, kedge.Row(a, m-1, n)...), append(b, b[m-1])
}

// farthestOfPlane goes from the point nearest to the origin along the part of g that lies in the plane.
func farthestOfPlane(w []float64, s kedge.Set, g []float64) {
	p := s.(*Affine)
	clear(w)
	_ = p.Project(w)
	free := slices.Clone(g)
	for i := range p.offset {
		q := kedge.Row(p.basis, i, p.dim)
		rows.AddScaled(free, -rows.Dot(free, q), q)
	}
	rows.AddScaled(w, rows.Norm(p.offset), free)
}

func missesPlane(s kedge.Set, x []float64) (ratio, bar float64) {
	p := s.(*Affine)
	for i, c := range p.offset {
		r := rows.Total{High: -c}
		for j, q := range kedge.Row(p.basis, i, p.dim) {
			r = r.AddProduct(q, x[j])
		}
		ratio = max(ratio, over(math.Abs(r.Value()), p.dim, max(rows.Norm(x), rows.Norm(p.offset))))
	}
	return ratio, barFactorized
}

// normals returns n normal numbers of a stream of their own.
func normals(n int, scale float64, name string) []float64 {
	r := stream.New(uint64(n), "normals", name)
	x := make([]float64, n)
	for i := range x {
		x[i] = scale * r.Normal()
	}
	return x
}
