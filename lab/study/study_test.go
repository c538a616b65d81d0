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
}

// Every study says of itself how often it repeats every point, before it has measured anything, and takes another number where it repeats at all.
func TestStudiesKnowTheirSize(t *testing.T) {
	for _, s := range All() {
		if own, asked := s.Size(Options{}), s.Size(Options{Trials: 3}); own < 1 || own > 1 && asked != 3 {
			t.Errorf("%s has %d trials of its own, %d where 3 are asked for", s.Name, own, asked)
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
