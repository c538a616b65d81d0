package fit

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/internal/evidence"
	"gonum.org/v1/gonum/mat"
)

// every asks evidence.Stops for all questions.
const every = 1 << 40

// A fit of a short log ends with its context at each of its questions, and so do the scores by which it is judged.
func TestShortFitsStopAtEveryQuestion(t *testing.T) {
	shown := regress(t, formula.Source{Decision: "q", State: "p", Next: "a*p + b*q"}, "a", "b")
	hidden := regressTraits(t, formula.Source{Decision: "q", State: "p", Trait: "d", Next: "a*p + b*q + d"}, "a", "b")
	believed := Free("a", 0.4)
	believed.Mean, believed.Deviation = 0.5, 0.2
	for name, x := range map[string]struct {
		f *formula.Regressor
		o Options
	}{
		"pooled": {shown, Options{}}, "student": {shown, Options{Laws: []ErrorLaw{{Student, 4}}}}, "times": {shown, Options{Times: true}}, "fixed": {hidden, Options{Unseen: Fixed}}, "random": {hidden, Options{Unseen: Random}},
	} {
		l, unknowns := wander(x.f, []float64{0.5, -0.4}, 3, 5, 0.3, 0.5, 0.3, 0, 2, false), []Unknown{believed, Free("b", -0.3)}
		evidence.Stops(t, name, every, func(ctx context.Context) error {
			_, err := Find(ctx, x.f, l, unknowns, x.o)
			return err
		})
		p, err := newSearch(x.f, l, unknowns, x.o)
		if err != nil {
			t.Fatal(name, err)
		}
		theta := startOf(p.unknowns, 0, 0, 0)
		evidence.Stops(t, name+" scores", every, func(ctx context.Context) error {
			_, _, err := p.how.scores(ctx, theta, p.spread, nil, 1)
			return err
		})
	}
}

// Effects of 2001 times are 2000 numbers, of one more they are too many.
func TestMoreTimesThanEffectsAreTaken(t *testing.T) {
	f := regress(t, formula.Source{Decision: "q", State: "p", Next: "a*p + b*q"}, "a", "b")
	for times, want := range map[int]string{mostTimes + 1: "", mostTimes + 2: "effects of 2002 times are more than 2000 numbers"} {
		l := wander(f, []float64{0.5, -0.4}, 2, times, 0, 0, 0.3, 0.1, 1, false)
		_, err := newSearch(f, l, []Unknown{Free("a", 0), Free("b", 0)}, Options{Times: true})
		var bad *InputError
		if want == "" && err != nil || want != "" && (!errors.As(err, &bad) || bad.Row != -1 || !strings.HasPrefix(bad.Error(), want)) {
			t.Errorf("%d times: %v, want %q", times, err, want)
		}
	}
}

// blurred are scores with a factor of which one entry is off.
type blurred struct {
	evaluator
	by float64
}

func (x blurred) scores(ctx context.Context, theta, spread, normal []float64, workers int) (factor, scores *mat.Dense, err error) {
	factor, scores, err = x.evaluator.scores(ctx, theta, spread, normal, workers)
	if err == nil {
		factor.Set(0, 0, factor.At(0, 0)+x.by)
	}
	return factor, scores, err
}

// How sure numbers are is not told where a derivative is no number, however many of them there are.
func TestJudgesOfDerivativesThatAreNoNumbers(t *testing.T) {
	for _, source := range []formula.Source{
		{Decision: "q", State: "p", Next: "a*p"}, {Decision: "q", State: "p", Next: "a*p + b*q"}, {Decision: "q", State: "p", Next: "a*p + b*q + c"},
	} {
		for _, by := range []float64{0, math.NaN(), math.Inf(1)} {
			names := []string{"a", "b", "c"}[:1+strings.Count(source.Next, "+")]
			f := regress(t, source, names...)
			var unknowns []Unknown
			for _, name := range names {
				unknowns = append(unknowns, Free(name, 0))
			}
			p, err := newSearch(f, wander(f, []float64{0.5, -0.4, 0.1}[:len(names)], 4, 7, 0, 0, 0.3, 0, 2, false), unknowns, Options{})
			if err != nil {
				t.Fatal(err)
			}
			best, err := p.lowest(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			out := &Fitted{Value: best.Theta, Rows: p.rows, People: len(p.people), origin: &origin{search: p, best: best, excess: make([]float64, len(names))}}
			p.how = blurred{p.how, by}
			if err := p.judge(t.Context(), best, out); (err == nil) != (by == 0) || err != nil && !strings.Contains(err.Error(), "are no numbers") {
				t.Errorf("%s, off by %v: errors of %v, %v", source.Next, by, out.Error, err)
			}
		}
	}
}
