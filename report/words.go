package report

import (
	"math"
	"strconv"

	"github.com/kedge-opt/kedge/internal/phrase"
)

// number is a figure for people with all its digits behind it.
type number struct{ Text, Exact string }

func newNumber(v float64, text func(float64) string) number {
	if math.IsNaN(v) {
		return number{phrase.Absent, "not measured"}
	}
	return number{text(v), strconv.FormatFloat(v, 'g', -1, 64)}
}
