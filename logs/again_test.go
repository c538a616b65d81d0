package logs

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/fit"
	"github.com/kedge-opt/kedge/panel"
	"github.com/kedge-opt/kedge/problem/record"
)

// Where one of three people alone has an income, repeats without that one tell nothing of taste: they are counted, and are no draws. Of 60 about 60·(2/3)³ ≈ 18 are such.
func TestRepeatsThatTellNothing(t *testing.T) {
	log := with(linearLog(3, 9, 0.5), func(_ int, f []string) {
		if f[0] != "0" {
			f[4] = "0"
		}
	})
	spec := strings.Replace(linearSpec, "EFFECTS", "person", 1)
	e, err := fitted(t, spec, log, Options{Bootstrap: 60})
	if err != nil {
		t.Fatal(err)
	}
	if e.Failed < 8 || e.Failed > 30 || len(e.Draws)+e.Failed != 60 {
		t.Errorf("%d of 60 failed, %d are draws", e.Failed, len(e.Draws))
	}
	for _, d := range e.Draws {
		if len(d) != 3 {
			t.Errorf("a draw of %v", d)
		}
	}
}

// Repeats end with whoever asked for them.
func TestRepeatsEnd(t *testing.T) {
	ctx, end := context.WithCancel(t.Context())
	w := &work{ctx: ctx, o: Options{Bootstrap: 25}, log: &record.Recorded{People: []string{"a", "b"}}, out: &Inference{Found: []Inferred{{Name: "x", Value: 1}}}, unknowns: []fit.Unknown{{Name: "x"}}}
	l := &linear{w: w, columns: []int{0}, lag: -1, table: panel.Table{Unit: []int{0, 0, 0, 1, 1, 1}, Time: []int{1, 2, 3, 1, 2, 3}, Names: []string{"x"}, X: [][]float64{{1, 2, 4, 1, 3, 7}}, Y: []float64{1, 2, 4, 1, 3, 8}}}
	if err := w.again(l, Pooled); err != nil || len(w.out.Draws) != 25 {
		t.Fatalf("%d repeats, %v", len(w.out.Draws), err)
	}
	w.out.Draws = nil
	end()
	if err := w.again(l, Pooled); !errors.Is(err, context.Canceled) || w.out.Draws != nil {
		t.Errorf("after the end %d repeats, %v", len(w.out.Draws), err)
	}
}

// Only two stages have instruments: repeats by other methods gather none.
func TestRepeatsGatherWhatTheyNeed(t *testing.T) {
	l := &linear{w: &work{unknowns: []fit.Unknown{{Name: "x"}}}, columns: []int{0}, lag: -1, table: panel.Table{Unit: []int{0, 0, 0, 1, 1, 1}, Time: []int{1, 2, 3, 1, 2, 3}, Names: []string{"x"}, X: [][]float64{{1, 2, 4, 1, 3, 7}}, Y: []float64{1, 2, 4, 1, 3, 8}}}
	rows, unit := []int{0, 1, 2, 3, 4, 5}, []int{0, 0, 0, 1, 1, 1}
	bare := testing.AllocsPerRun(20, func() { l.repeat(Pooled, rows, unit) })
	l.instruments = slices.Repeat([][]float64{{1, 1, 2, 2, 5, 5}}, 100)
	if n := testing.AllocsPerRun(20, func() { l.repeat(Pooled, rows, unit) }); n > bare+50 {
		t.Errorf("%v allocations with instruments, %v without", n, bare)
	}
}
