package rows

import "math"

// Total is a running sum with twice the working precision [ogita2005]: High is the rounded sum, Low what rounding lost. Its
// methods return the new sum, so that the compiler keeps a running one in registers.
type Total struct{ High, Low float64 }

// Add adds x.
func (s Total) Add(x float64) Total {
	high, lost := TwoSum(s.High, x)
	return Total{high, s.Low + lost}
}

// AddBoth adds x + y without losing what the two additions round away.
func (s Total) AddBoth(x, y float64) Total {
	both, first := TwoSum(x, y)
	high, second := TwoSum(s.High, both)
	return Total{high, s.Low + (first + second)}
}

// AddProduct adds xy, every digit of it.
func (s Total) AddProduct(x, y float64) Total {
	p := float64(x * y) // rounded here, or the compiler fuses it with the addition
	s = s.Add(p)
	s.Low += math.FMA(x, y, -p)
	return s
}

// Value returns the sum.
func (s Total) Value() float64 { return s.High + s.Low }

// TwoSum returns the rounded x + y and what rounding lost, exactly [knuth1997].
func TwoSum(x, y float64) (s, lost float64) {
	s = x + y
	t := s - x
	return s, (x - (s - t)) + (y - t)
}

// run adds x to a running sum.
func run(sum, lost *float64, x float64) {
	h := *sum + x
	*lost += x - (h - *sum)
	*sum = h
}
