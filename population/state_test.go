package population_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/conform"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/wire"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/stream"
)

// kept are the ways to keep and to sample a crowd of n people in three dimensions.
func kept(t testing.TB, n int) map[string]func() *population.Crowd {
	redrawn, err := population.Redraw(population.Cap{Angle: 90}, n, 3, stream.New(3, "people"))
	if err != nil {
		t.Fatal(err)
	}
	gather := func(storage population.Storage, pick func() population.Picker) func() *population.Crowd {
		return func() *population.Crowd {
			c, err := population.Gather(population.Config{
				Dynamics: dynamics.Polarized{Dim: 3, Lambda: 0.4, Sigma: 0.5}, Traits: redrawn, Storage: storage, Pick: pick(),
			})
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
	}
	return map[string]func() *population.Crowd{
		"float64, in tiles": func() *population.Crowd {
			traits := kedge.Block{Data: redrawn.View(make([]float64, 3*n), 0, n), Width: 3}
			c, err := population.Gather(population.Config{
				Dynamics: inTiles{dynamics.Polarized{Dim: 3, Lambda: 0.4, Sigma: 0.5}}, Traits: traits, Pick: population.WithReplacement{Source: stream.New(5, "sample")},
			})
			if err != nil {
				t.Fatal(err)
			}
			return c
		},
		"float64, without replacement": gather(population.Float64, func() population.Picker {
			return &population.WithoutReplacement{Source: stream.New(5, "sample")}
		}),
		"float32, with replacement": gather(population.Float32, func() population.Picker {
			return population.WithReplacement{Source: stream.New(5, "sample")}
		}),
		"float64, NumPy": gather(population.Float64, func() population.Picker {
			return population.WithReplacement{Source: stream.NewNumPy(5)}
		}),
		"float64, rotating": gather(population.Float64, func() population.Picker {
			return &population.Rotating{Of: population.WithReplacement{Source: stream.New(5, "sample")}}
		}),
		"float64, by weight": gather(population.Float64, func() population.Picker {
			weights := make([]float64, n)
			for i := range weights {
				weights[i] = float64(i % 7)
			}
			pick, err := population.NewByWeight(stream.New(5, "sample"), weights)
			if err != nil {
				t.Fatal(err)
			}
			return &population.Rotating{Of: pick}
		}),
		"float32, everyone": gather(population.Float32, func() population.Picker { return population.Everyone{} }),
	}
}

func TestCrowdsConform(t *testing.T) {
	const n = 150 // more than a chunk
	for name, start := range kept(t, n) {
		t.Run(name, func(t *testing.T) {
			batch := 40
			if strings.HasSuffix(name, "everyone") {
				batch = n
			}
			conform.Population(t, func() kedge.Population { return start() }, conform.Responses{
				Batch: batch, Decide: func(r *stream.Stream) []float64 { return []float64{r.Normal(), r.Normal(), r.Normal()} },
			})
		})
	}
}

// A state of another crowd is refused and moves nobody.
func TestForeignStatesAreRefused(t *testing.T) {
	small, large := kept(t, 5), kept(t, 6)
	for name, start := range small {
		c := start()
		before := save(t, c)
		for other, from := range large {
			if err := c.UnmarshalBinary(save(t, from())); err == nil {
				t.Errorf("%s took the state of a larger crowd, %s", name, other)
			}
			if state := save(t, small[other]()); other != name && c.UnmarshalBinary(state) == nil {
				t.Errorf("%s took the state of %s", name, other)
			}
		}
		if !bytes.Equal(save(t, c), before) {
			t.Errorf("%s: what was refused left traces", name)
		}
	}
}

// edited is the saved state of a crowd with another number so many numbers from its end, which is where homes are, behind their length and the step that they are of.
func edited(state []byte, from int, to uint64) []byte {
	content := slices.Clone(state[1+int(state[0])+8 : len(state)-4])
	binary.LittleEndian.PutUint64(content[len(content)-8*from:], to)
	return wire.Seal(string(state[1:1+state[0]]), content)
}

// A saved home that is no finite number is refused and leaves no trace; another finite one is taken.
func TestSavedTraitsAreFinite(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0.25} {
		for _, entry := range []int{1, 3 * 5} {
			c := restlessCrowd(t, 5, population.WithReplacement{Source: stream.New(5, "sample")})
			before := save(t, c)
			data := edited(before, entry, math.Float64bits(v))
			switch err := c.UnmarshalBinary(data); {
			case v == 0.25:
				if err != nil || !bytes.Equal(save(t, c), data) {
					t.Errorf("a home of 0.25: %v", err)
				}
			case err == nil || !strings.Contains(err.Error(), "a saved trait is not finite") || !bytes.Equal(save(t, c), before):
				t.Errorf("a home of %v: %v", v, err)
			}
		}
	}
}

