package relay

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"
	"testing/synctest"
)

// Items come in their order, made ready, and what was read before an error comes before it.
func TestAhead(t *testing.T) {
	wrong := errors.New("wrong")
	for _, n := range []int{0, 1, chunk - 1, chunk, 5*chunk + 3} {
		a := Read(t.Context(), 100, func(visit func(int) error) error {
			for i := range n {
				if err := visit(i); err != nil {
					return err
				}
			}
			return wrong
		}, func(i *int) int { *i *= 2; return *i })
		next := 0
		for some := range a.Out {
			for _, got := range some {
				if got != 2*next {
					t.Fatalf("item %d is %d", next, got)
				}
				next++
			}
		}
		if err := a.End(); next != n || err != wrong {
			t.Errorf("%d of %d items, %v", next, n, err)
		}
	}
}

// Nobody reads farther ahead of who takes them than six chunks: two wait before they are made ready and two after it, and each of the two who hand on has one in hand.
func TestSoFarAheadAndNoFarther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		read, ready := 0, 0
		a := Read(ctx, math.MaxInt, func(visit func(int) error) error {
			for {
				read++
				if err := visit(read); err != nil {
					return err
				}
			}
		}, func(*int) int { ready++; return 1 })
		synctest.Wait()
		if read != 6*32 || ready != 3*32 {
			t.Errorf("%d items are read and %d made ready", read, ready)
		}
		if some := <-a.Out; len(some) != 32 || cap(a.Out) != 2 {
			t.Errorf("%d items are handed on at once, %d chunks wait", len(some), cap(a.Out))
		}
		stop()
		if err := a.End(); !errors.Is(err, context.Canceled) {
			t.Errorf("ended with %v", err)
		}
	})
}

// Who stops early is not waited for; a goroutine that falls over takes the one that waits with it.
func TestAheadEnds(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	a := Read(ctx, 1, func(visit func(int) error) error {
		for i := 0; ; i++ {
			if err := visit(i); err != nil {
				return err
			}
		}
	}, func(*int) int { return 1 })
	<-a.Out
	stop()
	if err := a.End(); !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
	defer func() {
		if recover() == nil {
			t.Error("a panic was lost")
		}
	}()
	Read(t.Context(), 1, func(visit func(int) error) error { return visit(1) }, func(*int) int { panic("it falls over") }).End()
}

// The first text that is not what is written for its value is found, wherever it is.
func TestDoubts(t *testing.T) {
	for _, bad := range []int{-1, 0, 1, chunk - 1, chunk, 2*chunk + 5} {
		const n = 3*chunk + 1
		d := Doubt()
		for i := range n {
			text := `{"A":1}`
			if i == bad {
				text = `{"A": 1}`
			}
			d.Add(i, []byte(text), struct{ A int }{1})
		}
		wrong, err := d.End()
		switch {
		case err != nil:
			t.Error(err)
		case bad < 0 && wrong != nil:
			t.Errorf("text %d is wrong", wrong.Number)
		case bad >= 0 && (wrong == nil || wrong.Number != bad || string(wrong.Now) != `{"A":1}`):
			t.Errorf("text %d is wrong: found %v", bad, wrong)
		}
	}
}

// Chunks are handed on when they have so many bytes, or when all of what was read at once is ready.
func TestChunksByTheirSize(t *testing.T) {
	for most, want := range map[int][]int{1: {1, 1, 1, 1, 1, 1, 1}, 20: {2, 2, 2, 1}, 21: {3, 3, 1}, 1000: {7}} {
		a := Read(t.Context(), most, func(visit func(int) error) error {
			for i := range 7 {
				if err := visit(i); err != nil {
					return err
				}
			}
			return nil
		}, func(*int) int { return 10 })
		var got []int
		for some := range a.Out {
			got = append(got, len(some))
		}
		if err := a.End(); err != nil || !slices.Equal(got, want) {
			t.Errorf("of %d bytes at most: %v, %v, want %v", most, got, err, want)
		}
	}
}

// Who reads is ahead by a few chunks and no more.
func TestAheadByAFew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		read := 0
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		a := Read(ctx, 1<<20, func(visit func(int) error) error {
			for ; ; read++ {
				if err := visit(read); err != nil {
					return err
				}
			}
		}, func(*int) int { return 1 })
		synctest.Wait()
		if most := (2*waiting + 2) * chunk; read != most-1 { // two queues, one chunk in the hands of each
			t.Errorf("%d items are read before anybody takes one, want %d", read, most-1)
		}
		stop()
		a.End()
	})
}

// Items that were read and never handed on, since the context ended, are told.
func TestCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		a := Read(ctx, 1, func(visit func(int) error) error {
			for i := range chunk {
				if err := visit(i); err != nil {
					return err
				}
			}
			return nil
		}, func(*int) int { return 1 })
		synctest.Wait() // all is read, and some of it waits
		stop()
		synctest.Wait()
		if err := a.End(); !errors.Is(err, context.Canceled) {
			t.Errorf("ended with %v", err)
		}
	})
}

// Who reads may be stopped when the last of it is to be handed on.
func TestStoppedAtTheEnd(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	full := make(chan []int)
	if err := gather(ctx, full, func(visit func(int) error) error { return visit(1) }); !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
	wrong := errors.New("wrong")
	if err := gather(ctx, full, func(visit func(int) error) error { return errors.Join(visit(1), wrong) }); !errors.Is(err, wrong) || errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
}

// A value that cannot be written is an error and no wrong claim, whatever comes after it; one that falls over takes along who waits.
func TestDoubtsThatCannotBe(t *testing.T) {
	d := Doubt()
	d.Add(1, []byte("1"), 1)
	d.Add(2, []byte("2"), math.NaN())
	d.Add(3, []byte("3"), 4)
	if wrong, err := d.End(); wrong != nil || err == nil {
		t.Errorf("%v, %v", wrong, err)
	}
	d.Stop()
	d = Doubt()
	d.Add(1, []byte("2"), 1)
	d.Add(2, []byte("1"), 2)
	d.Add(3, []byte("3"), math.NaN())
	if wrong, err := d.End(); wrong == nil || wrong.Number != 1 || string(wrong.Now) != "1" || err != nil {
		t.Errorf("of several the first is %v, %v", wrong, err)
	}
	d = Doubt()
	d.Stop() // before its end
	d.Stop()
	<-d.done
	defer func() {
		if recover() == nil {
			t.Error("a panic was lost")
		}
	}()
	d = Doubt()
	for i := range 10 * chunk { // more than may wait
		d.Add(i, nil, falls{})
	}
	d.End()
}

// Claims are handed on in chunks, for one by one it would cost more than looking into them.
func TestClaimsInChunks(t *testing.T) {
	d := &Doubts{in: make(chan []Assertion, 3)}
	for i := range 2*chunk + 1 {
		d.Add(i, nil, nil)
		if ahead, left := (i+1)/chunk, (i+1)%chunk; len(d.in) != ahead || len(d.some) != left {
			t.Fatalf("of %d claims %d chunks are handed on and %d claims wait, want %d and %d", i+1, len(d.in), len(d.some), ahead, left)
		}
	}
}

type falls struct{}

func (falls) MarshalJSON() ([]byte, error) { panic("it falls over") }
