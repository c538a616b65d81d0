package formula_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/stream"
)

// affine are models whose people settle by a solution: diagonal slopes, of their own and shared, beside them terms of rank one and two, full matrices, and slopes that only
// elimination solves.
func affine() map[string]formula.Source {
	of := func(next string) formula.Source {
		return formula.Source{Decision: "q[3]", State: "p[3]", Trait: "d[3]", Next: next, Minimize: "dot(p, p)"}
	}
	return map[string]formula.Source{
		"own":      of("sin(d)*p/2 + d*q"),
		"shared":   of("0.5*p + d*exp(-q)"),
		"decided":  of("tanh(q)*p + d"),
		"rank one": of("0.3*p + 0.02*dot(p, d)*q + d"),
		"rank two": of("0.3*p + 0.02*dot(p, d)*q + 0.02*dot(p, q)*d + d"),
		"matrices": of("[sin(d[0])*p[1]/2 + q[0], p[0]*d[1]/9 + p[2]/3, (p[0] + p[1])/4 + d[2]]"),
		"one":      of("p + 0.1*(d*q - p) + p*(d - d)"),
		"matrix":   opinions(),
		"choice":   choice(),
	}
}

// People settle together where each settles alone, with the same bits, in as many blocks as there are, and what one adds to a gradient is what it adds alone.
func TestPeopleSettleTogetherAsAlone(t *testing.T) {
	const count = 150
	for name, source := range affine() {
		m := compile(t, source)
		f, senses := m.Dynamics().(kedge.RowSettler), m.Sensitivity()
		dims, r := m.Dynamics().Dims(), stream.New(3, name)
		u, d, v := normals(r, dims.Decision), normals(r, count*dims.Trait), normals(r, count*dims.State)
		h, one := make([]float64, count*dims.State), make([]float64, dims.State)
		all, err := f.SettleRows(h, u, d)
		var worst kedge.Residual
		for i := range count {
			res, fault := f.Settle(one, u, kedge.Row(d, i, dims.Trait))
			if err = errors.Join(err, fault); err != nil || !slices.Equal(one, kedge.Row(h, i, dims.State)) {
				t.Fatalf("%s: %d settles at %v alone and at %v among others: %v", name, i, one, kedge.Row(h, i, dims.State), err)
			}
			worst = worst.Worst(res)
		}
		if all != worst {
			t.Errorf("%s: the worst residual is %v, of each alone %v", name, all, worst)
		}
		for _, i := range []int{0, 63, 64, 149} {
			got, want, only := make([]float64, dims.Decision), make([]float64, dims.Decision), make([]float64, len(v))
			copy(kedge.Row(only, i, dims.State), kedge.Row(v, i, dims.State))
			err := errors.Join(senses.PullRows(got, h, u, d, only), senses.PullRows(want, kedge.Row(h, i, dims.State), u, kedge.Row(d, i, dims.Trait), kedge.Row(v, i, dims.State)))
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%s: %d adds %v among others and %v alone: %v", name, i, got, want, err)
			}
		}
	}
}

// The error is that of the first who has one, in whatever block; those before are settled, and the residual is theirs.
func TestTheFirstWhoDoesNotSettleIsNamed(t *testing.T) {
	f := compile(t, formula.Source{Decision: "q", State: "p", Trait: "d", Next: "d*p + q", Minimize: "p"}).Dynamics().(kedge.RowSettler)
	u := []float64{0.3}
	var unstable *kedge.UnstableError
	for _, bad := range []int{0, 1, 63, 64, 100} {
		d, h := make([]float64, 130), make([]float64, 130)
		for i := range d {
			d[i] = float64(i) / 140
		}
		want := make([]float64, bad)
		worst, err := f.SettleRows(want, u, d[:bad])
		if err != nil {
			t.Fatal(err)
		}
		d[bad], d[129] = 1.5, math.NaN()
		got, err := f.SettleRows(h, u, d)
		row, ok := err.(*kedge.RowError)
		if !ok || row.Row != bad || !errors.As(err, &unstable) || unstable.Rate != 1.5 {
			t.Errorf("%d does not settle: %v", bad, err)
		}
		if got != worst || !slices.Equal(h[:bad], want) {
			t.Errorf("those before %d settle at %v with %v, alone at %v with %v", bad, h[:bad], got, want, worst)
		}
	}
}

// Slopes that all share are judged once, with the first.
func TestSharedSlopesAreJudged(t *testing.T) {
	f := compile(t, formula.Source{Decision: "q", State: "p", Trait: "d", Next: "q*p + d", Minimize: "p"}).Dynamics().(kedge.RowSettler)
	_, err := f.SettleRows(make([]float64, 3), []float64{1.5}, []float64{1, 2, 3})
	var unstable *kedge.UnstableError
	if row, ok := err.(*kedge.RowError); !ok || row.Row != 0 || !errors.As(err, &unstable) || unstable.Rate != 1.5 {
		t.Errorf("people who run away settle: %v", err)
	}
}
