package moments

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge/fit"
	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/internal/crew"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/stream"
	"gonum.org/v1/gonum/stat/distuv"
)

// trialLog is what a fit to one simulated log says.
type trialLog struct{ value, deviation, low, high []float64 }

// recovered is a model whose unknown numbers are looked for in simulated logs.
type recovered struct {
	name  string
	names []string
	theta []float64
	try   func(seed uint64) (trialLog, error)
}

// panelOf tries logs of the same people again and again: decisions are drawn anew for every time and log, errors are normal, independent, and come to the
// state behind everything else of a step.
func panelOf(name string, s formula.Source, declared []string, unknowns []fit.Unknown, theta []float64, people, dates, traits int, noise float64, place func(x []float64)) recovered {
	return recovered{name, names(unknowns), theta, func(seed uint64) (out trialLog, err error) {
		f, err := s.Regress(declared)
		if err != nil {
			return out, err
		}
		draw := stream.New(seed, "panel", name)
		l := walked(f, draw, theta, people, dates, traits, noise, place)
		got, err := fit.Find(context.Background(), f, l, unknowns, fit.Options{})
		if err != nil {
			return out, err
		}
		return student(got), nil
	}}
}

func names(unknowns []fit.Unknown) (list []string) {
	for _, u := range unknowns {
		list = append(list, u.Name)
	}
	return list
}

// anywhere leaves states and traits where they were drawn, onSphere makes directions of them.
func anywhere([]float64) {}

func onSphere(x []float64) {
	by := 0.0
	for _, v := range x {
		by += v * v
	}
	for i := range x {
		x[i] /= math.Sqrt(by)
	}
}

func walked(f *formula.Regressor, draw *stream.Stream, theta []float64, people, dates, traits int, noise float64, place func(x []float64)) (l fit.Log) {
	decisions := make([]float64, dates*(f.Beside-traits))
	draw.Normals(decisions)
	width := f.Beside - traits
	out := make([]float64, f.Width())
	for person := range people {
		p, beside := make([]float64, f.States), make([]float64, f.Beside)
		draw.Normals(p)
		draw.Normals(beside[:traits])
		place(p)
		place(beside[:traits])
		for t := range dates {
			copy(beside[traits:], decisions[t*width:(t+1)*width])
			f.Rows(out, p, theta, beside)
			l.States, l.Beside, l.Person = append(l.States, p...), append(l.Beside, beside...), append(l.Person, person)
			for e := range p {
				p[e] = out[e] + noise*draw.Normal()
			}
			l.After = append(l.After, p...)
		}
	}
	return l
}

// hidden tries logs of a panel whose traits are not in it: they are normal, and where people begin depends on them, as after a long time.
func hidden(name string, s formula.Source, declared []string, unknowns []fit.Unknown, theta []float64, people, dates, traits int, noise float64) recovered {
	return recovered{name, names(unknowns), theta, func(seed uint64) (out trialLog, err error) {
		f, err := s.Regress(declared)
		if err != nil {
			return out, err
		}
		const before = 15
		whole := walked(f, stream.New(seed, "panel", name), theta, people, before+dates, traits, noise, anywhere)
		var l fit.Log
		for i, who := range whole.Person {
			if t := i % (before + dates); t >= before {
				l.Time, l.Person = append(l.Time, t), append(l.Person, who)
				l.States, l.After = append(l.States, whole.States[i*f.States:(i+1)*f.States]...), append(l.After, whole.After[i*f.States:(i+1)*f.States]...)
				l.Beside = append(l.Beside, whole.Beside[i*f.Beside+traits:(i+1)*f.Beside]...)
			}
		}
		if f, err = s.RegressTraits(declared); err != nil {
			return out, err
		}
		got, err := fit.Find(context.Background(), f, l, unknowns, fit.Options{Unseen: fit.Random, Origin: true})
		if err != nil {
			return out, err
		}
		return student(got), nil
	}}
}

// student takes intervals by Student's law with one degree less than there are people.
func student(got *fit.Fitted) trialLog {
	by := distuv.StudentsT{Sigma: 1, Nu: float64(got.People - 1)}.Quantile(0.975)
	out := trialLog{value: got.Value, deviation: got.Error}
	for j, v := range got.Value {
		out.low, out.high = append(out.low, v-by*got.Error[j]), append(out.high, v+by*got.Error[j])
	}
	return out
}

