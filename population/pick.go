package population

import (
	"errors"
	"slices"

	"github.com/kedge-opt/kedge"
)

// Picker chooses the individuals of a sample.
type Picker interface {
	// Pick writes len(dst) indices of n individuals. On an error dst is unchanged and nothing has been drawn.
	Pick(dst []int, n int) error
}

// Source draws uniform integers in [0, n). Both *stream.Stream and *stream.NumPy are sources.
type Source interface{ Intn(n int) int }

var errNoSource = errors.New("the picker has no source of random numbers")

// WithReplacement picks every individual of a sample anew, so that the samples of one turn are independent given the crowd.
// With a *stream.NumPy it picks what numpy.random.randint(0, n, batch) picks. Where there is one individual nothing is drawn.
type WithReplacement struct{ Source Source }

// Pick writes independent uniform indices.
func (w WithReplacement) Pick(dst []int, n int) error {
	if w.Source == nil {
		return errNoSource
	}
	if err := checkSize("individuals to pick from", n); err != nil {
		return err
	}
	if n == 1 {
		clear(dst)
		return nil
	}
	for i := range dst {
		dst[i] = w.Source.Intn(n)
	}
	return nil
}

// WithoutReplacement picks a uniform subset, lowest index first: a sample of everybody is the crowd as it stands. It keeps
// memory between picks, so use a pointer; what it picks depends on its source alone.
type WithoutReplacement struct {
	Source Source
	order  []int // the identity between picks
}

// Pick shuffles the first len(dst) places (Fisher–Yates) and sorts what lies there.
func (w *WithoutReplacement) Pick(dst []int, n int) error {
	if w.Source == nil {
		return errNoSource
	}
	if len(dst) > n {
		return &kedge.RangeError{Arg: "a sample without replacement", Got: float64(len(dst)), Want: "at most everybody"}
	}
	for i := len(w.order); i < n; i++ {
		w.order = append(w.order, i)
	}
	for i := range dst {
		j := i + w.Source.Intn(n-i)
		w.order[i], w.order[j] = w.order[j], w.order[i]
		dst[i] = w.order[i]
	}
	// A place beyond the sample that was touched gave its own number to the sample.
	for i, v := range dst {
		w.order[i], w.order[v] = i, v
	}
	slices.Sort(dst)
	return nil
}

// Everyone picks all individuals in order; the sample must be as large as the crowd.
type Everyone struct{}

// Pick writes 0, 1, …, n−1.
func (Everyone) Pick(dst []int, n int) error {
	if len(dst) != n {
		return &kedge.DimError{Arg: "a sample of everyone", Got: len(dst), Want: n}
	}
	for i := range dst {
		dst[i] = i
	}
	return nil
}
