package dynamics

import (
	"errors"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/internal/scratch"
)

// Space is where states live.
type Space int

// The spaces.
const (
	Flat   Space = iota // anywhere; a mean of probabilities is one, too
	Sphere              // on the unit sphere, to which mixtures are brought back
)

// Coupled draws everybody to the mean p̄ of the crowd with the weight κ [degroot1974],
//
//	p⁺ = (1−κ) f(p, u, d) + κp̄,
//
// at unit length on the Sphere. Given the mean, individuals do not see each other: so the mean is taken for a part of the
// decision, which is (u, p̄). Who moves or settles a crowd appends it; population.Config and kedge.Model say so by Social.
type Coupled struct {
	of     kedge.Smooth
	block  kedge.RowDynamics
	weight float64
	space  Space
	dims   kedge.Dims
}

var (
	_ kedge.Smooth      = (*Coupled)(nil)
	_ kedge.RowDynamics = (*Coupled)(nil)
)

// NewCoupled couples individuals that move by f with the weight 0 ≤ κ < 1.
func NewCoupled(f kedge.Smooth, weight float64, space Space) (*Coupled, error) {
	if f == nil {
		return nil, &MissingError{Arg: "f", Want: "the dynamics to couple"}
	}
	n := f.Dims()
	if err := errors.Join(checkDims(n), checkWeight(weight)); err != nil {
		return nil, err
	}
	n.Decision += n.State
	return &Coupled{of: f, block: kedge.Batched(f), weight: weight, space: space, dims: n}, nil
}

func checkWeight(weight float64) error {
	return kedge.CheckRange("weight", weight, weight >= 0 && weight < 1, "0 ≤ κ < 1")
}

// Dims returns those of the dynamics with the mean as a part of the decision.
func (c *Coupled) Dims() kedge.Dims { return c.dims }

// split returns the decision and the mean.
func (c *Coupled) split(seen []float64) (u, mean []float64) {
	n := c.dims.Decision - c.dims.State
	return seen[:n], seen[n:]
}

// Next writes the mixture to dst.
func (c *Coupled) Next(dst, p, seen, d []float64) {
	mustFit(c.dims, dst, p, seen, d)
	u, mean := c.split(seen)
	c.of.Next(dst, p, u, d)
	c.mix(dst, mean)
}

// NextRows does Next for every row, by the block form of the dynamics if they have one.
func (c *Coupled) NextRows(dst, p, seen, d []float64) {
	count := mustFitRows(c.dims, dst, p, seen, d)
	u, mean := c.split(seen)
	c.block.NextRows(dst, p, u, d)
	for i := range count {
		c.mix(kedge.Row(dst, i, len(mean)), mean)
	}
}

// mix draws x to the mean and returns its length before it is brought back.
func (c *Coupled) mix(x, mean []float64) float64 {
	for j, m := range mean {
		x[j] = float64((1-c.weight)*x[j]) + float64(c.weight*m)
	}
	if c.space == Flat {
		return 1
	}
	norm := rows.Norm(x)
	rows.Scale(x, 1/norm)
	return norm
}

// Pullback adds (∂f/∂p)ᵀv to gp and (∂f/∂(u, p̄))ᵀv to gu. With z = v, on the sphere z = (v − (yᵀv)y)/‖·‖ at y = p⁺, these are
// the products of the dynamics with (1−κ)z, and κz for the mean.
func (c *Coupled) Pullback(gp, gu, p, seen, d, v []float64) {
	mustFitPull(c.dims, gp, gu, p, seen, d, v)
	n := c.dims.State
	u, mean := c.split(seen)
	room := scratch.Borrow(2 * n)
	defer room.Return()
	y, z := room.X[:n], room.X[n:]
	copy(z, v)
	if c.space == Sphere {
		c.of.Next(y, p, u, d)
		norm := c.mix(y, mean)
		rows.AddScaled(z, -rows.Dot(y, v), y)
		rows.Scale(z, 1/norm)
	}
	var own []float64
	if gu != nil {
		own = gu[:len(u)]
		rows.AddScaled(gu[len(u):], c.weight, z)
	}
	rows.Scale(z, 1-c.weight)
	c.of.Pullback(gp, own, p, u, d, z)
}

// Coupled returns the dynamics that NewCoupled makes of f in Flat space. They are affine again, in (u, p̄):
//
//	p⁺ = (1−κ)Ap + [(1−κ)B κI](u, p̄) + (1−κ)Ed.
func (f *Affine) Coupled(weight float64) (*Affine, error) {
	if err := checkWeight(weight); err != nil {
		return nil, err
	}
	n, m := f.dims.State, f.dims.Decision
	a, e := slices.Clone(f.a), slices.Clone(f.e)
	rows.Scale(a, 1-weight)
	rows.Scale(e, 1-weight)
	b := make([]float64, n*(m+n))
	for i := range n {
		row := kedge.Row(b, i, m+n)
		copy(row, kedge.Row(f.b, i, m))
		rows.Scale(row, 1-weight)
		row[m+i] = weight
	}
	return NewAffine(kedge.Dims{Decision: m + n, State: n, Trait: f.dims.Trait}, a, b, e)
}
