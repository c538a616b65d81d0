package store

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/session"
)

// overtaken is a shelf on which something happens just before blocks are taken from it.
type overtaken struct {
	Shelf
	before func()
}

func (o *overtaken) Stored(ctx context.Context, name string, from int) (map[int][]byte, error) {
	o.before()
	return o.Shelf.Stored(ctx, name, from)
}

// A decision goes live late while somebody looks at a chart: the chart shows every decision, and lacks none of its block.
func TestALateDeploymentLeavesNoHoleInAChart(t *testing.T) {
	s, ctx := opened(t, t.TempDir()), t.Context()
	h := session.NewFleet(s, wall{}, session.Standard, nil)
	do := func(c session.Command) any {
		t.Helper()
		reply, err := h.Do(ctx, "shop", "test", c)
		if err != nil {
			t.Fatalf("%T: %v", c, err)
		}
		return reply
	}
	do(session.Create{Spec: shop, Mode: session.Live, Epoch: "first"})
	var first session.Offer
	for k := 1; k <= perBlock+1; k++ {
		if a := do(session.Ask{}).(session.Offer); k == 1 {
			first = a
		}
		do(session.Abandon{K: k, Reason: "test"})
	}
	g, err := s.graphOf(ctx, "shop")
	if err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) {
		if there, err := g.Blocks(ctx, Always); err != nil || time.Now().After(end) {
			t.Fatalf("%d blocks, %v", len(there), err)
		} else if there[0] {
			break
		}
	}
	g.Shelf = &overtaken{g.Shelf, func() { do(session.Deploy{K: 1, U: first.U}) }}
	page, err := g.Page(ctx, []string{Always}, 1, 10_000)
	if err != nil {
		t.Fatal(err)
	}
	holes := 0
	for _, v := range page.Series[Always].Min {
		if math.IsNaN(v) {
			holes++
		}
	}
	if holes > 0 || len(page.K) != perBlock+1 {
		t.Errorf("%d of %d decisions are not in the chart", holes, len(page.K))
	}
}
