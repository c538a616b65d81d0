package served

import (
	"context"
	"fmt"
	"math"
	"os"
	"strings"
	"time"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/bench"
	"github.com/kedge-opt/kedge/loop"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/server"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/session/replay"
	"github.com/kedge-opt/kedge/store"
)

func median(x []float64) float64 { return bench.Median(x) }

// replay is how fast everything that a loop decided is decided again, with all hashes checked, beside the closed loop that it came from.
func (b Trial) replay(ctx context.Context) ([]Rated, error) {
	turns := b.tenth(8000)
	src, _ := problem.Case("polarized")
	spec, err := problem.Parse(kind.Standard(), "polarized", src,
		problem.Assign(fmt.Sprintf("iterations=%d", turns)), problem.Assign("live.algorithm=composite"), problem.Assign("live.samples.least=1"),
		problem.Assign("live.cap.norm=.inf"), problem.Assign("live.safe=["+strings.Repeat("0, ", 19)+"0]"))
	if err != nil {
		return nil, err
	}
	p, err := problem.Build("polarized", spec, os.DirFS("."))
	if err != nil {
		return nil, err
	}
	algorithm := 0
	for i, a := range spec.Algorithms {
		if a.Name == "composite" {
			algorithm = i
		}
	}
	journal := store.NewMemory()
	r := &recorded{ctx: ctx, host: session.NewFleet(journal, server.Wall(), session.Standard, nil)}
	if _, err := r.do(session.Create{Spec: string(spec.YAML()), Mode: session.Live, Epoch: "bench"}); err != nil {
		return nil, err
	}
	if err := r.ask(); err != nil {
		return nil, err
	}
	t, err := p.Trial(algorithm, 0, math.NaN())
	if err != nil {
		return nil, err
	}
	l := loop.Loop{Population: t.Population, Algorithm: r, Objective: t.Objective, Turns: turns, Batch: t.Batch, Recorder: dropped{}}
	if err := l.Run(ctx); err != nil {
		return nil, err
	}
	var again, first []float64
	for range b.Rounds {
		begun := time.Now()
		if err := bench.Play(ctx, p, algorithm, 0); err != nil {
			return nil, err
		}
		first = append(first, float64(turns)/time.Since(begun).Seconds())
		begun = time.Now()
		if _, err := replay.Loop(ctx, journal, "polarized", session.Standard); err != nil {
			return nil, err
		}
		again = append(again, float64(turns)/time.Since(begun).Seconds())
	}
	return []Rated{atLeast(fmt.Sprintf("replay of %d turns of polarized, hashes checked", turns), "turns/s", again, "closed loop in process, every turn measured", first, 0.7)}, nil
}

// dropped takes measurements and forgets them.
type dropped struct{}

func (dropped) Record(*kedge.Step) error { return nil }

// recorded is a loop of a fleet as an algorithm.
type recorded struct {
	ctx  context.Context
	host *session.Fleet
	now  session.Offer
}

func (r *recorded) do(c session.Command) (any, error) {
	return r.host.Do(r.ctx, "polarized", "bench", c)
}

func (r *recorded) ask() error {
	reply, err := r.do(session.Ask{})
	if err == nil {
		r.now = reply.(session.Offer)
	}
	return err
}

// Ask writes the decision that the loop gave.
func (r *recorded) Ask(dst []float64) { copy(dst, r.now.U) }

// Tell has the loop take one step.
func (r *recorded) Tell(o kedge.Observation) error {
	for _, c := range []session.Command{
		session.Deploy{K: r.now.K, U: o.U}, session.Tell{K: r.now.K, ID: "all", Batch: session.Batch{P: o.P, D: o.D}}, session.Close{K: r.now.K},
	} {
		if _, err := r.do(c); err != nil {
			return err
		}
	}
	return r.ask()
}
