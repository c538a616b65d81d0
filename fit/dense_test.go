package fit

import (
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge/formula"
	"gonum.org/v1/gonum/mat"
)

// lines are a person's rows as one by one the definitions have them, in units of errors: what is missed, its slopes in unknowns and times, those in the trait, and the entry of each.
func (g *persons) lines(theta, spread, trait []float64, who int) (r *mat.VecDense, x, h *mat.Dense, entry []int) {
	f, m := g.f, g.f.States
	var missed, slopes, own []float64
	row := make([]float64, f.Width())
	for i := g.first[who]; i < g.first[who+1]; i++ {
		f.RowsOf(row, g.l.States[i*m:(i+1)*m], theta[:f.Unknowns], trait, g.l.Beside[i*f.Beside:(i+1)*f.Beside])
		for e := range m {
			shifts := make([]float64, g.shifts)
			off := g.l.After[i*m+e] - row[e]
			if g.shifts > 0 && g.time[i] > 0 {
				at := (g.time[i]-1)*m + e
				shifts[at] = 1
				off -= theta[f.Unknowns+at]
			}
			by := math.Sqrt(g.l.weight(i)) / spread[e]
			missed, entry = append(missed, off*by), append(entry, e)
			of := row[m+e*(f.Unknowns+f.Traits):][:f.Unknowns+f.Traits]
			for _, v := range slices.Concat(of[:f.Unknowns], shifts) {
				slopes = append(slopes, v*by)
			}
			for _, v := range of[f.Unknowns:] {
				own = append(own, v*by)
			}
		}
	}
	n := len(missed)
	if f.Traits > 0 {
		h = mat.NewDense(n, f.Traits, own)
	}
	return mat.NewVecDense(n, missed), mat.NewDense(n, f.Unknowns+g.shifts, slopes), h, entry
}

// product is that of matrices, one after the other.
func product(first mat.Matrix, more ...mat.Matrix) *mat.Dense {
	out := mat.DenseCopyOf(first)
	for _, m := range more {
		next := new(mat.Dense)
		next.Mul(out, m)
		out = next
	}
	return out
}

func inverted(t *testing.T, a mat.Matrix) *mat.Dense {
	t.Helper()
	out := new(mat.Dense)
	if err := out.Inverse(a); err != nil {
		t.Fatal(err)
	}
	return out
}

// Where everybody has a trait of his own, or times shift all, what a person says is least squares of what is left of rows once the columns of his trait are taken out: M = I − H(HᵀH)⁻¹Hᵀ, by dense
// matrices, with weights, and with two times and with more.
func TestWhatIsLeftOfTraits(t *testing.T) {
	pair := regressTraits(t, formula.Source{Decision: "q", State: "p[2]", Trait: "d[2]", Next: "[a*p[0] + b*q + d[0], b*p[0]*q + d[1] + 2*d[0]*q]"}, "a", "b")
	line := regress(t, formula.Source{Decision: "q", State: "p", Next: "a*p + b*q"}, "a", "b")
	for _, f := range []*formula.Regressor{pair, line} {
		for _, times := range []int{2, 6} {
			l := wander(f, []float64{0.5, -0.4}, 4, times, 0.3, 0.5, 0.3, 0.2, 3, false)
			for i := range l.Person {
				l.Weight = append(l.Weight, 1+float64(i%3))
			}
			g, err := newPersons(f, l, Options{Times: true})
			if err != nil {
				t.Fatal(err)
			}
			theta, spread := make([]float64, 2+g.shifts), []float64{0.5, 2}[:f.States]
			for j := range theta {
				theta[j] = 0.3 - 0.1*float64(j)
			}
			got, err := fixed{g}.at(t.Context(), theta, spread, nil, 1)
			if err != nil {
				t.Fatal(err)
			}
			want := newFoothold(theta, len(theta), f.States)
			for who := range g.count() {
				want.leftOf(t, g, theta, spread, who)
			}
			same(t, got, want)
		}
	}
}

// leftOf adds what a person says.
func (p *Foothold) leftOf(t *testing.T, g *persons, theta, spread []float64, who int) {
	r, x, h, entry := g.lines(theta, spread, make([]float64, g.f.Traits), who)
	n := r.Len()
	m := mat.NewDense(n, n, nil)
	if g.f.Traits > 0 {
		m = product(h, inverted(t, product(h.T(), h)), h.T())
	}
	m.Scale(-1, m)
	for i := range n {
		m.Set(i, i, 1+m.At(i, i))
	}
	left := product(m, r)
	for i, e := range entry {
		v := left.At(i, 0)
		p.Loss += v * v / 2
		p.Square[e] += v * v * spread[e] * spread[e]
	}
	slope, normal := product(x.T(), left), product(x.T(), m, x)
	for a := range p.Slope {
		p.Slope[a] += slope.At(a, 0)
		for b := a; b < len(p.Slope); b++ {
			p.Normal[a*len(p.Slope)+b] += normal.At(a, b)
		}
	}
}