// Saved homes are those of the crowd's last step, its third here, or of the one before.
func TestSavedTraitsAreOfTheStep(t *testing.T) {
	for step := range 6 {
		c := restlessCrowd(t, 5, population.WithReplacement{Source: stream.New(5, "sample")})
		for range 3 {
			if err := c.Respond(t.Context(), []float64{0.3, -0.5, 0.6}); err != nil {
				t.Fatal(err)
			}
		}
		before := save(t, c)
		err := c.UnmarshalBinary(edited(before, 3*5+2, uint64(step)))
		if isTaken := step == 2 || step == 3; isTaken != (err == nil) || !isTaken && (!strings.Contains(err.Error(), fmt.Sprintf("traits of step %d after 3 steps", step)) || !bytes.Equal(save(t, c), before)) {
			t.Errorf("homes of step %d: %v", step, err)
		}
	}
}

func save(t testing.TB, c *population.Crowd) []byte {
	t.Helper()
	b, err := c.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// lame is a writer that fails after so many bytes.
type lame int

func (l *lame) Write(p []byte) (int, error) {
	if *l -= lame(len(p)); *l < 0 {
		return 0, io.ErrShortWrite
	}
	return len(p), nil
}

// In a stream the bytes are the same, over more than one piece, and a writer's error is told.
func TestSaveWritesTheSameBytes(t *testing.T) {
	for name, start := range kept(t, 5000) {
		var b bytes.Buffer
		c := start()
		if err := c.Save(&b); err != nil || !bytes.Equal(b.Bytes(), save(t, c)) {
			t.Errorf("%s: %d bytes, %v; want %d others", name, b.Len(), err, len(save(t, c)))
		}
		for _, room := range []lame{0, 100, 50_000, lame(b.Len() - 1)} {
			if err := c.Save(&room); !errors.Is(err, io.ErrShortWrite) {
				t.Errorf("%s: error %v of a writer that fails", name, err)
			}
		}
	}
}

// first picks the first individuals and cannot be saved.
type first struct{}

func (first) Pick(dst []int, _ int) error {
	clear(dst)
	return nil
}

func TestUnknownPickersCannotBeSaved(t *testing.T) {
	for _, pick := range []population.Picker{first{}, population.WithReplacement{}} {
		c := newCrowd(t, 3, 2, pick)
		if b, err := c.AppendBinary([]byte("x")); err == nil || string(b) != "x" {
			t.Errorf("%T: saved as %q, %v", pick, b, err)
		}
		if err := c.Save(io.Discard); err == nil {
			t.Errorf("%T: saved", pick)
		}
		if err := c.UnmarshalBinary(nil); err == nil {
			t.Errorf("%T: restored", pick)
		}
	}
}

// Any content under a right checksum: refused without a trace, or taken and written again byte for byte.
func FuzzUnmarshalCrowd(f *testing.F) {
	crowds := kept(f, 2)
	content := func(state []byte) []byte { return state[1+int(state[0])+8 : len(state)-4] }
	for _, start := range crowds {
		f.Add(content(save(f, start())))
	}
	broken := save(f, crowds["float64, NumPy"]())
	copy(content(broken)[16:], []byte{0, 0, 0, 0, 0, 0, 0xf0, 0x7f}) // an infinite first entry
	f.Add(content(broken))
	f.Fuzz(func(t *testing.T, content []byte) {
		for name, start := range crowds {
			c := start()
			before := save(t, c)
			data := wire.Seal(string(before[1:1+before[0]]), content)
			if err := c.UnmarshalBinary(data); err == nil {
				before = data
			}
			if !bytes.Equal(save(t, c), before) {
				t.Errorf("%s: refused content left traces, or accepted content changed", name)
			}
			p, _ := c.Look().Size()
			for i, v := range c.Look().View(make([]float64, 3*p), 0, p) {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					t.Errorf("%s: entry %d is %v", name, i, v)
				}
			}
		}
	})
}
