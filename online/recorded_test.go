package online_test

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/set"
	"github.com/kedge-opt/kedge/stream"
)

// Rules of all kinds that are told the same people, weighted and not, and such as cannot be, ask for what they asked for when this was recorded, and keep the same state. Other tests say that it is right.
func TestRulesAreAsRecorded(t *testing.T) {
	var lines []string
	list := rules()
	plain := online.Vanilla{Objective: list["vanilla"]().Gradient.(online.Vanilla).Objective, Dims: dims}
	list["optimistic, averaged"] = func() online.Rule {
		return online.Rule{Gradient: plain, Transforms: []online.Transform{&online.Optimistic{}}, Step: online.Constant(0.2), Set: set.Ball{Radius: 1}, Average: 3}
	}
	list["Adam for each, held"] = func() online.Rule {
		return online.Rule{Gradient: plain, Transforms: []online.Transform{&online.Adam{Beta1: 0.5, Beta2: 0.75, Epsilon: 1e-8, Scaling: online.Each}}, Step: online.InverseSqrt(0.2), Set: set.Whole{}, Wait: online.Polynomial{First: 0.7, Power: 0.5}}
	}
	list["dithered"] = func() online.Rule {
		ball := set.Ball{Radius: 1}
		g := must(online.NewDither(plain, 3, online.Dithering{Size: 0.1, HalfLife: 5, Hold: 2}, ball, stream.New(6, "dither")))
		return online.Rule{Gradient: g, Step: online.Constant(0.1), Set: ball}
	}
	list["performative by scores"] = func() online.Rule {
		g := must(online.NewPerformative(plain.Objective, dims, online.Gaussian, 4, 0.1, stream.New(5, "directions")))
		return online.Rule{Gradient: g, Step: online.Constant(0.1), Set: set.Ball{Radius: 1}}
	}
	list["plug-in by places"] = func() online.Rule {
		g := must(online.NewPlugIn(plain.Objective, dims, online.Location, 4, 0.2, stream.New(5, "directions"), set.Ball{Radius: 1}))
		return online.Rule{Gradient: g, Step: online.Constant(1), Set: set.Ball{Radius: 1}, Wait: online.Hold(2)}
	}
	for _, name := range slices.Sorted(maps.Keys(list)) {
		d := must(list[name]().From([]float64{0.3, -0.2, 0.1}))
		r, u, center := stream.New(2, name), make([]float64, 3), make([]float64, 3)
		for k := range 24 {
			d.Ask(u)
			o := observe(r, k, slices.Clone(u))
			switch k % 6 {
			case 2:
				o.W = []float64{0.5, 3}
			case 3:
				spoil(&o, k/6)
			}
			err := d.Tell(o)
			d.Center(center)
			state, fault := d.AppendBinary(nil)
			lines = append(lines, strings.ReplaceAll(fmt.Sprintf("%s %d: %.9g %.9g %d %d %.3g %.6x %v %v", name, k, u, center, d.Steps(), d.Deployments(), d.Trust(), sha256.Sum256(state), err, fault), "\n", " / "))
		}
	}
	evidence.AsRecorded(t, "testdata/rules.txt", lines)
}

// spoil makes an observation one that cannot be, in the k-th way.
func spoil(o *kedge.Observation, k int) {
	switch k {
	case 0:
		o.P[1] = math.NaN()
	case 1:
		o.P = o.P[:5]
	case 2:
		o.W = []float64{-1, 2}
	case 3:
		o.Loss = math.Inf(1)
	}
}

// Methods on small problems come as far in a few steps as they came.
func TestMethodsAreAsRecorded(t *testing.T) {
	var lines []string
	for _, c := range []*classic{lq2(), pricing(1)} {
		for _, a := range attempts() {
			for seed := range uint64(2) {
				lines = append(lines, fmt.Sprintf("%s, %s: %.9g", c.name, a.name, finish(t, c, a, seed, 9)))
			}
		}
	}
	evidence.AsRecorded(t, "testdata/methods.txt", lines)
}

// Schedules and rhythms give what they gave.
func TestSchedulesAreAsRecorded(t *testing.T) {
	var lines []string
	for _, s := range []online.Schedule{online.Constant(0.3), online.InverseSqrt(0.3), online.Horizon{Eta: 2, Turns: 7}, online.Diminishing{Eta: 0.5, Delay: 3, Power: 0.75}, online.Diminishing{Eta: 1, Delay: 0.5, Power: 1}} {
		for _, k := range []int{0, 1, 2, 10, 1000} {
			lines = append(lines, fmt.Sprintf("%T %d: %.12g", s, k, s.Step(k)))
		}
	}
	for _, r := range []online.Rhythm{online.Hold(0), online.Hold(3), online.Settling{Contraction: 0.5}, online.Settling{Contraction: 0.99}, online.Polynomial{First: 0.5, Power: 1}, online.Polynomial{First: 2, Power: 1.5}, online.Polynomial{First: 1e9, Power: 2}, online.Polynomial{First: math.NaN(), Power: 1}} {
		for _, j := range []int{0, 1, 2, 10, 1000} {
			lines = append(lines, fmt.Sprintf("%T%v %d: %d", r, r, j, r.Turns(j)))
		}
	}
	evidence.AsRecorded(t, "testdata/schedules.txt", lines)
}
