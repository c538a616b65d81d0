package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"time"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/gpu"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/loop"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/steady"
	"github.com/kedge-opt/kedge/stream"
)

// DeviceCrowd is what a crowd of polarized people of 20 numbers takes on a GPU. Times of kernels are in nanoseconds an individual, others in seconds.
type DeviceCrowd struct {
	People   int          `json:"people"`
	Kept     string       `json:"kept"`
	Copied   float64      `json:"copied"` // GB a second that a copy within the device reads and writes, by the median
	Step     gpu.LapTime  `json:"step"`
	Share    float64      `json:"step_of_copy"` // of the copy's speed that a step has, by medians
	Value    gpu.LapTime  `json:"value"`
	Both     gpu.LapTime  `json:"step_and_value"`
	Turn     gpu.LapTime  `json:"turn"`         // a whole one of the composite rule, everything measured
	OfCopy   float64      `json:"turn_of_copy"` // of what a copy of as many bytes takes, by medians
	Gradient *gpu.LapTime `json:"gradient,omitempty"`
	Trouble  string       `json:"trouble,omitempty"`
}

// DeviceTable is what crowds take on a GPU.
type DeviceTable struct {
	Device string        `json:"device"`
	Rows   []DeviceCrowd `json:"rows"`
}

// Device measures crowds on the GPU of a number.
func (b *Workbench) Device(number int) func(context.Context) (Printer, error) {
	return func(ctx context.Context) (Printer, error) {
		board, err := gpu.Open(number)
		if err != nil {
			return nil, err
		}
		defer board.Close()
		t := &DeviceTable{Device: fmt.Sprintf("gpu:%d %s", number, board.Info().Name)}
		for _, one := range b.deviceRows() {
			if err := errors.Join(ctx.Err(), b.deviceCrowd(ctx, board, &one)); err != nil {
				if board.Lost() != nil || ctx.Err() != nil {
					return nil, err
				}
				one.Trouble = err.Error()
			}
			t.Rows = append(t.Rows, one)
		}
		return t, nil
	}
}

// deviceRows are the crowds to measure.
func (b *Workbench) deviceRows() (list []DeviceCrowd) {
	for _, one := range []DeviceCrowd{
		{People: 1e6, Kept: "float64"}, {People: 1e7, Kept: "float64"}, {People: 1e8, Kept: "float64"},
		{People: 1e6, Kept: "float32"}, {People: 1e8, Kept: "float32"}, {People: 5e8, Kept: "float32"},
	} {
		if !b.SkipLarge || one.People <= 1e7 {
			list = append(list, one)
		}
	}
	return list
}

// echo are some rows again and again, so that a large crowd takes no time to be drawn.
type echo struct {
	of kedge.Rows
	n  int
}

// echoes is how many different rows there are.
const echoes = 1 << 17

func (r *echo) Size() (rows, width int) { return r.n, dim }

func (r *echo) View(room []float64, first, last int) []float64 {
	return r.of.View(room, first%echoes, first%echoes+last-first)
}

// shortEcho are those that are kept in single precision.
type shortEcho struct {
	echo
	short *population.Float32s
}

func (r *shortEcho) Short(first, last int) ([]float32, bool) {
	return r.short.Short(first%echoes, first%echoes+last-first)
}

// echoed are n people, kept as asked.
func echoed(n int, kept population.Storage, mend func(x []float64)) kedge.Rows {
	people, _ := peopleOf(echoes, dim)
	block := kedge.Block{Data: people, Width: dim}
	if kept == population.Float32 {
		short := must(population.Shorten(block, mend))
		return &shortEcho{echo{short, n}, short}
	}
	return &echo{block, n}
}

