package sensitivity

import "github.com/kedge-opt/kedge/ptx"

// EmitPull writes the list of h + Ĥu for where one settles and uᵀu, as PullPlanes has it. What that gives up on is flagged.
func (s *Polarized) EmitPull(c *ptx.OpList, h ptx.PlaneSpot, uu ptx.Scalar) ptx.PlaneSpot {
	sigma := c.Const(s.Sigma)
	rho, aa := c.Div(c.Const(1-s.Lambda), h.Across), c.Mul(h.PU, h.PU)
	b := c.Sub(uu, aa)
	margin := c.Sub(rho, c.Mul(sigma, b))
	gain := c.Div(sigma, margin)
	steady, pull := c.Mul(rho, h.Along), c.Mul(sigma, h.PU)
	c.Flag(c.Not(c.AtMost(c.Abs(c.Sub(steady, pull)), c.Mul(c.Const(unsettled), c.Abs(pull)))))
	c.Flag(c.Not(c.Less(c.Const(max(nearSplit, s.floor())), margin)))
	scale := c.Add(c.Const(1), c.Mul(gain, c.Sub(b, aa)))
	h.Along, h.Across = c.Add(c.Mul(scale, h.Along), c.Mul(gain, h.PU)), c.Mul(scale, h.Across)
	return h
}

// Pulls tells whether EmitPull says what PullPlanes does.
func (s *Polarized) Pulls(dim int) bool { return s.Check() == nil && s.Dim == dim }
