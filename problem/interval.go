package problem

import (
	"encoding/json"
	"math"
)

// interval is a range of numbers. An infinite end that belongs to it may be written as .inf.
type interval struct {
	least, most               float64
	withoutLeast, withoutMost bool // the ends do not belong to it
}

func closed(least, most float64) interval { return interval{least, most, false, false} }
func open(least, most float64) interval   { return interval{least, most, true, true} }

// above is the interval without its least number.
func above(least, most float64) interval { return interval{least, most, true, false} }

// below is the interval without its largest number.
func below(least, most float64) interval { return interval{least, most, false, true} }

func (i interval) has(x float64) bool {
	return x >= i.least && x <= i.most && !(i.withoutLeast && x == i.least) && !(i.withoutMost && x == i.most)
}

// schema leaves infinities out: to JSON there are none, and to editors they are numbers.
func (i interval) schema() schema {
	s := schema{Type: words{"number"}}
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
	return json.Number(formatNumber(x))
}

// whole is the schema of whole numbers.
func whole(least, most string) schema {
	return schema{Type: words{"integer"}, Minimum: json.Number(least), Maximum: json.Number(most)}
}
