//go:build !linux

package served

import "time"

// metronome beats at a period from a time on: next waits for the next beat.
func metronome(first time.Time, period time.Duration) (next func() error, stop func() error, err error) {
	return func() error {
		time.Sleep(time.Until(first))
		first = first.Add(period)
		return nil
	}, func() error { return nil }, nil
}
