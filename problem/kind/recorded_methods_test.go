package kind_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/objective"
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/stream"
)

// rules are algorithms, right and wrong.
func rules() []string {
	return []string{
		"{name: vanilla, step: 0.1}", "{name: mine, kind: vanilla, step: 0.1, batch: 3, clip: 0.5, momentum: 0.5, average: 2, trials: 4}", "{name: vanilla, step: 0.2, schedule: inverse-sqrt}", "{name: vanilla, step: 0.2, schedule: horizon, hold: 2}", "{name: vanilla, step: 0.2, schedule: diminishing}", "{name: vanilla, step: 0.2, schedule: diminishing, delay: 10, power: 0.5}", "{name: vanilla, step: 0.2, delay: 10, power: 0.5}", "{name: vanilla, step: 0.2, schedule: slower, delay: 2}", "{name: vanilla, step: 0.2, rate-limit: 0.1, hold: 3}",
		"{name: mine, step: 0.1}", "{name: mine, kind: mine, step: 0.1}", "{name: vanila, step: 0.1}", "{step: 0.1}", "{name: 'a b', kind: vanilla}", "{name: vanilla, step: 0, batch: 0, clip: 0, momentum: 1, average: 0, trials: 0, hold: 0, rate-limit: 0, delay: 0, power: 2}", "{name: vanilla, step: 0.1, sensitivity: closed}", "{name: vanilla, step: 0.1, heed: false, dual-step: 0.3, leak: 0.1}", "{name: vanilla, step: 0.1, play: alternating, anticipate: true}", "{name: vanilla, step: 0.1, anticipate: true, momentum: 0.5}", "{name: adam, step: 0.1, anticipate: true}", "{name: adam, step: 0.1, anticipate: true, momentum: 0}", "{name: vanilla, step: 0.1, play: chess, leak: -1}",
		"{name: lazy, step: 0.1}", "{name: lazy, step: 0.1, deploy: 2, growth: 0.5}", "{name: lazy, step: 0.1, deploy: 0.5, growth: -1}", "{name: repeated-gradient, step: 0.1}", "{name: repeated-gradient, step: 0.1, hold: 2}", "{name: repeated-risk}", "{name: repeated-risk, step: 0.5}", "{name: repeated-risk, step: 2}", "{name: delayed-risk}", "{name: delayed-risk, hold: 2, step: 0.5}", "{name: epoch, step: 0.1, contraction: 0.5}", "{name: epoch, step: 0.1, contraction: 1, hold: 3}", "{name: epoch, step: 0.1, contraction: 0.5, schedule: constant}", "{name: epoch-composite, step: 0.1, contraction: 0.3}",
		"{name: composite, step: 0.1}", "{name: composite, step: 0.1, sensitivity: implicit}", "{name: composite, step: 0.1, sensitivity: implicit, at: settled}", "{name: composite, step: 0.1, at: settled}", "{name: composite, step: 0.1, sensitivity: differences}", "{name: composite, step: 0.1, sensitivity: differences, at: settled}", "{name: composite, step: 0.1, norm: previous}", "{name: composite, step: 0.1, sensitivity: implicit, norm: previous}", "{name: composite, step: 0.1, sensitivity: guessed}", "{name: composite, step: 0.1, wrong: {scale: 0.5}}", "{name: composite, step: 0.1, wrong: {rotate: 30}}", "{name: composite, step: 0.1, wrong: {stale: 2}}", "{name: composite, step: 0.1, wrong: {scale: 2, stale: 1}}", "{name: composite, step: 0.1, wrong: {}}", "{name: composite, step: 0.1, wrong: {scale: 1e6, rotate: -180, stale: 1048576}}", "{name: composite, step: 0.1, wrong: {scale: 1000001, rotate: 180.5, stale: 1048577}}", "{name: composite, step: 0.1, wrong: {scale: 0, rotate: 200, stale: -1}}",
		"{name: composite, step: 0.1, sensitivity: learned, learn: {dither: 0.1}}", "{name: composite, step: 0.1, sensitivity: learned, learn: {dither: 0.1, method: kalman, form: mean, lag: naive, controls: none, noise: 0.1, drift: 0.1, trust: 0.1}}", "{name: composite, step: 0.1, sensitivity: learned, learn: {dither: 0.2, method: window, form: conditional, lag: state, memory: 5, trust: 0.01}}", "{name: composite, step: 0.1, sensitivity: learned, learn: {dither: 0.2, method: window, form: conditional, lag: naive, memory: 1, trend: 1, trust: 0.01}}", "{name: composite, step: 0.1, sensitivity: learned, learn: {dither: 0.2, lag: state, memory: 1000000, trend: 1000000, trust: 1, share: 0.99, pole: 0.01, half-life: 1}}", "{name: composite, step: 0.1, sensitivity: learned, learn: {dither: 0.2, memory: 1000001, trend: 0.5, trust: 1.1, pole: 0}}", "{name: composite, step: 0.1, sensitivity: learned, learn: {dither: 0.2, form: panel, half-life: 3, hold: 2, share: 0.5, trend: 2, prior: 2, pole: 0.5, trust: 0.1}}", "{name: composite, step: 0.1, sensitivity: learned, learn: {dither: 0.2, controls: alignment}, wrong: {scale: 0.5}}",
		"{name: composite, step: 0.1, sensitivity: learned}", "{name: composite, step: 0.1, sensitivity: learned, at: settled, learn: {dither: 0, method: magic, form: x, lag: y, pole: 1, controls: z, memory: 0, share: 1, trend: 0, prior: 0, noise: 0, drift: 0, trust: 0, half-life: 0, hold: 0}}", "{name: composite, step: 0.1, learn: {dither: 0.1}}",
		"{name: adam, step: 0.1}", "{name: adam, step: 0.1, scaling: each, decay: 0.9, momentum: 0.5, clip: 1}", "{name: adam, step: 0.1, scaling: all, decay: 1}", "{name: storm, step: 0.1, batch: 2}", "{name: storm, step: 0.1, batch: 4, weight: 0.5, sensitivity: implicit}", "{name: storm, step: 0.1, batch: 3, hold: 2, weight: 0}", "{name: storm, step: 0.1, batch: x, hold: y}",
		"{name: one-point, step: 0.01, delta: 0.5}", "{name: one-point, step: 0.01, delta: 0.5, perturbed: feasible}", "{name: one-point, step: 0.01, delta: 5, perturbed: feasible}", "{name: one-point, step: 0.01, delta: 0, perturbed: outside}", "{name: two-point, step: 0.01, delta: 0.5}", "{name: two-point, step: 0.01, delta: 0.25, perturbed: feasible, hold: 2}", "{name: derivative-free, step: 0.01, delta: 0.5}", "{name: derivative-free, step: 0.01, delta: 0.5, first: zero, carry: true}", "{name: derivative-free, step: 0.01, delta: 0.5, first: last, carry: 1}", "{name: epoch-derivative-free, step: 0.01, delta: 0.5, contraction: 0.5}",
		"{name: performative, step: 0.1, delta: 0.5}", "{name: performative, step: 0.1, delta: 0.5, window: 4}", "{name: performative, step: 0.1, delta: 0.5, window: 1}", "{name: performative, step: 0.1, delta: 0.5, window: 2}", "{name: reinforce, step: 0.1, delta: 0.5, window: 4}", "{name: plug-in, delta: 0.5}", "{name: plug-in, delta: 0.5, tries: 4, family: location-scale, step: 0.5}", "{name: plug-in, delta: 0.5, tries: 2}", "{name: plug-in, delta: 0.5, tries: 1, family: none}",
	}
}

