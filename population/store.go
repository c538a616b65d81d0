package population

import (
	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/wire"
)

// Storage is the precision in which states are kept. Arithmetic is float64 throughout.
type Storage int

const (
	Float64 Storage = iota // every bit
	Float32                // half the memory: states are rounded after every step, and beyond 3.4e38 count as infinite
)

// store keeps the states twice: those that hold and those that a response is working on.
type store interface {
	kedge.Rows // the states that hold
	// next returns where the next states of individuals first … last−1 are to be written: in place, or in room.
	next(room []float64, first, last int) []float64
	// keep keeps what was written there for individuals first and up, and rounds it to what is kept.
	keep(x []float64, first int)
	// put changes the state that holds of individual i.
	put(x []float64, i int)
	// swap makes the next states those that hold.
	swap()
	bytes() int

	kind() string          // of saved states
	fields(f *wire.Fields) // the states that hold
}

func newStore(s Storage, n, width int) store {
	if s == Float32 {
		return &singles{
			Float32s: Float32s{data: make([]float32, n*width), width: width},
			then:     make([]float32, n*width),
		}
	}
	return &doubles{
		now:  kedge.Block{Data: make([]float64, n*width), Width: width},
		then: kedge.Block{Data: make([]float64, n*width), Width: width},
	}
}

// doubles keeps states as Float64. Everything is done in place.
type doubles struct{ now, then kedge.Block }

func (s *doubles) Size() (rows, width int) { return s.now.Size() }

func (s *doubles) View(_ []float64, first, last int) []float64 { return s.now.View(nil, first, last) }

func (s *doubles) next(_ []float64, first, last int) []float64 { return s.then.View(nil, first, last) }

func (s *doubles) keep([]float64, int) {}

func (s *doubles) put(x []float64, i int) { copy(kedge.Row(s.now.Data, i, s.now.Width), x) }

func (s *doubles) swap() { s.now, s.then = s.then, s.now }

func (s *doubles) bytes() int { return 2 * 8 * len(s.now.Data) }

// singles keeps states as Float32.
type singles struct {
	Float32s
	then []float32
}

func (s *singles) next(room []float64, first, last int) []float64 {
	return room[:(last-first)*s.width]
}

func (s *singles) keep(x []float64, first int) { round(s.then[first*s.width:], x) }

func (s *singles) put(x []float64, i int) { round(s.data[i*s.width:], x) }

func (s *singles) swap() { s.data, s.then = s.then, s.data }

func (s *singles) bytes() int { return 2 * s.Bytes() }
