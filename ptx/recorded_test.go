package ptx_test

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/ptx"
)

// Kernels are printed as they were when this was recorded: those of all operations by their sums,
// and one of each form word for word.
func TestKernelsAreAsRecorded(t *testing.T) {
	var lines []string
	for _, one := range append(twins(), scalarTwins()...) {
		for _, f := range [][2]ptx.Precision{{ptx.Float64, ptx.Float64}, {ptx.Float64, ptx.Float32}, {ptx.Float32, ptx.Float32}} {
			lines = append(lines, fmt.Sprintf("%s %d %d: %.10x", one.name, f[0], f[1], sha256.Sum256([]byte(one.list().Kernel("twin", f[0], f[1])))))
		}
	}
	for k := range 6 {
		c := ptx.New(3, 3, 4)
		if k%2 == 1 {
			c.UnitTraits()
		}
		x := c.Add(c.State(0), c.Mul(c.Trait(1), c.Shared(3)))
		if k < 4 {
			c.Score(c.Sub(x, c.State(2)))
		}
		if k/2 == 1 {
			c.Plane(ptx.PlaneSpot{PU: x, Along: c.State(1), Across: c.Trait(2), Off: c.Abs(x)})
		}
		if k%3 != 0 || k > 3 {
			c.Flag(c.Less(x, c.Const(-9)))
			c.Next(0, x)
			c.Next(2, c.Single(x))
		}
		lines = append(lines, fmt.Sprintf("list %d: %d operations, scores %t, %d next, %d parts", k, c.Len(), c.Scores(), c.Nexts(), c.Parts()))
		if k > 3 || k == 2 || k == 1 {
			for _, f := range []ptx.Precision{ptx.Float64, ptx.Float32} {
				lines = append(lines, fmt.Sprintf("%.10x", sha256.Sum256([]byte(c.Kernel("step", f, f)))))
			}
			continue
		}
		for _, f := range []ptx.Precision{ptx.Float64, ptx.Float32} {
			lines = append(lines, strings.Split(strings.TrimSpace(c.Kernel("step", ptx.Float64, f)), "\n")...)
		}
	}
	for _, text := range []string{ptx.Head, ptx.Tree, ptx.Gather(ptx.Float64), ptx.Gather(ptx.Float32)} {
		lines = append(lines, fmt.Sprintf("%d bytes %.10x", len(text), sha256.Sum256([]byte(text))))
	}
	evidence.AsRecorded(t, "testdata/kernels.txt", lines)
}

// Entries that are not there are refused, and those at the ends are taken.
func TestEntriesThatAreNotThere(t *testing.T) {
	c := ptx.New(2, 3, 4)
	for name, one := range map[string]struct {
		of   func(int) ptx.Scalar
		many int
	}{"state": {c.State, 2}, "trait": {c.Trait, 3}, "shared": {c.Shared, 4}} {
		for j, there := range map[int]bool{-1: false, 0: true, one.many - 1: true, one.many: false} {
			func() {
				defer func() {
					if why := recover(); there != (why == nil) || !there && why != "ptx: an entry that is not there" {
						t.Errorf("%s %d: %v", name, j, why)
					}
				}()
				one.of(j)
			}()
		}
	}
}