// hosts are specs that algorithms stand in.
func hosts(c *kind.Catalogue) map[string]kind.Host {
	return map[string]kind.Host{
		"alone": {Kinds: c, Size: 4, Trials: 3}, "all": {Kinds: c, Size: 4, Trials: 1, Constrained: true, Contested: true, Lengths: true}, "of a file": {Kinds: c, Trials: 2, Constrained: true},
	}
}

// site is where rules are built: people who follow the decision half way, and pay for being far from 1.
func site(t *testing.T, feasible kind.Set) (*kind.Site, *dynamics.Affine) {
	t.Helper()
	dim := kedge.Dims{Decision: 2, State: 2, Trait: 2}
	f, err := dynamics.NewAffine(dim, []float64{0.5, 0.1, 0, 0.4}, []float64{0.5, 0, 0.2, 0.4}, []float64{0.5, 0, 0, 0.5})
	m, again := kind.AffineModel(f, err)
	judge, third := objective.NewQuadratic(dim, []float64{2, 0, 0, 1}, []float64{0.5, 0, 0, 0.5}, []float64{1, 0, 0, 1}, []float64{-1, 0.5}, []float64{0.3, -0.2})
	set, fourth := kind.BuildSet(feasible, 2)
	for _, err := range []error{again, third, fourth} {
		if err != nil {
			t.Fatal(err)
		}
	}
	m.Objective, m.Set = judge, set
	return &kind.Site{
		Model: m, Feasible: feasible, Turns: 16, Directions: stream.New(9, "directions"),
		Narrow: func(x kind.Set) (kedge.Set, error) { return kind.BuildSet(x, 2) },
		Keep:   func(e online.Estimator, _ kedge.Sensitivity) (online.Estimator, error) { return e, nil },
		Fail: func(key, format string, args ...any) error {
			return fmt.Errorf("%q"+format, append([]any{key}, args...)...)
		},
	}, f
}

