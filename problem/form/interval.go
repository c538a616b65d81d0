package form

import (
	"encoding/json"
	"math"
)

// Interval is a range of numbers. An infinite end that belongs to it may be written as .inf.
type Interval struct {
	least, most               float64
	withoutLeast, withoutMost bool // the ends do not belong to it
}

// Closed is the interval with both ends.
func Closed(least, most float64) Interval { return Interval{least, most, false, false} }

// Open is the interval without its ends.
func Open(least, most float64) Interval { return Interval{least, most, true, true} }

// Above is the interval without its least number.
func Above(least, most float64) Interval { return Interval{least, most, true, false} }

// Below is the interval without its largest number.
func Below(least, most float64) Interval { return Interval{least, most, false, true} }

func (i Interval) has(x float64) bool {
	return x >= i.least && x <= i.most && !(i.withoutLeast && x == i.least) && !(i.withoutMost && x == i.most)
}

// schema leaves infinities out: to JSON there are none, and to editors they are numbers.
func (i Interval) schema() Schema {
	s := Schema{Type: Types{"number"}}
	if least := bound(i.least); i.withoutLeast {
		s.ExclusiveMinimum = least
	} else {
		s.Minimum = least
	}
	if most := bound(i.most); i.withoutMost {
		s.ExclusiveMaximum = most
	} else {
		s.Maximum = most
	}
	return s
}

func bound(x float64) json.Number {
	if math.IsInf(x, 0) {
		return ""
	}
	return json.Number(FormatNumber(x))
}

// whole is the schema of whole numbers.
func whole(least, most string) Schema {
	return Schema{Type: Types{"integer"}, Minimum: json.Number(least), Maximum: json.Number(most)}
}
