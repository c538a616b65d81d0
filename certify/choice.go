package certify

import "github.com/kedge-opt/kedge/dynamics"

// addChoice finds the constants of choice dynamics: f is affine in p and d, and the Jacobian of softmax has norm at most ½.
// The metric is the identity, and ∇ᵤh is the same for everybody.
func (c *Constants) addChoice(f dynamics.Choice) error {
	if err := f.Check(); err != nil {
		return err
	}
	rest, habit := 1-f.Lambda1, 1-(f.Lambda1+f.Lambda2)
	c.put(LfP, f.Lambda1, Proof, "λ₁")
	c.put(LfU, f.Epsilon*f.Lambda2/2, Proof, "ελ₂/2")
	c.put(LfD, habit, Proof, "1−λ₁−λ₂")
	c.addIdentity()
	c.put(LhU, f.Epsilon*f.Lambda2/(2*rest), Proof, "ελ₂/2(1−λ₁)")
	c.put(LhD, habit/rest, Proof, "(1−λ₁−λ₂)/(1−λ₁)")
	c.put(MhD, 0, Proof, "∇ᵤh does not depend on d")
	return nil
}
