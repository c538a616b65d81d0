package problem

import (
	"math"

	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/kind"
)

// check looks for what no single key can be blamed for: lengths that do not fit each other, sets without a point, settings
// that exclude each other. It leaves alone what could not be read.
type check struct {
	kind.Scene
	s *Spec
}

// scene returns the spec as its kinds see it when they check themselves.
func (s *Spec) scene(found *form.Mistakes) kind.Scene {
	c := kind.Scene{
		Check: form.Check{Mistakes: found, Root: s.origin}, Dims: s.Dims(), DimKeys: form.Paths("dynamics.kind", "population.dim"),
		Size: s.Population.Size, Dim: s.Population.Dim, Model: s.Model != nil,
		Dynamics: form.NameOf(s.Dynamics.Of), Habitat: kind.HabitatOf(s.Dynamics.Of), Names: s.entryNames(),
	}
	c.Grouped, c.GroupKey, c.Groups = s.grouped()
	if s.Model != nil {
		c.DimKeys = form.Paths("model.decision", "model.state", "model.trait")
	} else if own, ok := s.Dynamics.Of.(kind.Sized); ok {
		c.DimKeys = append(form.Paths("dynamics.kind"), own.DimKeys()...)
	}
	return c
}

func (c *check) start() {
	if c.s.Start == nil {
		return
	}
	c.s.Start.Check(&c.Scene)
	c.FailIf(c.s.Model == nil && c.s.Start.Divides() && c.Sound("set.kind") && !divides(c.s.Set), form.Paths("start.law", "set.kind"),
		"start.law is proportions, but set.kind is %s, which has no sum; want simplex or capped-simplex", form.NameOf(c.s.Set))
}

// unique refuses a name that an earlier entry of a list has.
func (c *check) unique(seen map[string]bool, path, name, what string) {
	c.FailIf(seen[name] && c.Sound(path+".name"), form.Paths(path+".name"), "%s.name is %s, which another %s has", path, name, what)
	seen[name] = true
}

// pathOf returns the path of an entry of a list, which may go by a name.
func (c *check) pathOf(list string, i int) string { return c.s.entry(list, i) }

// fits refuses a block of individuals that nobody can hold.
func (c *check) fits(path string, n int, what string, most int64) {
	if width := max(c.Dims.State, c.Dims.Trait); c.Sound(c.DimKeys...) && int64(n)*int64(width) > most {
		c.Fail(append(form.Paths(path), c.DimKeys...), "%s is %d, but so many %s of %s are more than %d numbers", path, n, what, form.Entries(width), most)
	}
}

func (c *check) record() {
	c.FailIf(c.s.Record.W1 == "items" && c.s.Population.Storage == population.Float32, form.Paths("record.w1", "population.storage"),
		"record.w1 is items, which wants population.storage float64")
	c.FailIf(c.s.Record.W1 == "items" && c.s.Model == nil && c.Sound("dynamics.kind") && c.Habitat != kind.Simplex, form.Paths("record.w1", "dynamics.kind"),
		"record.w1 is items, but only choice dynamics have items; want none")
}

// theory refuses what cannot be compared with the theory.
func (c *check) theory() {
	r, p := &c.s.Record, &c.s.Population
	c.FailIf(r.Theory && len(c.s.Constraints)+len(c.s.Players)+len(c.s.Changes) > 0, form.Paths("record.theory", "constraints", "players", "changes"),
		"record.theory is true, but the theory is of one decision-maker, one set and no constraints on the population")
	c.FailIf(r.Transport > 0 && !r.Theory, form.Paths("record.transport", "record.theory"),
		"record.transport is %d, which wants record.theory true", r.Transport)
	c.FailIf(r.Theory && p.Storage == population.Float32, form.Paths("record.theory", "population.storage"),
		"record.theory is true, which wants population.storage float64")
	c.FailIf(r.Transport > 0 && p.Size > maxTransport, form.Paths("record.transport", "population.size"),
		"record.transport is %d, but population.size is %d, and the distance of more than %d individuals is not worked out; want 0", r.Transport, p.Size, maxTransport)
}

// maxTransport is how many individuals the exact distance is worked out for: their costs take 200 MB.
const maxTransport = 5000

// generator refuses what the published runs did not draw.
func (c *check) generator() {
	if c.s.Generator != "numpy" || !c.Sound("seed", "population") {
		return
	}
	p := &c.s.Population
	c.FailIf(c.s.Seed > math.MaxUint32, form.Paths("seed", "generator"),
		"seed is %d, but generator numpy takes at most %d", c.s.Seed, uint32(math.MaxUint32))
	c.FailIf(p.ownStates(), form.Paths("population.states", "generator"),
		"generator numpy starts everybody at the trait, want population.states same")
	c.FailIf(p.Sampling != "with-replacement", form.Paths("population.sampling", "generator"),
		"generator numpy samples with replacement only")
	c.FailIf(p.Traits == "regenerated", form.Paths("population.traits", "generator"),
		"generator numpy draws everybody once and in order, want population.traits stored")
	c.FailIf(kind.Publish(p.Law, p.Size, p.Dim) == nil, form.Paths("population.law", "population.angle", "population.axis", "population.dim", "population.size", "generator"),
		"generator numpy draws a cap of angle 90 without axis in 4 or more dimensions, or proportions of one individual")
}

