package crew

import (
	"fmt"
	"runtime/debug"
	"sync"
)

// Panic carries a panic out of a goroutine into the one that waits for it, where deferred functions can still leave files and
// terminals in order.
type Panic struct {
	once sync.Once
	text string
}

// Catch, deferred in a goroutine, notes its panic and calls stop. Of several panics the first is kept.
func (p *Panic) Catch(stop func()) {
	if v := recover(); v != nil {
		p.once.Do(func() { p.text = fmt.Sprintf("%v\n\n%s", v, debug.Stack()) })
		stop()
	}
}

// Throw panics if a goroutine did, with its value and stack in words. All goroutines must have come to rest.
func (p *Panic) Throw() {
	if p.text != "" {
		panic(p.text)
	}
}
