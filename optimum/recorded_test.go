package optimum

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/objective"
	"github.com/kedge-opt/kedge/sensitivity"
	"github.com/kedge-opt/kedge/set"
)

// counted is a function that counts who looks at it.
type counted struct {
	Function
	looks *int
}

func (c counted) Gradient(g, u []float64) (float64, error) {
	*c.looks++
	return c.Function.Gradient(g, u)
}

// Losses to search, with slopes by hand.
var (
	banana = plainly(func(g, u []float64) (float64, error) {
		a, b := 1-u[0], u[1]-u[0]*u[0]
		g[0], g[1] = -2*a-40*u[0]*b, 20*b
		return a*a + 10*b*b, nil
	})
	hills = plainly(func(g, u []float64) (loss float64, err error) { // many minima, the lowest beside 0.7
		for i, v := range u {
			d := v - 0.7
			g[i] = 0.4*d + 1.5*math.Sin(5*d)
			loss += 0.2*d*d + 0.3*(1-math.Cos(5*d))
		}
		return loss, nil
	})
	steep = plainly(func(g, u []float64) (loss float64, err error) {
		for i, v := range u {
			k := math.Pow(7, float64(i))
			g[i] = k * (v - 0.3)
			loss += k * (v - 0.3) * (v - 0.3) / 2
		}
		return loss, nil
	})
	cliff = plainly(func(g, u []float64) (float64, error) { // a slope down to a jump at 1
		if g[0] = -1; u[0] > 1 {
			g[0] = 1
			return 3 + u[0], nil
		}
		return 2 - u[0], nil
	})
	walledIn = plainly(func(g, u []float64) (float64, error) { // no value from 2 on
		if u[0] >= 2 {
			return 0, errNoValue
		}
		g[0], g[1] = 1/(2-u[0])-0.8, u[1]
		return -math.Log(2-u[0]) - 0.8*u[0] + u[1]*u[1]/2, nil
	})
	ridge = plainly(func(g, u []float64) (float64, error) { // the larger of two planes and a bowl
		if a, b := 3*u[0]+u[1], -u[0]+0.5*u[1]; a > b {
			g[0], g[1] = 3+0.2*u[0], 1+0.2*u[1]
			return a + 0.1*(u[0]*u[0]+u[1]*u[1]), nil
		} else {
			g[0], g[1] = -1+0.2*u[0], 0.5+0.2*u[1]
			return b + 0.1*(u[0]*u[0]+u[1]*u[1]), nil
		}
	})
	falling = plainly(func(g, u []float64) (float64, error) {
		g[0] = -1
		return -u[0], nil
	})
	ring = plainly(func(g, u []float64) (float64, error) { // outside of the unit circle around (1, 0)
		g[0], g[1] = -2*(u[0]-1), -2*u[1]
		return 1 - (u[0]-1)*(u[0]-1) - u[1]*u[1], nil
	})
	edge = plainly(func(g, u []float64) (float64, error) { // |u₀| + u₁ ≤ 1
		g[0], g[1] = math.Copysign(1, u[0]), 1
		return math.Abs(u[0]) + u[1] - 1, nil
	})
	bistable = plainly(func(g, u []float64) (float64, error) { // rests at −1, 0 and 1 in the first entry
		g[0], g[1] = u[0]*u[0]*u[0]-u[0], u[1]-0.3*u[0]
		return 0, nil
	})
)

func told1(err error) string { return "error " + err.Error() }

func (s *Search) line() string {
	return fmt.Sprintf("%v loss %v residual %.3g steps %d found %d basins %d here %d missed %.6g spread %.3g range %.6g walls %d all %d kink %v jump %v radius %.3g",
		s.Decision, s.Loss, s.Residual, s.Steps, len(s.Found), s.Basins, s.Here, s.Missed, s.Spread, s.Range, s.Walls, s.All, s.Kink, s.Jump, s.Radius)
}

// asked is a problem, whose looks are counted.
type asked func(look func(Function) Function) string

func recordedFind(f Function, s kedge.Set, o Effort, starts ...[]float64) asked {
	return func(look func(Function) Function) string {
		r, err := Find(context.Background(), look(f), s, starts, o)
		if err != nil {
			return told1(err)
		}
		return r.line()
	}
}

func recordedWalk(f Function, s kedge.Set, o Effort, start ...float64) asked {
	return func(look func(Function) Function) string {
		p, err := Minimize(context.Background(), look(f), s, start, o)
		if err != nil {
			return told1(err)
		}
		return fmt.Sprintf("%v loss %v residual %.3g steps %d kink %v", p.Decision, p.Loss, p.Residual, p.Steps, p.Kink)
	}
}

func recordedUnder(f Function, c []Function, s kedge.Set, o Effort, starts ...[]float64) asked {
	return func(look func(Function) Function) string {
		r, err := Constrain(context.Background(), look(f), c, s, starts, o)
		if err != nil {
			return told1(err)
		}
		return fmt.Sprintf("%s multipliers %.6g excess %.3g", r.line(), r.Multipliers, r.Excess)
	}
}

