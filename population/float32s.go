package population

import "github.com/kedge-opt/kedge"

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
	n, width := of.Size()
	s := &Float32s{data: make([]float32, n*width), width: width, mend: mend}
	room := make([]float64, min(n, chunk)*width)
	for first := 0; first < n; first += chunk {
		last := min(first+chunk, n)
		x := room[:(last-first)*width]
		copy(x, of.View(x, first, last))
		round(s.data[first*width:], x)
		if err := checkRows("row", x, first, width); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Size returns how many rows there are and their width.
func (s *Float32s) Size() (rows, width int) { return len(s.data) / max(1, s.width), s.width }

// View widens rows into room.
func (s *Float32s) View(room []float64, first, last int) []float64 {
	short := s.data[first*s.width : last*s.width]
	room = room[:len(short)]
	for i, v := range short {
		room[i] = float64(v)
	}
	if s.mend != nil {
		for i := range last - first {
			s.mend(kedge.Row(room, i, s.width))
		}
	}
	return room
}

// Bytes returns the memory that the rows take.
func (s *Float32s) Bytes() int { return 4 * len(s.data) }

// round rounds x in place and writes it to dst.
func round(dst []float32, x []float64) {
	dst = dst[:len(x)]
	for i, v := range x {
		short := float32(v)
		dst[i], x[i] = short, float64(short)
	}
}
