package transport_test

import (
	"context"
	"testing"

	"github.com/kedge-opt/kedge/stream"
	"github.com/kedge-opt/kedge/transport"
)

// individuals is the metric between two populations of n with states and traits of 20 entries.
func individuals(t testing.TB, n int) transport.Cost {
	s := stream.New(1, "individuals")
	states, traits := euclidean(t, cloud(s, n, 20), cloud(s, n, 20), 20), euclidean(t, cloud(s, n, 20), cloud(s, n, 20), 20)
	c, err := transport.Mixed(states, traits)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// BenchmarkExact carries 1000 individuals to 1000, with and without the time for the costs.
func BenchmarkExact(b *testing.B) {
	c := individuals(b, 1000)
	written, err := transport.Table(entries(c), 1000)
	if err != nil {
		b.Fatal(err)
	}
	for name, solve := range map[string]func() (transport.Plan, error){
		"points":     func() (transport.Plan, error) { return transport.Exact(context.Background(), nil, nil, c) },
		"table":      func() (transport.Plan, error) { return transport.Exact(context.Background(), nil, nil, written) },
		"assignment": func() (transport.Plan, error) { return transport.Assignment(context.Background(), written) },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := solve(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
