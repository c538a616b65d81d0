package logs

import (
	"math"
	"strconv"
)

// Number is one that JSON may have no word for: nothing stands for what is not finite.
type Number float64

// MarshalJSON implements [json.Marshaler].
func (n Number) MarshalJSON() ([]byte, error) {
	if !n.Known() {
		return []byte("null"), nil
	}
	return strconv.AppendFloat(nil, float64(n), 'g', -1, 64), nil
}

// Known tells whether it is finite.
func (n Number) Known() bool { return !math.IsNaN(float64(n)) && !math.IsInf(float64(n), 0) }

func unknown() Number { return Number(math.NaN()) }
