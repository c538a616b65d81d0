package forecast

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/kedge-opt/kedge/fit"
	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/internal/evidence"
)

// What forecasts, echoes and halves of small logs say is what they said when it was last looked at: with holes, weights, traits of people, two entries of the state,
// and too few rows.
func TestForecastsAreAsRecorded(t *testing.T) {
	line, unknowns := model(t)
	own, err := formula.Source{Decision: "q", State: "p", Trait: "d", Next: "a*p + b*q + d"}.RegressTraits([]string{"a", "b"})
	if err != nil {
		t.Fatal(err)
	}
	two, err := formula.Source{Decision: "q", State: "p[2]", Next: "[a*p[0] + b*q, b*p[0] + a*p[1]]"}.Regress([]string{"a", "b"})
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	say := func(format string, args ...any) {
		lines = append(lines, evidence.Rounded(fmt.Sprintf(format, args...))...)
	}
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 6))
		f, o := line, fit.Options{}
		switch seed % 4 {
		case 1:
			f, o = own, fit.Options{Unseen: fit.Fixed}
		case 2:
			f = two
		case 3:
			f, o = own, fit.Options{Unseen: fit.Random}
		}
		l := thinned(r, made(1+r.IntN(7), 3+r.IntN(9), always(0.7), 0.3*r.Float64(), seed), f.States)
		say("%d: %d rows", seed, len(l.Person))
		rolled, err := Roll(t.Context(), f, l, unknowns, o, Rolling{Steps: 1 + r.IntN(3), Origins: r.IntN(4)})
		if err != nil {
			say("  %v", err)
		} else {
			say("  %+v", *rolled)
		}
		label := Halves(l)
		if seed%5 == 0 {
			for i := range label {
				label[i] = l.Person[i] % 3
			}
		}
		apart, err := Apart(t.Context(), f, l, unknowns, o, label)
		say("  %v: %+v %v", label, apart, err)
		o.Times = seed%3 == 0 && o.Unseen != fit.Random
		fitted, err := fit.Find(t.Context(), f, l, unknowns, o)
		if err != nil {
			continue
		}
		echoes, err := Echoes(f, l, fitted)
		say("  %+v %v\n  %v", echoes, err, Errors(f, l, fitted))
	}
	for _, plan := range []Rolling{{}, {Steps: 1001}, {Steps: 1, Origins: -1}, {Steps: 1000}, {Steps: 1}} {
		for _, times := range []bool{false, true} {
			got, err := Roll(t.Context(), line, made(3, 6, always(0.5), 0, 5), unknowns, fit.Options{Times: times}, plan)
			if plan.Steps == 1000 {
				got = nil
			}
			say("%+v, times %v: %+v %v", plan, times, got != nil, err)
		}
	}
	for _, label := range [][]int{nil, make([]int, 18), {1}} {
		got, err := Apart(t.Context(), line, made(3, 6, always(0.5), 0, 5), unknowns, fit.Options{}, label)
		say("%d labels: %+v %v", len(label), got, err)
	}
	for w := Model; w < ways; w++ {
		say("%v", w)
	}
	evidence.AsRecorded(t, "testdata/recorded.txt", lines)
}

// thinned is a log in another order without some rows, with weights, and with as many entries of the state.
func thinned(r *rand.Rand, l fit.Log, states int) (out fit.Log) {
	holes, weighed := r.IntN(3) == 0, r.IntN(3) == 0
	for _, i := range r.Perm(len(l.Person)) {
		if holes && r.IntN(6) == 0 {
			continue
		}
		for e := range states {
			by := float64(1 + e)
			out.States, out.After = append(out.States, by*l.States[i]), append(out.After, by*l.After[i]+0.1*float64(e)*r.NormFloat64())
		}
		out.Beside, out.Person, out.Time = append(out.Beside, l.Beside[i]), append(out.Person, l.Person[i]), append(out.Time, l.Time[i])
		if weighed {
			out.Weight = append(out.Weight, float64(1+r.IntN(3)))
		}
	}
	return out
}
