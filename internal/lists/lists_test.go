package lists

import (
	"slices"
	"strconv"
	"testing"
)

func TestOfKeepsOrder(t *testing.T) {
	if got := Of([]int{3, 1, 2}, strconv.Itoa); !slices.Equal(got, []string{"3", "1", "2"}) {
		t.Errorf("%v, want every entry in its place", got)
	}
	if got := Of([]int{}, strconv.Itoa); got != nil {
		t.Errorf("%v of nothing, want nil", got)
	}
}

func TestDistinctKeepsFirst(t *testing.T) {
	if got := Distinct([]string{"b", "a", "b", "c", "a"}); !slices.Equal(got, []string{"b", "a", "c"}) {
		t.Errorf("%v, want every entry once, where it came first", got)
	}
}
