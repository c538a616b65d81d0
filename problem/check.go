package problem

import (
	"math"
	"strings"
)

// check looks for what no single key can be blamed for: lengths that do not fit each other, sets without a point, settings
// that exclude each other. It leaves alone what could not be read.
type check struct {
	examiner
	s *Spec
}

func (c *check) all() {
	c.model()
	c.dynamics()
	c.population()
	c.moving()
	c.objective()
	if c.s.Model == nil && len(c.s.Players) == 0 {
		c.set("set", &c.s.Set, c.decisionLength())
	}
	c.start()
	c.changes()
	c.constraints()
	c.players()
	c.algorithms()
	c.record()
	c.theory()
	c.generator()
	if len(c.found) == 0 {
		c.size()
	}
}

func (c *check) decisionLength() length {
	return c.known(length{c.s.Dims().Decision, "the decision", c.dimKeys()})
}

func (c *check) stateLength() length {
	return c.known(length{c.s.Dims().State, "a state", c.dimKeys()})
}

func (c *check) traitLength() length {
	from := keys("population.dim")
	if c.s.Model != nil {
		from = append(c.dimKeys(), "population.dim")
	}
	return c.known(length{c.s.Population.Dim, "a trait", from})
}

// dimKeys are the keys that decide the dimensions.
func (c *check) dimKeys() []string {
	switch {
	case c.s.Model != nil:
		return keys("model.decision", "model.state", "model.trait")
	case c.s.Dynamics.Kind == "affine":
		return keys("dynamics.kind", "dynamics.a", "dynamics.b", "dynamics.e")
	}
	return keys("dynamics.kind", "population.dim")
}

func (c *check) start() {
	s := &c.s.Start
	if s.Values != nil && c.sound("start.values") {
		c.length("start.values", len(s.Values), c.decisionLength())
	}
	if set := c.s.Set.Kind; c.s.Model == nil && s.Law == "proportions" && c.sound("set.kind") && !strings.HasSuffix(set, "simplex") {
		c.fail(keys("start.law", "set.kind"), "start.law is proportions, but set.kind is %s, which has no sum; want simplex or capped-simplex", set)
	}
}

// fits refuses a block of individuals that nobody can hold.
func (c *check) fits(path string, n int, what string) {
	d := c.s.Dims()
	if width := max(d.State, d.Trait); c.sound(c.dimKeys()...) && int64(n)*int64(width) > maxEntries {
		c.fail(append(keys(path), c.dimKeys()...), "%s is %d, but so many %s of %s are more than %d numbers", path, n, what, entries(width), maxEntries)
	}
}

func (c *check) record() {
	if c.s.Record.W1 == "items" && c.s.Population.Storage == "float32" {
		c.fail(keys("record.w1", "population.storage"), "record.w1 is items, which wants population.storage float64")
	}
	if c.s.Record.W1 == "items" && c.s.Model == nil && c.sound("dynamics.kind") && c.s.Dynamics.Kind != "choice" {
		c.fail(keys("record.w1", "dynamics.kind"), "record.w1 is items, but only choice dynamics have items; want none")
	}
}

// theory refuses what cannot be compared with the theory.
func (c *check) theory() {
	r, p := &c.s.Record, &c.s.Population
	if r.Theory && len(c.s.Constraints)+len(c.s.Players)+len(c.s.Changes) > 0 {
		c.fail(keys("record.theory", "constraints", "players", "changes"), "record.theory is true, but the theory is of one decision-maker, one set and no constraints on the population")
	}
	if r.Transport > 0 && !r.Theory {
		c.fail(keys("record.transport", "record.theory"), "record.transport is %d, which wants record.theory true", r.Transport)
	}
	if r.Theory && p.Storage == "float32" {
		c.fail(keys("record.theory", "population.storage"), "record.theory is true, which wants population.storage float64")
	}
	if r.Transport > 0 && p.Size > maxTransport {
		c.fail(keys("record.transport", "population.size"), "record.transport is %d, but population.size is %d, and the distance of more than %d individuals is not worked out; want 0",
			r.Transport, p.Size, maxTransport)
	}
}

// maxTransport is how many individuals the exact distance is worked out for: their costs take 200 MB.
const maxTransport = 5000

// generator refuses what the published runs did not draw.
func (c *check) generator() {
	if c.s.Generator != "numpy" || !c.sound("seed", "population") {
		return
	}
	p := &c.s.Population
	if c.s.Seed > math.MaxUint32 {
		c.fail(keys("seed", "generator"), "seed is %d, but generator numpy takes at most %d", c.s.Seed, uint32(math.MaxUint32))
	}
	if p.States != nil {
		c.fail(keys("population.states", "generator"), "generator numpy starts everybody at the trait, want population.states same")
	}
	if p.Sampling != "with-replacement" {
		c.fail(keys("population.sampling", "generator"), "generator numpy samples with replacement only")
	}
	if p.Traits == "regenerated" {
		c.fail(keys("population.traits", "generator"), "generator numpy draws everybody once and in order, want population.traits stored")
	}
	hemisphere := p.Law.Kind == "cap" && p.Law.Angle == 90 && p.Law.Axis == nil && p.Dim >= 4
	if one := p.Law.Kind == "proportions" && p.Size == 1; !hemisphere && !one {
		c.fail(keys("population.law", "population.angle", "population.axis", "population.dim", "population.size", "generator"),
			"generator numpy draws a cap of angle 90 without axis in 4 or more dimensions, or proportions of one individual")
	}
}

// size refuses a spec that could not be read again as it is printed.
func (c *check) size() {
	nodes, names, depth := c.s.tree().extent()
	if nodes > maxNodes || names > maxKeys || depth > maxDepth || len(c.s.YAML()) > maxBytes {
		c.report(place{file: c.s.origin.at.file}, "", "too large with its defaults: %d values, %d keys, %d deep", nodes, names, depth)
	}
}