// sectionsOf tries samples of other people every time.
func sectionsOf(name string, s formula.Source, declared []string, unknowns []fit.Unknown, w world, noise ...population.Number) recovered {
	return recovered{name, names(unknowns), w.theta, func(seed uint64) (out trialLog, err error) {
		w := w
		if w.f, err = s.Roll(declared); err != nil {
			return out, err
		}
		log := w.samples(seed)
		log.Noise, log.Copies = noise, w.copies
		got, err := Find(context.Background(), w.f, log, unknowns, fit.Options{Seed: seed})
		if err != nil {
			return out, err
		}
		if len(got.Blind) > 0 {
			return out, errors.New(got.Blind[0].String())
		}
		return intervals(got), nil
	}}
}

// meansOf tries means by date and region, with shocks that move everybody of a region and errors of what is seen.
func meansOf(name string, dates, groups int, shocks, seen float64) recovered {
	s := formula.Source{Decision: "q", State: "p", Trait: "d", Next: "habit*p + (1-habit)*(d - b*q)"}
	unknowns := []fit.Unknown{between(fit.Free("habit", 0.5), 0, 1), fit.Free("b", 0)}
	theta := []float64{0.6, 1.2}
	return recovered{name, names(unknowns), theta, func(seed uint64) (out trialLog, err error) {
		f, err := s.Roll([]string{"habit", "b"})
		if err != nil {
			return out, err
		}
		draw := stream.New(seed, "means", name)
		a := Aggregates{Exposure: Exposure{Dates: dates, Groups: groups}}
		for range dates * groups {
			a.Beside = append(a.Beside, 1+0.5*draw.Normal())
		}
		for g := range groups {
			p, d := 1.0, 2+0.3*draw.Normal()
			a.Start.States, a.Start.Traits, a.Start.Group = append(a.Start.States, p, p), append(a.Start.Traits, d-1, d+1), append(a.Start.Group, g, g)
			for t := 1; t < dates; t++ {
				p = theta[0]*p + (1-theta[0])*(d-theta[1]*a.Beside[(t-1)*groups+g]) + shocks*draw.Normal()
				a.Time, a.Group, a.Mean = append(a.Time, t), append(a.Group, g), append(a.Mean, p+seen*draw.Normal())
			}
		}
		got, err := FindAggregates(context.Background(), f, a, unknowns, fit.Options{})
		if err != nil {
			return out, err
		}
		return intervals(got), nil
	}}
}

func intervals(got *Matched) trialLog {
	out := trialLog{value: got.Value, deviation: got.Error}
	for j := range got.Value {
		low, high := got.Interval(j, 0.95)
		out.low, out.high = append(out.low, low), append(out.high, high)
	}
	return out
}

// recoveries are the models.
func recoveries() []recovered {
	free := fit.Free
	b := []fit.Unknown{free("B[0,0]", 0), free("B[0,1]", 0), free("B[1,0]", 0), free("B[1,1]", 0)}
	pricing := formula.Source{Decision: "q[2]", State: "p[2]", Trait: "d[2]", Next: "habit*p + (1-habit)*(d - B @ q)"}
	priced := []float64{0.7, 1.2, -0.2, -0.3, 0.9}
	shop := append([]fit.Unknown{between(free("habit", 0.5), 0, 1)}, b...)
	letter := formula.Source{Decision: "q", State: "p", Trait: "d", Next: "p + rate*(sigmoid(d + a*q - b*q^2) - p)"}
	noisy := letter
	noisy.Noise, noisy.Next = []formula.Shock{{Declaration: "w"}}, "p + rate*(sigmoid(d + a*q - b*q^2 + w) - p)"
	reader := []fit.Unknown{between(free("rate", 0.5), 0, 1), free("a", 0.5), free("b", 0)}
	return []recovered{
		panelOf("polarized", formula.Source{Decision: "q[3]", State: "p[3]", Trait: "d[3]", Next: "normalize(lambda*p + (1-lambda)*d + sigma*dot(p,q)*q)"}, []string{"lambda", "sigma"},
			[]fit.Unknown{between(free("lambda", 0.5), 0, 1), between(free("sigma", 0.2), 0, 2)}, []float64{0.4, 0.5}, 100, 10, 3, 0.1, onSphere),
		panelOf("choice", formula.Source{Decision: "u[3]", State: "p[3]", Trait: "d[3]", Next: "l1*p + l2*softmax(-eps*u) + (1-l1-l2)*d"}, []string{"l1", "l2", "eps"},
			[]fit.Unknown{between(free("l1", 0.3), 0, 1), between(free("l2", 0.3), 0, 1), between(free("eps", 0.5), 0, 20)}, []float64{0.5, 0.3, 1}, 60, 10, 3, 0.1, anywhere),
		panelOf("pricing", pricing, []string{"habit", "B[2, 2]"}, shop, priced, 60, 10, 2, 0.3, anywhere),
		hidden("random effects", formula.Source{Decision: "q", State: "p", Trait: "d", Next: "habit*p + d - b*q"}, []string{"habit", "b"},
			[]fit.Unknown{between(free("habit", 0.5), 0, 1), free("b", 0)}, []float64{0.6, 1.2}, 60, 8, 1, 0.3),
		panelOf("newsletter", letter, []string{"rate", "a", "b"}, reader, []float64{0.3, 1, 0.4}, 60, 10, 1, 0.05, anywhere),
		sectionsOf("pricing from sections", pricing, []string{"habit", "B[2, 2]"}, shop,
			world{theta: priced, people: 300, dates: 8, traits: 2, noise: 0.3, state: normal(2, 1), trait: normal(3, 1), decide: normal(1, 0.5)}),
		sectionsOf("noisy newsletter from sections", noisy, []string{"rate", "a", "b"}, reader,
			world{theta: []float64{0.3, 1, 0.4}, people: 300, dates: 6, copies: 4, traits: 1, state: normal(0.2, 0.1), trait: normal(-1, 1), decide: normal(0.5, 1)}, standard()),
		meansOf("means of 60 dates", 60, 1, 0.1, 0.05),
		meansOf("means of 12 regions, 20 dates", 20, 12, 0.1, 0),
	}
}

