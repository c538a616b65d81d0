package moments

import (
	"context"
	"testing"

	"github.com/kedge-opt/kedge/fit"
	"github.com/kedge-opt/kedge/internal/evidence"
)

func TestSearchesStop(t *testing.T) {
	w := recordedModels(t)[1]
	w.people, w.dates, w.groups = 8, 3, 2
	s, a := w.samples(1), aggregates(2, 6, 2, 0.2, 0.1, 1)
	evidence.Stops(t, "a search", 30, func(ctx context.Context) error {
		_, err := Find(ctx, w.f, s, []fit.Unknown{fit.Free("a", 0.5), fit.Free("b", 0.1)}, fit.Options{})
		return err
	})
	evidence.Stops(t, "a search", 30, func(ctx context.Context) error {
		_, err := FindAggregates(ctx, half(t), a, []fit.Unknown{fit.Free("b", 0)}, fit.Options{})
		return err
	})
}
