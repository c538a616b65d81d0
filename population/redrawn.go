package population

import (
	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/stream"
)

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
