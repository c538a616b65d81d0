package crew_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/internal/crew"
)

// By hand: one goroutine for every Grain entries, never more than offered, never none.
func TestHands(t *testing.T) {
	for _, c := range [][3]int{
		{0, 1 << 40, 1}, {-3, 1 << 40, 1}, {1, 1 << 40, 1}, {8, 0, 1}, {8, 2*crew.Grain - 1, 1},
		{8, 2 * crew.Grain, 2}, {2, 1 << 40, 2}, {8, 5 * crew.Grain, 5}, {8, 1 << 40, 8},
	} {
		if got := crew.Hands(c[0], c[1]); got != c[2] {
			t.Errorf("%d workers for %d entries: %d hands, want %d", c[0], c[1], got, c[2])
		}
	}
}

// A goroutine is started for 65,536 entries, and not for one less.
func TestGrain(t *testing.T) {
	for entries, want := range map[int]int{131_071: 1, 131_072: 2, 196_607: 2, 196_608: 3} {
		if got := crew.Hands(8, entries); got != want {
			t.Errorf("%d entries are worth %d hands, want %d", entries, got, want)
		}
	}
}

// By hand: as many as are asked for, else one a core.
func TestWorkers(t *testing.T) {
	for asked, want := range map[int]int{-1: runtime.GOMAXPROCS(0), 0: runtime.GOMAXPROCS(0), 1: 1, 7: 7} {
		if got := crew.Workers(asked); got != want {
			t.Errorf("%d are asked for: %d, want %d", asked, got, want)
		}
	}
}

// Every piece is done once, and nobody does two at a time under one number.
func TestShareDoesEveryPieceOnce(t *testing.T) {
	for _, hands := range []int{1, 2, 3, 8, 200} {
		for _, pieces := range []int{0, 1, 2, 100} {
			done := make([]atomic.Int32, pieces)
			busy := make([]atomic.Int32, hands)
			err := crew.Share(hands, pieces, func(hand, piece int) error {
				if busy[hand].Add(1) != 1 {
					t.Errorf("hand %d works on two pieces", hand)
				}
				runtime.Gosched()
				done[piece].Add(1)
				busy[hand].Add(-1)
				return nil
			})
			for i := range done {
				if n := done[i].Load(); n != 1 || err != nil {
					t.Fatalf("%d hands: piece %d of %d was done %d times, %v", hands, i, pieces, n, err)
				}
			}
		}
	}
}

// The lowest piece that fails gives the error, even when it fails last, and no further pieces are begun.
func TestShareReturnsTheLowestError(t *testing.T) {
	for _, hands := range []int{1, 2, 8} {
		for range 100 {
			var begun atomic.Int32
			err := crew.Share(hands, 1000, func(hand, piece int) error {
				begun.Add(1)
				for range 10 * (20 - piece) { // low pieces take longer
					runtime.Gosched()
				}
				if piece >= 10 && piece%5 == 0 {
					return fmt.Errorf("piece %d", piece)
				}
				return nil
			})
			if err == nil || err.Error() != "piece 10" || begun.Load() > 200 {
				t.Fatalf("%d hands: %v after %d pieces", hands, err, begun.Load())
			}
		}
	}
}

// When the caller's own hand panics, the others have come to rest before the panic leaves Share.
func TestShareLeavesNobodyWorking(t *testing.T) {
	var working atomic.Int32
	defer func() {
		if v := recover(); v == nil || working.Load() != 0 {
			t.Errorf("recovered %v with %d hands still working", v, working.Load())
		}
	}()
	err := crew.Share(4, 50, func(hand, _ int) error {
		if hand == 0 {
			for working.Load() == 0 {
				runtime.Gosched()
			}
			panic("broken row")
		}
		working.Add(1)
		defer working.Add(-1)
		time.Sleep(time.Millisecond)
		return nil
	})
	t.Error("no panic:", err)
}

// A panic of another hand goes on in the caller's goroutine, with the place where it happened.
func TestPanicsOfOthersReachTheCaller(t *testing.T) {
	defer func() {
		text, _ := recover().(string)
		if !strings.Contains(text, "broken row") || !strings.Contains(text, "crew_test.go") {
			t.Errorf("recovered %q", text)
		}
	}()
	var both sync.WaitGroup
	both.Add(2)
	err := crew.Share(2, 2, func(hand, _ int) error {
		both.Done()
		both.Wait() // each hand has a piece
		if hand == 1 {
			panic("broken row")
		}
		return nil
	})
	t.Error("no panic:", err)
}

func ExampleShare() {
	squares := make([]int, 5)
	err := crew.Share(2, len(squares), func(_, i int) error {
		squares[i] = i * i
		return nil
	})
	fmt.Println(squares, err)
	err = crew.Share(2, 5, func(_, i int) error {
		if i > 2 {
			return errors.New("too large")
		}
		return nil
	})
	fmt.Println(err)
	// Output:
	// [0 1 4 9 16] <nil>
	// too large
}

// Whoever is alone, or has one piece, allocates nothing.
func TestOneHandAllocatesNothing(t *testing.T) {
	work := func(_, piece int) error { return nil }
	for _, c := range [][2]int{{1, 0}, {1, 1}, {1, 100}, {8, 0}, {8, 1}, {0, 100}, {-1, 100}} {
		if n := testing.AllocsPerRun(10, func() { _ = crew.Share(c[0], c[1], work) }); n != 0 {
			t.Errorf("%d hands allocate %v times for %d pieces", c[0], n, c[1])
		}
	}
}

// After a panic of one hand the others begin no more pieces.
func TestPanicsStopTheOthers(t *testing.T) {
	const pieces = 1 << 20
	var begun atomic.Int64
	defer func() {
		if v := recover(); v == nil || begun.Load() > pieces/2 {
			t.Errorf("recovered %v after %d pieces", v, begun.Load())
		}
	}()
	err := crew.Share(2, pieces, func(hand, _ int) error {
		if begun.Add(1); hand == 1 {
			panic("broken row")
		}
		runtime.Gosched()
		return nil
	})
	t.Error("no panic:", err)
}