// walk is what a rule decides in twelve turns of a crowd of four.
func walk(r online.Rule, s *kind.Site, f kedge.RowDynamics) (lines []string) {
	d, err := r.From([]float64{0.5, -0.25})
	if err != nil {
		return []string{"  does not start: " + err.Error()}
	}
	traits := []float64{1, 0, 0.5, -0.5, -1, 2, 0.25, 0.75}
	states := append([]float64(nil), traits...)
	for k := range 12 {
		u, next := make([]float64, 2), make([]float64, len(states))
		d.Ask(u)
		f.NextRows(next, states, u, traits)
		states = next
		loss := s.RowObjective().EvalRows(make([]float64, 8), make([]float64, 2), states, u, traits) / 4
		if err := d.Tell(kedge.Observation{Round: k, U: u, P: states, D: traits, Who: []uint64{1, 2, 3, 4}, Loss: loss}); err != nil {
			return append(lines, fmt.Sprintf("  turn %d: %v", k, err))
		}
		lines = append(lines, figures(u))
	}
	center := make([]float64, 2)
	d.Center(center)
	return []string{"  " + strings.Join(lines, " ") + " center " + figures(center)}
}

// about a rule: the parts that it is assembled of.
func parts(r online.Rule) string {
	text := fmt.Sprintf("%T steps %s average %d", r.Gradient, figures([]float64{r.Step.Step(0), r.Step.Step(1), r.Step.Step(7)}), r.Average)
	for _, one := range r.Transforms {
		text += fmt.Sprintf(" %T", one)
	}
	for _, rhythm := range []online.Rhythm{r.Wait, r.Inner} {
		if rhythm != nil {
			text += fmt.Sprintf(" %T %d %d %d", rhythm, rhythm.Turns(0), rhythm.Turns(1), rhythm.Turns(5))
		}
	}
	return text
}

// facts are what is known of an algorithm as it is set.
func facts(a *kind.Algorithm) string {
	known := a.Facts()
	wrong := known.Wrong
	known.Wrong = nil
	text := fmt.Sprintf("%s; random %v, %+v", a.Words(), a.Random(), known)
	if wrong != nil {
		text += fmt.Sprintf(" wrong %+v", *wrong)
	}
	return text
}

// describing reads or prints one algorithm.
func describing(a *kind.Algorithm, h *kind.Host) func(f *form.Form) {
	list := []kind.Algorithm{*a}
	return func(f *form.Form) {
		form.Field(f, "algorithms", &list, form.Parts("a list of algorithms", func(f *form.Form, one *kind.Algorithm) { one.Describe(f, h) }), says())
		if len(list) > 0 {
			*a = list[0]
		}
	}
}

