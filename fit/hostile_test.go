package fit

import (
	"context"
	"encoding/binary"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/formula"
)

// Logs that say nothing, or nothing that can be computed with, get no number that looks sure: an error, an infinite standard error, or words.
func TestHostileLogs(t *testing.T) {
	f := regress(t, formula.Source{Decision: "q", State: "p", Next: "a*p + b*q"}, "a", "b")
	root := regress(t, formula.Source{Decision: "q", State: "p", Next: "sqrt(a*q^2) + b*p"}, "a", "b")
	good := walk(f, []float64{0.6, 1}, 8, 6, 0, 0.1, 1)
	scaled := func(by float64) Log {
		l := Log{Person: good.Person}
		for i := range good.After {
			l.States, l.Beside, l.After = append(l.States, good.States[i]*by), append(l.Beside, good.Beside[i]*by), append(l.After, good.After[i]*by)
		}
		return l
	}
	constant := Log{Person: good.Person, States: make([]float64, 48), Beside: make([]float64, 48), After: make([]float64, 48)}
	for i := range constant.States {
		constant.States[i], constant.Beside[i], constant.After[i] = 2, 3, 2
	}
	unweighted := good
	unweighted.Weight = make([]float64, len(good.Person))
	exact := walk(f, []float64{0.6, 1}, 8, 6, 0, 0, 1)
	for _, c := range []struct {
		name  string
		f     *formula.Regressor
		l     Log
		wants string // of the error; else of words and of what is not told; "": a number like any other
	}{
		{"huge", f, scaled(1e300), "beyond numbers"},
		{"large", f, scaled(1e100), ""},
		{"small", f, scaled(1e-100), ""},
		{"tiny", f, scaled(1e-200), "cannot be told"},
		{"constant", f, constant, "cannot be told apart"},
		{"without weight", f, unweighted, "rows with a weight say nothing"},
		{"without an error", f, exact, "met exactly"},
		{"without a slope", root, constant, "a cannot be told"},
	} {
		unknowns := []Unknown{Free("a", 0), Free("b", 0)}
		got, err := Find(t.Context(), c.f, c.l, unknowns, Options{})
		var said string
		if err != nil {
			said = err.Error()
		} else {
			said = strings.Join(got.Words, " ")
			for _, b := range got.Blind {
				said += b.String()
			}
		}
		if !strings.Contains(said, c.wants) || c.wants == "" && (err != nil || said != "" || math.Abs(got.Value[0]-0.6) > 5*got.Error[0]) {
			t.Errorf("%s: %q, want %q", c.name, said, c.wants)
		}
	}
}

// A log of any numbers, with any kind of traits, ends soon, and without a number that is none.
func FuzzFind(f *testing.F) {
	regressors := []*formula.Regressor{
		regress(f, formula.Source{Decision: "q", State: "p", Next: "a*p + b*q"}, "a", "b"),
		regress(f, formula.Source{Decision: "q", State: "p", Next: "p + a*(sigmoid(b*q) - p) + log(b)"}, "a", "b"),
		regressTraits(f, formula.Source{Decision: "q", State: "p", Trait: "d", Next: "a*p + b*q + d"}, "a", "b"),
		regressTraits(f, formula.Source{Decision: "q", State: "p", Trait: "d", Next: "a*p + sqrt(d*q) + b"}, "a", "b"),
	}
	for _, seed := range []string{"", "\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09", strings.Repeat("\x03\x07\x0b", 20), strings.Repeat("\x0f", 40), strings.Repeat("\x01\x01\x0e\x02", 15)} {
		for kind := range byte(8) {
			for law := range uint64(5) {
				f.Add(kind, 2*law+1, []byte(seed))
			}
		}
	}
	odd := []float64{0, 1, -1, 0.5, 2, 1e-300, 1e100, -1e139, 1e300, math.NaN(), math.Inf(1), 3, 1e-8, 1e8, 0.1, -0.7}
	f.Fuzz(func(t *testing.T, kind byte, seed uint64, data []byte) {
		r := regressors[kind%4]
		o := Options{Seed: seed, Starts: int(seed % 2), Times: kind&16 != 0, Repeats: int(kind >> 5 & 1 * 3), Origin: kind&64 != 0}
		if r.Traits == 0 && !o.Times {
			o.Laws = [][]ErrorLaw{nil, {{Student, 1}}, {{Student, 4}}, {{Kind: Poisson}}, {{Kind: Bernoulli}}}[seed/2%5]
		}
		if r.Traits > 0 {
			o.Unseen = Fixed + Unseen(kind>>3&1)
		}
		var l Log
		number := func(at int) float64 {
			b := data[at]
			if b < 128 {
				return odd[b%16]
			}
			return float64(int8(b)) / float64(1+binary.LittleEndian.Uint16([]byte{b, byte(at)})%97)
		}
		for at := 0; at+3 < len(data) && len(l.Person) < 40; at += 3 {
			l.States, l.Beside, l.After = append(l.States, number(at)), append(l.Beside, number(at+1)), append(l.After, number(at+2))
			l.Person, l.Time = append(l.Person, int(data[at])%5), append(l.Time, int(data[at+1])%7)
		}
		u := []Unknown{Free("a", 0.3), Free("b", 0.6)}
		if kind&128 != 0 {
			u[0].Lower, u[0].Upper = 0, 1
			u[1].Mean, u[1].Deviation = 1, 2
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		got, err := Find(ctx, r, l, u, o)
		if ctx.Err() != nil {
			t.Fatal("no end")
		}
		if err != nil {
			return
		}
		for j, v := range got.Value {
			if math.IsNaN(v) || math.IsInf(v, 0) || math.IsNaN(got.Error[j]) || got.Error[j] < 0 {
				t.Errorf("%v ± %v", v, got.Error[j])
			}
			e, err := got.Interval(ctx, j, 0.9)
			if err != nil || !(e.Lower <= e.Upper) {
				t.Errorf("%v: %+v, %v", v, e, err)
			}
		}
	})
}
