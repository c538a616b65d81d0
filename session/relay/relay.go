// Package relay lets several goroutines work on one list, each on what the one before it has done, in chunks: handing items on one by one
// would cost more than most of the work.
package relay

import (
	"bytes"
	"context"
	"encoding/json"
	"sync"

	"github.com/kedge-opt/kedge/internal/crew"
)

// chunk is how many items are handed on at once, and waiting how many chunks may be ahead of who takes them.
const (
	chunk   = 32
	waiting = 2
)

// Ahead are items that are read ahead of who uses them.
type Ahead[T any] struct {
	Out  <-chan []T
	err  error
	cut  error // what kept some from being handed on
	lost crew.Panic
}

// Read has one goroutine read items and another make them ready, which says how many bytes an item takes; of chunks of more than most bytes
// none is waiting. Both end with the context.
func Read[T any](ctx context.Context, most int, read func(visit func(T) error) error, ready func(*T) (size int)) *Ahead[T] {
	raw, out := make(chan []T, waiting), make(chan []T, waiting)
	a := &Ahead[T]{Out: out}
	go func() {
		defer close(raw)
		defer a.lost.Catch(func() {})
		a.err = gather(ctx, raw, read)
	}()
	go func() {
		defer close(out)
		defer drain(raw)
		defer a.lost.Catch(func() {})
		for some := range raw {
			done, size := 0, 0
			for i := range some {
				if size += ready(&some[i]); size < most && i+1 < len(some) {
					continue
				}
				if a.cut = send(ctx, out, some[done:i+1]); a.cut != nil {
					return
				}
				done, size = i+1, 0
			}
		}
	}()
	return a
}

// gather hands what is read on in chunks; also what came before an error.
func gather[T any](ctx context.Context, to chan<- []T, read func(visit func(T) error) error) error {
	some := make([]T, 0, chunk)
	err := read(func(one T) error {
		if some = append(some, one); len(some) < chunk {
			return nil
		}
		full := some
		some = make([]T, 0, chunk)
		return send(ctx, to, full)
	})
	if sent := send(ctx, to, some); err == nil {
		err = sent
	}
	return err
}

func send[T any](ctx context.Context, to chan<- []T, some []T) error {
	if len(some) == 0 {
		return nil
	}
	select {
	case to <- some:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func drain[T any](from <-chan []T) {
	for range from {
	}
}

// End waits until nothing is read any more, and says what went wrong.
func (a *Ahead[T]) End() error {
	drain(a.Out)
	a.lost.Throw()
	if a.err == nil {
		return a.cut
	}
	return a.err
}

// Assertion is that a text is what encoding/json writes for a value.
type Assertion struct {
	Number  int // of the text, for who asks
	Written []byte
	Now     []byte // what it is instead, of a claim that is wrong
	value   any
}

// Doubts are claims that another goroutine looks into, one after the other.
type Doubts struct {
	some  []Assertion
	in    chan []Assertion
	over  sync.Once
	done  chan struct{}
	wrong *Assertion
	err   error
	lost  crew.Panic
}

// Doubt begins to look into claims; who begins must stop.
func Doubt() *Doubts {
	d := &Doubts{in: make(chan []Assertion, waiting), done: make(chan struct{})}
	go func() {
		defer close(d.done)
		defer drain(d.in)
		defer d.lost.Catch(func() {})
		for some := range d.in {
			d.look(some)
		}
	}()
	return d
}

// Add has a claim looked into. The value must not change any more.
func (d *Doubts) Add(number int, written []byte, value any) {
	if d.some = append(d.some, Assertion{Number: number, Written: written, value: value}); len(d.some) == chunk {
		d.in <- d.some
		d.some = make([]Assertion, 0, chunk)
	}
}

func (d *Doubts) look(some []Assertion) {
	for i := range some {
		c := &some[i]
		if d.wrong != nil || d.err != nil {
			return
		}
		if c.Now, d.err = json.Marshal(c.value); d.err == nil && !bytes.Equal(c.Now, c.Written) {
			d.wrong = c
		}
	}
}

// Stop ends the looking.
func (d *Doubts) Stop() { d.over.Do(func() { close(d.in) }) }

// End looks into what is left. It returns the first claim that is wrong, nil if none is.
func (d *Doubts) End() (wrong *Assertion, err error) {
	d.in <- d.some
	d.Stop()
	<-d.done
	d.lost.Throw()
	return d.wrong, d.err
}