// Algorithms are read, checked, refused, printed, built and run as when this was recorded.
func TestAlgorithmsAsRecorded(t *testing.T) {
	c := kind.Standard()
	all := hosts(c)
	box := &kind.BoxSet{Lower: form.Vector{All: -1}, Upper: form.Vector{All: 1}}
	var got []string
	for _, text := range rules() {
		for _, name := range []string{"alone", "all", "of a file"} {
			host, a := all[name], &kind.Algorithm{}
			s := read("algorithms: ["+text+"]", describing(a, &host))
			a.Check(&form.Check{Mistakes: s.found, Root: s.root}, s.root.EntryPath("algorithms", 0))
			got = append(append(got, text+" "+name), s.told()...)
			if s.found.Join() != nil {
				continue
			}
			got = append(got, "  "+form.Print(describing(a, &host)).Flow(), "  "+facts(a))
			if name != "alone" && !a.Anticipate {
				continue
			}
			where, f := site(t, box)
			r, err := a.Rule(where)
			if err != nil {
				got = append(got, "  not built: "+err.Error())
				continue
			}
			got = append(append(got, "  "+parts(r)), walk(r, where, f)...)
		}
	}
	host := all["all"]
	recorded(t, "algorithms.txt", append(got, vocabulary(func(f *form.Form) { new(kind.Algorithm).Describe(f, &host) })...))
}

// Rules want sets of certain kinds, and say so.
func TestRulesOfOtherSetsAsRecorded(t *testing.T) {
	c := kind.Standard()
	var got []string
	for _, feasible := range []kind.Set{&kind.SimplexSet{Sum: 1}, &kind.BallSet{Radius: 1}, &kind.WholeSet{}, &kind.HalfSpaceSet{Normal: []float64{1, 1}, Bound: 0.1}, &kind.ConvexSet{Where: []string{"u[0]^2 + 2*u[1]^2 <= 4"}}} {
		for _, text := range []string{"{name: adam, step: 0.1, scaling: each}", "{name: one-point, step: 0.01, delta: 0.25, perturbed: feasible}", "{name: plug-in, delta: 0.25, perturbed: feasible, tries: 4}", "{name: performative, step: 0.1, delta: 2, perturbed: feasible}"} {
			host, a := hosts(c)["alone"], &kind.Algorithm{}
			s := read("algorithms: ["+text+"]", describing(a, &host))
			got = append(append(got, text+" on "+form.NameOf(feasible)), s.told()...)
			where, f := site(t, feasible)
			r, err := a.Rule(where)
			if err != nil {
				got = append(got, "  not built: "+err.Error())
				continue
			}
			got = append(append(got, "  "+parts(r)), walk(r, where, f)...)
		}
	}
	where, _ := site(t, &kind.WholeSet{})
	_, err := (&kind.Algorithm{Name: "nameless"}).Rule(where)
	got = append(got, fmt.Sprint(err), fmt.Sprintf("%+v %q", (&kind.Algorithm{}).Facts(), (&kind.Algorithm{}).Kind()))
	recorded(t, "rules.txt", got)
}

