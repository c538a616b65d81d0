package doctor

import (
	"context"
	"fmt"
	"slices"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/crew"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/steady"
)

// Draws looks whether people settle under the first decision whatever is true of the numbers of the model that are drawn; nil without draws.
func Draws(ctx context.Context, p *problem.Problem, workers int) (*Check, error) {
	worlds, err := p.Worlds(ctx, workers)
	if err != nil || worlds == nil {
		return nil, err
	}
	values, failures := make([]float64, len(worlds)), make([]error, len(worlds))
	err = crew.Share(workers, len(worlds), func(_, i int) error {
		f, err := worlds[i].Model, worlds[i].Err
		if err == nil {
			var of *steady.Objective
			if of, err = steady.New(f); err == nil {
				values[i], err = of.Value(p.Start)
			}
		}
		failures[i] = err
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	c := &Check{ID: "draws", Title: "draws of numbers", Verdict: Pass}
	var seen []float64
	var why error
	for i, v := range values {
		switch {
		case failures[i] != nil && why == nil:
			why = failures[i]
		case failures[i] == nil && p.Maximize:
			seen = append(seen, -v)
		case failures[i] == nil:
			seen = append(seen, v)
		}
	}
	if len(seen) == 0 {
		c.Verdict, c.Figure = Fail, fmt.Sprintf("people settle under none of %d: %v", len(worlds), why)
		c.Remedy = "look at the ranges of what was fitted: a habit of 1 or more never settles"
		return c, nil
	}
	slices.Sort(seen)
	c.Figure = fmt.Sprintf("under all %d people settle; the first decision is worth %s … %s", len(worlds), folder.Brief(seen[0]), folder.Brief(seen[len(seen)-1]))
	if missing := len(worlds) - len(seen); missing > 0 {
		c.Verdict, c.Figure = Warn, fmt.Sprintf("under %d of %d people do not settle: %v", missing, len(worlds), why)
		c.Detail = "Such draws are left out of means, and in intervals they may be anything: from 1 in 40 on those cannot be told."
		c.Remedy = "fit with a range that rules out what cannot be, such as habit in [0, 0.99]"
	}
	return c, nil
}
