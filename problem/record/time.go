package record

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"
)

// units are how much a turn of dates can be, in words.
func units() []string { return []string{"day", "week", "month", "quarter", "year"} }

func isStep(text string) bool {
	v, ok := bound(text)
	return slices.Contains(units(), text) || ok && v > 0 && !math.IsInf(v, 0)
}

// calendar counts turns.
type calendar struct {
	unit  string  // of dates; "": numbers
	every float64 // of numbers, or days
	zero  float64 // the time of turn 0
}

func (s *DataSection) calendar() calendar {
	if slices.Contains(units(), s.Step) {
		return calendar{unit: s.Step, every: 1}
	}
	every, _ := bound(s.Step)
	return calendar{every: every}
}

// dateForms are how dates may be written.
func dateForms() []string {
	return []string{"2006-01-02", time.RFC3339, "2006-01-02 15:04:05", "2006-01", "2006"}
}

// date reads a date as the days, months or years since year 0 that turns are counted in: those of the place that it was written at, where days are of 23 to 25
// hours, unless turns are parts of days.
func (c calendar) date(text string) (float64, bool) {
	for _, form := range dateForms() {
		at, err := time.Parse(form, text)
		if err != nil {
			continue
		}
		seconds := at.Unix()
		if _, ahead := at.Zone(); c.every == math.Trunc(c.every) {
			seconds += int64(ahead)
		}
		days := float64(seconds) / 86400
		switch c.unit {
		case "week":
			return days / 7, true
		case "month":
			return float64(12*at.Year() + int(at.Month()) - 1), true
		case "quarter":
			return float64(4*at.Year() + (int(at.Month())-1)/3), true
		case "year":
			return float64(at.Year()), true
		}
		return days, true
	}
	return 0, false
}

// mostTurns is how far from the first the last turn may be.
const mostTurns = 1 << 30

// turn is the number of a time, from 0 for the first.
func (c calendar) turn(at float64) (int, bool) {
	turns := (at - c.zero) / c.every
	whole := math.Round(turns)
	if !(math.Abs(turns) < mostTurns) || math.Abs(turns-whole) > 1e-6 {
		return 0, false
	}
	return int(whole), true
}

// label is a time as a reader knows it.
func (c calendar) label(turn int, text bool) string {
	at := c.zero + float64(c.every*float64(turn))
	if !text {
		return strconv.FormatFloat(at, 'g', 12, 64)
	}
	switch c.unit {
	case "week":
		return asDate(at * 7)
	case "month":
		return fmt.Sprintf("%04d-%02d", int(at)/12, int(at)%12+1)
	case "quarter":
		return strconv.Itoa(int(at)/4) + " Q" + strconv.Itoa(int(at)%4+1)
	case "year":
		return strconv.Itoa(int(at))
	}
	return asDate(at)
}

func asDate(days float64) string {
	return time.Unix(int64(math.Round(days*86400)), 0).UTC().Format("2006-01-02")
}
