package kedge

import (
	"errors"
	"fmt"
	"math"
)

// ErrInfeasible is wrapped by every error that says a set has no point.
var ErrInfeasible = errors.New("the set is empty")

// ErrSingular is wrapped by every error that says a linear system has no reliable solution.
var ErrSingular = errors.New("the linear system is singular to working precision")

// DimError says that an argument has the wrong number of entries.
type DimError struct {
	Arg       string
	Got, Want int
}

func (e *DimError) Error() string {
	return fmt.Sprintf("%s has %d entries, want %d", e.Arg, e.Got, e.Want)
}

// NotFiniteError says that an argument holds a NaN or an infinity.
type NotFiniteError struct {
	Arg   string
	Index int
	Value float64
}

func (e *NotFiniteError) Error() string {
	return fmt.Sprintf("%s[%d] is %v, want a finite number", e.Arg, e.Index, e.Value)
}

// RangeError says that a parameter lies outside what its meaning allows.
type RangeError struct {
	Arg  string
	Got  float64
	Want string // the allowed range in words, as in "0 ≤ λ ≤ 1"
}

func (e *RangeError) Error() string {
	return fmt.Sprintf("%s is %v, want %s", e.Arg, e.Got, e.Want)
}

// NotConvergedError says that an iteration stopped before it reached its tolerance.
type NotConvergedError struct {
	What      string // what was sought, as in "steady state of individual 17"
	Residual  float64
	Tolerance float64
	Steps     int
}

func (e *NotConvergedError) Error() string {
	return fmt.Sprintf("%s not found: residual %.3g after %d steps, want %.3g", e.What, e.Residual, e.Steps, e.Tolerance)
}

// UnstableError says that there is a steady state but individuals leave it, or never arrive: a small deviation is multiplied
// by Rate ≥ 1 in a step.
type UnstableError struct {
	Rate float64
}

func (e *UnstableError) Error() string {
	return fmt.Sprintf("the steady state does not attract: a deviation is multiplied by %.6g in a step, want less than 1", e.Rate)
}

// IsUnsettled tells whether an error says that a population does not settle, or not where it could be found: under some decisions there may
// be no steady state, or none that attracts, and values are those of others.
func IsUnsettled(err error) bool {
	_, unstable := errors.AsType[*UnstableError](err)
	_, open := errors.AsType[*NotConvergedError](err)
	return unstable || open || errors.Is(err, ErrSingular)
}

// CheckLen returns a *DimError unless x has n entries.
func CheckLen(arg string, x []float64, n int) error { return CheckDim(arg, len(x), n) }

// CheckDim returns a *DimError unless a length is what it should be.
func CheckDim(arg string, got, want int) error {
	if got == want {
		return nil
	}
	return &DimError{Arg: arg, Got: got, Want: want}
}

// CheckRange returns a *RangeError unless ok.
func CheckRange[N int | float64](arg string, got N, ok bool, want string) error {
	if ok {
		return nil
	}
	return &RangeError{Arg: arg, Got: float64(got), Want: want}
}

// CheckFinite returns a *NotFiniteError for the first NaN or infinity of x.
func CheckFinite(arg string, x []float64) error {
	if finite(x) {
		return nil
	}
	for i, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return &NotFiniteError{Arg: arg, Index: i, Value: v}
		}
	}
	return nil
}

// finite tells whether x holds neither NaN nor infinity: nothing else becomes 0 when it is multiplied by 0.
func finite(x []float64) bool {
	var a, b, c, d, e, f, g, h float64
	for ; len(x) >= 8; x = x[8:] {
		a += x[0] * 0
		b += x[1] * 0
		c += x[2] * 0
		d += x[3] * 0
		e += x[4] * 0
		f += x[5] * 0
		g += x[6] * 0
		h += x[7] * 0
	}
	for _, v := range x {
		a += v * 0
	}
	return a+b+c+d+e+f+g+h == 0
}

// CheckVector is CheckLen and CheckFinite together.
func CheckVector(arg string, x []float64, n int) error {
	if err := CheckLen(arg, x, n); err != nil { // which costs less than comparing errors, and people are asked one by one
		return err
	}
	return CheckFinite(arg, x)
}