// deviceCrowd measures one crowd.
func (b *Workbench) deviceCrowd(ctx context.Context, board *gpu.Board, to *DeviceCrowd) error {
	p, index := caseStudy("polarized", "composite", 1)
	kept := map[string]population.Storage{"float64": population.Float64, "float32": population.Float32}[to.Kept]
	m := p.Model
	m.States = nil // as everybody starts at the own trait
	m.Traits = echoed(to.People, kept, func(x []float64) { rows.Scale(x, 1/rows.Norm(x)) })
	crowd, err := board.Gather(population.Config{
		Dynamics: m.Dynamics, Traits: m.Traits, Storage: kept, Pick: population.WithReplacement{Source: stream.New(2, "samples")},
	}, runtime.GOMAXPROCS(0))
	if err != nil {
		return err
	}
	defer board.Forget(m.Traits)
	defer crowd.Leave()
	laps, err := crowd.Laps(p.Start, 2*b.Rounds+1)
	if err != nil {
		return err
	}
	to.fill(laps)
	f, err := steady.New(m)
	if err != nil {
		return err
	}
	f.Engine = crowd.Engine(m)
	if to.Turn, err = b.deviceTurns(ctx, p, index, crowd, f, laps.Both.Median); err != nil {
		return err
	}
	to.OfCopy = to.Turn.Median / (laps.Moved / laps.Copied * laps.Copy.Median)
	return b.deviceGradients(to, f, p.Start)
}

// fill takes over what the kernels took.
func (d *DeviceCrowd) fill(l gpu.LapTimes) {
	an := func(t gpu.LapTime) gpu.LapTime {
		return gpu.LapTime{Median: 1e9 * t.Median / float64(d.People), Best: 1e9 * t.Best / float64(d.People)}
	}
	d.Step, d.Value, d.Both = an(l.Step), an(l.Value), an(l.Both)
	d.Copied = l.Copied / l.Copy.Median / 1e9
	d.Share = l.Moved / l.Step.Median / (l.Copied / l.Copy.Median)
}

// deviceTurns measures whole turns of the composite rule, everything measured every turn: some in a round.
func (b *Workbench) deviceTurns(ctx context.Context, p *problem.Problem, index int, crowd *gpu.RemoteCrowd, f *steady.Objective, one float64) (gpu.LapTime, error) {
	trial, err := p.Trial(index, 0, math.NaN())
	if err != nil {
		return gpu.LapTime{}, err
	}
	meter := &loop.Meter{Steady: f, Maximize: p.Maximize, Optimum: loop.Target{Decision: p.Start, Loss: 1}}
	turns := max(10, min(1000, int(0.2/one)))
	l := loop.Loop{
		Population: crowd, Algorithm: trial.Algorithm, Objective: trial.Objective, Turns: turns, Batch: trial.Batch,
		Instruments: []kedge.Instrument{meter, loop.Trust{}}, Recorder: dropped{},
	}
	m, err := b.repeat(1, float64(turns), func() error { return l.Run(ctx) })
	if err != nil {
		return gpu.LapTime{}, err
	}
	return gpu.LapTime{Median: m.median(), Best: m.best()}, nil
}

// deviceGradients measures the gradient of the settled value.
func (b *Workbench) deviceGradients(to *DeviceCrowd, f *steady.Objective, u []float64) error {
	begun, g := time.Now(), make([]float64, len(u))
	if _, err := f.Gradient(g, u); err != nil {
		return err
	}
	if time.Since(begun) > 10*time.Second { // on the CPU
		return errors.New("its gradient is not worked out there")
	}
	m, err := b.repeat(4, float64(to.People)*1e-9, func() error {
		_, err := f.Gradient(g, u)
		return err
	})
	if err == nil {
		to.Gradient = &gpu.LapTime{Median: m.median(), Best: m.best()}
	}
	return err
}

// Print writes one row a crowd.
func (t *DeviceTable) Print(w io.Writer) error {
	fmt.Fprintf(w, "%s: polarized people of %d numbers; medians, and bests in brackets\n\n", t.Device, dim)
	const head = "people\tkept as\tcopy GB/s\tstep ns\tof copy\tvalue ns\tstep and value ns\tcomposite turn ms\tof a copy\tgradient ns"
	return printTable(w, 0, t.Rows, head, func(d DeviceCrowd) string {
		if d.Trouble != "" {
			return fmt.Sprintf("%s\t%s\t%s", power(d.People), d.Kept, d.Trouble)
		}
		two := func(t gpu.LapTime, by float64) string { return fmt.Sprintf("%.4g (%.4g)", by*t.Median, by*t.Best) }
		gradient := ""
		if d.Gradient != nil {
			gradient = two(*d.Gradient, 1)
		}
		return fmt.Sprintf("%s\t%s\t%.0f\t%s\t%.1f %%\t%s\t%s\t%s\t%.3f\t%s", power(d.People), d.Kept, d.Copied, two(d.Step, 1), 100*d.Share,
			two(d.Value, 1), two(d.Both, 1), two(d.Turn, 1e3), d.OfCopy, gradient)
	})
}
