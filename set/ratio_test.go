package set

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/internal/evidence"
)

// The bars. A ratio is a residual divided by the rounding error that its scale makes unavoidable, which is n·2⁻⁵³ of the
// constraint's scale unless said otherwise; its bar does not depend on n or on the scale of the input.
const (
	barFeasible     = 1   // what a set misses its own constraint by, and the promise of the package comment
	barNever        = 0   // violations that must not happen at all: bounds, outside a ball, outside a half-space
	barIdempotent   = 0   // bits that projecting twice changes
	barUnmoved      = 0   // bits that projecting a feasible point changes
	barNonexpansive = 10  // ‖Py − Pz‖ − ‖y − z‖
	barVariational  = 100 // max over w of ⟨y − x, w − x⟩, against (‖y − x‖ + ‖x‖ + ‖w‖)(‖x‖ + ‖w‖)
	barMultiplier   = 30  // spread of the multiplier over the free entries, against 2⁻⁵³ of the constraint's scale
	barForward      = 10  // ‖x − x_exact‖, x_exact without rounding
	barSame         = 0   // bits that change with the order of the entries or with the unit of measure
	barDenormal     = 2   // as barFeasible, where half a denormal is rounded to one
	barFactorized   = 30  // residuals of a set that was factorized
)

// tiny stands in for scales below the normal numbers, whose rounding error does not shrink any more.
const tiny = 0x1p-1022

// board keeps the worst ratio of every kind and fails the test on one above its bar.
type board struct {
	t     *testing.T
	bars  map[string]float64
	worst map[string]float64
	cases int
	fails int
}

// newBoard prints the worst ratios when the test is over.
func newBoard(t *testing.T) *board {
	b := &board{t: t, bars: map[string]float64{}, worst: map[string]float64{}}
	t.Cleanup(func() { t.Log(b.String()) })
	return b
}

// put records a ratio; where describes the case if it fails.
func (b *board) put(kind string, ratio, bar float64, where fmt.Stringer) {
	b.cases++
	b.bars[kind] = max(b.bars[kind], bar) // of those that were asked for
	if !(ratio <= b.worst[kind]) {
		b.worst[kind] = ratio
	}
	if !(ratio <= bar) {
		if b.fails++; b.fails <= 5 {
			b.t.Errorf("%s: ratio %.3g, bar %v: %v", kind, ratio, bar, where)
		}
	}
}

// tell states the worst ratios of some kinds, of all without any.
func (b *board) tell(row *evidence.Witness, kinds ...string) {
	if len(kinds) == 0 {
		kinds = slices.Sorted(maps.Keys(b.bars))
	}
	for _, kind := range kinds {
		if bar, ok := b.bars[kind]; ok {
			row.AtMost(kind, b.worst[kind], bar)
		}
	}
}

func (b *board) String() string {
	var lines []string
	for kind, bar := range b.bars {
		lines = append(lines, fmt.Sprintf("%-28s worst %-9.3g bar %v", kind, b.worst[kind], bar))
	}
	sort.Strings(lines)
	return fmt.Sprintf("%d ratios, %d above their bar\n%s", b.cases, b.fails, strings.Join(lines, "\n"))
}

// bits counts the entries of x and y that differ in their bits.
func bits(x, y []float64) float64 {
	n := 0.0
	for i, v := range x {
		if math.Float64bits(v) != math.Float64bits(y[i]) {
			n++
		}
	}
	return n
}

// over divides a residual by n roundings at the given scale.
func over(residual float64, n int, scale float64) float64 {
	if residual <= 0 {
		return 0
	}
	return residual / max(scale, tiny) / (float64(n) * unit)
}
