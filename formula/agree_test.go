package formula

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/internal/rows"
)

// trial is a random model with inputs for a block of individuals.
type trial struct {
	source     Source
	model      *Model
	p, u, d, v []float64
	n          int
	next, loss *expr
	let        []*expr
}

func newTrial(t *testing.T, r author) trial {
	t.Helper()
	x := trial{source: r.source(), n: 1 + r.IntN(6)}
	m, err := Compile(x.source)
	if err != nil && strings.Contains(err.Error(), "want a finite number") {
		return newTrial(t, r) // it divides a constant zero by itself
	}
	if err != nil {
		t.Fatalf("%+v\n%v", x.source, err)
	}
	x.model, x.next, x.loss = m, mustParse(x.source.Next), mustParse(x.source.Minimize)
	for _, l := range x.source.Let {
		if l.Data == nil {
			x.let = append(x.let, mustParse(l.Expr))
		} else {
			x.let = append(x.let, nil)
		}
	}
	draw := func(n int) []float64 {
		all := make([]float64, n)
		for i := range all {
			all[i] = r.NormFloat64()
		}
		return all
	}
	x.p, x.u, x.d, x.v = draw(4*x.n), draw(3), draw(2*x.n), draw(4*x.n)
	return x
}

// walked evaluates a formula of the trial for individual i by walking its tree; bump is added to the entries of p, u and d.
func walked[T float64 | complex128](x trial, kit kit[T], tree *expr, i int, bump func(k int) T) array[T] {
	lift := func(from []float64, at int) []T {
		out := make([]T, len(from))
		for j, v := range from {
			out[j] = kit.of(v) + bump(at+j)
		}
		return out
	}
	w := &walker[T]{kit: kit, names: map[string]array[T]{
		"p": {vector(4), lift(x.p[4*i:4*i+4], 0)}, "q": {vector(3), lift(x.u, 4)}, "d": {vector(2), lift(x.d[2*i:2*i+2], 7)},
	}}
	for k, l := range x.source.Let {
		if l.Data == nil {
			w.names[l.Name] = w.walk(x.let[k])
			continue
		}
		s, _ := shapeOf(l.Data.Shape)
		w.names[l.Name] = array[T]{s, lift(l.Data.Data, math.MinInt32)}
	}
	return w.walk(tree)
}

func mustParse(s string) *expr {
	e, err := parse(text{"test", s}, new(int))
	if err != nil {
		panic(err)
	}
	return e
}

func same(x, y float64) bool {
	return math.Float64bits(x) == math.Float64bits(y) || math.IsNaN(x) && math.IsNaN(y)
}

// Eight thousand random formulas (a tenth of them in short runs): compiled programs give the bits of walking the tree, and their derivatives by reverse
// accumulation agree with complex steps of the tree to 1e-10.
func TestRandomFormulas(t *testing.T) {
	agree := evidence.For(t, evidence.Promise{Name: "formulas", Text: "10,000 random formulas: programs that give other bits than walking the tree; their derivatives against complex steps [squire1998], relative"})
	for part := range 2 {
		t.Run(strconv.Itoa(part), func(t *testing.T) {
			t.Parallel()
			r := author{rand.New(rand.NewPCG(uint64(part), 5))}
			worst, count := 0.0, 4_000
			if testing.Short() {
				count = 400
			}
			for checked := 0; checked < count; {
				x := newTrial(t, r)
				x.sameBits(t)
				agree.Case(!t.Failed(), "%s", x.source.Next)
				if off, ok := x.derivatives(t); ok {
					worst = max(worst, off)
					checked++
				}
			}
			agree.AtMost("derivatives", worst, 1e-10)
		})
	}
}

// sameBits compares programs with the tree, for blocks as for one individual.
func (x trial) sameBits(t *testing.T) {
	t.Helper()
	still := func(int) float64 { return 0 }
	dst := make([]float64, len(x.p))
	x.model.Dynamics().NextRows(dst, x.p, x.u, x.d)
	loss := 0.0
	for i := range x.n {
		for j, want := range walked(x, floats(), x.next, i, still).x {
			if got := dst[4*i+j]; !same(got, want) {
				t.Fatalf("%s\nlet %v\nentry %d of individual %d is %v, the tree says %v", x.source.Next, x.source.Let, j, i, got, want)
			}
		}
		loss += walked(x, floats(), x.loss, i, still).x[0]
	}
	if got := x.model.Objective().EvalRows(nil, nil, x.p, x.u, x.d); !same(got, loss) {
		t.Fatalf("%s\nthe loss is %v, the tree says %v", x.source.Minimize, got, loss)
	}
}

// derivatives compares those of the first individual and returns their error, relative to the norm of the gradient. Where it
// is huge or not a number there is nothing to compare.
func (x trial) derivatives(t *testing.T) (worst float64, ok bool) {
	t.Helper()
	p, d, v := x.p[:4], x.d[:2], x.v[:4]
	got := make([]float64, 14)
	x.model.Dynamics().Pullback(got[:4], got[4:7], p, x.u, d, v)
	x.model.Objective().Eval(got[7:11], got[11:14], p, x.u, d)
	want := append(x.slopes(x.next, v), x.slopes(x.loss, []float64{1})...)
	if size := rows.MaxAbs(want); !(size < 1e6) {
		return 0, false
	}
	for i, formula := range []string{x.source.Next, x.source.Minimize} {
		g, w := got[7*i:7*i+7], want[7*i:7*i+7]
		off := rows.Distance(g, w) / max(rows.Norm(w), 1e-3)
		if worst = max(worst, off); !(off <= 1e-10) {
			t.Fatalf("%s\nlet %v\ngradient %v, complex steps say %v", formula, x.source.Let, g, w)
		}
	}
	return worst, true
}

// slopes returns the derivatives of v·formula in p and u.
func (x trial) slopes(tree *expr, v []float64) (all []float64) {
	const h = 1e-40
	for k := range 7 {
		y := walked(x, complexes(), tree, 0, func(i int) complex128 {
			if i == k {
				return complex(0, h)
			}
			return 0
		})
		sum := 0.0
		for i, z := range y.x {
			sum += v[i] * imag(z) / h
		}
		all = append(all, sum)
	}
	return all
}
