package kedge

// Rows are the vectors of many individuals, one a row, however they are kept. They are only read, by any number of goroutines
// at once.
type Rows interface {
	// Size returns how many rows there are and how many entries a row has.
	Size() (rows, width int)
	// View returns rows first … last−1, row-major: room, which has space for them, filled, or memory of its own, for which
	// room may be nil. What it returns is only to be read, and only until room is used again.
	View(room []float64, first, last int) []float64
}

// Block is Rows as they stand in memory. View copies nothing and needs no room.
type Block struct {
	Data  []float64
	Width int
}

var _ Rows = Block{}

// Size returns how many rows there are and their width. It panics when the last row is broken.
func (b Block) Size() (rows, width int) { return Count(b.Data, b.Width), b.Width }

// View returns the rows themselves.
func (b Block) View(_ []float64, first, last int) []float64 {
	return b.Data[first*b.Width : last*b.Width : last*b.Width]
}

// Pick returns a copy of the rows with the given numbers.
func Pick(r Rows, individuals []int) Block {
	_, width := r.Size()
	out, room := Block{Data: make([]float64, 0, len(individuals)*width), Width: width}, make([]float64, width)
	for _, i := range individuals {
		out.Data = append(out.Data, r.View(room, i, i+1)...)
	}
	return out
}

// Some returns the numbers of n individuals or, where that are more than most, of so many at equal distances.
func Some(n, most int) []int {
	some := make([]int, min(n, most))
	for i := range some {
		some[i] = i * n / len(some)
	}
	return some
}

// Leading are the first entries of rows, all where they have no more.
type Leading struct {
	Of      Rows
	Entries int
}

var _ Rows = Leading{}

// Size returns how many rows there are and their width.
func (r Leading) Size() (rows, width int) {
	rows, width = r.Of.Size()
	return rows, min(width, r.Entries)
}

// View returns the beginnings of rows.
func (r Leading) View(room []float64, first, last int) []float64 {
	_, all := r.Of.Size()
	if all <= r.Entries {
		return r.Of.View(room, first, last)
	}
	long := r.Of.View(make([]float64, (last-first)*all), first, last)
	for i := range last - first {
		copy(Row(room, i, r.Entries), Row(long, i, all))
	}
	return room[:(last-first)*r.Entries]
}
