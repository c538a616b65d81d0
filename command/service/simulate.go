package service

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/client"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/problem/live"
	"github.com/kedge-opt/kedge/session"
	"github.com/spf13/cobra"
)

// Simulation has the loops of a service decide for simulated people, one loop an algorithm and trial.
type Simulation struct {
	reach
	Prefix string // what loops are called before the hyphen

	faults string
	period time.Duration
	resume bool

	remote *client.Client
}

// Offer offers the flags that say who decides and how messages get there.
func (s *Simulation) Offer(c *cobra.Command, kinds *kind.Catalogue) {
	s.kinds = kinds
	s.offerPlace(c, "a data folder to decide in without a service")
	c.Flags().StringVar(&s.Prefix, "prefix", "", "what loops are called before the hyphen (default the name of the spec)")
	c.Flags().StringVar(&s.faults, "faults", "", "lose, repeat and reorder messages, as in drop=0.05,repeat=0.1,reorder")
	c.Flags().DurationVar(&s.period, "period", 0, "time between decisions (default as fast as it goes)")
	c.Flags().BoolVar(&s.resume, "resume", false, "go on with loops that have decided already, also after their service was restored")
}

// Connect reaches the service, or opens the data folder until release is called.
func (s *Simulation) Connect() (release func() error, err error) {
	if s.remote, release, err = s.open(true); err != nil || s.faults == "" {
		return release, err
	}
	f, err := client.ParseFaults(s.faults)
	if err != nil {
		return release, fmt.Errorf("--faults %s: %w", s.faults, err)
	}
	s.remote.Wrap(func(t http.RoundTripper) http.RoundTripper { return f.Through(t, 1) })
	return release, nil
}

// Decider makes those who decide for the people of a problem.
func (s *Simulation) Decider(ctx context.Context, p *problem.Problem) func(algorithm, trial int) (kedge.Algorithm, error) {
	if s.Prefix == "" {
		s.Prefix = p.Name
	}
	return func(algorithm, trial int) (kedge.Algorithm, error) {
		a := &p.Spec.Algorithms[algorithm]
		r := &remote{ctx: ctx, loop: s.remote.Loop(s.loopName(a.Name, trial)), dim: p.Model.Dims(), period: s.period}
		if err := r.begin(string(liveSpec(p, a.Name, trial)), s.resume); err != nil {
			return nil, fmt.Errorf("loop %s: %w", r.loop.Name, err)
		}
		return r, nil
	}
}

// loopName is what the loop of a trial is called.
func (s *Simulation) loopName(algorithm string, trial int) string {
	end := ""
	if trial > 0 {
		end = fmt.Sprintf("-trial-%d", trial)
	}
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToLower(s.Prefix+"-"+algorithm))
	return strings.Trim(name[:min(len(name), 63-len(end))], "-") + end
}

// liveSpec is the spec of a problem whose algorithm decides without limits, for people who answer at once.
func liveSpec(p *problem.Problem, algorithm string, trial int) []byte {
	s, live, endless := *p.Spec.AsWritten(), live.New(), math.Inf(1)
	live.Algorithm, live.Trial, live.Least, live.Norm, live.Safe = algorithm, trial, 1, &endless, p.Start
	live.Simulated()
	s.Live = live
	s.Doubt.Uncertain, s.Doubt.Decide = 0, "" // what is best over draws is found here, not by the loop
	return s.YAML()
}

// remote is a loop of a service as an algorithm.
type remote struct {
	ctx    context.Context
	loop   *client.Remote
	dim    kedge.Dims
	period time.Duration
	now    session.Offer
	past   []session.Decision // that the loop learned from before, still to be gone through again
}

var (
	_ kedge.Explorer = (*remote)(nil)
	_ kedge.Truster  = (*remote)(nil)
)

// begin makes the loop, or goes on with one: people who are simulated do the same again, so that what it decided before is gone through again.
func (r *remote) begin(spec string, resume bool) error {
	status, err := r.loop.Create(r.ctx, r.loop.Name, spec, session.Live)
	if err != nil {
		return err
	}
	if status.Turns > 0 && !resume {
		return fmt.Errorf("it has decided %d times already: --resume goes on with it, --prefix makes another", status.K)
	}
	for k := 1; k <= status.K; k++ {
		d, err := r.loop.Decision(r.ctx, k)
		if err != nil {
			return err
		}
		if d.Outcome != nil && d.Outcome.Outcome == session.Stepped {
			r.past = append(r.past, d)
		}
	}
	return r.next()
}

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
	if len(r.past) > 0 {
		return r.again(o)
	}
	c, err := r.close(o)
	if err != nil {
		return r.advise(err)
	}
	if c.Outcome.Outcome != session.Stepped {
		return fmt.Errorf("the service took no step at decision %d: %s", r.now.K, strings.Join(c.Reasons, "; "))
	}
	return r.next()
}

// close says what was deployed and what people did, and closes the decision.
func (r *remote) close(o kedge.Observation) (c session.Closing, err error) {
	if _, err = r.loop.Deploy(r.ctx, r.now.K, o.U); err != nil {
		return c, err
	}
	if _, err = r.loop.Tell(r.ctx, r.now.K, "all", client.Answers{P: split(o.P, r.dim.State), D: split(o.D, r.dim.Trait)}); err != nil {
		return c, err
	}
	return r.loop.Close(r.ctx, r.now.K)
}

// advise says how to go on after a restore.
func (r *remote) advise(err error) error {
	if client.IsProblem(err, session.StaleEpoch) {
		return fmt.Errorf("%w; the same command with --resume goes on", err)
	}
	return err
}

// again goes through a decision that the loop has learned from.
func (r *remote) again(o kedge.Observation) error {
	if d := r.past[0]; !slices.Equal(d.Deployed.U, o.U) {
		return fmt.Errorf("decision %d was deployed as %v, and is %v now: the loop is of other people", d.K, d.Deployed.U, o.U)
	}
	r.past = r.past[1:]
	return r.next()
}

// next is the next decision: of the past, or a new one.
func (r *remote) next() (err error) {
	if len(r.past) > 0 {
		d := r.past[0]
		r.now = session.Offer{K: d.K, U: d.U, Iterate: d.Iterate, Trust: d.Trust, Prices: d.Prices}
		return nil
	}
	if r.period > 0 {
		select {
		case <-time.After(r.period):
		case <-r.ctx.Done():
			return r.ctx.Err()
		}
	}
	was := r.loop.Epoch()
	if r.now, err = r.loop.Ask(r.ctx); err == nil && was != "" && was != r.now.Epoch {
		return fmt.Errorf("the loop was restored meanwhile: its epoch is %s, no longer %s; the same command with --resume goes on", r.now.Epoch, was)
	}
	return err
}

func split(x []float64, width int) (rows [][]float64) {
	for i := 0; i+width <= len(x); i += width {
		rows = append(rows, x[i:i+width])
	}
	return rows
}
