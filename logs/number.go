package logs

import (
	"math"
	"strconv"
)

// Amount is one that JSON may have no word for: nothing stands for what is not finite.
type Amount float64

// MarshalJSON implements [json.Marshaler].
func (n Amount) MarshalJSON() ([]byte, error) {
	if !n.Known() {
		return []byte("null"), nil
	}
	return strconv.AppendFloat(nil, float64(n), 'g', -1, 64), nil
}

// Known tells whether it is finite.
func (n Amount) Known() bool { return !math.IsNaN(float64(n)) && !math.IsInf(float64(n), 0) }

func unknown() Amount { return Amount(math.NaN()) }
