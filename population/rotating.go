package population

import (
	"math"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/wire"
)

var _ wire.Described = (*Rotating)(nil)

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