// coverage is how often intervals hold the number that made the log, and how far estimates are off on average in units of their errors.
type coverage struct {
	held, least, most float64 // of all numbers, of the worst ones
	bias              float64 // the largest
	said              float64 // errors as said, by those that estimates had, of the number that is furthest off
	failed            float64 // the share of logs without an end
}

func (r recovered) cover(logs int) (out coverage, err error) {
	all := make([]*trialLog, logs)
	err = crew.Share(runtime.GOMAXPROCS(0), logs, func(_, i int) error {
		got, err := r.try(uint64(i))
		if _, none := errors.AsType[*fit.NoEndError](err); none {
			return nil
		}
		all[i] = &got
		return err
	})
	if err != nil {
		return out, err
	}
	all = slices.DeleteFunc(all, func(l *trialLog) bool { return l == nil })
	n := float64(len(all))
	out.failed = 1 - n/float64(logs)
	out.least, out.said = 1, 1
	for j, truth := range r.theta {
		var held, off, square, said float64
		for _, l := range all {
			if l.low[j] <= truth && truth <= l.high[j] {
				held += 1 / n
			}
			d := l.value[j] - truth
			off += d / n
			square += d * d / n
			said += l.deviation[j] / n
		}
		spread := math.Sqrt(square - off*off)
		out.held += held / float64(len(r.theta))
		out.least, out.most = min(out.least, held), max(out.most, held)
		out.bias = max(out.bias, math.Abs(off)/spread)
		if ratio := said / spread; math.Abs(ratio-1) > math.Abs(out.said-1) {
			out.said = ratio
		}
	}
	return out, nil
}

// Intervals of 95 % hold the number that made a log in 95 % of simulated logs, and estimates are not off to one side. A model's share is that of all its
// numbers: of 500 logs alone, that of one number is off by one point in a hundred by chance.
func TestCoverageOfIntervals(t *testing.T) {
	row := evidence.For(t, evidence.Promise{
		Name: "fit-coverage", Short: "4 logs each, and bars that allow for that",
		Text: "500 simulated logs of each of the models of docs/fitting.md: how far the share of 95 % intervals that hold their number is from 0.95; the bias of the worst number in deviations of its estimates; the share of logs without an end",
	})
	if testing.Short() {
		t.Skip("long, and others have workers share")
	}
	logs, luck := 4, 2.5 // what few logs may be off by chance
	if evidence.Whole() {
		logs, luck = 500, 0
	}
	for _, r := range recoveries() {
		got, err := r.cover(logs)
		if err != nil {
			t.Fatalf("%s: %v", r.name, err)
		}
		t.Logf("| %s | %d | %.1f %% (%.1f–%.1f %%) | %.2f | %.2f |", r.name, len(r.theta), 100*got.held, 100*got.least, 100*got.most, got.bias, got.said)
		row.AtMost("share", max(0, math.Abs(got.held-0.95)-0.2*luck), 0.02)
		row.AtMost("bias", max(0, got.bias-luck), 0.2)
		row.AtMost("without an end", got.failed, 0.01)
	}
}
