package dynamics

import (
	"errors"
	"math"
	"slices"

	"github.com/kedge-opt/kedge"
)

// Func is dynamics written as functions. F writes f(p, u, d) to dst and may be called by many goroutines at once. Pull, if
// given, is its Pullback; without it derivatives are central differences, see Pullback.
type Func struct {
	Size kedge.Dims
	F    func(dst, p, u, d []float64)
	Pull func(gp, gu, p, u, d, v []float64)
}

// Dims returns Size.
func (f Func) Dims() kedge.Dims { return f.Size }

// Check returns a *kedge.RangeError for every dimension out of range and a *MissingError when there is no F, joined.
func (f Func) Check() error {
	var missing error
	if f.F == nil {
		missing = &MissingError{Arg: "F", Want: "a function that writes f(p, u, d) to dst"}
	}
	return errors.Join(missing, checkDims(f.Size))
}

// Next writes F(p, u, d) to dst.
func (f Func) Next(dst, p, u, d []float64) {
	mustFit(f.Size, dst, p, u, d)
	f.F(dst, p, u, d)
}

// Pullback adds (∂f/∂p)ᵀv to gp and (∂f/∂u)ᵀv to gu, by Pull when there is one. Otherwise it takes central differences with
// the step ε^(1/3)·max(1, |x|) in every entry x, which costs two evaluations an entry and some memory, and is good to about
// 1e-10 of the size of f and of its third derivatives where f is smooth; on a kink it is the mean of the two slopes.
func (f Func) Pullback(gp, gu, p, u, d, v []float64) {
	mustFitPull(f.Size, gp, gu, p, u, d, v)
	if f.Pull != nil {
		f.Pull(gp, gu, p, u, d, v)
		return
	}
	above, below := make([]float64, len(p)), make([]float64, len(p))
	slope := func(x *float64, eval func(dst []float64)) float64 {
		was := *x
		step := float64(cubeRootUnit * max(1, math.Abs(was)))
		hi, lo := was+step, was-step
		*x = hi
		eval(above)
		*x = lo
		eval(below)
		*x = was
		sum := 0.0
		for i, w := range v {
			sum += float64((above[i] - below[i]) / (hi - lo) * w)
		}
		return sum
	}
	if gp != nil {
		q := slices.Clone(p)
		for j := range q {
			gp[j] += slope(&q[j], func(dst []float64) { f.F(dst, q, u, d) })
		}
	}
	if gu != nil {
		w := slices.Clone(u)
		for j := range w {
			gu[j] += slope(&w[j], func(dst []float64) { f.F(dst, p, w, d) })
		}
	}
}

// cubeRootUnit is close to (2⁻⁵²)^(1/3), a power of two so that most steps are exact.
const cubeRootUnit = 0x1p-17
