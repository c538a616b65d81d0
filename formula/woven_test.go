package formula

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge/internal/evidence"
)

// What one pass does has the bits of the instructions one by one, also where rows are 0, huge, tiny or not finite.
func TestWovenRunsHaveTheBitsOfTheirInstructions(t *testing.T) {
	evidence.OneGoroutine(t)
	for text, isWoven := range map[string]bool{
		"normalize(a*p + (1-a)*d + s*dot(p,q)*q)":                    true,
		"normalize((1-a)*d - a*p + dot(q,p)*s*q)":                    true,
		"normalize(d + a*p - dot(p,q)*q)":                            true,
		"normalize(a*p + d - s*dot(p,q)*q)":                          true,
		"normalize(s*dot(p,q)*q + a*p + d)":                          false, // added in another order
		"normalize(a*p + d[0]*d + s*dot(p,q)*q)":                     false, // a factor of each
		"normalize(a*p + d + s*dot(d,p)*q)":                          false, // with rows of each
		"normalize(a*p + d + dot(p,q)*q) + dot(p,q)*d":               false, // read by others
		"normalize(a*p + d + s*dot(p,q)*q) + s*dot(p,q)*d":           false,
		"normalize(a*p + d + dot(p,q)*q) + a*p + d + dot(p,q)*q":     false,
		"normalize(a*p + d + dot(p,q)*q)*norm(a*p + d + dot(p,q)*q)": false,
		"(a*p + d + s*dot(p,q)*q)/norm(a*p + d + s*dot(p,q)*q)":      false, // divided
		"normalize(a*p + s*dot(p,q)*q)":                              false, // two terms and four
		"normalize(a*p + d + s*dot(p,q)*q - s*p*d)":                  false,
		"normalize(x0*x1*p + d + along*q)":                           false, // another product between
		"normalize(a*p + d + (along + s)*q)":                         false,
		"normalize(a*p + d + along*along*q)":                         false,
		"normalize(a*p + d + s*dot(p,q)*[q[6], q[0:6]])":             false, // along another
		"normalize(a*p + d + s*dot(q,p)*[q[6], q[0:6]])":             false,
		"normalize(a*p + d + s*dot(p*d,q)*q)":                        false, // of another
		"normalize(a*p + d + s*dot(q,p*d)*q)":                        false,
		"normalize(z)":                                               true,
		"normalize(z) + x0*z":                                        false, // the sum is read by others
		"normalize(z)*z[1]":                                          false,
		"normalize(p) + sum(z)*z":                                    false, // the norm behind the sum is of others
		"normalize(-p - d - dot(p,q)*q)":                             true,
		"normalize(p - s*d - (-s)*dot(p,q)*q)":                       true,
	} {
		m, err := Compile(Source{Decision: "q[7]", State: "p[7]", Trait: "d[7]", Let: []Binding{{Name: "a", Expr: "0.4"}, {Name: "s", Expr: "0.5"}, {Name: "x0", Expr: "d[0]"}, {Name: "x1", Expr: "d[1]"}, {Name: "along", Expr: "dot(p,q)"}, {Name: "z", Expr: "a*p + d + s*dot(p,q)*q"}}, Next: text, Minimize: "dot(p,q)"})
		if err != nil {
			t.Fatal(text, err)
		}
		program := m.Dynamics().(*dynamics).next()
		if got := slices.ContainsFunc(program.woven, func(w *woven) bool { return w != nil }); got != isWoven {
			t.Errorf("%s is woven: %v, want %v", text, got, isWoven)
		}
		plain := newProgram(output{toDst, program.values[program.outputs[0].value].node, 0})
		plain.woven = nil
		r := rand.New(rand.NewPCG(1, 2))
		for n := range 200 {
			size := func() float64 {
				return []float64{1, 1, 1, 0, 1e-170, 1e160, math.NaN(), math.Inf(1)}[r.IntN(4+n%5)]
			}
			f := frame{p: make([]float64, 7*n), d: make([]float64, 7*n), u: make([]float64, 7), dst: make([]float64, 7*n)}
			for i := range 7 * n {
				f.p[i], f.d[i] = r.NormFloat64(), r.NormFloat64()
			}
			for i := range n {
				for j, s := 7*i, size(); j < 7*(i+1); j++ {
					f.p[j], f.d[j] = s*f.p[j], s*f.d[j]
				}
			}
			for i := range f.u {
				f.u[i] = r.NormFloat64()
			}
			program.run(n, f)
			want := f
			want.dst = make([]float64, 7*n)
			plain.run(n, want)
			if !sameBits(f.dst, want.dst) {
				t.Fatalf("%s: %d individuals: other bits", text, n)
			}
			if inPlace := (frame{p: slices.Clone(f.p), d: f.d, u: f.u}); n > 0 {
				inPlace.dst = inPlace.p
				if program.run(n, inPlace); !sameBits(inPlace.dst, want.dst) {
					t.Fatalf("%s: %d individuals, in place: other bits", text, n)
				}
			}
		}
	}
}

// A factor is no shared one because it stands first: here it is the state, a number of each.
func TestFactorsOfEachAreNotShared(t *testing.T) {
	m, err := Compile(Source{Decision: "q", State: "p", Trait: "d[3]", Let: []Binding{{Name: "w", Expr: "[1, -2, 0.5]"}}, Next: "normalize(p*d + 0.5*d^2 + dot(d, w)*w)[1]"})
	if err != nil {
		t.Fatal(err)
	}
	p, d, got, one := []float64{1, -2, 3, 0.5, 7}, make([]float64, 15), make([]float64, 5), make([]float64, 1)
	for i := range d {
		d[i] = float64(i%4) - 1.25
	}
	m.Dynamics().NextRows(got, p, []float64{0}, d)
	for i := range p {
		if m.Dynamics().Next(one, p[i:i+1], []float64{0}, d[3*i:3*i+3]); one[0] != got[i] {
			t.Errorf("individual %d: %v among others, %v alone", i, got[i], one[0])
		}
	}
}
