package main

import (
	"errors"
	"strconv"

	"github.com/kedge-opt/kedge/stream"
	"github.com/kedge-opt/kedge/transport"
)

// kind is a kind of instance.
type kind struct {
	name          string
	states, trait int // entries of a state, and of a trait
	weighted      bool
}

func kinds() []kind {
	return []kind{
		{"20 + 20 uniform", 20, 20, false},
		{"20 + 20 weighted", 20, 20, true},
		{"2 + 2 uniform", 2, 2, false},
		{"2 + 2 weighted", 2, 2, true},
	}
}

// instance is two clouds of weighted points, each with a state and a trait.
type instance struct {
	kind
	a, b       []float64 // nil for uniform
	p, q, d, e []float64
}

func (k kind) instance(n, round int) instance {
	s := stream.New(uint64(round), "transport", k.name, strconv.Itoa(n))
	out := instance{kind: k, p: normals(s, n*k.states), q: normals(s, n*k.states), d: normals(s, n*k.trait), e: normals(s, n*k.trait)}
	if k.weighted {
		out.a, out.b = weights(s, n), weights(s, n)
	}
	return out
}

func normals(s *stream.Stream, n int) []float64 {
	x := make([]float64, n)
	s.Normals(x)
	return x
}

func weights(s *stream.Stream, n int) []float64 {
	x, total := make([]float64, n), 0.0
	for i := range x {
		x[i] = s.Float64()
		total += x[i]
	}
	for i := range x {
		x[i] /= total
	}
	return x
}

// costs writes the mixed metric down.
func (in instance) costs() (transport.Cost, error) {
	states, err := transport.Euclidean(in.p, in.q, in.states)
	traits, err2 := transport.Euclidean(in.d, in.e, in.trait)
	if err := errors.Join(err, err2); err != nil {
		return nil, err
	}
	c, err := transport.Mixed(states, traits)
	if err != nil {
		return nil, err
	}
	n, m := c.Size()
	entries := make([]float64, n*m)
	for i := range n {
		c.Row(entries[i*m:(i+1)*m], i)
	}
	return transport.Table(entries, m)
}
