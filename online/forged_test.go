package online_test

import (
	"math"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/wire"
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/stream"
)

// saved is the state of a rule for three numbers whose parts remember nothing, as it stands in a file.
type saved struct {
	steps, deployments, turns int
	u, live                   []float64
}

func (s saved) state(t *testing.T) []byte {
	t.Helper()
	b, err := wire.Append(nil, "online.Descent/4", func(f *wire.Fields) {
		missed := false
		f.Int(&s.steps, math.MaxInt)
		f.Int(&s.deployments, math.MaxInt)
		f.Int(&s.turns, math.MaxInt)
		f.Bool(&missed)
		f.Fixed(s.u, nil, nil)
		f.Floats(&s.live)
		f.Same("parts that remember turns", 0)
	})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// States with a right checksum that no rule has written are refused: too many turns, decisions of another length, or such as are no numbers. Those at the edge are taken.
func TestForgedStatesAreRefused(t *testing.T) {
	u, nan := []float64{1, 2, 3}, math.NaN()
	for name, x := range map[string]struct {
		saved
		ok bool
	}{
		"at the edge":              {saved{1 << 53, 1 << 53, math.MaxInt32, u, u}, true},
		"nothing told of live":     {saved{5, 5, 0, u, nil}, true},
		"too many steps":           {saved{1<<53 + 1, 0, 0, u, nil}, false},
		"too many deployments":     {saved{0, 1<<53 + 1, 0, u, nil}, false},
		"too long a deployment":    {saved{0, 0, math.MaxInt32 + 1, u, nil}, false},
		"a decision that is NaN":   {saved{0, 0, 0, []float64{1, nan, 3}, nil}, false},
		"a short decision":         {saved{0, 0, 0, u[:2], nil}, false},
		"a short live decision":    {saved{0, 0, 0, u, u[:2]}, false},
		"a live decision of Inf":   {saved{0, 0, 0, u, []float64{1, 2, math.Inf(1)}}, false},
		"a live decision too long": {saved{0, 0, 0, u, []float64{1, 2, 3, 4}}, false},
	} {
		rule := must(rules()["vanilla"]().From([]float64{0.3, -0.2, 0.1}))
		if err := rule.UnmarshalBinary(x.state(t)); (err == nil) != x.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Parts refuse what they could not have remembered: numbers that are none, and averages of another length.
func TestForgedPartsAreRefused(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	turned := func(p interface {
		online.Transform
		online.Committer
	}, g ...float64) any {
		p.Apply(g)
		p.Commit(kedge.Observation{})
		return p
	}
	momentum := func(g ...float64) any { return turned(&online.Momentum{Beta: 0.5}, g...) }
	adam := func(g ...float64) any { return turned(&online.Adam{Beta1: 0.5, Beta2: 0.5}, g...) }
	optimistic := func(g ...float64) any { return turned(&online.Optimistic{}, g...) }
	free := func(loss float64) any {
		p := must(online.NewDerivativeFree(2, 1, stream.New(1)))
		p.Resume(loss)
		return p
	}
	two := func(losses ...float64) any {
		p := must(online.NewTwoPoint(2, 1, stream.New(1)))
		for _, loss := range losses {
			p.Commit(kedge.Observation{Loss: loss})
		}
		return p
	}
	for name, x := range map[string]struct {
		from, into any
		ok         bool
	}{
		"momentum":                    {momentum(1, 2), momentum(3, 4), true},
		"momentum before its first":   {momentum(1, 2), &online.Momentum{Beta: 0.5}, true},
		"momentum of NaN":             {momentum(1, nan), momentum(3, 4), false},
		"momentum of another length":  {momentum(1, 2, 3), momentum(3, 4), false},
		"Adam":                        {adam(1, 2), adam(3, 4), true},
		"Adam of Inf":                 {adam(inf, 2), adam(3, 4), false},
		"Adam of another length":      {adam(1), adam(3, 4), false},
		"optimistic":                  {optimistic(1, 2), optimistic(3, 4), true},
		"optimistic at the start":     {&online.Optimistic{}, optimistic(3, 4), true},
		"optimistic before its first": {optimistic(1, 2), &online.Optimistic{}, true},
		"optimistic of NaN":           {optimistic(nan, 2), optimistic(3, 4), false},
		"optimistic, other length":    {optimistic(1, 2, 3), optimistic(3, 4), false},
		"optimistic of one number":    {optimistic(1), optimistic(3, 4), false},
		"optimistic into one number":  {optimistic(1, 2), optimistic(3), false},
		"momentum of one number":      {momentum(1), momentum(3, 4), false},
		"momentum into one number":    {momentum(1, 2), momentum(3), false},
		"a loss":                      {free(2), free(3), true},
		"no loss yet":                 {free(nan), free(3), true},
		"a loss without end":          {free(inf), free(3), false},
		"the first of two losses":     {two(1), two(), true},
		"no loss of two":              {two(nan, nan), two(), true},
		"the first of two, NaN":       {two(nan), two(), false},
	} {
		state := must(alone{x.from}.AppendBinary(nil))
		if err := (alone{x.into}).UnmarshalBinary(state); (err == nil) != x.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What is no rotating panel is told by how many people that is.
func TestPanelsAreCounted(t *testing.T) {
	c := lq2()
	g := must(online.NewRecursive(composite(c), c.f.Dims(), 0.1))
	sample := func(p ...float64) kedge.Observation {
		return kedge.Observation{U: []float64{0, 0}, P: p, D: make([]float64, len(p))}
	}
	dst := make([]float64, 2)
	if err := g.Estimate(dst, sample(1, 1, 2, 2, 3, 3)); err == nil || !strings.Contains(err.Error(), "3 individuals") {
		t.Errorf("three people: %v", err)
	}
	first := sample(1, 1, 2, 2, 3, 3, 4, 4)
	for range 1 + len(dst)/2 { // the same, and no sample is kept before it is committed
		if err := g.Estimate(dst, first); err != nil {
			t.Fatal(err)
		}
	}
	g.Commit(first)
	first.D = []float64{9, 9, 9, 9, 9, 9, 9, 9}
	if err := g.Estimate(dst, first); err == nil || !strings.Contains(err.Error(), "the first 2 individuals") {
		t.Errorf("people of other traits: %v", err)
	}
}

// A rule that tries decisions beside its own cannot have them moved.
func TestExplorersAreNotPlaced(t *testing.T) {
	c := lq2()
	rule := base(c, must(online.NewOnePoint(2, 1, stream.New(1))))
	rule.Deploy = c.set
	if _, err := rule.From(c.start); err == nil || !strings.Contains(err.Error(), "beside its own") {
		t.Errorf("a method that explores is deployed elsewhere: %v", err)
	}
}
