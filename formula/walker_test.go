package formula

import (
	"fmt"
	"math"
	"math/cmplx"

	"github.com/kedge-opt/kedge/internal/portable"
	"github.com/kedge-opt/kedge/internal/rows"
)

// walker evaluates trees one individual at a time, value by value: the plain twin of compiled programs. Over complex numbers
// it gives derivatives by a complex step, independently of reverse accumulation.
type walker[T float64 | complex128] struct {
	names map[string]array[T]
	kit   kit[T]
}

type array[T float64 | complex128] struct {
	s shape
	x []T
}

// kit is what is not the same for both kinds of number.
type kit[T float64 | complex128] struct {
	of       func(float64) T
	part     func(T) float64 // what comparisons look at
	one      map[string]func(T) T
	raise    func(x, y T) T
	dot      func(x, y []T) T
	sum      func(x []T) T
	norm     func(x []T) T
	smallest func(x []T) int
	largest  func(x []T) int
	byNorm   func(x, c T) T
}

func floats() kit[float64] {
	return kit[float64]{
		of: func(v float64) float64 { return v }, part: func(v float64) float64 { return v },
		one: map[string]func(float64) float64{
			"exp": exponential, "log": logarithm, "sqrt": math.Sqrt, "tanh": tanh, "sigmoid": sigmoid, "abs": math.Abs,
			"sin": portable.Sin, "cos": portable.Cos, "tan": portable.Tan, "erf": portable.Erf, "floor": math.Floor, "round": math.Round,
		},
		raise: raise, dot: rows.Dot, sum: rows.Sum, norm: rows.Norm, smallest: smallest, largest: largest,
		byNorm: func(x, c float64) float64 {
			if c2 := c * c; c2 > 1e-280 && c2 < 1e280 {
				return x * (1 / c)
			}
			return x / c
		},
	}
}

func complexes() kit[complex128] {
	sum := func(x []complex128) (s complex128) {
		for _, v := range x {
			s += v
		}
		return s
	}
	dot := func(x, y []complex128) (s complex128) {
		for i, v := range x {
			s += v * y[i]
		}
		return s
	}
	parts := func(x []complex128) []float64 {
		r := make([]float64, len(x))
		for i, v := range x {
			r[i] = real(v)
		}
		return r
	}
	return kit[complex128]{
		of: func(v float64) complex128 { return complex(v, 0) }, part: func(v complex128) float64 { return real(v) },
		one: map[string]func(complex128) complex128{
			"exp": cmplx.Exp, "log": cmplx.Log, "sqrt": cmplx.Sqrt, "tanh": cmplx.Tanh,
			"sigmoid": func(v complex128) complex128 { return (1 + cmplx.Tanh(v/2)) / 2 },
			"abs":     func(v complex128) complex128 { return v * complex(sign(real(v)), 0) },
			"sin":     cmplx.Sin, "cos": cmplx.Cos, "tan": cmplx.Tan, "erf": complexErf,
			"floor": func(v complex128) complex128 { return complex(math.Floor(real(v)), 0) },
			"round": func(v complex128) complex128 { return complex(math.Round(real(v)), 0) },
		},
		raise: cmplx.Pow, dot: dot, sum: sum,
		norm:     func(x []complex128) complex128 { return cmplx.Sqrt(dot(x, x)) },
		smallest: func(x []complex128) int { return smallest(parts(x)) },
		largest:  func(x []complex128) int { return largest(parts(x)) },
		byNorm:   func(x, c complex128) complex128 { return x / c },
	}
}

func (w *walker[T]) number(v float64) array[T] { return array[T]{scalar(), []T{w.kit.of(v)}} }

func (w *walker[T]) walk(e *expr) array[T] {
	switch e.kind {
	case numberExpr:
		return w.number(e.number)
	case nameExpr:
		if v, ok := constants[e.name]; ok {
			return w.number(v)
		}
		return w.names[e.name]
	case sliceExpr:
		return w.slice(e)
	case eachExpr:
		return w.series(e)
	}
	if e.kind == callExpr && e.name == "sum" && e.args[0].kind == eachExpr {
		return w.total(e.args[0])
	}
	if e.kind == listExpr && e.args[0].kind == eachExpr {
		return w.series(e.args[0])
	}
	args := make([]array[T], len(e.args))
	for i, a := range e.args {
		args[i] = w.walk(a)
	}
	switch e.kind {
	case negateExpr:
		return each(args[0], func(v T) T { return -v })
	case transposeExpr:
		return flipped(args[0])
	case listExpr:
		return w.join(e, args)
	case compareExpr:
		return w.compare(e, args)
	case callExpr:
		return w.call(e, args)
	}
	return w.binary(e, args[0], args[1])
}

func each[T float64 | complex128](a array[T], f func(T) T) array[T] {
	out := array[T]{a.s, make([]T, len(a.x))}
	for i, v := range a.x {
		out.x[i] = f(v)
	}
	return out
}

