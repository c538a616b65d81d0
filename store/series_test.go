package store

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/session"
)

// Series are what the decisions say, in blocks that were kept as in those that were not; a block that was damaged is made again.
func TestSeriesAreWhatDecisionsSay(t *testing.T) {
	const decisions = 2*perBlock + 44
	s := opened(t, lived(t, decisions))
	ctx := context.Background()
	want := map[string][]float64{}
	for k := 1; k <= decisions; k++ {
		events, err := s.Decision("shop", k)
		if err != nil {
			t.Fatal(err)
		}
		d, err := session.DecisionOf(events)
		if err != nil {
			t.Fatal(err)
		}
		want["u.1"], want["step"] = append(want["u.1"], d.U[1]), append(want["step"], d.Outcome.Terms.Step)
	}
	compare := func(from, points int) {
		t.Helper()
		c, err := s.Series(ctx, "shop", []string{"u.1", "step"}, from, points)
		if err != nil {
			t.Fatal(err)
		}
		if len(c.K) > points || c.K[0] != from {
			t.Errorf("%d buckets from %d on", len(c.K), c.K[0])
		}
		for name, band := range c.Series {
			for i, k := range c.K {
				end := decisions + 1
				if i+1 < len(c.K) {
					end = c.K[i+1]
				}
				least, most := math.Inf(1), math.Inf(-1)
				for _, v := range want[name][k-1 : end-1] {
					least, most = min(least, v), max(most, v)
				}
				if band.Min[i] != least || band.Max[i] != most {
					t.Errorf("%s of decisions %d to %d: %g to %g, want %g to %g", name, k, end-1, band.Min[i], band.Max[i], least, most)
				}
			}
		}
	}
	for range 2 { // worked out, then read
		compare(1, 10_000)
		compare(1, 50)
		compare(300, 7)
		compare(perBlock, 10_000)
		compare(perBlock+1, 10_000)
	}
	var blocks int
	if err := s.read.QueryRow(`SELECT count(*) FROM series WHERE name = 'u.1'`).Scan(&blocks); err != nil || blocks != 2 {
		t.Errorf("%d blocks are kept, %v", blocks, err)
	}
	if _, err := s.write.Exec(`UPDATE series SET data = CAST(substr(data, 1, 14) || x'41' || substr(data, 16) AS BLOB) WHERE name = 'u.1'`); err != nil {
		t.Fatal(err)
	}
	compare(1, 10_000)
	if c, err := s.Series(ctx, "shop", []string{"nonsense"}, 1, 10); err != nil || !math.IsNaN(c.Series["nonsense"].Min[0]) {
		t.Errorf("a series that no decision has: %v, %v", c, err)
	}
}

// Blocks are there before anybody asks: along with commits, after a start that finds some missing, and anew when a decision of one goes live late.
func TestBlocksAreMadeBehindCommits(t *testing.T) {
	dir, m, ctx := t.TempDir(), NewMemory(), t.Context()
	h := session.NewFleet(m, wall{}, session.Standard, nil)
	do := func(h *session.Fleet, c session.Command) any {
		t.Helper()
		reply, err := h.Do(ctx, "shop", "test", c)
		if err != nil {
			t.Fatalf("%T: %v", c, err)
		}
		return reply
	}
	do(h, session.Create{Spec: shop, Mode: session.Live, Epoch: "first"})
	first := do(h, session.Ask{}).(session.Offer)
	do(h, session.Abandon{K: 1, Reason: "test"})
	for range perBlock {
		a := do(h, session.Ask{}).(session.Offer)
		do(h, session.Deploy{K: a.K, U: a.U})
		do(h, session.Abandon{K: a.K, Reason: "test"})
	}
	s := opened(t, dir)
	made := func(when string) {
		t.Helper()
		blocks := 0
		for end := time.Now().Add(20 * time.Second); blocks == 0 && time.Now().Before(end); time.Sleep(time.Millisecond) {
			if err := s.read.QueryRow(`SELECT count(*) FROM series WHERE name = ?`, Always).Scan(&blocks); err != nil {
				t.Fatal(err)
			}
		}
		if blocks != 1 {
			t.Fatalf("%d blocks %s", blocks, when)
		}
	}
	copied(t, m, s, "shop")
	made("after a commit")
	if _, err := s.write.Exec(`DELETE FROM series`); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = opened(t, dir)
	made("after a start")
	do(session.NewFleet(s, wall{}, session.Standard, nil), session.Deploy{K: 1, U: first.U})
	made("after a late deployment")
	if c, err := s.Series(ctx, "shop", []string{"off"}, 1, 10_000); err != nil || c.Series["off"].Min[0] != 0 {
		t.Errorf("off of what went live late: %v, %v", c.Series["off"].Min[:2], err)
	}
	g, err := s.graphOf(ctx, "shop")
	if err == nil {
		err = g.read(ctx, "trust", 1, func(k int, v float64) {
			if k <= perBlock {
				t.Errorf("trust of decision %d is %g", k, v)
			}
		})
	}
	if err != nil || len(g.made) != 1 { // the one that is not whole
		t.Errorf("%d blocks were made for a number that no decision has, %v", len(g.made), err)
	}
	g.Keep(ctx, 0, map[string][]byte{Always: writeBlock(slices.Repeat([]float64{-1}, perBlock))}, 1, perBlock, 1) // read before what came meanwhile
	if c, err := s.Series(ctx, "shop", []string{Always}, 1, 10_000); err != nil || c.Series[Always].Min[0] != first.U[0] {
		t.Errorf("a block of older events took the place of a newer one: %v", err)
	}
	gone, hangUp := context.WithCancel(ctx) // who asked for numbers has hung up: the block is kept, and the journal writes on
	hangUp()
	g.Keep(gone, 9, map[string][]byte{Always: {1}}, 9*perBlock+1, 10*perBlock, 0)
	if kept, err := g.Stored(ctx, Always, 9); err != nil || len(kept[9]) != 1 || s.Health() != nil {
		t.Errorf("of a reader who hung up %d bytes are kept, %v, %v", len(kept[9]), err, s.Health())
	}
}

