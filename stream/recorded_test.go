package stream_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/stream"
)

// Streams that are asked for numbers of all kinds in random order, moved, saved and restored give what they gave when this was recorded.
func TestStreamsAreAsRecorded(t *testing.T) {
	var lines []string
	for seed := range uint64(5) {
		r, s := rand.New(rand.NewPCG(seed, 1)), stream.New(seed, "a", fmt.Sprint(seed))
		for range 60 {
			switch r.IntN(7) {
			case 0:
				lines = append(lines, fmt.Sprint("bits ", s.Uint64()))
			case 1:
				lines = append(lines, fmt.Sprintf("number %.17g", s.Float64()))
			case 2:
				n := []int{1, 2, 3, 1000, 1 << 30, math.MaxInt, math.MaxInt / 3 * 2}[r.IntN(7)]
				lines = append(lines, fmt.Sprint("below ", n, " ", s.Intn(n)))
			case 3:
				lines = append(lines, fmt.Sprintf("normal %.15g", s.Normal()))
			case 4:
				x := make([]float64, r.IntN(9)+127*r.IntN(2))
				s.Normals(x)
				sum := 0.0
				for i, v := range x {
					sum += v * float64(1+i)
				}
				lines = append(lines, fmt.Sprintf("normals %d %.12g %.12g", len(x), sum, x[:min(3, len(x))]))
			case 5:
				if r.IntN(4) == 0 {
					s.Seek(uint64(r.IntN(3)))
				}
			case 6:
				state, err := s.AppendBinary(nil)
				other := stream.New(seed, "a", fmt.Sprint(seed))
				if err == nil {
					err = other.UnmarshalBinary(state)
				}
				if s = other; err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	evidence.AsRecorded(t, "testdata/streams.txt", lines)
}