func two[T float64 | complex128](a, b array[T], f func(x, y T) T) array[T] {
	s := a.s
	if s.single() {
		s = b.s
	}
	out := array[T]{s, make([]T, s.size())}
	for i := range out.x {
		out.x[i] = f(a.entry(i), b.entry(i))
	}
	return out
}

func (a array[T]) entry(i int) T {
	if a.s.single() {
		return a.x[0]
	}
	return a.x[i]
}

func flipped[T float64 | complex128](a array[T]) array[T] {
	out := array[T]{a.s.flip(), make([]T, len(a.x))}
	for i := range a.s.rows {
		for j := range a.s.cols {
			out.x[j*a.s.rows+i] = a.x[i*a.s.cols+j]
		}
	}
	return out
}

func (w *walker[T]) binary(e *expr, a, b array[T]) array[T] {
	switch e.name {
	case "+":
		return two(a, b, func(x, y T) T { return x + y })
	case "-":
		return two(a, b, func(x, y T) T { return x - y })
	case "*":
		return two(a, b, func(x, y T) T { return x * y })
	case "/":
		return two(a, b, func(x, y T) T { return x / y })
	case "^":
		return w.raise(a, b)
	}
	return w.product(a, b)
}

func (w *walker[T]) raise(a, b array[T]) array[T] {
	k := w.kit.part(b.x[0])
	if !b.s.single() || k != math.Trunc(k) && k != 0.5 || math.Abs(k) > math.MaxInt32 {
		return two(a, b, w.kit.raise)
	}
	return each(a, func(x T) T {
		if k == 0.5 {
			return w.kit.one["sqrt"](x)
		}
		return repeated(x, int(k))
	})
}

func repeated[T float64 | complex128](x T, n int) T {
	if n < 0 {
		return 1 / repeated(x, -n)
	}
	y := T(1)
	for ; n > 0; n /= 2 {
		if n%2 == 1 {
			y *= x
		}
		x *= x
	}
	return y
}

func (w *walker[T]) product(a, b array[T]) array[T] {
	switch {
	case a.s.rank == 1 && b.s.rank == 1:
		return array[T]{scalar(), []T{w.kit.dot(a.x, b.x)}}
	case b.s.rank == 1:
		out := array[T]{vector(a.s.rows), make([]T, a.s.rows)}
		for i := range out.x {
			out.x[i] += w.kit.dot(b.x, a.x[i*a.s.cols:(i+1)*a.s.cols])
		}
		return out
	case a.s.rank == 1:
		return array[T]{vector(b.s.cols), fromLeft(a.x, b)}
	}
	out := array[T]{matrix(a.s.rows, b.s.cols), nil}
	for i := range a.s.rows {
		out.x = append(out.x, fromLeft(a.x[i*a.s.cols:(i+1)*a.s.cols], b)...)
	}
	return out
}

// fromLeft is a row times a matrix.
func fromLeft[T float64 | complex128](x []T, b array[T]) []T {
	out := make([]T, b.s.cols)
	for i, v := range x {
		for j := range out {
			out[j] += T(v * b.x[i*b.s.cols+j])
		}
	}
	return out
}

func (w *walker[T]) join(e *expr, args []array[T]) array[T] {
	var out array[T]
	for _, a := range args {
		out.x = append(out.x, a.x...)
	}
	out.s = vector(len(out.x))
	if allLists(e.args) {
		out.s = matrix(len(args), len(args[0].x))
	}
	return out
}

func (w *walker[T]) compare(e *expr, args []array[T]) array[T] {
	all := w.number(1)
	for i, sign := range e.ops {
		link := two(args[i], args[i+1], func(x, y T) T { return w.kit.of(truth(holds(sign, w.kit.part(x), w.kit.part(y)))) })
		all = two(all, link, func(x, y T) T { return x * y })
	}
	return all
}

func holds(sign string, x, y float64) bool {
	switch sign {
	case "<":
		return x < y
	case "<=":
		return x <= y
	case ">":
		return x > y
	case ">=":
		return x >= y
	case "==":
		return x == y
	}
	return x != y
}

func (w *walker[T]) slice(e *expr) array[T] {
	a := w.walk(e.args[0])
	lo, hi := [2]int{0, 0}, [2]int{a.s.rows, a.s.cols}
	wide := [2]bool{true, a.s.rank == 2}
	for i, c := range e.cuts {
		wide[i] = c.isWide
		if c.lo != nil {
			lo[i] = int(w.kit.part(w.walk(c.lo).x[0]))
		}
		if c.hi != nil {
			hi[i] = int(w.kit.part(w.walk(c.hi).x[0]))
		}
		if !c.isWide {
			hi[i] = lo[i] + 1
		}
	}
	var out array[T]
	for i := lo[0]; i < hi[0]; i++ {
		out.x = append(out.x, a.x[i*a.s.cols+lo[1]:i*a.s.cols+hi[1]]...)
	}
	switch {
	case wide[0] && wide[1]:
		out.s = matrix(hi[0]-lo[0], hi[1]-lo[1])
	case wide[0] || wide[1]:
		out.s = vector(len(out.x))
	default:
		out.s = scalar()
	}
	return out
}

