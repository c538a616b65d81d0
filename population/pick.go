package population

import (
	"errors"
	"math"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/wire"
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

// Describe gives the source's state.
func (w WithReplacement) Describe(f *wire.Fields) { f.Part("source of random numbers", w.Source) }

// Describe gives the source's state; the picker's own memory does not outlast a pick.
func (w *WithoutReplacement) Describe(f *wire.Fields) { f.Part("source of random numbers", w.Source) }

// Describe gives an empty state: there is nothing to remember.
func (Everyone) Describe(*wire.Fields) {}

// Rotating picks a panel of two waves: the first half of a sample are those of the second half of the sample before, in the same
// order, and the second half is picked anew. Everybody is so seen in two successive samples, and samples stay independent
// otherwise. The first sample is all new. Samples must have an even size, the same every time.
type Rotating struct {
	Of    Picker // picks the new half
	again []int  // who will be seen again
}

// Pick writes those who are seen again, then the new.
func (r *Rotating) Pick(dst []int, n int) error {
	half := len(dst) / 2
	if len(dst)%2 != 0 || r.again != nil && len(r.again) != half {
		return &kedge.RangeError{Arg: "a sample of a rotating panel", Got: float64(len(dst)), Want: "an even number, the same every time"}
	}
	fresh := dst
	if r.again != nil {
		fresh = dst[half:]
	}
	if len(r.again) > 0 && slices.Max(r.again) >= n {
		return &kedge.RangeError{Arg: "an individual of the panel", Got: float64(slices.Max(r.again)), Want: "one of the crowd"}
	}
	if err := r.Of.Pick(fresh, n); err != nil {
		return err
	}
	copy(dst[:len(dst)-len(fresh)], r.again)
	r.again = append(r.again[:0], dst[half:]...)
	return nil
}

// Describe gives who will be seen again and the state of the picker of the new.
func (r *Rotating) Describe(f *wire.Fields) {
	f.Ints(&r.again, math.MaxInt32)
	f.Part("picker", r.Of)
}
