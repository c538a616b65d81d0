package relay

import (
	"context"
	"errors"
	"testing"
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
		wrong, after, err := d.End()
		switch {
		case err != nil:
			t.Error(err)
		case bad < 0 && wrong != nil:
			t.Errorf("text %d is wrong", wrong.Number)
		case bad >= 0 && (wrong == nil || wrong.Number != bad || string(wrong.Now) != `{"A":1}` || after != n-1-bad):
			t.Errorf("text %d is wrong: found %v, %d after it", bad, wrong, after)
		}
	}
}
