package backtest

import (
	"context"
	"math"
	"testing"
	"testing/fstest"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
)

// A look back ends with its context, whenever that does: at each of the first and the last of its questions, and some between.
func TestLooksBackStop(t *testing.T) {
	s, err := problem.Parse(kind.Standard(), "shop.yaml", []byte(spec))
	if err != nil {
		t.Fatal(err)
	}
	log := written(made(3, 6))
	find := func(ctx context.Context) error {
		_, err := Look(ctx, s, fstest.MapFS{"log.csv": {Data: []byte(log)}}, Lookback{From: "4", Draws: 3})
		return err
	}
	evidence.Stops(t, "a look back", 4, find)
}

// A look back with a number that JSON does not hold has no files.
func TestLooksBackThatCannotBeWritten(t *testing.T) {
	h, err := look(t, spec, written(made(4, 6)), Lookback{From: "4"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.Files(); err != nil {
		t.Error(err)
	}
	h.MostChange = math.NaN()
	if files, err := h.Files(); err == nil || len(files) > 0 {
		t.Errorf("%v, %d files", err, len(files))
	}
}
