package postgres

import (
	"fmt"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/session"
)

// Series are kept in blocks behind the commits, and say what decisions say: also after a block was damaged, or a decision of it went live late.
func TestSeriesAreKeptInBlocks(t *testing.T) {
	const perBlock = 256
	url, ctx := emptied(t, running(t)), t.Context()
	j := opened(t, url)
	h := session.NewFleet(j, wall{}, session.Standard, nil)
	do := func(c session.Command) any {
		t.Helper()
		reply, err := h.Do(ctx, "shop", "test", c)
		if err != nil {
			t.Fatalf("%T: %v", c, err)
		}
		return reply
	}
	do(session.Create{Spec: shop, Mode: session.Live, Epoch: "e"})
	var want []float64
	for k := 1; k <= perBlock+1; k++ {
		a := do(session.Ask{}).(session.Offer)
		want = append(want, a.U[0])
		do(session.Abandon{K: k, Reason: "test"})
	}
	blocks := func() (n int) {
		t.Helper()
		if err := j.pool.QueryRow(ctx, `SELECT count(*) FROM series WHERE name = 'u.0'`).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	compare := func(j *Database, when string) {
		t.Helper()
		page, err := j.Series(ctx, "shop", []string{"u.0"}, 1, 10_000)
		if err != nil || len(page.K) != len(want) {
			t.Fatalf("%s: %d numbers, %v", when, len(page.K), err)
		}
		for i, v := range want {
			if got := page.Series["u.0"]; got.Min[i] != v || got.Max[i] != v {
				t.Errorf("%s: u.0 of decision %d is %g, want %g", when, i+1, got.Min[i], v)
			}
		}
	}
	within(t, 20*time.Second, "a block is there", func() bool { return blocks() == 1 })
	compare(j, "kept")
	if _, err := j.pool.Exec(ctx, `UPDATE series SET data = set_byte(data, 14, 65 # get_byte(data, 14))`); err != nil {
		t.Fatal(err)
	}
	compare(j, "damaged")
	do(session.Deploy{K: 1, U: []float64{want[0] + 1, 4}})
	within(t, 20*time.Second, "the block is made again", func() bool { return blocks() == 1 })
	page, err := j.Series(ctx, "shop", []string{"off"}, 1, 10_000)
	if err != nil || !(page.Series["off"].Min[0] >= 1) {
		t.Errorf("off of what went live late: %+v, %v", page, err)
	}
	g, err := j.graphOf(ctx, "shop")
	if err != nil {
		t.Fatal(err)
	}
	var sound []byte
	if err := j.pool.QueryRow(ctx, `SELECT data FROM series WHERE name = 'off'`).Scan(&sound); err != nil {
		t.Fatal(err)
	}
	g.Keep(ctx, 0, map[string][]byte{"u.0": sound}, 1, perBlock, 1) // read before what came meanwhile
	compare(j, "after a block of older events")
	if _, err := j.pool.Exec(ctx, `DELETE FROM series`); err != nil {
		t.Fatal(err)
	}
	look, err := Look(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer look.Close()
	if compare(look, "looked at"); blocks() != 0 {
		t.Error("who only looks has written")
	}
	if _, err := j.Series(ctx, "none", nil, 1, 1); fmt.Sprint(err) != "there is no loop none" {
		t.Errorf("series of a loop that is not: %v", err)
	}
}
