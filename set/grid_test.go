package set

import (
	"fmt"
	"math"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/stream"
)

// subject is a family of sets, one for every dimension and scale.
type subject struct {
	name string
	of   func(n int, scale float64) kedge.Set
	// farthest writes a point of the set that maximizes gᵀw to w.
	farthest func(w []float64, s kedge.Set, g []float64)
	// misses returns by what ratio x misses the set, and the bar for it.
	misses    func(s kedge.Set, x []float64) (ratio, bar float64)
	slack     float64 // points that miss the set by this ratio are still returned as they came
	symmetric bool    // permuting a point permutes its projection
}

// sample is one vector to project on one set.
type sample struct {
	subject      subject
	n            int
	scale, input float64 // scales of the set and of the vector
	kind         string
	set          kedge.Set
	y            []float64
}

func (c *sample) String() string {
	text := fmt.Sprintf("%s n=%d scale=%g input=%g kind=%s", c.subject.name, c.n, c.scale, c.input, c.kind)
	if c.n <= 5 {
		text += fmt.Sprintf(" set=%v y=%v", c.set, c.y)
	}
	return text
}

// project returns the projection of y.
func (c *sample) project(y []float64) []float64 {
	x := slices.Clone(y)
	if err := c.set.Project(x); err != nil {
		panic(fmt.Sprintf("%v: %v", c, err))
	}
	return x
}

func sizes() []int { return []int{0, 1, 2, 3, 5, 10, 16, 50, 200} }

// grid calls visit with every size, pair of scales and kind of input.
func grid(s subject, visit func(*sample)) {
	r := stream.New(1, "grid", s.name)
	for _, n := range sizes() {
		for _, scale := range []float64{1e-150, 1, 1e150} {
			for _, input := range []float64{1e-150, 1, 30, 1e8, 1e150} {
				for _, kind := range kinds() {
					c := &sample{subject: s, n: n, scale: scale, input: input, kind: kind.name, set: s.of(n, scale)}
					c.y = make([]float64, n)
					kind.fill(c, r)
					visit(c)
				}
			}
		}
	}
}

// kind is a way to make an input.
type kind struct {
	name string
	fill func(c *sample, r *stream.Stream)
}

func kinds() []kind {
	each := func(f func(r *stream.Stream) float64) func(*sample, *stream.Stream) {
		return func(c *sample, r *stream.Stream) {
			for i := range c.y {
				c.y[i] = c.input * f(r)
			}
		}
	}
	normal := each((*stream.Stream).Normal)
	return []kind{
		{"normal", normal},
		{"uniform", each((*stream.Stream).Float64)},
		{"ties", each(func(r *stream.Stream) float64 { return float64(r.Intn(4)) - 1 })},
		{"equal", each(func(*stream.Stream) float64 { return 1 })},
		{"sorted", func(c *sample, r *stream.Stream) { normal(c, r); slices.Sort(c.y) }},
		{"reversed", func(c *sample, r *stream.Stream) { normal(c, r); slices.Sort(c.y); slices.Reverse(c.y) }},
		{"one huge", func(c *sample, r *stream.Stream) { normal(c, r); enlarge(c.y, r) }},
		{"denormal", func(c *sample, r *stream.Stream) { c.input = 0x1p-1070; normal(c, r) }},
		{"zeros", each(func(r *stream.Stream) float64 { return math.Copysign(0, r.Float64()-0.5) })},
		{"interior", func(c *sample, r *stream.Stream) { mix(c, r, 8) }},
		{"boundary", func(c *sample, r *stream.Stream) { mix(c, r, 2) }},
		{"vertex", func(c *sample, r *stream.Stream) { mix(c, r, 1) }},
	}
}

// enlarge makes one entry far larger than the others.
func enlarge(y []float64, r *stream.Stream) {
	if len(y) > 0 {
		y[r.Intn(len(y))] *= 1e7
	}
}

// mix fills y with the mean of extreme points of the set in random directions.
func mix(c *sample, r *stream.Stream, count int) {
	g, w := make([]float64, c.n), make([]float64, c.n)
	for range count {
		for i := range g {
			g[i] = r.Normal()
		}
		c.subject.farthest(w, c.set, g)
		rows.AddScaled(c.y, 1/float64(count), w)
	}
}
