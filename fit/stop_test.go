package fit

import (
	"context"
	"testing"

	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/internal/evidence"
)

// A fit ends with its context, whenever that does: at each of the first and the last of its questions, and some between; an interval does too.
func TestFitsStop(t *testing.T) {
	shown := regress(t, formula.Source{Decision: "q", State: "p", Next: "a*p + b*q"}, "a", "b")
	hidden := regressTraits(t, formula.Source{Decision: "q", State: "p", Trait: "d", Next: "a*p + b*q + d"}, "a", "b")
	held := Free("a", 0.4)
	held.Lower, held.Upper = -1, 0.52
	for name, x := range map[string]struct {
		f *formula.Regressor
		o Options
	}{
		"pooled": {shown, Options{Repeats: 2, Starts: 1}}, "student": {shown, Options{Laws: []ErrorLaw{{Student, 4}}}}, "times": {shown, Options{Times: true}}, "fixed": {hidden, Options{Unseen: Fixed, Repeats: 2}}, "random": {hidden, Options{Unseen: Random, Repeats: 1}},
	} {
		l := wander(x.f, []float64{0.5, -0.4}, 5, 6, 0.3, 0.5, 0.3, 0, 2, false)
		found, err := Find(t.Context(), x.f, l, []Unknown{held, Free("b", 0)}, x.o)
		if err != nil {
			t.Fatal(name, err)
		}
		for what, find := range map[string]func(ctx context.Context) error{
			"fit": func(ctx context.Context) error {
				_, err := Find(ctx, x.f, l, []Unknown{held, Free("b", 0)}, x.o)
				return err
			},
			"interval": func(ctx context.Context) error { _, err := found.Interval(ctx, 0, 0.95); return err },
		} {
			evidence.Stops(t, name+" "+what, 6, find)
		}
	}
}
