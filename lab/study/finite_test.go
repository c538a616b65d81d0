package study

import (
	"fmt"
	"math"
	"reflect"
	"testing"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/stream"
)

func near(t *testing.T, what string, got, want, digits float64) {
	t.Helper()
	if !(math.Abs(got-want) <= digits) {
		t.Errorf("%s is %.12g, want %.12g", what, got, want)
	}
}

// The law's gradient of the linear-quadratic problems vanishes at their optima, (−56/229, 99/229) and 2/(κ + 2) for κ = 2, whoever
// was drawn; at 0 it is KFμ, (0.625, −1.75) for lq2 by hand. tr KFΣFᵀKᵀ of lq2 is that of an independent NumPy study.
func TestTheLawJudgesExactly(t *testing.T) {
	w := &work{ctx: t.Context(), result: Result{Name: "test"}}
	pricing, lq2 := finites()[0], finites()[1]
	of := func(f finite, u ...float64) float64 {
		square, doubt := f.judge(w.finiteProblem(f, 7, 10, 3), nil)(u)
		near(t, "doubt", doubt, 0, 0)
		return square
	}
	near(t, "lq2 at its optimum", of(lq2, -56.0/229, 99.0/229), 0, 1e-28)
	near(t, "pricing at its optimum", of(pricing, 0.5), 0, 1e-28)
	near(t, "lq2 at 0", of(lq2, 0, 0), 0.625*0.625+1.75*1.75, 1e-13)
	p := w.finiteProblem(lq2, 7, 10, 3)
	near(t, "spread of lq2", linearOf(p).lawSpread(p), 7.23828, 5e-6)
}

// At 0 the gradient of polarized people on a hemisphere is minus their mean, 1/2 along the axis in three dimensions. Elsewhere finer
// rings change nothing.
func TestQuadratureOfTheHemisphere(t *testing.T) {
	w := &work{ctx: t.Context(), result: Result{Name: "test"}}
	p := w.finiteProblem(finites()[2], 10, 10, 0)
	square, _ := byQuadrature(p, nil)([]float64{0, 0, 0})
	near(t, "‖∇Φ̃(0)‖²", square, 0.25, 1e-14)
	u := []float64{0.5, 0.3, -0.2}
	coarse, _ := byQuadrature(p, nil)(u)
	fine, _ := overRings(p, 40, 128)(u)
	near(t, "‖∇Φ̃(u)‖²", coarse, fine, 1e-7*fine)
}

// Two halves of fresh people are right on average: at 0 the square is that of the mean of a hemisphere of ten dimensions,
// Γ(r/2)/√πΓ((r+1)/2) along the axis; and their doubt is the variance of one individual, 1 − that, over all of them.
func TestFreshPeopleAreRightOnAverage(t *testing.T) {
	evidence.OneGoroutine(t)
	w := &work{ctx: t.Context(), result: Result{Name: "test"}}
	p := w.finiteProblem(finites()[3], 10, 10, 0)
	var squares, doubts []float64
	for i := range 200 {
		square, doubt := byFreshPeople(p, stream.New(1, "fresh", fmt.Sprint(i)))(make([]float64, 10))
		squares, doubts = append(squares, square), append(doubts, doubt)
	}
	m := math.Gamma(5) / (math.Sqrt(math.Pi) * math.Gamma(5.5))
	near(t, "mean square", mean(squares), m*m, 2*meanError(squares, 0.05))
	near(t, "mean doubt", mean(doubts), (1-m*m)/(2*freshPeople), 2*meanError(doubts, 0.05))
}

// Runs on people of their own may be measured by anybody: the part of the study of generalization that is shared out, in small.
func TestPeopleAndTurnsOnAnyWorkers(t *testing.T) {
	var first []cell
	for _, workers := range []int{1, 3} {
		w := &work{ctx: t.Context(), Options: Options{Workers: workers, Seed: 7}, result: Result{Name: "test"}}
		cells, _ := w.overPeopleAndTurns(finites()[3], []int{5, 8}, []int{20, 40}, 2)
		if first == nil {
			first = cells
		}
		if !reflect.DeepEqual(cells, first) {
			t.Errorf("%d workers measure %v, one %v", workers, cells, first)
		}
	}
}

// Picks stand for all turns: their shares sum to 1, and means of what they see are right on average.
func TestPicksStandForAllTurns(t *testing.T) {
	s := stream.New(3, "picks")
	truth := 0.0
	for k := range 500 {
		truth += math.Exp(-float64(k)/30) / 500
	}
	var means []float64
	for range 4000 {
		sum, share, last := 0.0, 0.0, -1
		for _, p := range picks(500, false, s) {
			if p.turn <= last || p.turn >= 500 {
				t.Fatalf("turn %d after %d", p.turn, last)
			}
			last, share = p.turn, share+p.share
			sum += p.share * math.Exp(-float64(p.turn)/30)
		}
		near(t, "all shares", share, 1, 1e-12)
		means = append(means, sum)
	}
	near(t, "mean", mean(means), truth, 2*meanError(means, 0.05))
	if n := len(picks(500, true, s)); n != 500 {
		t.Errorf("%d of 500 turns are judged", n)
	}
}

// A surface without noise is found from the guess, and so are its exponents in every resample.
func TestFitFindsSurfaces(t *testing.T) {
	evidence.OneGoroutine(t)
	want := surface{math.Log(7), -1.2, math.Log(3), -0.4}
	var cells []cell
	for _, n := range []float64{10, 40, 160} {
		for _, turns := range []float64{200, 400, 800, 1600} {
			y := 7*math.Pow(n, -1.2) + 3*math.Pow(turns, -0.4)
			cells = append(cells, cell{n, turns, []float64{y, y}})
		}
	}
	got, people, turns := fitSurface(cells, stream.New(1))
	for i := range got {
		near(t, fmt.Sprint("number ", i), got[i], want[i], 1e-6)
	}
	near(t, "misfit", got.misfit(levels(cells)), 0, 1e-7)
	for _, p := range []struct {
		power
		want float64
	}{{people, -1.2}, {turns, -0.4}} {
		low, high := p.claimed("", 0).within(0.05)
		near(t, "low", low, p.want, 1e-6)
		near(t, "high", high, p.want, 1e-6)
	}
}

// exactly are levels of a surface that everything is on.
func exactly(s surface, people, turns []float64) (list []level) {
	for _, n := range people {
		for _, t := range turns {
			list = append(list, level{n, t, s.at(n, t), 1})
		}
	}
	return list
}

// A surface is found from afar, where whole steps lead nowhere and only damped ones do. A start from which every step is too long, until it is damped more than a
// million times, is given back as it was.
func TestFitsFromAfar(t *testing.T) {
	truth := surface{0, -0.5, -1, -1}
	list := exactly(truth, []float64{10, 100, 1000}, []float64{10, 40, 160})
	for _, start := range []surface{{0.1, -0.4, -1.2, -0.9}, {5, -3, -5, 1}, {0, -1.5, -3, 0}} {
		for i, v := range start.fitted(list) {
			if !(math.Abs(v-truth[i]) <= 1e-9) {
				t.Errorf("from %v: entry %d of the surface is %v, want %v", start, i, v, truth[i])
			}
		}
	}
	few := []float64{1, 1.5, 2}
	if far := (surface{0, -0.5, -16, -1}); far.fitted(exactly(truth, few, few)) != far {
		t.Errorf("from %v to %v", far, far.fitted(exactly(truth, few, few)))
	}
}
