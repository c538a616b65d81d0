package draw

import "testing"

// A line has a band where its trials differ on either side, and none where they do not.
func TestBandsOnOneSide(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		band      bool
	}{{2, 2, false}, {1, 2, true}, {2, 3, true}, {1, 3, true}} {
		d := Lines{{Name: "a", Points: []LinePoint{{X: 0, Mean: 1, Low: 1, High: 1}, {X: 1, Mean: 2, Low: c.low, High: c.high}}}}.data()[0]
		if (d.Low != nil) != c.band || (d.High != nil) != c.band {
			t.Errorf("from %g to %g: %v, %v", c.low, c.high, d.Low, d.High)
		}
	}
}
