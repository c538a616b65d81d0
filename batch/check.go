package batch

import (
	"fmt"
	"math"
	"time"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/problem/live"
)

// hasTraits tells whether everybody has a trait, or nobody needs one.
func (b *Batch) hasTraits(dim kedge.Dims) bool {
	return dim.Trait == 0 || b.D != nil && len(b.Missing) == 0
}

// WithoutTrait is how many rows have none.
func (b *Batch) WithoutTrait(dim kedge.Dims) int {
	if b.D == nil && dim.Trait > 0 {
		return len(b.P) / dim.State
	}
	return len(b.Missing)
}

// isKept tells whether a frame holds a time as it is: it counts nanoseconds from 1970 in 64 bits, and 0 of them stand for no time.
func isKept(at time.Time) bool {
	return at.IsZero() || at.UnixNano() != 0 && time.Unix(0, at.UnixNano()).Equal(at)
}

func notKept(at time.Time) string {
	return fmt.Sprintf("people were seen at %s; a batch keeps times from 1678 to 2262 but for 1970-01-01T00:00:00Z, which stands for none", at.Format(time.RFC3339Nano))
}

// Check finds what is wrong with a batch of people of some dimensions who are told as a spec wants them: the first flaw, nil for none. The rows are n.
func (b *Batch) Check(dim kedge.Dims, want *live.Arrangement) (n int, wrong *Flaw) {
	n = len(b.P) / dim.State
	switch {
	case !isKept(b.ObservedAt):
		return 0, flaw(Malformed, "/observed_at", "/observed_at: %s", notKept(b.ObservedAt))
	case len(b.P) == 0 || len(b.P)%dim.State != 0:
		return 0, flaw(DimensionMismatch, "/p", "p has %d numbers, want at least one row of %d", len(b.P), dim.State)
	case n > MostRows:
		return 0, flaw(TooLarge, "/p", "%d rows, at most %d in a batch", n, MostRows)
	case b.D != nil && len(b.D) != n*dim.Trait:
		return 0, flaw(DimensionMismatch, "/d", "d has %d numbers, want %d rows of %d", len(b.D), n, dim.Trait)
	case b.W != nil && len(b.W) != n:
		return 0, flaw(DimensionMismatch, "/w", "w has %d numbers, want one a row of %d", len(b.W), n)
	case b.Who != nil && len(b.Who) != n:
		return 0, flaw(DimensionMismatch, "/id", "id has %d entries, want one a row of %d", len(b.Who), n)
	}
	for _, has := range []struct {
		what, pointer, want string
		given               bool
	}{{"weights", "/w", want.Weights, b.W != nil}, {"traits", "/d", want.Traits, b.hasTraits(dim)}, {"ids", "/id", want.IDs, b.Who != nil}} {
		switch {
		case has.want == live.Without && has.given && (has.what != "traits" || dim.Trait > 0):
			return 0, flaw(DimensionMismatch, has.pointer, "rows have %s, but by live.samples they have none", has.what)
		case has.want == live.Required && !has.given:
			return 0, flaw(DimensionMismatch, has.pointer, "rows need %s by live.samples", has.what)
		}
	}
	for _, list := range []struct {
		name    string
		numbers []float64
		width   int
	}{{"p", b.P, dim.State}, {"d", b.D, dim.Trait}, {"w", b.W, 1}} {
		for i, v := range list.numbers {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				at := fmt.Sprintf("/%s/%d/%d", list.name, i/list.width, i%list.width)
				if list.width == 1 && list.name == "w" {
					at = fmt.Sprintf("/w/%d", i)
				}
				return 0, flaw(NotFinite, at, "%s is %v, want a finite number", at, v)
			}
		}
	}
	sum := 0.0
	for i, w := range b.W {
		if w < 0 {
			return 0, flaw(BadWeights, fmt.Sprintf("/w/%d", i), "a weight is %v, want one ≥ 0", w)
		}
		sum += w
	}
	if b.W != nil && !(sum > 0) {
		return 0, flaw(BadWeights, "/w", "all weights are 0")
	}
	return n, nil
}
