// Package crew shares numbered pieces of work out to a few goroutines, so that neither results nor errors depend on how many
// there are. Who owns the work makes pieces of a fixed size whose results go to places of their own.
package crew

import (
	"cmp"
	"runtime"
	"sync"
	"sync/atomic"
)

// Grain is how many entries make a goroutine worth starting: below, waking another core takes longer than the work.
const Grain = 1 << 16

// Workers returns how many goroutines may compute where so many are asked for: below 1 one a core.
func Workers(asked int) int { return cmp.Or(max(0, asked), runtime.GOMAXPROCS(0)) }

// Hands returns how many of the workers on offer a job over so many entries is worth: one for every Grain, at least one.
// A job of fewer than 2·Grain entries stays on the caller's core.
func Hands(offered, entries int) int { return max(1, min(offered, entries/Grain)) }

// Share calls do for every piece 0 … pieces−1 from hands goroutines, of which the caller's is number 0, and returns when all
// have come to rest. A hand works on one piece at a time, so what it keeps under its number is its own.
//
// Pieces are begun in ascending order, and after an error no other is begun. Hence all pieces below one that fails have been
// begun too and end: the error returned, that of the lowest piece, is the same for any number of hands.
//
// A panic of any hand is one of the caller's. One hand starts no goroutine and allocates nothing.
func Share(hands, pieces int, do func(hand, piece int) error) error {
	if hands > 1 && pieces > 1 {
		return share(hands, pieces, do)
	}
	for piece := range pieces {
		if err := do(0, piece); err != nil {
			return err
		}
	}
	return nil
}

func share(hands, pieces int, do func(hand, piece int) error) error {
	s := shift{pieces: int64(pieces), do: do, lowest: int64(pieces)}
	var others sync.WaitGroup
	defer others.Wait() // also when the caller's own hand panics: nobody may work on behind its back
	for hand := 1; hand < min(hands, pieces); hand++ {
		others.Go(func() {
			defer s.lost.Catch(func() { s.failed.Store(true) })
			s.work(hand)
		})
	}
	s.work(0)
	others.Wait()
	s.lost.Throw()
	return s.err
}

// shift is one Share.
type shift struct {
	pieces int64
	do     func(hand, piece int) error
	begun  atomic.Int64
	failed atomic.Bool
	lost   Panic

	mu     sync.Mutex
	lowest int64 // the lowest piece that failed, and its error
	err    error
}

func (s *shift) work(hand int) {
	for !s.failed.Load() {
		piece := s.begun.Add(1) - 1
		if piece >= s.pieces {
			return
		}
		if err := s.do(hand, int(piece)); err != nil {
			s.fail(piece, err)
		}
	}
}

func (s *shift) fail(piece int64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed.Store(true)
	if piece < s.lowest {
		s.lowest, s.err = piece, err
	}
}
