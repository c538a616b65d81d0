package set

import "math"

// sum adds numbers with twice the working precision [ogita2005].
type sum struct{ high, low float64 }

func (s *sum) add(x float64) {
	t := s.high + x
	b := t - s.high
	s.low += (s.high - (t - b)) + (x - b)
	s.high = t
}

func (s *sum) addProduct(x, y float64) {
	p := float64(x * y) // rounded here, or the compiler fuses it with the addition
	s.add(p)
	s.low += math.FMA(x, y, -p)
}

func (s *sum) value() float64 { return s.high + s.low }
