package doctor

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/stream"
)

const usualDecisions = 4

// exam is an examination under way.
type exam struct {
	ctx         context.Context
	kedge.Model // of the individuals looked at
	Examination
	dim        kedge.Dims
	smooth     kedge.Smooth
	settler    kedge.Settler
	population int         // how many individuals there are
	us         [][]float64 // decisions looked at, all feasible, the first one first
	settled    [][]float64 // by decision: settled states, one a row; nil before settles
	failed     [][]error   // by decision and individual: why there is no settled state
	crowd      kedge.Model // of those whose mean loss is bent: more than are looked at
	weights    []float64   // of the individuals looked at; nil: they count alike
	bends      map[bool]bend
	astrays    worst // how far from their settled states walks from other starts end
}

func newExam(ctx context.Context, m kedge.Model, x Examination) *exam {
	e := &exam{ctx: ctx, Model: m, Examination: x, us: [][]float64{m.Start}}
	if e.Decisions < 1 {
		e.Decisions = usualDecisions
	}
	if m.Traits == nil {
		return e
	}
	if e.population, _ = m.Traits.Size(); x.Individuals == nil {
		e.Individuals = kedge.Some(e.population, e.population)
	}
	return e
}

// draws returns the random numbers of one check.
func (e *exam) draws(name string) *stream.Stream { return stream.New(e.Seed, "doctor", name) }

// visit is one individual under one decision.
type visit struct {
	k, i    int       // numbers of the decision and of the individual, among those looked at
	u, p, d []float64 // the decision, the first state, the trait
}

// visits goes through all individuals under all decisions, until the context ends.
func (e *exam) visits() iter.Seq[visit] {
	return func(yield func(visit) bool) {
		for k, u := range e.us {
			for i := range e.Individuals {
				if e.ctx.Err() != nil || !yield(e.visit(k, i, u)) {
					return
				}
			}
		}
	}
}

func (e *exam) visit(k, i int, u []float64) visit {
	return visit{k, i, u, e.States.View(nil, i, i+1), e.Traits.View(nil, i, i+1)}
}

// home returns the settled state of a visit, nil where there is none.
func (e *exam) home(v visit) []float64 {
	if e.settled == nil || e.failed[v.k][v.i] != nil {
		return nil
	}
	return kedge.Row(e.settled[v.k], v.i, e.dim.State)
}

// who names the individual of a visit by its number in the population, and the decision unless there is only one.
func (e *exam) who(v visit) string {
	name := fmt.Sprintf("individual %d", e.Individuals[v.i])
	if v.k == 0 {
		return name
	}
	return fmt.Sprintf("%s under decision %s", name, vector(v.u))
}

// vector prints the beginning of a vector.
func vector(x []float64) string {
	const shown = 3
	words := lists.Of(x[:min(len(x), shown)], func(v float64) string { return fmt.Sprintf("%.3g", v) })
	if len(x) > shown {
		words = append(words, "…")
	}
	return "(" + strings.Join(words, ", ") + ")"
}

// worst keeps the largest of some numbers and whose it is, the first of those that are equal to rounding. NaN is larger than all.
type worst struct {
	of   float64
	at   visit
	seen int
}

func (w *worst) see(x float64, v visit) {
	if w.seen == 0 || x > w.of*(1+1e-9) || math.IsNaN(x) && !math.IsNaN(w.of) {
		w.of, w.at = x, v
	}
	w.seen++
}

// gap is the distance between x and y relative to the longer of both.
func gap(x, y []float64) float64 {
	const short = 1e-6 // rounding around 0 is no gap
	return rows.Distance(x, y) / max(rows.Norm(x), rows.Norm(y), short)
}

// dimensions looks at lengths, and whether a step from the start gives finite numbers for everybody.
func dimensions(e *exam) Check {
	if e.smooth, e.settler = e.Smooth(), e.RowSettler(); e.smooth == nil || e.settler == nil || e.Objective == nil || e.Set == nil {
		return Check{Verdict: Fail, Figure: "the smooth dynamics, the steady states, the objective or the set is missing"}
	}
	if e.Social {
		return Check{Verdict: Fail, Figure: "individuals see the mean of the crowd", Remedy: "hold the mean, to look at one individual by itself"}
	}
	e.dim = e.Dims()
	if err := errors.Join(kedge.CheckVector("the first decision", e.Start, e.dim.Decision), e.choose()); err != nil {
		return Check{Verdict: Fail, Figure: oneLine(err), Remedy: "make the population, the start and the dynamics agree"}
	}
	next := make([]float64, e.dim.State)
	for v := range e.visits() {
		if !e.step(next, v.p, v) {
			return Check{Verdict: Fail, Figure: "the first step of " + e.who(v) + " is " + vector(next),
				Remedy: "keep the dynamics finite where individuals start"}
		}
	}
	return Check{Verdict: Pass, Figure: fmt.Sprintf("decision %d, state %d, trait %d", e.dim.Decision, e.dim.State, e.dim.Trait)}
}

// choose leaves in the model only the individuals looked at.
func (e *exam) choose() error {
	states := e.FirstStates()
	if err := errors.Join(kedge.CheckRows("states", states, e.dim.State), kedge.CheckRows("traits", e.Traits, e.dim.Trait)); err != nil {
		return err
	}
	if n, _ := states.Size(); n != e.population {
		return &kedge.DimError{Arg: "states", Got: n * e.dim.State, Want: e.population * e.dim.State}
	}
	e.crowd = e.Model
	some := kedge.Some(e.population, crowded(e.dim))
	if e.Weights != nil {
		if err := e.CheckWeights(); err != nil {
			return err
		}
		var err error
		if some, e.crowd.Weights, err = counting(e.Weights, crowded(e.dim)); err != nil {
			return err
		}
		e.weights = lists.Of(e.Individuals, func(i int) float64 { return e.Weights[i] })
		e.Weights = nil // of one individual by itself
	}
	e.crowd.States, e.crowd.Traits = kedge.Pick(states, some), kedge.Pick(e.Traits, some)
	e.States, e.Traits = kedge.Pick(states, e.Individuals), kedge.Pick(e.Traits, e.Individuals)
	return errors.Join(kedge.CheckRows("states", e.States, e.dim.State), kedge.CheckRows("traits", e.Traits, e.dim.Trait))
}

// counting chooses at most so many of those who count, at equal distances, and returns their weights among each other.
func counting(weights []float64, most int) (who []int, of []float64, err error) {
	for i, w := range weights {
		if w > 0 {
			who = append(who, i)
		}
	}
	who = lists.Of(kedge.Some(len(who), most), func(k int) int { return who[k] })
	of, err = kedge.ScaleWeights(lists.Of(who, func(i int) float64 { return weights[i] }), len(who))
	return who, of, err
}

// crowded is of how many individuals the settled objective is bent. It does not depend on how many are looked at: 1/L is one number,
// whoever asks.
func crowded(dim kedge.Dims) int {
	return min(1000, affordable(dim, 10*entriesLooked))
}

// step writes f(p, u, d) to dst and tells whether it is finite. An entry that f does not write is not.
func (e *exam) step(dst, p []float64, v visit) bool {
	for i := range dst {
		dst[i] = math.NaN()
	}
	e.smooth.Next(dst, p, v.u, v.d)
	return rows.Finite(dst)
}

// oneLine puts joined errors into one line.
func oneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }

// sentence begins an error with a capital letter.
func sentence(err error) string {
	text := oneLine(err)
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}
