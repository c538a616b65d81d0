package sensitivity

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/internal/scratch"
)

// Polarized is the sensitivity of the polarized dynamics p⁺ ∝ λp + (1−λ)d + σ(pᵀu)u on the unit sphere. The published
// formula [he2025, transient polarized sensitivity],
//
//	Ĥ = −σ(pᵀu I + p uᵀ)(I − ppᵀ)[(λI + σuuᵀ)(I − ppᵀ) − cI]⁻¹,   c = ‖λp + (1−λ)d + σ(pᵀu)u‖,
//
// is an inverse of the identity plus rank two, hence, with a = pᵀu, t = u − ap, b = ‖t‖², ρ = c − λ and D = ρ − σb,
//
//	Ĥv = (σa/ρ)(v − (pᵀv)p + (σtᵀv/D)t) + (σtᵀv/D)p,
//	Ĥu = (σ/D)(at + bp).
//
// The second form has no ρ and loses no digits where ρ is small. It is taken for every v that is a multiple of u to the bit,
// as the gradient −u of affinity is.
//
// The singular values of Ĥ are σ‖u‖/D, σ|a|/ρ and 0, and ρ ≥ D: so D tells how far the steady state is from splitting in two.
// Where D is not above Floor the product is refused with an error that wraps kedge.ErrSingular and names the individual.
type Polarized struct {
	Dim           int     // entries of the decision, of a state and of a trait
	Lambda, Sigma float64 // λ in [0, 1] and σ ≥ 0
	Floor         float64 // largest D that is refused; 0 means 1e-6

}

// PolarizedNorm is Polarized for states that remember c: rows of p have Dim + 1 entries, the last of which is ‖p̃‖ of the
// step that led to the state. The published runs took c from there [he2025, polarized experiments]; the two agree once the
// individual has settled. The last entry of v weighs c itself, ∇ᵤc = σa(Ĥu + 2p).
type PolarizedNorm struct{ Polarized }

var (
	_ kedge.Sensitivity = (*Polarized)(nil)
	_ kedge.Sensitivity = (*PolarizedNorm)(nil)
)

// Check says whether the parameters are in their ranges.
func (s *Polarized) Check() error {
	inf := math.Inf(1)
	return errors.Join(
		checkDim(s.Dim),
		checkRange("Lambda", s.Lambda, 0, 1, "0 ≤ λ ≤ 1"),
		checkRange("Sigma", s.Sigma, 0, inf, "a finite σ ≥ 0"),
		checkRange("Floor", s.Floor, 0, inf, "a finite number ≥ 0"))
}

// PullRows implements [kedge.Sensitivity].
func (s *Polarized) PullRows(gu, p, u, d, v []float64) error {
	mustBe("d", d, len(p))
	return s.pull(gu, p, u, d, v, s.Dim)
}

// PullRows implements [kedge.Sensitivity]. It does not read d.
func (s *PolarizedNorm) PullRows(gu, p, u, _, v []float64) error {
	return s.pull(gu, p, u, nil, v, s.Dim+1)
}

// block is how many rows are looked at together.
const block = 64

// pull sums over rows of the given width: Dim, or one more when they end in c.
func (s *Polarized) pull(gu, p, u, d, v []float64, width int) error {
	if err := s.Check(); err != nil {
		return err
	}
	mustBe("gu", gu, s.Dim)
	mustBe("u", u, s.Dim)
	mustBe("v", v, len(p))
	count := kedge.Count(p, width)
	borrowed := scratch.Borrow(s.Dim + block*(3+s.Dim))
	defer borrowed.Return()
	sum, space := borrowed.X[:s.Dim], borrowed.X[s.Dim:]
	if s.Lambda == 1 && s.Sigma == 0 { // nobody ever moves
		clear(sum)
		return commit(gu, sum, p, u, d, v, count)
	}
	uu := rows.Dot(u, u)
	for first := 0; first < count; first += block {
		n := min(block, count-first)
		x := p[first*width : (first+n)*width]
		var traits []float64
		if width == s.Dim {
			traits = d[first*width : (first+n)*width]
		}
		bad, margin := s.pullBlock(sum, space, x, u, traits, v[first*width:(first+n)*width], n, width, uu)
		if bad >= 0 {
			return blameRow(first+bad, s.refuse(margin), p, u, d, v, count)
		}
	}
	return commit(gu, sum, p, u, d, v, count)
}