func recordedRests(f Function, s kedge.Set, o Effort, start ...float64) asked {
	return func(look func(Function) Function) string {
		list, err := Rests(context.Background(), look(f).Gradient, s, start, o)
		if err != nil {
			return told1(err)
		}
		var all []string
		for _, r := range list {
			all = append(all, fmt.Sprintf("%.12g steps %d eigenvalues %.4g attracting %v reached %v", r.Decision, r.Steps, r.Eigenvalues, r.Attracting, r.Reached))
		}
		return strings.Join(all, "; ")
	}
}

// searches are problems of all kinds, and what comes of each.
func searches() map[string]asked {
	find, walk, under, rests := recordedFind, recordedWalk, recordedUnder, recordedRests
	square := set.Box{Lower: []float64{-3, -3}, Upper: []float64{3, 3}}
	flat13, at13 := make([]float64, 13), slices.Repeat([]float64{1}, 13)
	return map[string]asked{
		"bowl in a ball":          find(bowl{1, 2}, set.Ball{Radius: 1}, Effort{Starts: 3}, []float64{0, 0}),
		"banana":                  find(banana, square, Effort{Starts: 6, Screen: 40}, []float64{-1, 2}),
		"banana without end":      find(banana, set.Whole{}, Effort{Starts: 4}, []float64{-1, 2}),
		"hills":                   find(hills, square, Effort{Starts: 10, Screen: 60}, []float64{-2, 2}),
		"hills on a line":         find(hills, set.Interval{Lower: -6, Upper: 6}, Effort{Starts: 8, Screen: 30}, []float64{5}),
		"hills of 13":             find(hills, set.Ball{Radius: 4}, Effort{Starts: 3}, flat13),
		"corner":                  find(corner{}, set.Box{Lower: []float64{-5, -5}, Upper: []float64{5, 5}}, Effort{Starts: 3}, []float64{4, 4}),
		"ridge":                   find(ridge, square, Effort{Starts: 3}, []float64{1, 1}),
		"ridge at an end":         find(ridge, set.Box{Lower: []float64{0.1, 0.2}, Upper: []float64{3, 3}}, Effort{Starts: 3}, []float64{1, 1}),
		"cliff":                   find(cliff, set.Interval{Lower: -4, Upper: 4}, Effort{Starts: 4}, []float64{-1}),
		"walls":                   find(walledIn, set.Box{Lower: []float64{-1, -1}, Upper: []float64{9, 3}}, Effort{Starts: 5}, []float64{0, 1}),
		"no end":                  find(falling, set.Whole{}, Effort{}, []float64{1}),
		"half a line":             find(bowl{1, -7}, set.HalfSpace{Normal: []float64{-1, 0}, Bound: -2}, Effort{Starts: 3}, []float64{5, 5}),
		"steep":                   walk(steep, set.Whole{}, Effort{}, 1, 1, 1, 1, 1),
		"steep on a simplex":      walk(steep, set.Simplex{Sum: 1}, Effort{}, 1, 0, 0, 0),
		"kink":                    walk(ridge, set.Whole{}, Effort{}, 1, 1),
		"few steps":               walk(steep, set.Whole{}, Effort{MaxSteps: 12}, 1, 1, 1, 1, 1),
		"held above":              under(bowl{1, 0}, []Function{atLeast(2)}, set.Ball{Radius: 5}, Effort{Starts: 2}, []float64{1, 1}),
		"outside of a ring":       under(bowl{1, 0.5}, []Function{ring}, square, Effort{Starts: 4}, []float64{1, 0.1}),
		"under an edge":           under(bowl{1, 2}, []Function{edge, atLeast(-1)}, square, Effort{Starts: 3}, []float64{-1, 0}),
		"smoothed":                under(bowl{1, 0}, []Function{evened{}}, set.Ball{Radius: 5}, Effort{Starts: 2}, []float64{1, 1}),
		"from far away":           under(bowl{1, 0}, []Function{atLeast(700)}, set.Whole{}, Effort{Starts: 2}, []float64{1, 1}),
		"falling to a constraint": under(falling, []Function{plainly(func(g, u []float64) (float64, error) { g[0] = 1; return u[0] - 40, nil })}, set.Whole{}, Effort{Starts: 2}, []float64{1}),
		"kinks under constraints": under(corner{}, []Function{atLeast(2)}, square, Effort{Starts: 3}, []float64{0, 0}),
		"hills under constraints": under(hills, []Function{atLeast(1.5)}, square, Effort{Starts: 4}, []float64{0, 0}),
		"nothing is kept":         under(bowl{1, 0}, []Function{atLeast(9)}, set.Ball{Radius: 5}, Effort{Starts: 2}, []float64{1, 1}),
		"whole numbers":           find(hills, set.Lattice{Lower: []float64{-90, -90}, Upper: []float64{90, 90}}, Effort{Starts: 3}, []float64{40, -40}),
		"some whole numbers":      under(hills, []Function{atLeast(1)}, set.Lattice{Lower: []float64{-4, -3}, Upper: []float64{4, 3}, Whole: []bool{true, false}}, Effort{Starts: 2}, []float64{0, 0}),
		"a list":                  under(banana, []Function{atLeast(0)}, set.Finite{Points: [][]float64{{-1, 1}, {1, 1.5}, {0.5, 0}, {2, 4}}}, Effort{}, []float64{0, 0}),
		"two wells":               rests(bistable, square, Effort{Starts: 8}, 0.2, 1),
		"two wells without end":   rests(bistable, set.Whole{}, Effort{Starts: 8}, 0.2, 1),
		"two wells, held":         rests(bistable, set.Box{Lower: []float64{0.5, -1}, Upper: []float64{0.8, 1}}, Effort{Starts: 3}, 0.6, 0.5),
		"many wells":              rests(hills, set.Ball{Radius: 2}, Effort{Starts: 4}, at13[:9]...),
		"one well": func(look func(Function) Function) string {
			p, err := Stable(context.Background(), look(bistable).Gradient, square, []float64{0.2, 1}, Effort{Starts: 8})
			return fmt.Sprintf("%+v %v", p, err)
		},
		"crowd":       recordedCrowd,
		"game":        recordedGame,
		"shared game": recordedSharing,
	}
}

