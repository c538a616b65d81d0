package population_test

import (
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/stream"
)

func picks(t *testing.T, p population.Picker, batch, n int) []int {
	t.Helper()
	dst := make([]int, batch)
	if err := p.Pick(dst, n); err != nil {
		t.Fatal(err)
	}
	return dst
}

// A sample holds rows of the crowd: state and trait of the same individual.
func TestSampleMatchesRows(t *testing.T) {
	c := newCrowd(t, 40, 2, population.WithReplacement{Source: stream.New(1)})
	if err := c.Respond(t.Context(), []float64{0, 0}); err != nil {
		t.Fatal(err)
	}
	p, d := make([]float64, 60), make([]float64, 60)
	if n, err := c.Sample(p, d); n != 30 || err != nil {
		t.Fatal(n, err)
	}
	for i := range p {
		if p[i] != 1.5*d[i] || i%2 == 1 && d[i] != d[i-1]+1 {
			t.Fatalf("entry %d: state %v, trait %v", i, p[i], d[i])
		}
	}
}

// With a batch of everybody, full batch and sample without replacement are the crowd itself, bit for bit.
func TestFullBatchIsTheCrowd(t *testing.T) {
	for _, pick := range []population.Picker{population.Everyone{}, &population.WithoutReplacement{Source: stream.New(3)}, nil} {
		c := newCrowd(t, 301, 3, pick)
		if err := c.Respond(t.Context(), []float64{0.1, 0.2, 0.3}); err != nil {
			t.Fatal(err)
		}
		p, d := make([]float64, 903), make([]float64, 903)
		if _, err := c.Sample(p, d); err != nil || !slices.Equal(p, c.States()) || !slices.Equal(d, c.Traits()) {
			t.Errorf("%T: not the whole crowd in order, %v", pick, err)
		}
	}
}

func TestSampleRefuses(t *testing.T) {
	for _, pick := range []population.Picker{population.Everyone{}, &population.WithoutReplacement{Source: stream.New(3)}} {
		c := newCrowd(t, 3, 2, pick)
		for _, size := range [][2]int{{8, 8}, {5, 6}, {6, 5}, {6, 8}} {
			p, d := count(size[0]), count(size[1])
			if n, err := c.Sample(p, d); n != 0 || !typed(err) || !slices.Equal(p, count(size[0])) || !slices.Equal(d, count(size[1])) {
				t.Errorf("%T, %v entries: %d, %v", pick, size, n, err)
			}
		}
	}
	if err := (population.Everyone{}).Pick(make([]int, 2), 3); !typed(err) {
		t.Error("a part is not everyone:", err)
	}
	if err := (population.WithReplacement{Source: stream.New(1)}).Pick(make([]int, 2), 0); !typed(err) {
		t.Error("nobody to pick:", err)
	}
	for _, p := range []population.Picker{population.WithReplacement{}, &population.WithoutReplacement{}} {
		if err := p.Pick(make([]int, 1), 3); err == nil {
			t.Errorf("%T without a source picks", p)
		}
	}
}

// Source: goldens.json, numpy.random.seed(7); numpy.random.randint(0, 1000, 6).
func TestPicksWhatNumPyPicks(t *testing.T) {
	got := picks(t, population.WithReplacement{Source: stream.NewNumPy(7)}, 6, 1000)
	if want := []int{175, 196, 537, 502, 579, 211}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// chi fails when Pearson's statistic of equally likely cells is more than 4.5 deviations from its mean.
func chi(t *testing.T, what string, cells []int) {
	t.Helper()
	total, x, k := 0, 0.0, float64(len(cells)-1)
	for _, c := range cells {
		total += c
	}
	want := float64(total) / float64(len(cells))
	for _, c := range cells {
		x += (float64(c) - want) * (float64(c) - want) / want
	}
	if z := (x - k) / math.Sqrt(2*k); math.Abs(z) > 4.5 {
		t.Errorf("%s: chi-square is %.1f deviations off", what, z)
	}
}

// All 35 subsets of 3 out of 7 are equally likely, sorted, and earlier picks leave no trace.
func TestWithoutReplacementIsUniform(t *testing.T) {
	p := &population.WithoutReplacement{Source: stream.New(5)}
	seen := map[[3]int]int{}
	for range 35_000 {
		s := picks(t, p, 3, 7)
		if s[0] >= s[1] || s[1] >= s[2] || s[0] < 0 || s[2] > 6 {
			t.Fatalf("%v is no sorted subset", s)
		}
		seen[[3]int(s)]++
	}
	var cells []int
	for _, n := range seen {
		cells = append(cells, n)
	}
	if len(cells) != 35 {
		t.Fatalf("%d of 35 subsets seen", len(cells))
	}
	chi(t, "subsets", cells)
}

// What is picked depends on the source alone: not on earlier batches, crowds or memory.
func TestWithoutReplacementHasNoMemory(t *testing.T) {
	source := stream.New(5)
	used := &population.WithoutReplacement{Source: source}
	for _, size := range [][2]int{{7, 7}, {3, 90}, {50, 60}, {1, 1}, {0, 5}, {90, 90}, {30, 31}} {
		source.Seek(9)
		got := picks(t, used, size[0], size[1])
		source.Seek(9)
		want := picks(t, &population.WithoutReplacement{Source: source}, size[0], size[1])
		if !slices.Equal(got, want) {
			t.Errorf("%d of %d: %v after other picks, %v at first", size[0], size[1], got, want)
		}
	}
}

func TestWithReplacementIsUniform(t *testing.T) {
	cells := make([]int, 49) // pairs of consecutive picks
	got := picks(t, population.WithReplacement{Source: stream.New(5)}, 98_000, 7)
	for i := 0; i < len(got); i += 2 {
		cells[7*got[i]+got[i+1]]++
	}
	chi(t, "pairs", cells)
}
