package report

import (
	"maps"
	"math"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/loop"
	"github.com/kedge-opt/kedge/stream"
)

// measured is a table of rows by the names of columns.
func measured(k []int, rows ...map[string]float64) folder.Measured {
	columns := slices.DeleteFunc(loop.Standard(), func(c kedge.Column) bool { _, ok := rows[0][c.Name]; return !ok })
	for _, name := range slices.Sorted(maps.Keys(rows[0])) {
		if c := loop.Describe(name); !slices.Contains(columns, c) {
			columns = append(columns, c)
		}
	}
	m := folder.NewMeasured(columns, len(k))
	row := make([]float64, len(columns))
	for i := range k {
		for j, c := range columns {
			row[j] = rows[i][c.Name]
		}
		m.Add(k[i], row)
	}
	return m
}

// set makes all numbers of a column the same.
func set(t *folder.Trial, name string, v float64) {
	for i := range t.Of(name) {
		t.Of(name)[i] = v
	}
}

// A knot is a mean that a run of the case studies passes through.
type knot struct{ k, gap, distance float64 }

// between interpolates in logarithms.
func between(knots []knot, k float64, pick func(knot) float64) float64 {
	i := 1
	for i < len(knots)-1 && knots[i].k < k {
		i++
	}
	a, b := knots[i-1], knots[i]
	t := min(max((k-a.k)/(b.k-a.k), 0), 1)
	return math.Exp(float64((1-t)*math.Log(pick(a))) + float64(t*math.Log(pick(b))))
}

// synthetic makes the trials of one algorithm: the knots with noise that remembers itself, zero at the start.
func synthetic(name string, trials, turns, every int, best, noise float64, knots []knot, fill func(m map[string]float64)) folder.Run {
	run := folder.Run{Name: name, Planned: trials, Seconds: 12.345 * float64(trials)}
	for i := range trials {
		s := stream.New(1, name)
		s.Seek(uint64(i))
		var turn []int
		var rows []map[string]float64
		drift := 0.0
		for k := 0; k <= turns; k += every {
			m := map[string]float64{
				"gap":      between(knots, float64(k), func(n knot) float64 { return n.gap }) * math.Exp(2*drift),
				"distance": between(knots, float64(k), func(n knot) float64 { return n.distance }) * math.Exp(drift),
			}
			for _, none := range []string{"w1_own", "w1_optimal", "gradient", "gap_rollout", "distance_rollout"} {
				m[none] = math.NaN()
			}
			m["value"] = best * (1 - m["gap"])
			fill(m)
			turn, rows = append(turn, k), append(rows, m)
			drift = float64(0.97*drift) + float64(noise*s.Normal())
		}
		run.Trials = append(run.Trials, folder.Trial{Index: i, Measured: measured(turn, rows...)})
	}
	return run
}

// walked gives the last trial of every algorithm a path: people on the unit circle, or shares of items, drawn to the decision.
func walked(r *folder.Result, people, n int, shares bool) *folder.Result {
	for i := range r.Runs {
		s := stream.New(4, r.Runs[i].Name)
		p := &folder.Path{K: []int{0, 1, 4, 9, 16, 25}, People: make([]int, people)}
		for k := range p.K {
			for range people {
				p.States = append(p.States, direction(s, n, float64(k), shares)...)
			}
			p.Decisions = append(p.Decisions, direction(s, n, 2*float64(k), false)...)
		}
		r.Runs[i].Trials[len(r.Runs[i].Trials)-1].Path = p
	}
	return r
}

// direction is a random unit vector, the nearer to the first axis the greater the pull; as shares it is positive and sums
// to 1.
func direction(s *stream.Stream, n int, pull float64, shares bool) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = s.Normal()
	}
	v[0] += pull
	norm := 0.0
	for i := range v {
		if shares {
			v[i] = math.Abs(v[i])
			norm += v[i]
		} else {
			norm = math.Hypot(norm, v[i])
		}
	}
	for i := range v {
		v[i] /= norm
	}
	return v
}

// polarized looks like the first case study of [he2025] at full scale, with means as recorded.
func polarized() *folder.Result { return polarizedEvery(10) }