func recordedCrowd(func(Function) Function) string {
	dim := kedge.Dims{Decision: 2, State: 2, Trait: 2}
	f, err := dynamics.NewAffine(dim, []float64{0.5, 0.25, 0, 0.5}, []float64{0.5, 0, 0.25, 0.5}, []float64{0.5, 0, 0, 0.5})
	if err != nil {
		return told1(err)
	}
	one := []float64{1, 0, 0, 1}
	phi, err := objective.NewQuadratic(dim, []float64{2, 0, 0, 2}, one, one, nil, nil)
	if err != nil {
		return told1(err)
	}
	traits := kedge.Block{Data: []float64{2, -0.5, 2, -1.5, 0, -0.5, 0, -1.5, 1, 3}, Width: 2}
	s, err := SamplingOf(context.Background(), kedge.Model{Dynamics: f, Settler: f, Objective: phi, Traits: traits, Sensitivity: &sensitivity.Implicit{Dynamics: f}}, set.Ball{Radius: 9}, []float64{30, -7})
	if err != nil {
		return told1(err)
	}
	return fmt.Sprintf("%.9g %.9g %v", s.Decision, s.Loss, s.People)
}

func recordedGame(look func(Function) Function) string {
	one, both := set.Interval{Lower: -10, Upper: 10}, set.Box{Lower: []float64{-10, -10}, Upper: []float64{10, 10}}
	g := stopped{tug{a: 1.5, c0: 1, c1: -1}, &stopping{Function: look(bowl{}), stop: func() {}}}
	list, err := Equilibria[Function](context.Background(), g, []kedge.Set{one, one}, both, []float64{3, -2}, Effort{})
	if err != nil {
		return told1(err)
	}
	var all []string
	for _, e := range list {
		all = append(all, fmt.Sprintf("%.9g loss %.9g nash %v gains %.3g rest %v", e.Decision, e.Loss, e.Nash, e.Gains, e.Rest != nil))
	}
	return strings.Join(all, "; ")
}

func recordedSharing(look func(Function) Function) string {
	one, both := set.Interval{Lower: -10, Upper: 10}, set.Box{Lower: []float64{-10, -10}, Upper: []float64{10, 10}}
	g := stopped{tug{a: 0.5, c0: 1, c1: 2}, &stopping{Function: look(bowl{}), stop: func() {}}}
	together := plainly(func(g, u []float64) (float64, error) { g[0], g[1] = 1, 2; return u[0] + 2*u[1] - 5, nil })
	list, err := Shared[Function](context.Background(), g, []Function{together}, []kedge.Set{one, one}, both, []float64{1, 1}, Effort{})
	if err != nil {
		return told1(err)
	}
	return fmt.Sprintf("%d: %.9g multipliers %.6g excess %.2g loss %.9g gains %.2g", len(list), list[0].Decision, list[0].Multipliers, list[0].Excess, list[0].Loss, list[0].Gains)
}

// Searches of all kinds go as they went when this was recorded: as many looks, to the same answer. Other tests say that answers are right; this one says what a change of the way there does. The bits are those
// of one kind of processor, as linear algebra adds up in another order on others.
func TestSearchesGoAsRecorded(t *testing.T) {
	var got []string
	for name, ask := range searches() {
		looks := 0
		said := ask(func(f Function) Function { return counted{f, &looks} })
		got = append(got, fmt.Sprintf("%s: %d looks, %s", name, looks, said))
	}
	slices.Sort(got)
	evidence.AsRecorded(t, "testdata/searches.txt", got)
}
