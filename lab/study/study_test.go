package study

import (
	"bytes"
	"context"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/stream"
)

// Every study in its quick size stands by the theory at the default seed.
func TestQuickStudiesHold(t *testing.T) {
	if testing.Short() {
		t.Skip("fits are long and on one goroutine")
	}
	for _, s := range All() {
		t.Run(s.Name, func(t *testing.T) {
			r, err := s.Run(t.Context(), Options{Quick: true, Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			if !r.Holds() {
				t.Errorf("%s\n%s", r.Headline, strings.Join(r.Reasons, "\n"))
			}
			if err := r.Table.Check(); err != nil || r.Table.Rows() == 0 {
				t.Errorf("a table of %d rows: %v", r.Table.Rows(), err)
			}
		})
	}
}

// A result depends on the seed and not on the workers, and reads back as it was written.
func TestSameBitsOnAnyWorkers(t *testing.T) {
	for i, s := range All() {
		if i > 1 && (testing.Short() || i%4 != 0) {
			continue // trials are shared out by the same code in all
		}
		t.Run(s.Name, func(t *testing.T) {
			var results [2]bytes.Buffer
			for j, workers := range []int{1, 3} {
				r, err := s.Run(t.Context(), Options{Quick: true, Trials: 2, Seed: 7, Workers: workers})
				if err != nil {
					t.Fatal(err)
				}
				if err := errors.Join(r.Encode(&results[j]), r.Table.WriteCSV(&results[j])); err != nil {
					t.Fatal(err)
				}
			}
			if results[0].String() != results[1].String() {
				t.Error("1 and 3 workers differ")
			}
		})
	}
}

func TestResultReadsBack(t *testing.T) {
	r, err := timescale().Run(t.Context(), Options{Quick: true})
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := r.Encode(&text); err != nil {
		t.Fatal(err)
	}
	back, err := Decode(&text)
	if err != nil {
		t.Fatal(err)
	}
	back.Table = r.Table
	if !reflect.DeepEqual(back, r) {
		t.Errorf("read back %+v, wrote %+v", back, r)
	}
}

func TestDecodeRefusesBrokenSeries(t *testing.T) {
	for _, text := range []string{`{`, `{"charts":[{"series":[{"x":[1],"y":[]}]}]}`, `{"charts":[{"series":[{"x":[1],"y":[1],"low":[1]}]}]}`} {
		if _, err := Decode(strings.NewReader(text)); err == nil {
			t.Errorf("%s was read", text)
		}
	}
}

// A series has as many numbers of everything as places, some at least; a band has both sides or none.
func TestSeriesFit(t *testing.T) {
	one, two := []float64{1}, []float64{1, 2}
	for _, c := range []struct {
		s    Series
		want bool
	}{
		{Series{X: one, Y: one}, true}, {Series{X: two, Y: two, Low: two, High: two}, true}, {Series{}, false}, {Series{X: two, Y: one}, false}, {Series{X: one, Y: two}, false},
		{Series{X: one, Y: one, Low: one}, false}, {Series{X: one, Y: one, High: one}, false}, {Series{X: two, Y: two, Low: one, High: one}, false},
	} {
		if err := c.s.check(); (err == nil) != c.want {
			t.Errorf("%+v: %v", c.s, err)
		}
	}
}

func TestStoppedStudyHasNoResult(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	progress := func(done, _ int64) {
		if done == 1 {
			stop()
		}
	}
	r, err := rateExpectation().Run(ctx, Options{Quick: true, Progress: progress})
	if r != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("result %v, error %v", r, err)
	}
}

func TestMistakesAreTold(t *testing.T) {
	if _, err := Find("rates"); err == nil || !strings.Contains(err.Error(), "rate-expectation") {
		t.Errorf("unknown study: %v", err)
	}
	for _, trials := range []int{-1, 1, MaxTrials + 1} {
		if _, err := batch().Run(t.Context(), Options{Trials: trials}); err == nil {
			t.Errorf("%d trials were taken", trials)
		}
	}
	for _, trials := range []int{0, 2, MaxTrials} {
		if err := (Options{Trials: trials}).Check(); err != nil {
			t.Errorf("%d trials: %v", trials, err)
		}
	}
}

// Every study says of itself how often it repeats every point, before it has measured anything, and takes another number where it repeats at all.
func TestStudiesKnowTheirSize(t *testing.T) {
	for _, s := range All() {
		if own, asked := s.Size(Options{}), s.Size(Options{Trials: 3}); own < 1 || own > 1 && asked != 3 {
			t.Errorf("%s has %d trials of its own, %d where 3 are asked for", s.Name, own, asked)
		}
	}
}

// What was measured is summed up by how many measurements are within their interval of the theory, better, or neither.
func TestHeadlinesOfVerdicts(t *testing.T) {
	for want, verdicts := range map[string][]Verdict{
		"Every measurement is within its interval of the theory.":                 {Within, Within},
		"Every measurement is better than the theory.":                            {Better},
		"The theory holds: 2 of 3 measurements within their intervals, 1 better.": {Within, Better, Within},
		"The theory is missed by 1 of 2 measurements.":                            {Off, Within},
		"The theory is missed by 2 of 4 measurements.":                            {Worse, Within, Better, Off},
	} {
		r := &Result{}
		for _, v := range verdicts {
			r.Claims = append(r.Claims, Claim{Verdict: v})
		}
		if got := headline(r.Claims); got != want || r.Holds() == strings.Contains(want, "missed") {
			t.Errorf("%v: %q, holds %t, want %q", verdicts, got, r.Holds(), want)
		}
	}
	for want, c := range map[string]Claim{
		"x: measured 0.5, the theory says a bound of 1: better than the theory.":                   {What: "x", Measured: 0.5, Low: 0.5, High: 0.5, Theory: 1, Verdict: Better},
		"x: measured 0.5 (interval 0.25 … 2), the theory says exactly 1: within the interval.":     {What: "x", Measured: 0.5, Low: 0.25, High: 2, Theory: 1, Exact: true, Verdict: Within},
		"x: measured 0.5 (between 0.25 and 2), the theory says a bound of 1: within the interval.": {What: "x", Measured: 0.5, Low: 0.25, High: 2, Theory: 1, Sure: true, Verdict: Within},
	} {
		if got := c.words(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A power law without noise is found exactly, whatever is resampled.
func TestFitFindsPowers(t *testing.T) {
	var list []sample
	for _, x := range []float64{1, 2, 4, 8} {
		y := 3 * math.Pow(x, -0.75)
		list = append(list, sample{x, []float64{y, y, y}})
	}
	p := fitPower(list, average, stream.New(1))
	low, high := p.claimed("", 0).within(0.05)
	for _, got := range []float64{p.exponent, low, high} {
		if math.Abs(got+0.75) > 1e-12 {
			t.Errorf("exponent %v, want -0.75", got)
		}
	}
}

// Intervals of 95 % hold the exponent in about 95 of 100 experiments: in at least 88 of 100, where 95 % would give fewer in one
// case of 300.
func TestIntervalsCover(t *testing.T) {
	if testing.Short() {
		t.Skip("a hundred fits on one goroutine")
	}
	held := 0
	for seed := range uint64(100) {
		s := stream.New(seed, "cover")
		var list []sample
		for x := 1.0; x <= 128; x *= 2 {
			one := sample{x, make([]float64, 30)}
			for i := range one.values {
				one.values[i] = math.Pow(x, -0.5) * math.Exp(0.3*s.Normal())
			}
			list = append(list, one)
		}
		low, high := fitPower(list, average, s).claimed("", 0).within(0.05)
		if low <= -0.5 && -0.5 <= high {
			held++
		}
	}
	if held < 88 {
		t.Errorf("%d of 100 intervals hold the exponent", held)
	}
}

// By hand: with d = (0.6, 0.8) and u = (1, 0) the cosine of weak reactions is 0.6 + 0.384σ/(1 − λ), where 0.384 is 0.6·0.8². With less of a reaction, or of habit, it grows by
// less, which is rounding up to 10⁻¹², and no more.
func TestViolationsAreMoreThanRounding(t *testing.T) {
	for _, c := range []struct {
		lambda, sigma, more float64
		want                [3]int
	}{
		{0.5, 1e-6, 1e-3, [3]int{0, 0, 0}},
		{0.5, 1e-6, -0.6e-12 * 0.5 / 0.384, [3]int{0, 0, 0}}, {0.5, 1e-6, -1.5e-12 * 0.5 / 0.384, [3]int{0, 0, 1}},
		{0.9, 1e-4, -0.6e-12 * 0.01 / (0.384e-4 * 0.09), [3]int{0, 0, 1}}, {0.9, 1e-4, -1.5e-12 * 0.01 / (0.384e-4 * 0.09), [3]int{0, 1, 1}},
	} {
		for _, side := range []float64{1, -1} {
			one := triple{d: []float64{0.6 * side, 0.8}, u: []float64{1, 0}, lambda: c.lambda, sigma: c.sigma}
			if got := one.violations(c.more); got != c.want {
				t.Errorf("λ %v, σ %v, %v more, on the side %v: %v, want %v", c.lambda, c.sigma, c.more, side, got, c.want)
			}
		}
	}
}

func TestVerdicts(t *testing.T) {
	for _, c := range []struct {
		low, high, theory float64
		exact             bool
		want              Verdict
	}{
		{-0.6, -0.4, -0.5, false, Within},
		{-0.9, -0.6, -0.5, false, Better},
		{-0.4, -0.3, -0.5, false, Worse},
		{-0.9, -0.6, -0.5, true, Off},
		{-0.5, -0.5, -0.5, true, Within},
		{math.NaN(), math.NaN(), -0.5, false, Worse},
	} {
		if got := (Claim{Low: c.low, High: c.high, Theory: c.theory, Exact: c.exact}).judged().Verdict; got != c.want {
			t.Errorf("%+v is %q", c, got)
		}
	}
}