// pullBlock adds the products of n rows to sum. It returns the first row that is refused with its D, or −1.
func (s *Polarized) pullBlock(sum, space, p, u, d, v []float64, n, width int, uu float64) (bad int, margin float64) {
	along, own, norm2, floor := space[:n], space[block:block+n], space[2*block:2*block+n], s.floor()
	if width == s.Dim {
		rows.Products(along, own, p, u)
		rows.Blend(space[3*block:], norm2, p, d, u, s.Lambda, 1-s.Lambda, s.Sigma)
	}
	for i := range n {
		state := kedge.Row(p, i, width)
		x := state[:s.Dim]
		var c float64
		if width == s.Dim {
			c = math.Sqrt(norm2[i])
		} else {
			along[i], own[i], c = rows.Dot(u, x), rows.Dot(x, x), state[width-1]
		}
		g := s.geometry(x, u, along[i], own[i], uu, c)
		if !(g.margin > floor && g.margin <= math.MaxFloat64) {
			return i, g.margin
		}
		y := kedge.Row(v, i, width)
		g.add(sum, x, u, y[:s.Dim])
		if width > s.Dim {
			g.addNorm(sum, x, u, y[s.Dim])
		}
	}
	return -1, 0
}

// refuse says why there is no product: because D is not finite or is too small.
func (s *Polarized) refuse(margin float64) error {
	return cmp.Or(kedge.CheckFinite("D", []float64{margin}),
		fmt.Errorf("the steady state is about to split, D is %.3g, want above %.3g: %w", margin, s.floor(), kedge.ErrSingular))
}

func (s *Polarized) floor() float64 { return cmp.Or(s.Floor, 1e-6) }

// parallel is how many times larger than b ‖u‖² must be for differences of the two to be avoided.
const parallel = 2

// geometry holds what the sensitivity of one individual depends on, besides the vectors p and u.
type geometry struct{ sigma, a, b, rho, margin float64 }

// geometry takes a = pᵀu, ‖p‖², ‖u‖² and c besides the vectors. From them b = ‖u − ap‖² = ‖u‖² − 2a² + a²‖p‖², unless p and
// u are so nearly parallel that the difference would lose digits.
func (s *Polarized) geometry(p, u []float64, a, pp, uu, c float64) geometry {
	b := uu - float64(a*a*(2-pp))
	if b < uu/parallel {
		b = 0
		for j, v := range p {
			t := u[j] - float64(a*v)
			b += float64(t * t)
		}
	}
	rho := c - s.Lambda
	return geometry{s.Sigma, a, b, rho, rho - float64(s.Sigma*b)}
}

// add does sum += Ĥv.
func (g geometry) add(sum, p, u, v []float64) {
	if k, ok := multiple(v, u); ok {
		g.addOwn(sum, p, u, k)
		return
	}
	pv, tv := 0.0, 0.0
	for j, x := range p {
		pv += float64(x * v[j])
		tv += float64((u[j] - float64(g.a*x)) * v[j])
	}
	turn, gain := g.sigma*g.a/g.rho, g.sigma*tv/g.margin
	for j, x := range p {
		t := u[j] - float64(g.a*x)
		sum[j] += float64(turn*(v[j]-float64(pv*x)+float64(gain*t))) + float64(gain*x)
	}
}

// addOwn does sum += kĤu = (kσ/D)(at + bp), or (kσ/D)(au + (b−a²)p) where that loses no digits.
func (g geometry) addOwn(sum, p, u []float64, k float64) {
	gain, aa := k*g.sigma/g.margin, float64(g.a*g.a)
	if g.b >= (g.b+aa)/parallel {
		rows.AddScaled(sum, gain*g.a, u)
		rows.AddScaled(sum, gain*(g.b-aa), p)
		return
	}
	for j, x := range p {
		t := u[j] - float64(g.a*x)
		sum[j] += float64(gain * (float64(g.a*t) + float64(g.b*x)))
	}
}

// addNorm does sum += k∇ᵤc with ∇ᵤc = σa(Ĥu + 2p): for a settled individual dc = pᵀdp̃ and pᵀdp = 0.
func (g geometry) addNorm(sum, p, u []float64, k float64) {
	if k == 0 {
		return
	}
	k = float64(k * g.sigma * g.a)
	g.addOwn(sum, p, u, k)
	rows.AddScaled(sum, 2*k, p)
}

// multiple returns k when v is k·u in every bit. It gives up at the first entry that is not.
func multiple(v, u []float64) (k float64, ok bool) {
	first := 0
	for first < len(u) && u[first] == 0 {
		first++
	}
	if first == len(u) {
		return 0, false
	}
	k = v[first] / u[first]
	for j, x := range u {
		if float64(k*x) != v[j] {
			return 0, false
		}
	}
	return k, true
}
