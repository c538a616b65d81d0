package online_test

import (
	"bytes"
	"fmt"
	"math"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/wire"
	"github.com/kedge-opt/kedge/objective"
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/set"
	"github.com/kedge-opt/kedge/stream"
)

// forged writes what a part could have written.
type forged func(f *wire.Fields)

// as is the state of a part alone.
func (w forged) as(part any) []byte {
	return must(wire.Append(nil, "alone/1", func(f *wire.Fields) {
		kind := fmt.Sprintf("%T", part)
		f.Text(&kind)
		w(f)
	}))
}

// direction is that of an explorer, unless it is nil, and its source.
func (forged) direction(f *wire.Fields, v []float64) {
	drawn := v != nil
	if f.Bool(&drawn); drawn {
		f.Fixed(v)
	}
	f.Part("source", stream.New(1))
}

// trials is what a plug-in has seen.
type trials struct {
	sizes              []int
	decisions, p, d, w []float64
}

func (x trials) forge() forged {
	return func(f *wire.Fields) {
		done := false
		f.Bool(&done)
		f.Ints(&x.sizes, math.MaxInt)
		for _, list := range []*[]float64{&x.decisions, &x.p, &x.d, &x.w} {
			f.Floats(list)
		}
		forged(nil).direction(f, nil)
	}
}

// forgery is a state that a part is given.
type forgery struct {
	into any
	from forged
	ok   bool
}

func (x forgery) check(t *testing.T, name string) {
	t.Helper()
	before, data := must(alone{x.into}.AppendBinary(nil)), x.from.as(x.into)
	err := (alone{x.into}).UnmarshalBinary(data)
	if x.ok {
		before = data
	}
	if (err == nil) != x.ok || !bytes.Equal(must(alone{x.into}.AppendBinary(nil)), before) {
		t.Errorf("%s: %v", name, err)
	}
}

// What was seen in trials must be of as many people as there were in each, and of numbers.
func TestForgedTrialsAreRefused(t *testing.T) {
	dim := kedge.Dims{Decision: 2, State: 3, Trait: 1}
	seen := func(change func(x *trials)) forged {
		x := trials{[]int{2, 1}, make([]float64, 4), make([]float64, 9), make([]float64, 3), make([]float64, 3)}
		change(&x)
		return x.forge()
	}
	for name, x := range map[string]struct {
		change func(x *trials)
		ok     bool
	}{
		"as it was":        {func(*trials) {}, true},
		"nobody weighted":  {func(x *trials) { x.w = nil }, true},
		"decisions":        {func(x *trials) { x.decisions = x.decisions[:2] }, false},
		"more decisions":   {func(x *trials) { x.decisions = make([]float64, 6) }, false},
		"states":           {func(x *trials) { x.p = x.p[:6] }, false},
		"traits":           {func(x *trials) { x.d = x.d[:2] }, false},
		"weights":          {func(x *trials) { x.w = x.w[:2] }, false},
		"NaN decided":      {func(x *trials) { x.decisions[3] = math.NaN() }, false},
		"NaN seen":         {func(x *trials) { x.p[8] = math.NaN() }, false},
		"an infinite one":  {func(x *trials) { x.d[2] = math.Inf(1) }, false},
		"a weight of NaN":  {func(x *trials) { x.w[0] = math.NaN() }, false},
		"too many people":  {func(x *trials) { x.sizes[0] = math.MaxInt32 + 1 }, false},
		"all but no trial": {func(x *trials) { *x = trials{} }, true},
		"every trial": {func(x *trials) {
			*x = trials{[]int{1, 0, 0}, make([]float64, 6), make([]float64, 3), make([]float64, 1), nil}
		}, true},
		"one trial more": {func(x *trials) {
			*x = trials{[]int{1, 0, 0, 0}, make([]float64, 8), make([]float64, 3), make([]float64, 1), nil}
		}, false},
	} {
		into := must(online.NewPlugIn(objective.Affinity{}, dim, online.Location, 3, 1, stream.New(1), set.Whole{}))
		forgery{into, seen(x.change), x.ok}.check(t, name)
	}
}

// Parts refuse numbers that are none in whatever they remember, and more turns than anybody takes.
func TestForgedMemoriesAreRefused(t *testing.T) {
	dim, nan := kedge.Dims{Decision: 2, State: 2, Trait: 1}, math.NaN()
	performative := func(count int, u, p []float64, v []float64) forgery {
		into := must(online.NewPerformative(objective.Affinity{}, dim, online.Reparametrized, 3, 1, stream.New(1)))
		return forgery{into, func(f *wire.Fields) {
			f.Int(&count, math.MaxInt)
			for range min(count, 2) {
				f.Fixed(u, p)
			}
			forged(nil).direction(f, v)
		}, true}
	}
	recursive := func(average, before, who []float64) forgery {
		into := must(online.NewRecursive(online.Vanilla{Objective: objective.Affinity{}, Dims: dim}, dim, 0.5))
		return forgery{into, func(f *wire.Fields) {
			began, ids := true, []uint64{1, 2}
			f.Bool(&began)
			f.Fixed(average, before)
			f.Floats(&who)
			wire.List(f, &ids, 8, f.Uint64)
		}, true}
	}
	lagrangian := func(k int, multipliers ...float64) forgery {
		into := must(online.NewLagrangian(2, steadily{g: []float64{1}}, []online.Restriction{steadily{}, steadily{}}, online.Dual{Step: online.Constant(1), Most: []float64{1, 1}}))
		return forgery{into, func(f *wire.Fields) {
			f.Int(&k, math.MaxInt)
			f.Fixed(multipliers)
			for range 3 {
				f.Part("part", steadily{})
			}
		}, true}
	}
	bad := func(x forgery) forgery { x.ok = false; return x }
	one, two := []float64{1, 2}, []float64{3, 4}
	for name, x := range map[string]forgery{
		"a window":              performative(2, one, two, one),
		"a window before":       performative(1, one, two, nil),
		"a full window":         performative(1<<53, one, two, nil),
		"a window beyond":       bad(performative(1<<53+1, one, two, nil)),
		"a decision of NaN":     bad(performative(1, []float64{1, nan}, two, nil)),
		"a mean of NaN":         bad(performative(2, one, []float64{nan, 1}, one)),
		"a direction of NaN":    bad(performative(2, one, two, []float64{nan, 1})),
		"a short direction":     bad(performative(2, one, two, one[:1])),
		"a panel":               recursive(one, two, one),
		"an average of NaN":     bad(recursive([]float64{1, nan}, two, one)),
		"an estimate before":    bad(recursive(one, []float64{math.Inf(1), 1}, one)),
		"people of NaN":         bad(recursive(one, two, []float64{nan})),
		"multipliers":           lagrangian(1<<53, 1, 2),
		"too late multipliers":  bad(lagrangian(1<<53+1, 1, 2)),
		"a multiplier of NaN":   bad(lagrangian(1, nan, 2)),
		"a multiplier of Inf":   bad(lagrangian(1, 0, math.Inf(1))),
		"a multiplier too much": bad(lagrangian(1, 0, 1, 2)),
	} {
		x.check(t, name)
	}
}
