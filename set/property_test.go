package set

import (
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/stream"
)

// TestProjections holds every set to what defines a projection, over all sizes, scales and kinds of input.
func TestProjections(t *testing.T) {
	feasible := evidence.For(t, evidence.Promise{Name: "projections-feasible", Text: "sets missed by their projections, in rounding units of the constraint"})
	row := evidence.For(t, evidence.Promise{Name: "projections", Text: "projections: bits that change when a feasible point is projected, twice, with another order of entries or another unit; violations of the variational inequality and growth of distances, in rounding units"})
	for _, s := range subjects() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			b := newBoard(t)
			var previous *sample
			grid(s, func(c *sample) {
				x := c.project(c.y)
				checkFeasible(b, c, x)
				checkIdempotent(b, c, x)
				checkVariational(b, c, x)
				if previous != nil && previous.n == c.n && previous.scale == c.scale {
					checkNonexpansive(b, c, x, previous.y)
				}
				checkNonexpansive(b, c, x, nudged(c.y))
				if s.symmetric {
					checkPermuted(b, c, x)
				}
				if c.kind != "denormal" {
					checkScaled(b, c, x)
				}
				previous = c
			})
			feasible.AtMost(s.name, b.worst["feasible"], b.bars["feasible"])
			b.tell(row, "feasible unmoved", "idempotent", "variational", "nonexpansive", "permuted", "permuted, nearly", "scaled")
		})
	}
}

func checkFeasible(b *board, c *sample, x []float64) {
	ratio, bar := c.subject.misses(c.set, x)
	b.put("feasible", ratio, bar, c)
	if ratio, _ := c.subject.misses(c.set, c.y); ratio <= c.subject.slack {
		b.put("feasible unmoved", bits(x, c.y), barUnmoved, c)
	}
}

func checkIdempotent(b *board, c *sample, x []float64) {
	b.put("idempotent", bits(c.project(x), x), barIdempotent, c)
}

// checkVariational uses that x is the projection of y if and only if ⟨y − x, w − x⟩ ≤ 0 for all w of the set, and that the
// largest value has a closed form.
func checkVariational(b *board, c *sample, x []float64) {
	g, w, step := make([]float64, c.n), make([]float64, c.n), make([]float64, c.n)
	for i := range x {
		g[i] = c.y[i] - x[i]
	}
	norm := rows.Norm(g)
	if norm == 0 {
		return
	}
	for i := range g {
		g[i] /= norm
	}
	c.subject.farthest(w, c.set, g)
	for i := range w {
		step[i] = w[i] - x[i]
	}
	size := rows.Norm(x) + rows.Norm(w)
	b.put("variational", over(rows.Dot(g, step)*(norm/(norm+size)), c.n, size), barVariational, c)
}

// checkNonexpansive compares the distance of two projections with the distance of y and z. The scale is that of the
// projections: both are rounded.
func checkNonexpansive(b *board, c *sample, x, z []float64) {
	pz := c.project(z)
	growth := rows.Distance(x, pz) - rows.Distance(c.y, z)
	b.put("nonexpansive", over(growth, c.n, max(rows.Norm(x), rows.Norm(pz))), barNonexpansive, c)
}

// nudged returns y with every entry moved by a few parts in 10⁶.
func nudged(y []float64) []float64 {
	z := slices.Clone(y)
	for i := range z {
		z[i] += float64(z[i] * 1e-6 * float64(i%7-3))
	}
	return z
}

// checkPermuted projects the entries in another order. The sum in a ball's norm has no canonical order.
func checkPermuted(b *board, c *sample, x []float64) {
	r := stream.New(uint64(c.n), "permutation")
	y, want := slices.Clone(c.y), slices.Clone(x)
	for i := len(y) - 1; i > 0; i-- {
		j := r.Intn(i + 1)
		y[i], y[j] = y[j], y[i]
		want[i], want[j] = want[j], want[i]
	}
	got := c.project(y)
	if _, ok := c.set.(Ball); ok {
		b.put("permuted, nearly", over(rows.Distance(got, want), c.n, rows.Norm(want)), barForward, c)
	} else {
		b.put("permuted", bits(got, want), barSame, c)
	}
}

// checkScaled projects the same problem in other units.
func checkScaled(b *board, c *sample, x []float64) {
	for _, f := range []float64{0x1p-20, 0x1p20} {
		scaled := *c
		scaled.set = c.subject.of(c.n, c.scale*f)
		y, want := slices.Clone(c.y), slices.Clone(x)
		rows.Scale(y, f)
		rows.Scale(want, f)
		b.put("scaled", bits(scaled.project(y), want), barSame, c)
	}
}

// TestSimplexCertificates looks at the simplices from two more sides: the multiplier that the result implies, and the
// projection computed without rounding.
func TestSimplexCertificates(t *testing.T) {
	row := evidence.For(t, evidence.Promise{Name: "projections-exact", Text: "projections onto simplices against exact arithmetic: error, and spread of the multiplier, in rounding units"})
	for _, s := range simplices() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			b := newBoard(t)
			grid(s, func(c *sample) {
				x := c.project(c.y)
				checkMultiplier(b, c, x)
				checkForward(b, c, x)
			})
			b.tell(row)
		})
	}
}

// checkMultiplier recovers the threshold t. Optimality is t ≥ yᵢ − xᵢ where xᵢ could grow, and t ≤ yᵢ − xᵢ where it could
// shrink.
func checkMultiplier(b *board, c *sample, x []float64) {
	set := asCapped(c.set)
	if c.n == 0 || set.top() == 0 {
		return
	}
	low, high := bigOf(-math.MaxFloat64), bigOf(math.MaxFloat64)
	for i, v := range x {
		multiplier := bigOf(c.y[i]).sub(bigOf(v))
		if v < set.Upper && multiplier.Cmp(&low.Float) > 0 {
			low = multiplier
		}
		if v > 0 && multiplier.Cmp(&high.Float) < 0 {
			high = multiplier
		}
	}
	b.put("multiplier", over(toFloat(low.sub(high)), 1, set.Sum), barMultiplier, c)
}

func checkForward(b *board, c *sample, x []float64) {
	set := asCapped(c.set)
	e := make([]float64, c.n)
	for i, want := range exactSimplex(set, c.y) {
		e[i] = toFloat(bigOf(x[i]).sub(want))
	}
	b.put("forward", over(rows.Norm(e), c.n, set.Sum), barForward, c)
}
