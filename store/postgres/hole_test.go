package postgres

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/store"
)

// overtaken is a shelf on which something happens just before blocks are taken from it.
type overtaken struct {
	store.Shelf
	before func()
}

func (o *overtaken) Stored(ctx context.Context, name string, from int) (map[int][]byte, error) {
	o.before()
	return o.Shelf.Stored(ctx, name, from)
}

// A decision goes live late while somebody looks at a chart: the chart shows every decision, and lacks none of its block.
func TestALateDeploymentLeavesNoHoleInAChart(t *testing.T) {
	const decisions = 257 // one more than a block has
	j, ctx := opened(t, emptied(t, running(t))), t.Context()
	h := session.NewFleet(j, wall{}, session.Standard, nil)
	do := func(c session.Command) {
		t.Helper()
		if _, err := h.Do(ctx, "shop", "test", c); err != nil {
			t.Fatalf("%T: %v", c, err)
		}
	}
	do(session.Create{Spec: shop, Mode: session.Live, Epoch: "e"})
	for k := 1; k <= decisions; k++ {
		do(session.Ask{})
		do(session.Abandon{K: k, Reason: "test"})
	}
	g, err := j.graphOf(ctx, "shop")
	if err != nil {
		t.Fatal(err)
	}
	within(t, 20*time.Second, "a block is there", func() bool { there, err := g.Blocks(ctx, store.Always); return err == nil && there[0] })
	g.Shelf = &overtaken{g.Shelf, func() { do(session.Deploy{K: 1, U: []float64{4, 4}}) }}
	page, err := g.Page(ctx, []string{store.Always}, 1, 10_000)
	if err != nil {
		t.Fatal(err)
	}
	holes := 0
	for _, v := range page.Series[store.Always].Min {
		if math.IsNaN(v) {
			holes++
		}
	}
	if holes > 0 || len(page.K) != decisions {
		t.Errorf("%d of %d decisions are not in the chart", holes, len(page.K))
	}
}
