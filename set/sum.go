package set

import "math"

// sum adds numbers with twice the working precision [ogita2005]. Its methods return the new sum, so that the compiler keeps
// a running one in registers.
type sum struct{ high, low float64 }

func (s sum) add(x float64) sum {
	t := s.high + x
	b := t - s.high
	return sum{t, s.low + ((s.high - (t - b)) + (x - b))}
}

func (s sum) addProduct(x, y float64) sum {
	p := float64(x * y) // rounded here, or the compiler fuses it with the addition
	s = s.add(p)
	s.low += math.FMA(x, y, -p)
	return s
}

func (s sum) value() float64 { return s.high + s.low }
