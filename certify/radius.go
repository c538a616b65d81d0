package certify

import "github.com/kedge-opt/kedge/set"

// addRadius puts R = max ‖u‖ over the set, +Inf where there is no bound.
func (c *Constants) addRadius(p problem) error {
	r, sure, err := set.Farthest(p.Set, p.Dynamics.Dims().Decision)
	if sure {
		c.put(Radius, r, Proof, "largest norm in the set")
	} else {
		c.put(Radius, r, Estimate, "box around projections of far points")
	}
	return err
}
