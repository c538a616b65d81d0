package dynamics_test

import (
	"errors"
	"math"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/stream"
)

// Independent method: the steady states themselves. The error is scaled by ‖u‖, the largest value there can be.
func TestAlignRowsIsTheProductWithSettledStates(t *testing.T) {
	r := stream.New(1, "align")
	for range 300 {
		m, n := 1+r.Intn(24), 1+r.Intn(150)
		f := dynamics.Polarized{Dim: m, Lambda: r.Float64(), Sigma: 2 * r.Float64()}
		u, d := unitRows(r, 1, m), unitRows(r, n, m)
		rows.Scale(u, math.Pow(10, 4*r.Float64()-3))
		got, h := make([]float64, n), make([]float64, n*m)
		if _, err := f.AlignRows(got, u, d); err != nil {
			t.Fatal(err)
		}
		if _, err := f.SettleRows(h, u, d); err != nil {
			t.Fatal(err)
		}
		for i, a := range got {
			if want := rows.Dot(kedge.Row(h, i, m), u); math.Abs(a-want) > 2e-15*rows.Norm(u) {
				t.Fatalf("%+v, individual %d: %v, settled state says %v", f, i, a, want)
			}
		}
	}
}

func unitRows(r *stream.Stream, n, m int) []float64 {
	x := make([]float64, n*m)
	for i := range n {
		row := kedge.Row(x, i, m)
		for j := range row {
			row[j] = r.Normal()
		}
		rows.Scale(row, 1/rows.Norm(row))
	}
	return x
}

func TestAlignRowsOutOfTheOrdinary(t *testing.T) {
	f := dynamics.Polarized{Dim: 2, Lambda: 0.4, Sigma: 0.5}
	dst := make([]float64, 3)
	d := []float64{1, 0, 0, 1, -1, 0}
	if _, err := f.AlignRows(dst, []float64{0, 0}, d); err != nil || rows.MaxAbs(dst) != 0 {
		t.Errorf("no decision: %v, %v", dst, err)
	}
	if _, err := f.AlignRows(dst, []float64{1, 0}, d); err != nil || dst[0] != 1 || dst[1] != 0 || dst[2] != -1 {
		t.Errorf("along, across and against: %v, %v", dst, err)
	}
	for name, c := range map[string]struct{ u, d []float64 }{
		"NaN":        {[]float64{math.NaN(), 0}, d},
		"short":      {[]float64{1}, d},
		"few traits": {[]float64{1, 0}, d[:4]},
	} {
		if _, err := f.AlignRows(dst, c.u, c.d); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
	many := unitRows(stream.New(2, "many"), 100, 2)
	many[2*77] = 3
	var row *kedge.RowError
	if _, err := f.AlignRows(make([]float64, 100), []float64{1, 0}, many); !errors.As(err, &row) || row.Row != 77 {
		t.Errorf("a trait off the sphere gives %v, want an error that names individual 77", err)
	}
}

// The state that a component x along û belongs to is xû + √(1−x²)ŵ with ŵ the direction of d across û. It must solve the
// equation as well as AlignRows claims; where √(1−x²) is small it is known less well, and such people are left out.
func TestAlignRowsKeepsItsClaim(t *testing.T) {
	off := evidence.For(t, evidence.Promise{Name: "aligned", Text: "polarized steady states by their component along u: residual, and what it is claimed to be at most"})
	r := stream.New(3, "claim")
	worst, claimed := 0.0, 0.0
	for range 300 {
		const m, n = 7, 40
		f := dynamics.Polarized{Dim: m, Lambda: 0.95 * r.Float64(), Sigma: 1.5 * r.Float64()}
		u, d, pu := unitRows(r, 1, m), unitRows(r, n, m), make([]float64, n)
		res, err := f.AlignRows(pu, u, d)
		if err != nil {
			t.Fatal(err)
		}
		claimed = res.Norm
		for i, x := range pu {
			if x*x < 0.99 {
				worst = max(worst, missed(f, x, u, kedge.Row(d, i, m)))
			}
		}
	}
	off.AtMost("", worst, claimed)
}

// missed returns ‖f(h, u, d) − h‖∞ of the state h with component x along the unit vector u.
func missed(f dynamics.Polarized, x float64, u, d []float64) float64 {
	h := append([]float64(nil), d...)
	rows.AddScaled(h, -rows.Dot(d, u), u)
	rows.Scale(h, math.Sqrt((1-x)*(1+x))/rows.Norm(h))
	rows.AddScaled(h, x, u)
	next := make([]float64, len(h))
	f.Next(next, h, u, d)
	rows.AddScaled(next, -1, h)
	return rows.MaxAbs(next)
}
