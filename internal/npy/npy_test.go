package npy_test

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge/internal/intake"
	"github.com/kedge-opt/kedge/internal/npy"
)

//go:embed testdata
var testdata embed.FS

// The arrays that testdata/make.py wrote with NumPy.
var (
	quarters = npy.Array{Shape: []int{2, 3}, Data: []float64{0.25, -0.5, 0.75, 1, 1.25, -1.5}}
	integers = npy.Array{Shape: []int{2, 3}, Data: []float64{1, -2, 3, 4, 5, -6}}
)

func read(t *testing.T, path string) []byte {
	t.Helper()
	b, err := testdata.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func same(a, b npy.Array) bool {
	bitwise := func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) }
	return slices.Equal(a.Shape, b.Shape) && slices.EqualFunc(a.Data, b.Data, bitwise)
}

func upTo(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(i)
	}
	return x
}

func TestReadsWhatNumPyWrote(t *testing.T) {
	for name, want := range map[string]npy.Array{
		"f8":           quarters,
		"f8-fortran":   quarters,
		"f4":           quarters,
		"version2":     quarters,
		"version3":     quarters,
		"i4-fortran":   integers,
		"i8":           integers,
		"scalar":       {Data: []float64{0.1}},
		"empty":        {Shape: []int{0, 3}},
		"cube-fortran": {Shape: []int{2, 3, 4}, Data: upTo(24)},
	} {
		r := bytes.NewReader(read(t, "testdata/"+name+".npy"))
		got, err := npy.Read(r, intake.Limits{})
		if err != nil || !same(got, want) {
			t.Errorf("%s: got %v, %v, want %v", name, got, err, want)
		}
		if r.Len() != 0 {
			t.Errorf("%s: %d bytes left over", name, r.Len())
		}
	}
}

// What NumPy 2.4 writes for a C-ordered f8 array and what Write writes are the same bytes.
func TestWritesWhatNumPyWrites(t *testing.T) {
	for name, a := range map[string]npy.Array{
		"f8": quarters, "scalar": {Data: []float64{0.1}}, "empty": {Shape: []int{0, 3}},
	} {
		var b bytes.Buffer
		if err := npy.Write(&b, a); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(b.Bytes(), read(t, "testdata/"+name+".npy")) {
			t.Errorf("%s: other bytes than NumPy's", name)
		}
	}
}

func TestRoundTripKeepsBits(t *testing.T) {
	odd := []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), 5e-324, math.MaxFloat64}
	big := npy.Array{Shape: []int{70_001}, Data: upTo(70_001)} // more than one chunk
	for _, want := range []npy.Array{{Shape: []int{6}, Data: odd}, {Shape: []int{1, 3, 2}, Data: odd}, big} {
		var b bytes.Buffer
		if err := npy.Write(&b, want); err != nil {
			t.Fatal(err)
		}
		if b.Len()%64 != (8*len(want.Data))%64 {
			t.Errorf("entries of %v start off a multiple of 64", want.Shape)
		}
		if got, err := npy.Read(&b, intake.Limits{}); err != nil || !same(got, want) {
			t.Errorf("%v came back as %v, %v", want.Shape, got.Shape, err)
		}
	}
}

func TestReadLeavesTheNextArray(t *testing.T) {
	one := read(t, "testdata/f8.npy")
	r := bytes.NewReader(append(slices.Clone(one), one...))
	for range 2 {
		if got, err := npy.Read(r, intake.Limits{}); err != nil || !same(got, quarters) {
			t.Fatal(got, err)
		}
	}
	if _, err := npy.Read(r, intake.Limits{}); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("reading past the end gave %v", err)
	}
}

func TestWriteRefuses(t *testing.T) {
	for _, a := range []npy.Array{
		{},
		{Shape: []int{2}, Data: upTo(3)},
		{Shape: []int{-1, -3}, Data: upTo(3)},
		{Shape: []int{1 << 40, 1 << 40}},
		{Shape: make([]int, 33)},
	} {
		var b bytes.Buffer
		var fe *intake.FormatError
		if err := npy.Write(&b, a); !errors.As(err, &fe) || b.Len() != 0 {
			t.Errorf("shape %v with %d entries: %v, %d bytes written", a.Shape, len(a.Data), err, b.Len())
		}
	}
}

// The recorded runs of the published case studies, with the shapes of their experiments.
func TestReadsPublishedRecords(t *testing.T) {
	for file, want := range map[string]map[string][]int{
		"choice-dfo-step-0.1-delta-2.npz":    {"q0": {100}, "p0": {100}, "utility_data": {2, 6000}, "opt_val": nil},
		"polarized-lambda-0.4-sigma-0.5.npz": {"initial_states": {1000, 20}, "final_states": {3, 1000, 20}},
	} {
		b, err := os.ReadFile(filepath.Join("..", "..", "..", "shared", "data", file))
		if err != nil {
			t.Skip("the published records are not beside the checkout:", err)
		}
		list, err := npy.ReadZip(bytes.NewReader(b), int64(len(b)), intake.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range list {
			if shape, ok := want[a.Name]; ok && !slices.Equal(a.Shape, shape) {
				t.Errorf("%s: %s has shape %v, want %v", file, a.Name, a.Shape, shape)
			}
			delete(want, a.Name)
		}
		if len(want) != 0 {
			t.Errorf("%s: missing %v", file, want)
		}
	}
}

func ExampleWrite() {
	var file bytes.Buffer
	if err := npy.Write(&file, npy.Array{Shape: []int{2, 2}, Data: []float64{1, 2, 3, 4}}); err != nil {
		fmt.Println(err)
	}
	a, err := npy.Read(&file, intake.Limits{})
	fmt.Println(a.Shape, a.Data, err)
	// Output: [2 2] [1 2 3 4] <nil>
}

func ExampleWriteZip() {
	var file bytes.Buffer
	err := npy.WriteZip(&file,
		npy.Named{Name: "decision", Array: npy.Array{Shape: []int{2}, Data: []float64{0.6, 0.8}}},
		npy.Named{Name: "value", Array: npy.Array{Data: []float64{0.49}}},
	)
	if err != nil {
		fmt.Println(err)
	}
	list, err := npy.ReadZip(bytes.NewReader(file.Bytes()), int64(file.Len()), intake.Limits{})
	for _, a := range list {
		fmt.Println(a.Name, a.Shape, a.Data)
	}
	fmt.Println(err)
	// Output:
	// decision [2] [0.6 0.8]
	// value [] [0.49]
	// <nil>
}

// A shape of many digits takes a header of more than 255 bytes, whose length has two.
func TestLongHeadersAreReadBack(t *testing.T) {
	shape := []int{0}
	for range 25 {
		shape = append(shape, 1_000_000_007)
	}
	var b bytes.Buffer
	if err := npy.Write(&b, npy.Array{Shape: shape}); err != nil {
		t.Fatal(err)
	}
	if b.Len() < 300 || b.Len()%64 != 0 {
		t.Errorf("a header of %d bytes", b.Len())
	}
	if a, err := npy.Read(&b, intake.Limits{}); err != nil || !slices.Equal(a.Shape, shape) {
		t.Errorf("read back as %v (%v)", a.Shape, err)
	}
}