func (w *walker[T]) call(e *expr, a []array[T]) array[T] {
	one := func(v T) array[T] { return array[T]{scalar(), []T{v}} }
	if f := w.kit.one[e.name]; f != nil {
		return each(a[0], f)
	}
	switch e.name {
	case "sum":
		return one(w.kit.sum(a[0].x))
	case "mean":
		return one(w.kit.sum(a[0].x) / w.kit.of(float64(len(a[0].x))))
	case "norm":
		return one(w.kit.norm(a[0].x))
	case "dot":
		if a[0].s.single() {
			return one(a[0].x[0] * a[1].x[0])
		}
		return one(w.kit.dot(a[0].x, a[1].x))
	case "transpose":
		return flipped(a[0])
	case "outer":
		return w.outer(a[0], a[1])
	case "normalize":
		c := w.kit.norm(a[0].x)
		return each(a[0], func(v T) T { return w.kit.byNorm(v, c) })
	case "softmax":
		y, s := w.shifted(a[0])
		return each(y, func(v T) T { return v * (1 / s) })
	case "logsumexp":
		_, s := w.shifted(a[0])
		return one(w.kit.one["log"](s) + a[0].x[w.kit.largest(a[0].x)])
	case "min", "max":
		return w.extreme(e.name == "min", a)
	case "where":
		return w.choose(a[0], a[1], a[2])
	case "clip":
		return w.extreme(true, []array[T]{w.extreme(false, a[:2]), a[2]})
	}
	panic(fmt.Sprintf("the walker knows no %s", e.name))
}

// repeated walks a body for every index.
func (w *walker[T]) repeated(e *expr) (all []array[T]) {
	from, to := w.walk(e.args[1]).x[0], w.walk(e.args[2]).x[0]
	for i := w.kit.part(from); i < w.kit.part(to); i++ {
		w.names[e.name] = w.number(i)
		all = append(all, w.walk(e.args[0]))
	}
	delete(w.names, e.name)
	return all
}

func (w *walker[T]) series(e *expr) array[T] {
	all := w.repeated(e)
	out := array[T]{s: vector(len(all))}
	if all[0].s.rank == 1 {
		out.s = matrix(len(all), len(all[0].x))
	}
	for _, a := range all {
		out.x = append(out.x, a.x...)
	}
	return out
}

func (w *walker[T]) total(e *expr) array[T] {
	all := w.repeated(e)
	if all[0].s.single() {
		return array[T]{scalar(), []T{w.kit.sum(w.series(e).x)}}
	}
	sum := all[0]
	for _, a := range all[1:] {
		sum = two(sum, a, func(x, y T) T { return x + y })
	}
	return sum
}

// complexErf sums the series, and where that would cancel goes along the tangent of the real line.
func complexErf(v complex128) complex128 {
	if x := real(v); math.Abs(x) > 2 {
		return complex(math.Erf(x), imag(v)*2/math.SqrtPi*math.Exp(-x*x))
	}
	s, term := v, v
	for n := 1.0; n < 60; n++ {
		term *= -v * v / complex(n, 0)
		s += term / complex(2*n+1, 0)
	}
	return s * complex(2/math.SqrtPi, 0)
}

func (w *walker[T]) outer(a, b array[T]) array[T] {
	out := array[T]{matrix(len(a.x), len(b.x)), nil}
	for _, x := range a.x {
		for _, y := range b.x {
			out.x = append(out.x, x*y)
		}
	}
	return out
}

// shifted returns e^(x−largest) and their sum.
func (w *walker[T]) shifted(a array[T]) (array[T], T) {
	top := a.x[w.kit.largest(a.x)]
	y := each(a, func(v T) T { return w.kit.one["exp"](v - top) })
	return y, w.kit.sum(y.x)
}

func (w *walker[T]) extreme(least bool, a []array[T]) array[T] {
	best := w.kit.largest
	if least {
		best = w.kit.smallest
	}
	if len(a) == 1 {
		return array[T]{scalar(), []T{a[0].x[best(a[0].x)]}}
	}
	return two(a[0], a[1], func(x, y T) T {
		if x == y && 1/w.kit.part(x) < 0 != least { // of two zeros the one with the sign is the smaller
			return y
		}
		return []T{x, y}[best([]T{x, y})]
	})
}

func (w *walker[T]) choose(c, a, b array[T]) array[T] {
	first := two(c, a, func(c, a T) T { return a })
	other := two(c, b, func(c, b T) T { return b })
	out := two(first, other, func(a, _ T) T { return a })
	for i := range out.x {
		if c.entry(i) == 0 {
			out.x[i] = other.entry(i)
		}
	}
	return out
}
