package population_test

import (
	"context"
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/wire"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/stream"
)

// numberLaw returns a law by name.
func numberLaw(t *testing.T, name string, of ...float64) population.Number {
	t.Helper()
	all := population.NumberLaws()
	n := population.Number{NumberLaw: all[slices.IndexFunc(all, func(l population.NumberLaw) bool { return l.Name == name })], Of: of}
	if err := n.Check(); err != nil {
		t.Fatal(err)
	}
	return n
}

// stirred is a crowd whose states become their noise.
func stirred(t *testing.T, n, workers int, draws ...population.Draws) *population.Crowd {
	t.Helper()
	width := 0
	for _, d := range draws {
		width += d.Entries
	}
	f, err := dynamics.NewAffine(kedge.Dims{Decision: 1, State: width, Trait: width}, make([]float64, width*width), make([]float64, width), make([]float64, width*width))
	if err != nil {
		t.Fatal(err)
	}
	c, err := population.Gather(population.Config{
		Dynamics: f, Traits: kedge.Block{Data: make([]float64, n*width), Width: width}, Workers: workers,
		Stir: &population.Stir{Draws: draws, Next: func(dst, _, _, _, e []float64) { copy(dst, e) }},
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Means, variances and a tail of the laws are those of the textbooks, within five standard errors.
func TestNumberLaws(t *testing.T) {
	const n = 40_000
	for _, c := range []struct {
		law            population.Number
		mean, variance float64
		above, tail    float64 // the probability of more than above
	}{
		{numberLaw(t, "normal", 1, 2), 1, 4, 3, 0.15865525393145707},
		{numberLaw(t, "uniform", -1, 3), 1, 16. / 12, 2, 0.25},
		{numberLaw(t, "laplace", 1, 2), 1, 8, 3, math.Exp(-1) / 2},
		{numberLaw(t, "student", 8, 3), 0, 9 * 8. / 6, 0, 0.5},
		{numberLaw(t, "student", 2, 1), 0, math.NaN(), 1, 0.5 - 0.5/math.Sqrt(3)}, // P(T > x) = ½ − x/(2√(2+x²)) for 2 degrees of freedom
		{numberLaw(t, "lognormal", 0.5, 0.25), math.Exp(0.5 + 0.03125), (math.Exp(0.0625) - 1) * math.Exp(1+0.0625), math.Exp(0.75), 0.15865525393145707},
		{numberLaw(t, "exponential", 3), 3, 9, 3, math.Exp(-1)},
		{numberLaw(t, "bernoulli", 0.2), 0.2, 0.16, 0.5, 0.2},
	} {
		if got := c.law.Mean(); math.Abs(got-c.mean) > 1e-14 {
			t.Errorf("%s%v says its mean is %v, want %v", c.law.Name, c.law.Of, got, c.mean)
		}
		crowd := stirred(t, n, 1, population.Draws{Number: c.law, Entries: 1, Stream: stream.New(7, c.law.Name)})
		if err := crowd.Respond(context.Background(), []float64{0}); err != nil {
			t.Fatal(err)
		}
		sum, squares, over := 0.0, 0.0, 0.0
		for _, x := range crowd.States() {
			sum, squares = sum+x, squares+(x-c.mean)*(x-c.mean)
			if x > c.above {
				over++
			}
		}
		if far := math.Abs(over/n - c.tail); far > 5*math.Sqrt(c.tail*(1-c.tail)/n) {
			t.Errorf("%s%v is above %v with the frequency %v, want %v", c.law.Name, c.law.Of, c.above, over/n, c.tail)
		}
		if c.variance != c.variance {
			continue
		}
		if far := math.Abs(sum/n - c.mean); far > 5*math.Sqrt(c.variance/n) {
			t.Errorf("%s%v has the mean %v, want %v", c.law.Name, c.law.Of, sum/n, c.mean)
		}
		if far := math.Abs(squares/n/c.variance - 1); far > 0.12 {
			t.Errorf("%s%v has the variance %v, want %v", c.law.Name, c.law.Of, squares/n, c.variance)
		}
	}
	for _, bad := range []population.Number{{NumberLaw: population.NumberLaws()[0], Of: []float64{0}}, {NumberLaw: population.NumberLaws()[0], Of: []float64{0, -1}},
		{NumberLaw: population.NumberLaws()[3], Of: []float64{1, 1}}, {NumberLaw: population.NumberLaws()[6], Of: []float64{1.5}}, {NumberLaw: population.NumberLaws()[4], Of: []float64{800, 0}}} {
		if bad.Check() == nil {
			t.Errorf("%s%v is taken", bad.Name, bad.Of)
		}
	}
}

// Noise depends on the individual, the step and its own stream: not on workers, nor on what else is drawn.
func TestStirDependsOnNothingElse(t *testing.T) {
	const n = 3000
	first := population.Draws{Number: numberLaw(t, "student", 3, 1), Entries: 2, Stream: stream.New(3, "first")}
	second := population.Draws{Number: numberLaw(t, "normal", 0, 1), Entries: 1, Stream: stream.New(3, "second")}
	respond := func(c *population.Crowd) []float64 {
		for range 3 {
			if err := c.Respond(context.Background(), []float64{0}); err != nil {
				t.Fatal(err)
			}
		}
		return c.States()
	}
	both, many, alone := respond(stirred(t, n, 1, first, second)), respond(stirred(t, n, 4, first, second)), respond(stirred(t, n, 1, second))
	if !slices.Equal(both, many) {
		t.Error("noise depends on the number of workers")
	}
	for i, v := range alone {
		if both[3*i+2] != v {
			t.Fatalf("individual %d has the noise %v beside another law and %v alone", i, both[3*i+2], v)
		}
	}
	if both[0] == both[3] || both[0] == both[1] || both[0] == both[3*64] {
		t.Error("two numbers are the same")
	}
}

// A crowd that is saved half-way meets the same noise as one that goes on.
func TestStirGoesOnWhereItWasSaved(t *testing.T) {
	draws := population.Draws{Number: numberLaw(t, "laplace", 0, 1), Entries: 1, Stream: stream.New(3, "noise")}
	one, other := stirred(t, 100, 1, draws), stirred(t, 100, 1, draws)
	step := func(c *population.Crowd) {
		if err := c.Respond(context.Background(), []float64{0}); err != nil {
			t.Fatal(err)
		}
	}
	step(one)
	saved, err := one.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := other.UnmarshalBinary(saved); err != nil {
		t.Fatal(err)
	}
	step(one)
	step(other)
	if !slices.Equal(one.States(), other.States()) {
		t.Error("noise differs after a crowd was restored")
	}
}

// Classes are as many as their ends say, and newcomers begin again.
func TestClasses(t *testing.T) {
	l := population.Classes{Ends: []int{2, 5}, Rows: [][]float64{{0, 7}, {1, 9}}}
	got := make([]float64, 14)
	if l.Fill(got, 2, 0, nil); !slices.Equal(got, []float64{0, 7, 0, 7, 1, 9, 1, 9, 1, 9, 0, 7, 0, 7}) {
		t.Errorf("got %v", got)
	}
	if err := (population.Classes{Ends: []int{1, 2}, Rows: l.Rows}).Check(2, 2); err != nil {
		t.Errorf("classes of one each: %v", err)
	}
	for _, bad := range []population.Classes{{}, {Ends: []int{2, 2}, Rows: l.Rows}, {Ends: []int{2}, Rows: l.Rows}, {Ends: []int{2, 5}, Rows: [][]float64{{1}, {2}}}} {
		if bad.Check(5, 2) == nil {
			t.Errorf("%v is taken", bad)
		}
	}
}

// A clock is the number of the step for everybody, newcomers too.
func TestClockTellsTheStep(t *testing.T) {
	traits := kedge.Block{Data: make([]float64, 20), Width: 2}
	m, err := population.NewMoving(population.Motion{
		Clock: true, Drift: population.Drift{Rate: []float64{0.5, 0}, Swing: []float64{1, 0}, Period: 7},
		Churn:   population.Churn{Share: 0.2, Law: population.Normal{Deviation: []float64{1}}},
		Leavers: stream.New(1, "leavers"), Arrivals: stream.New(1, "arrivals"),
	}, traits, 1)
	if err != nil {
		t.Fatal(err)
	}
	for k := 1; k <= 5; k++ {
		if _, err := m.Advance(); err != nil {
			t.Fatal(err)
		}
		for i := range 10 {
			if got := m.View(nil, i, i+1)[1]; got != float64(k) {
				t.Fatalf("at step %d individual %d has the time %v", k, i, got)
			}
		}
	}
}

// A crowd that noise stirs moves by itself too, at its second step for the first time; one whose noise is unsound is refused.
func TestStirredCrowdsMove(t *testing.T) {
	s := stream.New(3, "noise")
	sound := population.Draws{Number: numberLaw(t, "normal", 0, 1), Entries: 1, Stream: s}
	crowd := func(d population.Draws) (*population.Crowd, error) {
		return population.Gather(population.Config{
			Dynamics: lag{dims(1)}, Traits: kedge.Block{Data: make([]float64, 3), Width: 1}, Motion: &population.Motion{Clock: true},
			Stir: &population.Stir{Draws: []population.Draws{d}, Next: func(dst, _, _, _, e []float64) { copy(dst, e) }},
		})
	}
	for name, d := range map[string]population.Draws{
		"no entries": {Number: sound.Number, Stream: s}, "no stream": {Number: sound.Number, Entries: 1},
		"a deviation below 0": {Number: population.Number{NumberLaw: sound.NumberLaw, Of: []float64{0, -1}}, Entries: 1, Stream: s},
	} {
		if _, err := crowd(d); err == nil {
			t.Errorf("%s: gathered", name)
		}
	}
	c, err := crowd(sound)
	if err != nil {
		t.Fatal(err)
	}
	for step := range 3 {
		if err := c.Respond(t.Context(), []float64{0}); err != nil {
			t.Fatal(err)
		}
		if want := slices.Repeat([]float64{float64(step)}, 3); !slices.Equal(c.Traits(), want) {
			t.Errorf("after step %d traits are %v, want %v", step+1, c.Traits(), want)
		}
	}
}

// counterOf runs the rounds of Philox4x64-10 back from a block to its counter. Odd numbers have an inverse modulo 2⁶⁴, which Newton's steps find.
func counterOf(key [2]uint64, block [4]uint64) [4]uint64 {
	const mul0, mul1, add0, add1 = 0xD2E7470EE14C6C93, 0xCA5A826395121157, 0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B
	inverse := func(a uint64) uint64 {
		x := a
		for range 5 {
			x *= 2 - a*x
		}
		return x
	}
	w, x, y, z := block[0], block[1], block[2], block[3]
	for round := range uint64(10) {
		left := 9 - round
		y0, w0 := x*inverse(mul1), z*inverse(mul0)
		hi0, _ := bits.Mul64(mul0, w0)
		hi1, _ := bits.Mul64(mul1, y0)
		w, x, y, z = w0, w^hi1^(key[0]+left*add0), y0, y^hi0^(key[1]+left*add1)
	}
	return [4]uint64{w, x, y, z}
}

// By hand, at 2 degrees of freedom: the point (¼, ¼) gives ¼·√(2(8 − 1)/⅛) = √7. One at the middle, from which no direction leads, or outside of the circle is drawn again; one
// on it gives 0. Uniform numbers are the first 53 bits of words: 2⁶³ is ½, which is 0 on the way from −1 to 1, and 5·2⁶¹ is ⅝.
func TestStudentAtTheEdges(t *testing.T) {
	const kind, half = "stream.Stream/1", 1 << 63
	for name, c := range map[string]struct {
		first [2]uint64
		want  float64
	}{"middle": {[2]uint64{half, half}, math.Sqrt(7)}, "corner": {[2]uint64{0, 0}, math.Sqrt(7)}, "circle": {[2]uint64{0, half}, 0}} {
		s := stream.New(1, "edges")
		state, err := s.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		content := slices.Clone(state[1+len(kind)+8 : len(state)-4])
		key := [2]uint64{binary.LittleEndian.Uint64(content), binary.LittleEndian.Uint64(content[8:])}
		block := [4]uint64{c.first[0], c.first[1], 5 << 61, 5 << 61}
		for i, v := range counterOf(key, block) {
			binary.LittleEndian.PutUint64(content[16+8*i:], v)
		}
		if err := s.UnmarshalBinary(wire.Seal(kind, content)); err != nil {
			t.Fatal(err)
		}
		if copied := *s; copied.Uint64() != block[0] {
			t.Fatalf("%s: the stream is not where it should be", name)
		}
		if got := numberLaw(t, "student", 2, 1).Draw(s); !(math.Abs(got-c.want) <= 1e-14) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
