package gpu

import (
	"slices"
	"time"
)

// LapTime is what something took, in seconds: the median of some rounds, and the best.
type LapTime struct {
	Median float64 `json:"median"`
	Best   float64 `json:"best"`
}

// LapTimes are what the kernels of a crowd take, beside a copy of its states within the device.
type LapTimes struct {
	Copy, Step, Value, Both LapTime // both: step and value in one pass
	Copied                  float64 // bytes that the copy reads and writes
	Moved                   float64 // bytes that a step reads and writes
}

// Laps measures the kernels of the crowd under u. Nobody has moved then.
func (c *RemoteCrowd) Laps(u []float64, rounds int) (l LapTimes, err error) {
	if c.retired || c.code.both == nil {
		return l, &UnfitError{"this crowd is not judged there"}
	}
	c.ahead = c.ahead[:0]
	if err := c.share(u); err != nil {
		return l, err
	}
	bytes, dev := c.states[0].Bytes, c.place.dev
	l.Copied, l.Moved = float64(2*bytes), float64(2*bytes+c.traits.Bytes)
	for _, one := range []struct {
		to *LapTime
		do func() error
	}{
		{&l.Copy, func() error { return dev.Copy(c.states[1].Slab, c.states[0].Slab, bytes) }},
		{&l.Step, func() error { return c.launch(*c.code.next, 0) }},
		{&l.Value, func() error { return c.launch(*c.code.value, c.sums.At(0)) }},
		{&l.Both, func() error { return c.launch(*c.code.both, c.sums.At(0)) }},
	} {
		if *one.to, err = c.place.lap(rounds, one.do); err != nil {
			return l, err
		}
	}
	return l, nil
}

// lap measures something that is done a few times behind each other in every round, after one round that does not count.
func (p *Board) lap(rounds int, do func() error) (LapTime, error) {
	const times = 4
	var all []float64
	for range max(1, rounds) + 1 {
		if err := p.dev.Wait(); err != nil {
			return LapTime{}, err
		}
		begun := time.Now()
		for range times {
			if err := do(); err != nil {
				return LapTime{}, err
			}
		}
		if err := p.dev.Wait(); err != nil {
			return LapTime{}, err
		}
		all = append(all, time.Since(begun).Seconds()/times)
	}
	all = all[1:]
	slices.Sort(all)
	return LapTime{Median: all[len(all)/2], Best: all[0]}, nil
}