// same compares footholds but for their places.
func same(t *testing.T, got, want *Foothold) {
	t.Helper()
	near := func(what string, a, b float64) {
		if !(math.Abs(a-b) <= 1e-9*(1+math.Abs(b))) {
			t.Errorf("%s is %v, want %v", what, a, b)
		}
	}
	near("the loss", got.Loss, want.Loss)
	for i := range want.Square {
		near("a square", got.Square[i], want.Square[i])
	}
	for i := range want.Slope {
		near("a slope", got.Slope[i], want.Slope[i])
		for j := i; j < len(want.Slope); j++ {
			near("a curvature", got.Normal[i*len(want.Slope)+j], want.Normal[i*len(want.Slope)+j])
		}
	}
}

// Where traits are drawn and next states are affine in them, rows of a person are normal with the variance V = I + HLLᵀHᵀ, in units of errors: the loss, its slopes and the information that is expected, which
// is XᵀV⁻¹X of means and ½ tr(V⁻¹VᵢV⁻¹Vⱼ) of variances, are those of the definition by dense matrices.
func TestDrawnTraitsByTheirDefinition(t *testing.T) {
	for name, f := range map[string]*formula.Regressor{
		"two traits of one state": regressTraits(t, formula.Source{Decision: "q", State: "p", Trait: "d[2]", Next: "a*p + b*q^2 + d[0] + d[1]*q"}, "a", "b"),
		"one of two states":       regressTraits(t, formula.Source{Decision: "q", State: "p[2]", Trait: "d", Next: "[a*p[0] + b*q + d, b*p[0] + a*p[1] + 2*d*q]"}, "a", "b"),
	} {
		for _, o := range []Options{{}, {Origin: true}, {Times: true}} {
			g, err := newPersons(f, wander(f, []float64{0.5, -0.4}, 2, 5, 0.3, 0.5, 0.3, 0, 2, false), o)
			if err != nil {
				t.Fatal(name, err)
			}
			x := newRandom(g, o)
			phi := make([]float64, x.to)
			for j := range x.logs { // errors are of size 1 and e^0.2
				phi[j] = 0.4 - 0.07*float64(j%5)
			}
			for e := 1; e < f.States; e++ {
				phi[x.logs+e] = 0.2
			}
			for who := range x.count() {
				got, want := newFoothold(phi, x.to, f.States), newFoothold(phi, x.to, f.States)
				x.person(new(desk), got, phi, who, true)
				want.drawn(t, x, phi, who)
				same(t, got, want)
			}
		}
	}
}

// drawn adds what a person says, by the definition.
func (p *Foothold) drawn(t *testing.T, x *random, phi []float64, who int) {
	q, spread := x.f.Traits, make([]float64, x.f.States)
	for e := range spread {
		spread[e] = math.Exp(phi[x.logs+e])
	}
	cause := []float64{1}
	for e := range x.apart - 1 {
		cause = append(cause, x.l.States[x.first[who]*x.f.States+e])
	}
	mean := make([]float64, q)
	for j := range mean {
		for c, v := range cause {
			mean[j] += v * phi[x.mean+j*x.apart+c]
		}
	}
	r, slopes, h, entry := x.lines(phi, spread, mean, who)
	n := r.Len()
	lower, by := mat.NewDense(q, q, nil), x.triangle
	var changes []*mat.Dense // of V, by the entries of L and the logarithms of sizes
	for a := range q {
		for b := range a + 1 {
			lower.Set(a, b, phi[by])
			by++
		}
	}
	for a := range q {
		for b := range a + 1 {
			unit := mat.NewDense(q, q, nil)
			unit.Set(a, b, 1)
			one := product(h, unit, lower.T(), h.T())
			one.Add(one, mat.DenseCopyOf(one.T()))
			changes = append(changes, one)
		}
	}
	for e := range spread {
		one := mat.NewDense(n, n, nil)
		for i, of := range entry {
			if of == e {
				one.Set(i, i, 2)
			}
		}
		changes = append(changes, one)
	}
	v := product(h, lower, lower.T(), h.T())
	wide := mat.NewDense(n, x.triangle, nil)
	for i := range n {
		v.Set(i, i, 1+v.At(i, i))
		for j := range x.mean {
			wide.Set(i, j, slopes.At(i, j))
		}
		for j := range q {
			for c, u := range cause {
				wide.Set(i, x.mean+j*x.apart+c, h.At(i, j)*u)
			}
		}
	}
	p.normal(inverted(t, v), math.Log(mat.Det(v)), wide, r, changes)
	for _, e := range entry {
		p.Loss += phi[x.logs+e]
	}
}

// normal adds the loss of normal errors with a variance, of which the inverse is given, its slopes and the information, upper half.
func (p *Foothold) normal(inverse *mat.Dense, logs float64, wide *mat.Dense, r *mat.VecDense, changes []*mat.Dense) {
	_, k := wide.Dims()
	n := k + len(changes)
	left := product(inverse, r)
	p.Loss += mat.Dot(r, left.ColView(0))/2 + logs/2
	slope, normal := product(wide.T(), left), product(wide.T(), inverse, wide)
	for a := range k {
		p.Slope[a] += slope.At(a, 0)
		for b := a; b < k; b++ {
			p.Normal[a*n+b] += normal.At(a, b)
		}
	}
	for i, one := range changes {
		moved := product(inverse, one)
		p.Slope[k+i] += product(left.T(), one, left).At(0, 0)/2 - mat.Trace(moved)/2
		for j := i; j < len(changes); j++ {
			p.Normal[(k+i)*n+k+j] += mat.Trace(product(moved, inverse, changes[j])) / 2
		}
	}
}
