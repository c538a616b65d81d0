package transport_test

import (
	"context"
	"encoding/binary"
	"math"
	"testing"

	"github.com/kedge-opt/kedge/transport"
)

// numbers reads data as float64s.
func numbers(data []byte) (x []float64) {
	for ; len(data) >= 8 && len(x) < 300; data = data[8:] {
		x = append(x, math.Float64frombits(binary.LittleEndian.Uint64(data)))
	}
	return x
}

// FuzzExact carries uniform masses, and such as the costs' own magnitudes give, under any costs: an error is typed, a plan is sure.
func FuzzExact(f *testing.F) {
	f.Add(uint8(1), []byte("16 bytes of data"))
	f.Add(uint8(2), make([]byte, 48))
	f.Fuzz(func(t *testing.T, width uint8, data []byte) {
		costs, m := numbers(data), int(width)
		c, err := transport.Table(costs, m)
		if err != nil {
			if !typed(err) {
				t.Fatal(err)
			}
			return
		}
		a := make([]float64, len(costs)/m)
		for i := range a {
			a[i] = math.Abs(costs[i*m]) / 0x1p1000
		}
		for _, a := range [][]float64{nil, normalized(a)} {
			p, err := transport.Exact(context.Background(), a, nil, c)
			if err == nil {
				sure(t, p, a, nil, c)
			} else if !typed(err) {
				t.Fatal(err)
			}
		}
	})
}

func normalized(x []float64) []float64 {
	out, sum := make([]float64, len(x)), total(x)
	for i, v := range x {
		out[i] = v / sum
	}
	return out
}

// FuzzLine swaps sides, for any points and weights: an error is typed and stays, a distance keeps its bits.
func FuzzLine(f *testing.F) {
	f.Add([]byte("16 bytes of data"), []byte("8 bytes."))
	f.Fuzz(func(t *testing.T, left, right []byte) {
		x, y := numbers(left), numbers(right)
		for _, a := range [][]float64{nil, normalized(x), x} {
			d, err := transport.Line(x, a, y, nil)
			e, err2 := transport.Line(y, nil, x, a)
			if d != e || (err == nil) != (err2 == nil) || err != nil && !typed(err) || !(d >= 0) {
				t.Fatal(d, err, e, err2)
			}
		}
	})
}
