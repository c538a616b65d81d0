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