// forgetful keeps no block, as where there is no room for one.
type forgetful struct{ Shelf }

func (forgetful) Keep(context.Context, int, map[string][]byte, int, int, int) {}

// What was worked out of a page is not worked out again for its other names, also where it cannot be kept: every decision is read once.
func TestBlocksThatCannotBeKeptAreMadeOnce(t *testing.T) {
	const decisions = perBlock + 3
	s, read := opened(t, lived(t, decisions)), 0
	g, err := s.graphOf(t.Context(), "shop")
	if err == nil {
		_, err = s.write.Exec(`DELETE FROM series`)
	}
	if err != nil {
		t.Fatal(err)
	}
	g.Shelf = counted{forgetful{g.Shelf}, &read}
	if _, err := g.Page(t.Context(), []string{"u.0", "u.1", "rows"}, 1, 10); err != nil || read != decisions {
		t.Errorf("%d decisions are read for three names, want %d, %v", read, decisions, err)
	}
}

// Large blobs are files, small ones are packed, and both come back; a file goes when no loop has it any more.
func TestBlobsComeBack(t *testing.T) {
	s := opened(t, t.TempDir())
	const most = 256 << 10 // docs/formats/log.md
	for i, size := range []int{0, 10, most, most + 1, 3 * most} {
		for _, even := range []bool{true, false} {
			blob := make([]byte, size)
			if !even {
				blob = noise(uint64(i), size)
			}
			a, b := &chain{loop: fmt.Sprint("a", i, even)}, &chain{loop: fmt.Sprint("b", i, even)}
			for _, c := range []*chain{a, b} {
				if err := s.Append(c.loop, 0, []session.Event{c.next(1, "", blob)}, nil)(); err != nil {
					t.Fatal(err)
				}
			}
			sum := session.Hash(sumOf(blob))
			inFile := size > most
			for n, c := range []*chain{a, b} {
				if got, err := s.Blob(c.loop, sum); err != nil || len(got) != size || size > 0 && !reflect.DeepEqual(got, blob) {
					t.Errorf("%d bytes come back as %d, %v", size, len(got), err)
				}
				if s.dir.Has(blobFolder+"/"+sum.String()) != inFile {
					t.Errorf("%d bytes: a file %v, want %v", size, !inFile, inFile)
				}
				drop := c.next(0, "", nil)
				drop.Drops = []session.Hash{sum}
				if err := s.Append(c.loop, 1, []session.Event{drop}, nil)(); err != nil {
					t.Fatal(err)
				}
				if _, err := s.Blob(c.loop, sum); err == nil {
					t.Error("a dropped blob is there")
				}
				inFile = inFile && n == 0
			}
			if s.dir.Has(blobFolder + "/" + sum.String()) {
				t.Error("a file that nobody has is there")
			}
		}
	}
}