// A method that cannot keep what it is asked to keep says why, and one that is misled says how.
func TestWhatSitesSayIsHandedOn(t *testing.T) {
	c := kind.Standard()
	for _, text := range []string{"{name: vanilla, step: 1}", "{name: lazy, step: 1}", "{name: composite, step: 1}", "{name: composite, step: 1, sensitivity: learned, learn: {dither: 1}}", "{name: adam, step: 1}", "{name: epoch-composite, step: 1, contraction: 0.5}"} {
		host, a := hosts(c)["alone"], &kind.Algorithm{}
		read("algorithms: ["+text+"]", describing(a, &host))
		where, _ := site(t, &kind.WholeSet{})
		where.Keep = func(online.Estimator, kedge.Sensitivity) (online.Estimator, error) {
			return nil, fmt.Errorf("not kept")
		}
		if _, err := a.Rule(where); err == nil || err.Error() != "not kept" {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// Curves that nobody checked are refused when they are built, by their formula.
func TestCurvesThatAreNone(t *testing.T) {
	for text, want := range map[string]string{"u[0] <= nobody": "unknown name nobody", "norm(u) <= ": "the formula ends"} {
		if made, err := kind.BuildSet(&kind.ConvexSet{Where: []string{text}}, 2); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is the set %v, %v", text, made, err)
		}
	}
}

// Equations beside a curve that contradict each other leave no set.
func TestCurvesBesideContradictions(t *testing.T) {
	for second, want := range map[string]bool{"sum(q) == 2": false, "2*sum(q) == 2": true} {
		m, err := formula.Compile(formula.Source{Decision: "q[2]", State: "p[2]", Trait: "d[2]", Next: "0.5*p", Minimize: "dot(q, p)", Subject: []string{"sum(q) == 1", second, "q[0]^2 + 2*q[1]^2 <= 4"}})
		if err == nil {
			_, err = kind.BuildSet(kind.Constrained(m), 2)
		}
		if (err == nil) != want {
			t.Errorf("sum(q) == 1 and %s: %v", second, err)
		}
	}
}

// Methods that try decisions beside their own tell a distance that is none.
func TestDistancesThatAreNone(t *testing.T) {
	where, _ := site(t, &kind.WholeSet{})
	for _, m := range []kind.Method{&kind.OnePointMethod{}, &kind.TwoPointMethod{}, &kind.DerivativeFreeMethod{}} {
		var r online.Rule
		if err := m.Build(&r, &kind.Algorithm{}, where); err == nil || err.Error() != `"": delta is 0, want a positive number` {
			t.Errorf("%T: %v", m, err)
		}
	}
}

// Methods that nobody has set are compared with usual settings, scaled as when this was recorded; sensitivities are spoiled as they are told.
func TestUsualSettingsAsRecorded(t *testing.T) {
	c := kind.Standard()
	var got []string
	for _, s := range []kind.Scales{{Turns: 1000, Batch: 20, Entries: 3, Curvature: 2, Radius: 1.23456, Contraction: 0.5, Hold: 7}, {Turns: 10, Batch: 1, Entries: 1, Curvature: 1, Radius: 0.1, Contraction: 0.9, Hold: 10}, {Turns: 1, Entries: 2, Radius: 3, Contraction: 0.1, Hold: 1}} {
		got = append(got, fmt.Sprintf("%+v: %d epochs, a third %v", s, s.Epochs(), s.Part(3)))
		for _, m := range c.Methods {
			if u, ok := m.(kind.ComparedMethod); ok {
				got = append(got, fmt.Sprintf("  %s %v", form.NameOf(m), u.Usual(s)))
			}
		}
	}
	for y := kind.Curvature; y <= kind.Residual; y++ {
		got = append(got, fmt.Sprintf("%d %q", y, y.Unjudged()))
	}
	where, _ := site(t, &kind.WholeSet{})
	for _, w := range []*kind.Wrong{nil, {Scale: 1}, {Scale: 1, Stale: 3}, {Scale: 0.5}, {Scale: 1, Rotate: 90}, {Scale: 2, Rotate: 30, Stale: 1}} {
		right, wrong := (&kind.CompositeMethod{Wrong: w}).Spoiled(where.Model)
		line := fmt.Sprint(w)
		for _, h := range []kedge.Sensitivity{right, wrong} {
			if h != nil {
				g := make([]float64, 2)
				err := h.PullRows(g, []float64{1, 2}, []float64{0.5, 0.25}, []float64{1, 0}, []float64{1, -1})
				line += fmt.Sprintf(" %s %v", figures(g), err)
			}
		}
		got = append(got, line)
	}
	learned := &kind.CompositeMethod{Wrong: &kind.Wrong{Scale: 2}}
	learned.Sensitivity = "learned"
	right, wrong := learned.Spoiled(where.Model)
	where.Social = true
	got = append(got, fmt.Sprint(right, wrong, c.MethodNames()), fmt.Sprintf("%T", (&kind.Answer{}).Sensed(where.Model)), fmt.Sprint(kind.Rounded(1.23456), kind.Rounded(1e-9/3)))
	for _, m := range c.Methods {
		f := m.Facts()
		got = append(got, fmt.Sprintf("%s: %s settles %s", m.Word().Value, f.Title, f.Settles()))
	}
	recorded(t, "usual.txt", got)
}
