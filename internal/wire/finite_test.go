package wire_test

import (
	"errors"
	"io"
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge/internal/heap"
	"github.com/kedge-opt/kedge/internal/wire"
)

// Lists that must be finite are refused where any entry of any of them is not, and are then what they were; what is written is not looked at.
func TestListsThatAreNotFinite(t *testing.T) {
	for i := range 4 {
		for _, odd := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64} {
			one, two := []float64{1, 2}, []float64{3, 4}
			fields := func(f *wire.Fields) {
				f.Fixed(one, two)
				f.Finite("the list", one, two)
			}
			[][]float64{one, two}[i/2][i%2] = odd
			data, err := wire.Append(nil, "lists/1", fields)
			if err != nil {
				t.Fatal(err)
			}
			copy(one, []float64{5, 6})
			copy(two, []float64{7, 8})
			err = wire.Restore(data, "lists/1", fields)
			if odd == math.MaxFloat64 {
				if err != nil || [][]float64{one, two}[i/2][i%2] != odd {
					t.Errorf("entry %d is %v: %v", i, odd, err)
				}
			} else if err == nil || err.Error() != "read lists/1: the list is not finite" || one[0] != 5 || one[1] != 6 || two[0] != 7 || two[1] != 8 {
				t.Errorf("entry %d is %v: %v, %v, %v", i, odd, one, two, err)
			}
		}
	}
}

// Lists of no, one and some entries come back; an empty one as nil.
func TestListsOfFewEntries(t *testing.T) {
	for n := range 4 {
		ints, floats, raw := make([]int, n), make([]float64, n), make([]byte, n)
		for i := range n {
			ints[i], floats[i], raw[i] = 7-i, float64(i)/4, byte(9+i)
		}
		fields := func(f *wire.Fields) {
			f.Ints(&ints, 7)
			f.Floats(&floats)
			f.Bytes(&raw)
		}
		data, err := wire.Append(nil, "few/1", fields)
		if err != nil {
			t.Fatal(err)
		}
		a, b, c := ints, floats, raw
		ints, floats, raw = []int{1}, []float64{2}, []byte{3}
		if err := wire.Restore(data, "few/1", fields); err != nil || !slices.Equal(ints, a) || !slices.Equal(floats, b) || !slices.Equal(raw, c) || (ints == nil) != (n == 0) || (floats == nil) != (n == 0) {
			t.Errorf("%d entries are read as %v, %v and %v, %v", n, ints, floats, raw, err)
		}
	}
}

// Of several things that are wrong with what is read the first is told.
func TestTheFirstFaultIsTold(t *testing.T) {
	first, second := errors.New("first"), errors.New("second")
	data, err := wire.Append(nil, "none/1", func(*wire.Fields) {})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		fields func(f *wire.Fields)
		want   string
	}{
		{func(f *wire.Fields) { f.Check(nil); f.Check(first); f.Check(second) }, "first"},
		{func(f *wire.Fields) { f.Check(first); f.Fail("%d", 2) }, "first"},
		{func(f *wire.Fields) { f.Fail("%d", 1); f.Check(second); f.Check(nil) }, "read none/1: 1"},
	} {
		if err := wire.Restore(data, "none/1", c.fields); err == nil || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// A list of 8 MB is saved without a copy of it in memory.
func TestSavingTakesNoMemory(t *testing.T) {
	long := make([]float64, 1<<20)
	const most = 1 << 20
	if got := heap.Taken(most, func() {
		if err := wire.Save(io.Discard, "long/1", func(f *wire.Fields) { f.Floats(&long) }); err != nil {
			t.Error(err)
		}
	}); got > most {
		t.Errorf("it took %d bytes", got)
	}
}

// keeping keeps a list apart.
type keeping struct{ apart list }

func (k *keeping) Kept() wire.State { return &k.apart }

// described describes itself.
type described struct{}

func (described) Describe(*wire.Fields) {}

// What can be a part of a state describes itself or is one, and a keeper alone keeps something apart.
func TestWhatRemembers(t *testing.T) {
	k := new(keeping)
	for _, c := range []struct {
		part      any
		kept      wire.State
		remembers bool
	}{{k, &k.apart, false}, {&k.apart, nil, true}, {described{}, nil, true}, {7, nil, false}, {nil, nil, false}} {
		if kept, remembers := wire.KeptBy(c.part), wire.Remembers(c.part); kept != c.kept || remembers != c.remembers {
			t.Errorf("%T: %v, %t", c.part, kept, remembers)
		}
	}
}
