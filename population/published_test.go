package population_test

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/stream"
)

// record reads a member of a recorded run of the published case studies.
func record(t *testing.T, file, member string) population.Table {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "shared", "data", file))
	if err != nil {
		t.Skip("the published records are not beside the checkout:", err)
	}
	table, err := population.ReadNPZ(bytes.NewReader(b), int64(len(b)), member)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// Source: the recorded run. numpy.random.seed(20) first gives the decision, randn(20), and then the population.
func TestPublishedHemisphere(t *testing.T) {
	want := record(t, "polarized-lambda-0.4-sigma-0.5.npz", "initial_states")
	g := stream.NewNumPy(20)
	for range 20 {
		g.Normal()
	}
	got := make([]float64, 1000*20)
	if err := population.PublishedHemisphere(got, 20, g); err != nil {
		t.Fatal(err)
	}
	if want.Check(1000, 20) != nil {
		t.Fatal(want.Check(1000, 20))
	}
	for i, v := range got {
		if v != want.Data[i] {
			t.Fatalf("individual %d, entry %d is %v, recorded %v", i/20, i%20, v, want.Data[i])
		}
	}
}

// Source: the recorded run. numpy.random.seed(10) first gives the decision, with the budget 250, and then the state.
func TestPublishedProportions(t *testing.T) {
	decision := record(t, "choice-dfo-step-0.1-delta-2.npz", "q0")
	state := record(t, "choice-dfo-step-0.1-delta-2.npz", "p0")
	g := stream.NewNumPy(10)
	q, p := make([]float64, 100), make([]float64, 100)
	population.PublishedBudget(q, 250, g)
	population.PublishedProportions(p, g)
	if !slices.Equal(q, decision.Data) || !slices.Equal(p, state.Data) {
		t.Error("not the recorded start, bit for bit")
	}
}

// Source: NumPy 2.4, numpy.random.seed(3); x = numpy.random.rand(n); (x/x.sum())[0].hex(), for every way to add.
func TestPublishedProportionsAddAsNumPy(t *testing.T) {
	for n, want := range numpyFirst {
		p := make([]float64, n)
		population.PublishedProportions(p, stream.NewNumPy(3))
		if p[0] != want {
			t.Errorf("%d proportions: the first is %x, want %x", n, p[0], want)
		}
	}
}

// With one individual all four candidates lie outside for one seed in sixteen.
func TestPublishedHemisphereCanRunOut(t *testing.T) {
	failed := 0
	for seed := range uint32(400) {
		x := []float64{7, 7, 7}
		if err := population.PublishedHemisphere(x, 3, stream.NewNumPy(seed)); err != nil {
			failed++
			if !typed(err) || !slices.Equal(x, []float64{7, 7, 7}) {
				t.Fatal(x, err)
			}
		}
	}
	if z := (float64(failed) - 25) / math.Sqrt(400*15./256); math.Abs(z) > 4.5 {
		t.Errorf("%d of 400 ran out, want about 25", failed)
	}
}

var numpyFirst = map[int]float64{
	1:    0x1.0000000000000p+0,
	5:    0x1.7dea4664f9a51p-3,
	8:    0x1.0daffb7a4bc3bp-3,
	13:   0x1.843fcac259f3cp-4,
	100:  0x1.7886a26229302p-7,
	128:  0x1.22011521a843ap-7,
	129:  0x1.21ad83e3b2db3p-7,
	1000: 0x1.1df390e091c09p-10,
	1001: 0x1.1dcad2e4db964p-10,
	1100: 0x1.03ac9cd8dc06dp-10,
	2000: 0x1.1ea80caeebef2p-11,
	3000: 0x1.83bcd86415f0ap-12,
	5000: 0x1.cdc73698b785dp-13,
	7777: 0x1.2b704da014b71p-13,
}
