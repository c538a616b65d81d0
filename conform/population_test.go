package conform

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/stream"
)

// herd is a population of one number that moves to the mean of itself and the decision; samples show it and the turn. A
// twin responds, samples or loads otherwise.
type herd struct {
	p, k float64
	bent habits
}

// habits are what a twin does instead of Respond, Sample and UnmarshalBinary.
type habits struct {
	respond func(h *herd, ctx context.Context, u []float64) error
	load    func(h *herd, data []byte) error
}

func (h *herd) Dims() kedge.Dims { return kedge.Dims{Decision: 1, State: 1, Trait: 1} }

func (h *herd) Respond(ctx context.Context, u []float64) error {
	if h.bent.respond != nil {
		return h.bent.respond(h, ctx, u)
	}
	return h.respond(ctx, u)
}

func (h *herd) respond(ctx context.Context, u []float64) error {
	if err := errors.Join(ctx.Err(), kedge.CheckVector("u", u, 1)); err != nil {
		return err
	}
	h.p, h.k = (h.p+u[0])/2, h.k+1
	return nil
}

func (h *herd) Sample(p, d []float64) (int, error) {
	p[0], d[0] = h.p, h.k
	return 1, nil
}

func (h *herd) AppendBinary(b []byte) ([]byte, error) {
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(h.p))
	return binary.LittleEndian.AppendUint64(b, math.Float64bits(h.k)), nil
}

func (h *herd) UnmarshalBinary(data []byte) error {
	if h.bent.load != nil {
		return h.bent.load(h, data)
	}
	return h.load(data)
}

func (h *herd) load(data []byte) error {
	if len(data) != 16 {
		return errors.New("a state has 16 bytes")
	}
	h.p, h.k = math.Float64frombits(binary.LittleEndian.Uint64(data)), math.Float64frombits(binary.LittleEndian.Uint64(data[8:]))
	return nil
}

func responses() Responses {
	return Responses{Batch: 1, Decide: func(r *stream.Stream) []float64 { return []float64{r.Normal()} }}
}

func crowd(b habits) func() kedge.Population {
	return func() kedge.Population { return &herd{bent: b} }
}

func TestPopulationAcceptsARightOne(t *testing.T) {
	Population(t, crowd(habits{}), responses())
	Population(t, func() kedge.Population { return struct{ kedge.Population }{&herd{}} }, responses())
}

func TestPopulationCatchesBrokenOnes(t *testing.T) {
	noise := restless()
	var twins []twin
	add := func(name, caught string, b habits) {
		twins = append(twins, twin{name, caught, func(t testing.TB) { Population(t, crowd(b), responses()) }})
	}
	add("fails", "the first run", habits{respond: func(*herd, context.Context, []float64) error { return errors.New("no") }})
	add("is nowhere", "the first run", habits{respond: func(h *herd, ctx context.Context, u []float64) error {
		err := h.respond(ctx, u)
		h.p = math.NaN()
		return err
	}})
	add("restless", "the same decisions give the same bits", habits{respond: func(h *herd, ctx context.Context, u []float64) error {
		h.p += noise()
		return h.respond(ctx, u)
	}})
	add("changes u", "Respond changes no decision", habits{respond: func(h *herd, ctx context.Context, u []float64) error {
		err := h.respond(ctx, u)
		clear(u)
		return err
	}})
	add("takes NaN", "Respond refuses bad decisions", habits{respond: func(h *herd, ctx context.Context, u []float64) error {
		if len(u) == 1 && math.IsNaN(u[0]) {
			return nil
		}
		return h.respond(ctx, u)
	}})
	add("moves before it fails", "Respond refuses bad decisions", habits{respond: func(h *herd, ctx context.Context, u []float64) error {
		h.k++
		return h.respond(ctx, u)
	}})
	add("stops half way", "Respond stops with its context", habits{respond: func(h *herd, ctx context.Context, u []float64) error {
		if ctx.Err() != nil {
			h.p++
		}
		return h.respond(ctx, u)
	}})
	addLoads(add)
	catch(t, append(propertyNames((&visit{}).properties()), "the first run"), twins)
}

func addLoads(add func(name, caught string, b habits)) {
	add("loads a torn state", "a saved state goes on", habits{load: func(h *herd, data []byte) error {
		return h.load(slices.Concat(data, make([]byte, 16))[:16])
	}})
	add("changes before it fails", "a saved state goes on", habits{load: func(h *herd, data []byte) error {
		h.p = 7
		return h.load(data)
	}})
	add("forgets its turn", "a saved state goes on", habits{load: func(h *herd, data []byte) error {
		err := h.load(data)
		h.k = 0
		return err
	}})
}
