package service

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/client"
	"github.com/kedge-opt/kedge/session"
)

// resident is a loop that simulated people live under: whatever it makes of what they did, and whoever steps in, they go on living.
type resident struct {
	*remote
	pace  time.Duration // between decisions, once the first turns are over
	rush  int           // turns that are over as fast as they can be
	turns int
	held  bool
	say   func(words string)
}

// Tell says what people did, and asks for the next decision.
func (r *resident) Tell(o kedge.Observation) error {
	c, err := r.close(o)
	var refused *client.Error
	switch {
	case errors.As(err, &refused): // somebody has stepped in meanwhile: what people met is no longer the current decision
	case err != nil:
		return err
	default:
		r.report(c)
	}
	if r.turns++; r.turns >= r.rush {
		r.period = r.pace
	}
	return r.next()
}

// report says when the loop begins to hold, and when it steps again.
func (r *resident) report(c session.Closing) {
	switch was := r.held; {
	case !was && c.Outcome.Outcome == session.Held:
		r.held = true
		r.say(fmt.Sprintf("holds at decision %d: %s", c.K, strings.Join(c.Reasons, "; ")))
	case was && c.Outcome.Outcome == session.Stepped:
		r.held = false
		r.say(fmt.Sprintf("steps again at decision %d", c.K))
	}
}

// soured is people who come to answer as if every number of a decision were larger: a rival has opened, and all seems dear.
type soured struct {
	kedge.Population
	after, over int // turns before that begins, and in which it grows
	by          float64
	turn        int
}

// Respond lets people answer what a decision seems to be.
func (s *soured) Respond(ctx context.Context, u []float64) error {
	s.turn++
	part := min(1, max(0, float64(s.turn-s.after)/float64(s.over)))
	felt := slices.Clone(u)
	for i := range felt {
		felt[i] += float64(s.by * part)
	}
	return s.Population.Respond(ctx, felt)
}
