package session

import "sync/atomic"

// latch is a lock that is held while others write. Who waits for it waits for a channel, so that simulated time goes on meanwhile.
type latch chan struct{}

func (l latch) Lock()   { l <- struct{}{} }
func (l latch) Unlock() { <-l }

// together lets any number wait for what is waited for once, by a channel too.
func together(wait func() error) func() error {
	var err error
	var begun atomic.Bool
	done := make(chan struct{})
	return func() error {
		if begun.CompareAndSwap(false, true) {
			defer close(done)
			err = wait()
			return err
		}
		<-done
		return err
	}
}
