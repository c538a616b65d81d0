package served

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
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
	algorithm := slices.IndexFunc(spec.Algorithms, func(a kind.Algorithm) bool { return a.Name == "composite" })
	journal := store.NewMemory()
	r := &hosted{ctx: ctx, host: session.NewFleet(journal, server.Wall(), session.Standard, nil), name: "polarized"}
	if err := r.begin(string(spec.YAML())); err != nil {
		return nil, err
	}
	if err := r.ask(); err != nil {
		return nil, err
	}
	t, err := p.Trial(algorithm, 0, math.NaN())
	if err != nil {
		return nil, err
	}
	l := loop.Loop{Population: t.Population, Algorithm: r, Objective: t.Objective, Turns: turns, Batch: t.Batch}
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

// hosted is a loop of a fleet, also as an algorithm.
type hosted struct {
	ctx  context.Context
	host *session.Fleet
	name string
	now  session.Offer
}

// do carries commands out, one after the other.
func (r *hosted) do(commands ...session.Command) error {
	for _, c := range commands {
		if _, err := r.host.Do(r.ctx, r.name, "bench", c); err != nil {
			return err
		}
	}
	return nil
}

// begin makes the loop.
func (r *hosted) begin(spec string) error {
	return r.do(session.Create{Spec: spec, Mode: session.Live, Epoch: "bench"})
}

func (r *hosted) ask() error {
	reply, err := r.host.Do(r.ctx, r.name, "bench", session.Ask{})
	if err == nil {
		r.now = reply.(session.Offer)
	}
	return err
}

// Ask writes the decision that the loop gave.
func (r *hosted) Ask(dst []float64) { copy(dst, r.now.U) }

// Tell has the loop take one step.
func (r *hosted) Tell(o kedge.Observation) error {
	err := r.do(session.Deploy{K: r.now.K, U: o.U}, session.Tell{K: r.now.K, ID: "all", Batch: session.Batch{P: o.P, D: o.D}}, session.Close{K: r.now.K})
	if err != nil {
		return err
	}
	return r.ask()
}
