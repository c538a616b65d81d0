package population

import (
	"context"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/internal/wire"
	"github.com/kedge-opt/kedge/stream"
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

func (s *singles) keep(x []float64, first int) { rows.Narrow(s.then[first*s.width:], x) }

func (s *singles) put(x []float64, i int) { rows.Narrow(s.data[i*s.width:], x) }

func (s *singles) swap() { s.data, s.then = s.then, s.data }

func (s *singles) bytes() int { return 2 * s.Bytes() }

// Float32s are rows kept in single precision, 4 bytes an entry, and widened when they are looked at.
type Float32s struct {
	data  []float32
	width int
	mend  func(x []float64)
}

var _ kedge.Rows = (*Float32s)(nil)

// Shorten keeps rows in single precision. Rounded rows may no longer be what a dynamics demands, such as of unit length;
// mend, if not nil, makes them that again, every time they are looked at and by any goroutine. A number that is not finite
// or too large for single precision is an error that names the individual.
func Shorten(of kedge.Rows, mend func(x []float64)) (*Float32s, error) {
	return ShortenWithin(context.Background(), of, mend)
}

// ShortenWithin is Shorten that ends with the error of the context once that is done.
func ShortenWithin(ctx context.Context, of kedge.Rows, mend func(x []float64)) (*Float32s, error) {
	n, width := of.Size()
	s := &Float32s{data: make([]float32, n*width), width: width, mend: mend}
	rooms := make([][]float64, hands(n, width))
	err := share(n, width, chunk, func(hand, first, last int) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if rooms[hand] == nil {
			rooms[hand] = make([]float64, min(n, chunk)*width)
		}
		x := rooms[hand][:(last-first)*width]
		copy(x, of.View(x, first, last))
		rows.Narrow(s.data[first*width:], x)
		return checkRows("row", x, first, width)
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Size returns how many rows there are and their width.
func (s *Float32s) Size() (rows, width int) { return len(s.data) / max(1, s.width), s.width }

// View widens rows into room.
func (s *Float32s) View(room []float64, first, last int) []float64 {
	short := s.data[first*s.width : last*s.width]
	room = room[:len(short)]
	rows.Widen(room, short)
	if s.mend != nil {
		for i := range last - first {
			s.mend(kedge.Row(room, i, s.width))
		}
	}
	return room
}

// Short returns rows as they are kept, and whether View mends them.
func (s *Float32s) Short(first, last int) (data []float32, mended bool) {
	return s.data[first*s.width : last*s.width], s.mend != nil
}

// Bytes returns the memory that the rows take.
func (s *Float32s) Bytes() int { return 4 * len(s.data) }

// Redrawn are rows of a law that are not kept at all: whoever looks at them draws them anew, which takes far longer than
// reading them, and no memory. They are the rows that Draw would return, bit for bit.
type Redrawn struct {
	law   Law
	n     int
	width int
	from  stream.Stream
}

var _ kedge.Rows = (*Redrawn)(nil)

// Redraw returns n rows of dim entries of a law, drawn from the stream but leaving it where it is. Whether they are finite
// shows when they are looked at.
func Redraw(l Law, n, dim int, s *stream.Stream) (*Redrawn, error) {
	if err := l.Check(n, dim); err != nil {
		return nil, err
	}
	return &Redrawn{law: l, n: n, width: dim, from: *s}, nil
}

// Size returns how many rows there are and their width.
func (r *Redrawn) Size() (rows, width int) { return r.n, r.width }

// View draws rows into room.
func (r *Redrawn) View(room []float64, first, last int) []float64 {
	room = room[:(last-first)*r.width]
	s := r.from // of this call alone, for a stream is moved by drawing
	r.law.Fill(room, r.width, first, &s)
	return room
}

// Bytes returns 0: nothing is kept.
func (r *Redrawn) Bytes() int { return 0 }
