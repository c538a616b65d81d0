package report

import (
	"fmt"
	"math"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/loop"
)

// cases are results of every shape that a run can leave behind.
func cases() map[string]*folder.Result {
	list := map[string]*folder.Result{"polarized": polarized(), "choice": choice(), "empty": {}}
	for name, dim := range map[string]int{"path of a number": 1, "path in a projection": 7} {
		list[name] = walked(polarizedEvery(2000), 3, dim, false)
		list[name].Optimum.Decision = make([]float64, dim)
	}
	for _, name := range []string{"one algorithm", "one trial", "no trial", "no angles", "one turn", "not measured", "all equal", "zero", "hostile numbers"} {
		list[name] = polarizedEvery(200)
	}
	for _, name := range []string{"hostile names", "many algorithms", "many turns"} {
		list[name] = choiceEvery(10)
	}
	list["one algorithm"].Runs = list["one algorithm"].Runs[1:]
	list["no angles"].Angles = nil
	for i := range list["no trial"].Runs {
		list["one trial"].Runs[i].Trials = list["one trial"].Runs[i].Trials[:1]
		list["no trial"].Runs[i].Trials = nil
	}
	list["no trial"].Partial = true
	each(list["one turn"], func(t *folder.Trial) {
		t.K = t.K[:1]
		for i := range t.Values {
			t.Values[i] = t.Values[i][:1]
		}
	})
	setAll(list["not measured"], math.NaN())
	setAll(list["all equal"], 1e-3)
	setAll(list["zero"], 0)
	hostileNumbers(list["hostile numbers"])
	hostileNames(list["hostile names"])
	for i := range 12 {
		run := list["many algorithms"].Runs[2]
		run.Name = fmt.Sprintf("algorithm number %d", i)
		list["many algorithms"].Runs = append(list["many algorithms"].Runs, run)
	}
	each(list["many turns"], func(t *folder.Trial) {
		for i := range t.K {
			t.K[i] *= 1_000_003
		}
	})
	return list
}

func each(r *folder.Result, change func(t *folder.Trial)) {
	for _, run := range r.Runs {
		for i := range run.Trials {
			change(&run.Trials[i])
		}
	}
}

func setAll(r *folder.Result, v float64) {
	each(r, func(t *folder.Trial) {
		for _, c := range withTheory(t) {
			set(t, c.Name, v)
		}
	})
}

// withTheory gives a trial the columns of the theory, and returns all.
func withTheory(t *folder.Trial) []kedge.Column {
	for _, name := range []string{"v", "v_bound", "w1_joint", "bias", "bias_by_w1", "bias_by_v"} {
		if !t.Has(name) {
			t.Columns, t.Values = append(slices.Clone(t.Columns), loop.Describe(name)), append(t.Values, make([]float64, len(t.K)))
		}
	}
	return t.Columns
}

// hostileNumbers puts what must not break a drawing into all quantities, turn by turn.
func hostileNumbers(r *folder.Result) {
	bad := []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, -1, math.MaxFloat64, -math.MaxFloat64, 5e-324, 1e-3, 1e-17}
	n := 0
	each(r, func(t *folder.Trial) {
		withTheory(t)
		for i := range t.K {
			for _, values := range t.Values {
				values[i] = bad[n%len(bad)]
			}
			n++
		}
	})
	r.Optimum = folder.Point{Value: math.Inf(-1), Residual: math.NaN()}
	r.Stable = folder.Point{Decision: []float64{1}, Value: math.Inf(1), Gap: math.Inf(1), Distance: math.NaN()}
	r.Reference.True.Gap, r.Reference.True.Distance = -1, math.MaxFloat64
	for _, run := range r.Runs {
		p := run.Trials[len(run.Trials)-1].Path
		for i := range p.States {
			p.States[i] = bad[i*i%len(bad)]
		}
		copy(p.Decisions, bad)
	}
	for i := range bad[:4] {
		r.Angles.Initial[i], r.Angles.Optimal[i] = bad[i], bad[i]
	}
}

// hostileNames puts markup, control characters and endless words where names go.
func hostileNames(r *folder.Result) {
	const markup = "\x00\x1b\xff\n\u202e" + `</svg></style><script>alert("1")</script><b>&amp;'`
	endless := markup
	for range 6 {
		endless += endless
	}
	r.Case, r.Spec, r.Notes = markup, markup, []string{markup}
	r.Build.Version = markup
	r.Runs[0].Name, r.Runs[1].Name, r.Runs[2].Name = markup, endless, "名前 для имён"
	r.Angles = &folder.Angles{Initial: bell("a", 90, 9), Optimal: bell("b", 60, 9), Final: map[string][]float64{}}
	for _, run := range r.Runs {
		r.Angles.Final[run.Name] = bell(run.Name, 60, 12)
	}
}
