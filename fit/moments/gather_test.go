package moments

import (
	"slices"
	"strings"
	"testing"
)

func TestGather(t *testing.T) {
	time, group := []int{0, 0, 1, 1, 2, 2}, []int{0, 1, 0, 1, 0, 1}
	beside := []float64{1, 2, 3, 4, 5, 6}
	for _, c := range []struct {
		answered bool
		want     []float64 // by time, then group; of answered rows those of time 0 say nothing, and nothing is known of the last
	}{{false, beside}, {true, []float64{3, 4, 5, 6, 0, 0}}} {
		got, err := Gather(time, group, 2, beside, c.answered)
		if err != nil || got.Dates != 3 || !slices.Equal(got.Beside, c.want) {
			t.Errorf("%+v, %v, want %v", got, err, c.want)
		}
	}
	for _, c := range []struct {
		want        string
		time, group []int
		beside      []float64
	}{
		{"row 3: its decision is another than that of row 2, of the same time and group", []int{0, 1, 1}, nil, []float64{1, 2, 3}},
		{"group 0: no row says what was decided at time 1", []int{0, 2, 3}, nil, []float64{1, 2, 3}},
		{"row 1: time -1", []int{-1}, nil, []float64{1}},
		{"row 1: time 1048577, want", []int{1<<20 + 1}, nil, []float64{1}},
		{"row 2: group 1, there are 1", []int{0, 1}, []int{0, 1}, []float64{1, 1}},
		{"are not of the same rows", []int{0, 1}, []int{0}, []float64{1, 1}},
		{"are not of the same rows", nil, nil, nil},
	} {
		if _, err := Gather(c.time, c.group, 1, c.beside, false); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}
