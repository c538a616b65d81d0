package guard

import "math"

// mostTogether is how many people's columns are sorted together; of more, one column after the other is faster.
const mostTogether = 256

// sheaf is columns of numbers that are sorted together, a row of all columns after the other. Numbers are kept as integers in the same order.
type sheaf struct {
	width int
	keys  []int64
}

func newSheaf(people, width int) sheaf { return sheaf{width, make([]int64, people*width)} }

// set puts a number down; a negative zero, of which nobody says whether it comes before zero, is refused.
func (s sheaf) set(row, column int, v float64) (ok bool) {
	s.keys[row*s.width+column] = keyOf(v)
	return math.Float64bits(v) != 1<<63
}

// keyOf are the bits of a number as an integer that is the larger the larger the number is.
func keyOf(v float64) int64 {
	bits := int64(math.Float64bits(v))
	return bits ^ bits>>63&math.MaxInt64
}

func numberOf(key int64) float64 {
	return math.Float64frombits(uint64(key ^ key>>63&math.MaxInt64))
}

// sort sorts every column, by Batcher's merge exchange: which rows are compared depends on their number alone, so that all columns are at once,
// and no branch is guessed.
func (s sheaf) sort() {
	n := len(s.keys) / s.width
	for span := 1; span < n; span *= 2 {
		for gap := span; gap >= 1; gap /= 2 {
			for from := gap % span; from+gap < n; from += 2 * gap {
				for low := from; low < min(from+gap, n-gap); low++ {
					if high := low + gap; low/(2*span) == high/(2*span) {
						exchange(s.keys[low*s.width:(low+1)*s.width], s.keys[high*s.width:(high+1)*s.width])
					}
				}
			}
		}
	}
}

// exchange brings pairs into order.
func exchange(low, high []int64) {
	high = high[:len(low)]
	for i, a := range low {
		b := high[i]
		low[i], high[i] = min(a, b), max(a, b)
	}
}

// column writes a column to dst.
func (s sheaf) column(dst []float64, column int) {
	for i := range dst {
		dst[i] = numberOf(s.keys[i*s.width+column])
	}
}

// spreadOfSorted is spreadOf of numbers that count alike, in their order and without a negative zero.
func spreadOfSorted(x []float64) (middle, off float64) {
	low, high := (len(x)-1)/2, len(x)/2
	middle = between(x[low], x[high])
	off = ofNormal * between(nearest(x, middle, low), nearest(x, middle, high))
	return middle, max(off, (x[rank(1-edge, len(x))]-x[rank(edge, len(x))])/tails)
}

func between(low, high float64) float64 { return low + float64((high-low)/2) }

// rank is where the least of n numbers stands that has so large a share of them up to it.
func rank(level float64, n int) int {
	return max(0, min(int(math.Ceil(level*float64(n)))-1, n-1))
}

// nearest is the distance from a middle that k of sorted numbers are below, at least as near to it: those nearest stand side by side, so that it
// is sought where the distance to the left end of k+1 neighbours falls below that to the right end.
func nearest(x []float64, middle float64, k int) float64 {
	from, to := 0, len(x)-k
	for from < to {
		half := int(uint(from+to) / 2)
		if x[half+k]-middle >= middle-x[half] {
			to = half
		} else {
			from = half + 1
		}
	}
	least := math.Inf(1)
	if from < len(x)-k {
		least = x[from+k] - middle
	}
	if from > 0 {
		least = min(least, middle-x[from-1])
	}
	return least
}
