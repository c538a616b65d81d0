package service

import (
	"context"
	"fmt"
	"math"
	"net/url"
	"strings"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/client"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/live"
	"github.com/kedge-opt/kedge/session"
)

// Decider has the loops of a service decide for the simulated people of a problem, one loop an algorithm. Loops that are there already go on.
func Decider(ctx context.Context, address, prefix string, p *problem.Problem) func(algorithm, trial int) (kedge.Algorithm, error) {
	return func(algorithm, trial int) (kedge.Algorithm, error) {
		if trial > 0 {
			return nil, fmt.Errorf("a service decides for one trial, want --trials 1")
		}
		a := &p.Spec.Algorithms[algorithm]
		name := loopName(prefix + "-" + a.Name)
		c := client.Open(address)
		if _, err := c.Create(ctx, name, string(liveSpec(p, a.Name)), session.Live); err != nil {
			return nil, fmt.Errorf("loop %s: %w", name, err)
		}
		r := &remote{ctx: ctx, loop: c.Loop(url.PathEscape(name)), dim: p.Model.Dims()}
		return r, r.ask()
	}
}

// loopName is a text as the name of a loop.
func loopName(text string) string {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToLower(text))
	return strings.Trim(name[:min(len(name), 63)], "-")
}

// liveSpec is the spec of a problem whose algorithm decides without limits, for people who answer at once.
func liveSpec(p *problem.Problem, algorithm string) []byte {
	s, live, endless := *p.Spec, live.New(), math.Inf(1)
	live.Algorithm, live.Least, live.Norm, live.Safe = algorithm, 1, &endless, p.Start
	s.Live = live
	return s.YAML()
}

// remote is a loop of a service as an algorithm.
type remote struct {
	ctx  context.Context
	loop *client.Remote
	dim  kedge.Dims
	now  session.Offer
}

var (
	_ kedge.Explorer = (*remote)(nil)
	_ kedge.Truster  = (*remote)(nil)
)

// Trust is how far its rule relies on what it has learned.
func (r *remote) Trust() float64 {
	if r.now.Trust == nil {
		return math.NaN()
	}
	return *r.now.Trust
}

// Ask writes the decision that the service gave.
func (r *remote) Ask(dst []float64) { copy(dst, r.now.U) }

// Center writes where its rule is.
func (r *remote) Center(dst []float64) { copy(dst, r.now.Iterate) }

// Multipliers are those of the constraints that its rule heeds.
func (r *remote) Multipliers() []float64 { return r.now.Prices }

// Tell says what was deployed and what people did, and asks for the next decision.
func (r *remote) Tell(o kedge.Observation) error {
	if _, err := r.loop.Deploy(r.ctx, r.now.K, o.U); err != nil {
		return err
	}
	if _, err := r.loop.Tell(r.ctx, r.now.K, "all", client.Answers{P: split(o.P, r.dim.State), D: split(o.D, r.dim.Trait)}); err != nil {
		return err
	}
	c, err := r.loop.Close(r.ctx, r.now.K)
	if err != nil {
		return err
	}
	if c.Outcome.Outcome != session.Stepped {
		return fmt.Errorf("the service took no step at decision %d: %s", r.now.K, strings.Join(c.Reasons, "; "))
	}
	return r.ask()
}

func (r *remote) ask() (err error) {
	r.now, err = r.loop.Ask(r.ctx)
	return err
}

func split(x []float64, width int) (rows [][]float64) {
	for i := 0; i+width <= len(x); i += width {
		rows = append(rows, x[i:i+width])
	}
	return rows
}