// model checks the formulas, unless files must be read first: then the dimensions are all that can be checked yet.
func (c *check) model() {
	if c.s.Model == nil || !c.Sound("model") {
		return
	}
	c.judged(c.s.Model)
	m, err := formula.Compile(c.s.Model.checkable())
	c.s.reportFormulas(c.Mistakes, err)
	if err != nil {
		return
	}
	c.groups(c.s.Model)
	if fault := c.s.formulasFit(m); fault != nil {
		c.Fail(form.Paths(fault.Path), "%s", fault.Msg)
	}
	if dim, want := c.s.Population.Dim, m.Dims().Trait-c.s.beside(); c.Sound("population.dim") && dim != want {
		c.Fail(form.Paths("population.dim", "model.trait"), "population.dim is %d, but model.trait has %s", dim, form.Entries(want))
	}
	if set, curved := kind.Constrained(m).(*kind.ConvexSet); curved {
		_, err := kind.BuildSet(set, m.Dims().Decision)
		c.FailIf(err != nil, form.Paths("model.subject to"), "model.subject to: %v", err)
	}
	if !c.s.Model.Integer.None() && !c.s.Model.readsFiles() && len(c.s.Players) == 0 {
		kind.CheckSet(&c.Scene, "model", kind.Integer(kind.Constrained(m), c.s.Model.Integer), c.Decision())
	}
	c.FailIf(!c.s.Model.readsFiles() && len(c.s.Players) == 0 && c.s.Start != nil && c.s.Start.Divides() && !divides(kind.Constrained(m)), form.Paths("start.law", "model.subject to"),
		"start.law is proportions, but the decisions that model.subject to allows have no sum; want q >= 0 and sum(q) == a number")
}

// discrete refuses what cannot be done with whole numbers and lists of points.
func (c *check) discrete() {
	key, of := c.gaps()
	if of == "" {
		return
	}
	for i := range c.s.Algorithms {
		a, path := &c.s.Algorithms[i], c.pathOf("algorithms", i)
		known := a.Facts()
		c.FailIf(c.Sound(path) && (known.Draws || known.Reach > 0), form.Paths(path, key),
			"%s is of kind %s, which tries decisions beside its own, but %s; want a method that follows gradients, such as composite or vanilla", path, a.Kind(), of)
		c.FailIf(c.Sound(path) && a.RateLimit > 0, form.Paths(path+".rate-limit", key),
			"%s.rate-limit is %v, but %s, which are deployed whole steps apart", path, a.RateLimit, of)
	}
	c.FailIf(len(c.s.Players) > 0, form.Paths(key, "players"), "%s and players are both given, but best replies are looked for by small moves; one must go", key)
	c.FailIf(len(c.s.Changes) > 0, form.Paths("changes", key), "changes are given, but %s; only convex sets change", of)
	c.FailIf(c.s.Record.Theory, form.Paths("record.theory", key), "record.theory is true, but %s, and the theory is of convex sets", of)
	c.FailIf(c.s.Generator == "numpy", form.Paths("generator", key), "generator numpy draws what the published runs drew, which had no whole numbers")
}

// gaps is the key that makes the set of decisions one with gaps, and what decisions are then; both are empty where none does.
func (c *check) gaps() (key, of string) {
	switch {
	case c.s.Model != nil && !c.s.Model.Integer.None():
		return "model.integer", "decisions are whole numbers"
	case c.s.Model != nil || !kind.IsDiscrete(c.s.Set):
		return "", ""
	case form.NameOf(c.s.Set) == "finite":
		return "set.kind", "decisions are points of a list"
	}
	return "set.integer", "decisions are whole numbers"
}

// judged wants one loss: the model's own, or those of players, who have sets of their own as well.
func (c *check) judged(m *Model) {
	if len(c.s.Players) == 0 {
		c.FailIf(m.Minimize == "" && m.Maximize == "" && c.Sound("model.minimize", "model.maximize"), form.Paths("model"),
			"model.minimize is missing, want a formula, or maximize with one")
		return
	}
	for _, one := range []struct {
		key   string
		given bool
	}{{"model.minimize", m.Minimize != ""}, {"model.maximize", m.Maximize != ""}, {"model.subject to", m.SubjectTo != nil}} {
		c.FailIf(one.given, form.Paths(one.key, "players"), "%s and players are both given; players have objectives and sets of their own, so one must go", one.key)
	}
}

// checkable are the formulas that can be compiled without reading files.
func (m *Model) checkable() formula.Source {
	if m.readsFiles() {
		return formula.Source{Decision: m.Decision, State: m.State, Trait: m.Trait, Beside: m.beside()}
	}
	source, _ := (&Spec{Model: m}).source(nil) // no file, no error
	return source
}

func divides(s kind.Set) bool {
	_, ok := kind.Divides(s)
	return ok
}

// doubt refuses what cannot be decided over draws.
func (c *check) doubt() {
	d := &c.s.Doubt
	d.Check(&c.Check, c.s.Data != nil && len(c.s.Unknowns()) > 0)
	if d.Uncertain == 0 {
		return
	}
	for _, one := range []struct {
		key   string
		given bool
		why   string
	}{
		{"players", len(c.s.Players) > 0, "over draws one decides"},
		{"constraints", len(c.s.Constraints) > 0, "what is kept under one draw is not under another"},
		{"changes", len(c.s.Changes) > 0, "over draws the set stays"},
	} {
		c.FailIf(one.given, form.Paths("uncertain", one.key), "uncertain is %d, but %s are given, and %s; one must go", d.Uncertain, one.key, one.why)
	}
	c.FailIf(c.s.moves(), form.Paths("uncertain", "population.churn", "population.drift"), "uncertain is %d, but the people change, and over draws they stay; one must go", d.Uncertain)
}
