package store

import (
	"context"
	"database/sql"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge/session"
)

// counted counts the decisions that are read.
type counted struct {
	Shelf
	read *int
}

func (c counted) Decisions(ctx context.Context, first, last int, visit func(*session.Decision)) error {
	return c.Shelf.Decisions(ctx, first, last, func(d *session.Decision) {
		*c.read++
		visit(d)
	})
}

// watched is a loop that is looked at while it goes on.
type watched struct {
	*testing.T
	*SQLite
	fleet *session.Fleet
	tails Tails
	read  int // decisions, by those who look along
}

func (w *watched) begin() {
	w.fleet = session.NewFleet(w.SQLite, wall{}, session.Standard, nil)
	w.do(session.Create{Spec: shop, Mode: session.Live, Epoch: "first"})
}

func (w *watched) do(c session.Command) any {
	w.Helper()
	reply, err := w.fleet.Do(w.Context(), "shop", "test", c)
	if err != nil {
		w.Fatalf("%T: %v", c, err)
	}
	return reply
}

// end removes the loop.
func (w *watched) end() {
	if err := w.alter(func(tx *sql.Tx) error {
		clear(w.heads)
		clear(w.numbers)
		return w.remove(tx, "shop", &request{})
	}); err != nil {
		w.Fatal(err)
	}
}

// page reads series with some tails, of a loop that had so many decisions less a moment ago.
func (w *watched) page(names []string, tails *Tails, read *int, less int) *session.SeriesPage {
	w.Helper()
	g, err := w.graphOf(w.Context(), "shop")
	if err != nil {
		w.Fatal(err)
	}
	g.Tails, g.Shelf, g.Newest = tails, counted{g.Shelf, read}, g.Newest-less
	p, err := g.Page(w.Context(), names, 1, 10_000)
	if err != nil {
		w.Fatal(err)
	}
	return p
}

// look compares what is read along with what is worked out from all events.
func (w *watched) look() {
	w.Helper()
	names, anew := []string{"u.0", "off", "rows", "stepped", "deployed.1"}, 0
	w.page(names, &w.tails, &w.read, 1)
	got, want := w.page(names, &w.tails, &w.read, 0), w.page(names, &Tails{}, &anew, 0)
	same := slices.Equal(got.K, want.K)
	for _, name := range names {
		same = same && slices.EqualFunc(got.Series[name].Min, want.Series[name].Min, func(x, y float64) bool { return x == y || x != x && y != y })
	}
	if !same {
		w.Fatalf("decisions up to %d: %v, worked out anew %v", want.K[len(want.K)-1], got, want)
	}
}

// A loop is looked at while it goes on: what is read along is what is read anew, whatever happens to which decision, and where a loop of the same name
// begins again. Source: the same page without tails.
func TestTailsAreWhatIsReadAnew(t *testing.T) {
	w, r := &watched{T: t, SQLite: opened(t, t.TempDir())}, rand.New(rand.NewPCG(3, 4))
	w.begin()
	var never []session.Offer // deployed, which may still be
	for n := range perBlock + 20 {
		a := w.do(session.Ask{}).(session.Offer)
		switch r.IntN(4) {
		case 0:
			w.do(session.Abandon{K: a.K, Reason: "test"})
			never = append(never, a)
		case 1:
			w.do(session.Deploy{K: a.K, U: a.U})
			w.do(session.Abandon{K: a.K, Reason: "test"})
		default:
			w.do(session.Deploy{K: a.K, U: a.U})
			w.do(session.Tell{K: a.K, ID: "all", Batch: session.Batch{P: []float64{5, float64(n)}, D: []float64{9, 9}}})
			if r.IntN(3) == 0 {
				w.look()
			}
			w.do(session.Close{K: a.K})
		}
		if len(never) > 0 && r.IntN(20) == 0 {
			late := never[r.IntN(len(never))]
			w.do(session.Deploy{K: late.K, U: late.U})
		}
		if r.IntN(8) == 0 {
			w.look()
		}
	}
	w.look()
	w.end()
	for _, deploys := range []bool{true, false} { // which the second must not seem to have been
		before := w.read
		w.begin()
		if a := w.do(session.Ask{}).(session.Offer); deploys {
			w.do(session.Deploy{K: a.K, U: a.U})
		}
		w.look()
		w.look()
		if w.read != before+1 {
			t.Errorf("two looks at one decision read %d", w.read-before)
		}
		w.end()
	}
}

// Only so many loops have a tail.
func TestTailsAreFew(t *testing.T) {
	var tails Tails
	for i := range 3 * mostTails {
		loop := string(rune('a' + i))
		tails.put(loop, tail{block: i})
		if got, ok := tails.of(loop); !ok || got.block != i || len(tails.all) > mostTails {
			t.Fatalf("%d tails, the newest is %v", len(tails.all), got)
		}
	}
	for range 10 { // one that is known takes nobody's place
		if tails.put(string(rune('a'+3*mostTails-1)), tail{block: 1}); len(tails.all) != mostTails {
			t.Fatalf("%d tails are left", len(tails.all))
		}
	}
}
