package lab_test

import (
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/lab"
)

// best is where f is largest between low and high: a grid, then golden sections of the two cells around its best point.
func best(f func(x float64) float64, low, high float64) float64 {
	const cells = 60
	width := (high - low) / cells
	at := 0
	for i := range cells + 1 {
		if f(low+float64(float64(i)*width)) > f(low+float64(float64(at)*width)) {
			at = i
		}
	}
	a, b := max(low, low+float64(float64(at-1)*width)), min(high, low+float64(float64(at+1)*width))
	ratio := (math.Sqrt(5) - 1) / 2
	for range 60 {
		if x, y := b-ratio*(b-a), a+ratio*(b-a); f(x) > f(y) {
			b = y
		} else {
			a = x
		}
	}
	return (a + b) / 2
}

// daily runs an example with few turns, and returns it with the traits of its people.
func daily(t *testing.T, name string, sets ...string) (r *folder.Result, traits []float64, people int) {
	t.Helper()
	if testing.Short() {
		t.Skip("brute force is long and on one goroutine")
	}
	file := "../examples/" + name + ".yaml"
	p := construct(t, file, example(t, file), overlays(nil, append(sets, "iterations=100", "trials=1", "record.every=100"))[1:]...)
	r, err := lab.Execute(context.Background(), p, lab.Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, traits = p.First(p.Some(p.Individuals()))
	return r, traits, p.Individuals()
}

// near compares a decision with what it should be.
func near(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= tolerance) {
			t.Errorf("%s: %v, want %v", what, got, want)
			return
		}
	}
}

// Settled riders take need·exp(−touchy·price) rides, so that each price has a problem of its own; who takes the rides for given earns
// the more the dearer they are, up to what is allowed.
func TestSurgePrices(t *testing.T) {
	r, traits, people := daily(t, "surge/surge")
	var want []float64
	for window, drivers := range []float64{2, 3} {
		want = append(want, best(func(price float64) (sum float64) {
			for i := range people {
				touchy := 0.15
				if 10*i >= 6*people {
					touchy = 0.4
				}
				need := traits[i*len(traits)/people+window]
				sum += need * math.Exp(-touchy*price) * (price - drivers)
			}
			return sum
		}, 0, 12))
	}
	near(t, "optimum", r.Optimum.Decision, want, 1e-6)
	near(t, "stable point", r.Stable.Decision, []float64{12, 12}, 1e-9)
}

// Readers are followed week by week until their list has settled, for every frequency that is tried.
func TestNewsletterFrequency(t *testing.T) {
	r, traits, people := daily(t, "newsletter/newsletter")
	settle := func(touchy, mails float64) (here, tired float64) {
		here = 1
		quit := 0.02 * math.Exp(touchy*mails)
		for range 1500 {
			here, tired = here-here*quit+0.02, 0.9*tired+0.1*mails
		}
		return here, tired
	}
	want := best(func(mails float64) (sum float64) {
		for i := range people {
			here, tired := settle(traits[i], mails)
			sum += here*math.Log(1+mails)*(1-0.1*tired) - 0.05*mails
		}
		return sum
	}, 0, 7)
	near(t, "optimum", r.Optimum.Decision, []float64{want}, 1e-6)

	// Retraining rests where another mail is not worth writing for those who are there.
	low, high := 0.0, 7.0
	for range 50 {
		mails, slope := (low+high)/2, 0.0
		for i := range people {
			here, tired := settle(traits[i], mails)
			slope += here/(1+mails)*(1-0.1*tired) - 0.05
		}
		if slope > 0 {
			low = mails
		} else {
			high = mails
		}
	}
	near(t, "stable point", r.Stable.Decision, []float64{low}, 1e-6)
}

// applicant is a row of the table of applicants: features as they are, 1 or −1 for who paid back, how easily they are polished, and the weight.
type applicant struct{ income, debt, paid, ease, weight float64 }

// applicants reads the table without kedge: who is of age and has an income.
func applicants(t *testing.T) (list []applicant) {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(string(example(t, "../examples/data/applicants.csv")))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows[1:] {
		var income, debt, age, weight float64
		if n, _ := fmt.Sscan(strings.Join(append(slices.Clone(row[1:4]), row[6]), " "), &income, &debt, &age, &weight); n < 4 || age < 18 {
			continue
		}
		a := applicant{income/20000 - 1.6, debt/10000 - 1.1, 1, 0, weight}
		if row[5] != "yes" {
			a.paid, a.ease = -1, 0.4
			if row[4] == "city" {
				a.ease = 1
			}
		}
		list = append(list, a)
	}
	return list
}

// credit is the loss of a score when applicants answer to another one, and its gradient.
func credit(list []applicant, score, met [3]float64) (loss float64, slope [3]float64) {
	var total float64
	for _, a := range list {
		features := [3]float64{a.income + float64(a.ease*met[0]), a.debt + float64(a.ease*1.5*met[1]), 1}
		margin := 0.0
		for j, x := range features {
			margin += float64(a.paid * score[j] * x)
		}
		total += a.weight
		loss += a.weight * math.Log1p(math.Exp(-margin))
		for j, x := range features {
			slope[j] -= a.weight * a.paid * x / (1 + math.Exp(margin))
		}
	}
	loss /= total
	for j := range slope {
		slope[j] = slope[j]/total + float64(0.02*score[j])
		loss += 0.01 * score[j] * score[j]
	}
	return loss, slope
}

// Settled applicants report d + ease·polish∘w, so that the loss of a score is a sum over the table: nothing on a grid is below the optimum, steps
// along the axes that halve end in it, and at the stable point the loss is flat for who takes the reports for given.
func TestCreditScore(t *testing.T) {
	r, _, people := daily(t, "data/credit", "population.file=data/applicants.csv")
	list := applicants(t)
	if len(list) != people {
		t.Fatalf("%d applicants count here, %d there", len(list), people)
	}
	loss := func(w [3]float64) float64 { v, _ := credit(list, w, w); return v }
	var at [3]float64
	const cells = 24
	for i := range cells * cells * cells {
		w := [3]float64{float64(i%cells)/6 - 2, float64(i/cells%cells)/6 - 2, float64(i/cells/cells)/6 - 2}
		if loss(w) < loss(at) {
			at = w
		}
	}
	for step := 0.1; step > 1e-9; {
		from := at
		for j := range at {
			for _, move := range []float64{-step, step} {
				w := at
				if w[j] += move; loss(w) < loss(at) {
					at = w
				}
			}
		}
		if at == from {
			step /= 2
		}
	}
	near(t, "optimum", r.Optimum.Decision, at[:], 1e-6)
	near(t, "value of the optimum", []float64{r.Optimum.Value}, []float64{loss(at)}, 1e-12)
	rest := [3]float64(r.Stable.Decision)
	_, slope := credit(list, rest, rest)
	near(t, "slope at the stable point", slope[:], []float64{0, 0, 0}, 1e-7)
}