func polarizedEvery(turns int) *folder.Result {
	const best, bias = 0.489986623191, 0.0240
	reference := func(m map[string]float64) {
		m["distance_rollout"] = math.Hypot(m["distance"], bias)
		m["gap_rollout"] = math.Hypot(m["gap"], 6e-4)
	}
	u := []float64{1, 0}
	return walked(&folder.Result{
		Case: "polarized", Seed: 1, Iterations: 8000, Trials: 20, Individuals: 1000, Maximize: true,
		Spec:    "seed: 1\niterations: 8000\ntrials: 20\npopulation: {size: 1000, dim: 20, law: cap, angle: 90}\ndynamics:   {kind: polarized, lambda: 0.4, sigma: 0.5}\nobjective:  {kind: affinity}\nset:        {kind: ball, radius: 1}\nalgorithms:\n  - {name: vanilla, step: 0.005, batch: 50}\n  - {name: composite, step: 0.005, batch: 50}\nrecord:     {every: 10}\n",
		Optimum: folder.Point{Decision: u, Value: best, Residual: 3.1e-11, Starts: 20, Spread: 4.5e-15},
		Stable:  folder.Point{Decision: u, Value: best * (1 - 7.047e-3), Gap: 7.047e-3, Distance: 0.09434, Residual: 8.2e-13, Starts: 1},
		Reference: &folder.Reference{
			Steps:   10,
			Optimum: folder.Point{Decision: u, Value: 0.471754720, Residual: 2.2e-11, Starts: 20, Spread: 1e-15},
			True:    folder.Point{Decision: u, Value: best * (1 - 5.6e-4), Gap: 5.6e-4, Distance: bias},
		},
		Runs: []folder.Run{
			synthetic("vanilla", 20, 8000, turns, best, 0.008, []knot{
				{0, .635, 1.10}, {100, .573, 1.04}, {1000, .200, .553}, {2000, .0534, .259}, {3500, .0102, .1105}, {5000, 7.5e-3, .0965}, {8000, 7.35e-3, .0961}}, reference),
			synthetic("composite", 20, 8000, turns, best, 0.06, []knot{
				{0, .635, 1.10}, {100, .478, .933}, {1000, 3.3e-3, .0626}, {1500, 3.4e-4, .019}, {2000, 3.04e-4, .0177}, {8000, 2.92e-4, .0172}}, reference),
		},
		Angles: &folder.Angles{
			Initial: bell("initial", 90, 9),
			Final:   map[string][]float64{"vanilla": bell("vanilla", 60.6, 15), "composite": bell("composite", 59.6, 15)},
			Optimal: bell("composite", 59.5, 15),
		},
		Identity: folder.Identity{Build: folder.Build{Version: "v0.1.0", GOARCH: "amd64", GOAMD64: "v1", FMA: true}},
	}, 40, 2, false)
}

func bell(name string, mean, deviation float64) []float64 {
	s := stream.New(2, name)
	angles := make([]float64, 1000)
	for i := range angles {
		angles[i] = min(max(mean+float64(deviation*s.Normal()), 0), 180)
	}
	return angles
}

// choice looks like the second case study of [he2025]: two deterministic algorithms, one with 20 trials, W₁ measured.
func choice() *folder.Result { return choiceEvery(1) }

func choiceEvery(turns int) *folder.Result {
	const best = 2.08092824416
	w1 := func(m map[string]float64) {
		m["w1_own"], m["w1_optimal"] = m["distance"]/9, m["distance"]/5
		v := m["distance"] / 50
		m["v"], m["v_bound"], m["w1_joint"], m["bias"], m["bias_by_w1"], m["bias_by_v"] = v, 4*v, v, v/2, 60*v, v
	}
	u := []float64{1, 0}
	return walked(&folder.Result{
		Case: "choice", Seed: 1, Iterations: 6000, Trials: 20, Individuals: 1, Maximize: true,
		Spec:    "seed: 1\niterations: 6000\nrecord: {every: 1}\n",
		Optimum: folder.Point{Decision: u, Value: best, Residual: 5e-12, Starts: 20, Spread: 2e-16},
		Stable:  folder.Point{Decision: u, Value: best * (1 - 0.0199), Gap: 0.0199, Distance: 0.121, Starts: 1},
		Runs: []folder.Run{
			synthetic("vanilla", 1, 6000, turns, best, 0, []knot{{0, .29966, .5}, {100, .21493, .4}, {1000, .02099, .13}, {6000, .01975, .121}}, w1),
			synthetic("composite", 1, 6000, turns, best, 0, []knot{{0, .29966, .5}, {100, .17063, .38}, {1000, 2.09e-3, .05}, {5000, 4.6e-10, 3e-5}, {6000, 1.1e-11, 4e-6}}, w1),
			synthetic("derivative-free", 20, 6000, turns, best, 0.01, []knot{{0, .29966, .5}, {100, .27842, .48}, {1000, .13685, .3}, {5000, .03382, .17}, {6000, .03098, .16}}, w1),
		},
		Notes:    []string{"derivative-free without holding a decision settles near the myopic point, not the optimum."},
		Identity: folder.Identity{Build: folder.Build{Version: "v0.1.0", GOARCH: "amd64", GOAMD64: "v1"}},
	}, 1, 100, true)
}
