package problem

import (
	"slices"
	"testing"

	"github.com/kedge-opt/kedge/problem/form"
)

func TestExpand(t *testing.T) {
	if got := (form.Vector{All: 5}).Expand(3); !slices.Equal(got, []float64{5, 5, 5}) {
		t.Errorf("5 expands to %v", got)
	}
	each := []float64{1, 2}
	got := form.Vector{Each: each}.Expand(2)
	got[0] = 9
	if each[0] != 1 {
		t.Error("an expanded list shares memory with the spec")
	}
	mustPanic(t, func() { form.Vector{Each: each}.Expand(3) })
}

func TestDense(t *testing.T) {
	if got := (form.Matrix{Scale: 2}).Dense(2, 3); !slices.Equal(got, []float64{2, 0, 0, 0, 2, 0}) {
		t.Errorf("2 is %v", got)
	}
	rows := form.RowList{{1, 2}, {3, 4}, {5, 6}}
	if got := (form.Matrix{Rows: rows}).Dense(3, 2); !slices.Equal(got, []float64{1, 2, 3, 4, 5, 6}) {
		t.Errorf("rows are %v", got)
	}
	mustPanic(t, func() { form.Matrix{Rows: rows}.Dense(2, 3) })
}

func mustPanic(t *testing.T, f func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	f()
}
