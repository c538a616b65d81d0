package served

import (
	"encoding/binary"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// metronome beats at a period from a time on: next waits for the next beat. A timer of the system is to the point, where one of Go is up to a
// millisecond late when nothing else happens.
func metronome(first time.Time, period time.Duration) (next func() error, stop func() error, err error) {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return nil, nil, err
	}
	timer := os.NewFile(uintptr(fd), "metronome")
	at := unix.ItimerSpec{Value: unix.NsecToTimespec(max(1, time.Until(first).Nanoseconds())), Interval: unix.NsecToTimespec(period.Nanoseconds())}
	if err := unix.TimerfdSettime(fd, 0, &at, nil); err != nil {
		timer.Close()
		return nil, nil, err
	}
	beats := uint64(0) // that have been and were not waited for
	return func() error {
		for beats == 0 {
			var b [8]byte
			if _, err := timer.Read(b[:]); err != nil {
				return err
			}
			beats = binary.NativeEndian.Uint64(b[:])
		}
		beats--
		return nil
	}, timer.Close, nil
}
