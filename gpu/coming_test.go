package gpu

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/device/emulated"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/ptx"
)

// Whatever call of the driver fails before a crowd or a jury is there, it does not come, what the driver said is told, and nothing is kept on the GPU. What could not be given back is not told.
func TestEveryCallThatFailsBeforeSomebodyIsThere(t *testing.T) {
	evidence.OneGoroutine(t)
	d := emulated.New()
	p := bare(t, d)
	c, m := smallCrowd(t)
	for what, come := range map[string]func() (leave func(), err error){
		"a crowd": func() (func(), error) {
			crowd, err := p.Gather(c, 1)
			return func() { crowd.Leave() }, err
		},
		"a jury": func() (func(), error) {
			jury, err := p.Jury(m, 1)
			return func() { jury.Leave() }, err
		},
		"a jury and its first verdict": func() (func(), error) {
			jury, err := p.Jury(m, 1)
			if err != nil {
				return nil, err
			}
			if err = jury.run(byGradient, decision(3, 1), 4); err != nil {
				jury.Leave()
			}
			return jury.Leave, err
		},
	} {
		var calls []string
		d.Fail = func(name string, _ int) int { calls = append(calls, name); return 0 }
		leave, err := come()
		if d.Fail = nil; err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		leave()
		for k, name := range calls {
			p.Forget(m.Traits)
			clear(p.codes)
			at := d.Calls() + k
			d.Fail = func(_ string, before int) int { return map[int]int{at: 2}[before] }
			leave, err := come()
			d.Fail = nil
			switch {
			case strings.HasPrefix(name, "cuMemFree") || k+1 < len(calls) && strings.HasPrefix(calls[k+1], "cuMemFree"):
				if err != nil {
					t.Errorf("%s: call %d, %s, fails: %v", what, k, name, err)
				}
				leave()
			case err == nil || !strings.Contains(err.Error(), "the GPU's driver says out of memory (2) to "+name):
				t.Errorf("%s: call %d, %s, fails: %v", what, k, name, err)
			}
			if p.Forget(m.Traits); d.Taken() != 0 {
				t.Errorf("%s: call %d, %s, fails: %d bytes are kept", what, k, name, d.Taken())
			}
		}
	}
}

// Crowds whose people change otherwise than by their dynamics, or have no traits or others than these read, are named; those who share no number fit.
func TestCrowdsThatDoNotFitEither(t *testing.T) {
	p := bare(t, emulated.New())
	sound, _ := smallCrowd(t)
	alone, err := formula.Compile(formula.Source{Decision: "q[3]", State: "p[3]", Next: "0.5*p + 0.5*q"})
	if err != nil {
		t.Fatal(err)
	}
	states := kedge.Block{Data: slices.Clone(sound.Traits.(kedge.Block).Data), Width: 3}
	for want, change := range map[string]func(*population.Config){
		"people whose traits drift, or who come and go":        func(c *population.Config) { c.Motion = new(population.Motion) },
		"noise (dynamics.noise, model.noise)":                  func(c *population.Config) { c.Stir = new(population.Stir) },
		"people without traits":                                func(c *population.Config) { c.Dynamics, c.States = alone.Dynamics(), states },
		"traits that are not as wide as those of the dynamics": func(c *population.Config) { c.Traits, c.States = draw(t, 265, 2), states },
		"people do not begin at their traits": func(c *population.Config) {
			c.Dynamics = dynamics.PolarizedNorm{Polarized: c.Dynamics.(dynamics.Polarized)}
		},
		"there are not as many first states as traits":               func(c *population.Config) { c.States = draw(t, 265, 2) },
		"the formula has sines, cosines, tangents or the error func": func(c *population.Config) { c.Dynamics = sharing{c.Dynamics.(dynamics.Polarized), -1} },
	} {
		c := sound
		change(&c)
		var unfit *UnfitError
		if _, err := p.Gather(c, 1); !errors.As(err, &unfit) || !strings.HasPrefix(unfit.Why, want) {
			t.Errorf("%v, want one of %s", err, want)
		}
	}
	sound.Dynamics = sharing{sound.Dynamics.(dynamics.Polarized), 0}
	if err := p.Fits(sound); err != nil {
		t.Errorf("people who share no number: %v", err)
	}
}

// Room is counted by how traits are kept, and not again for traits that are there: by hand, of three tiles with 3 numbers, and 19 rows of sums.
func TestRoomOfTraits(t *testing.T) {
	d := emulated.New()
	p := bare(t, d)
	c, _ := smallCrowd(t)
	long, short := c, c
	short.Traits = shorten(t, c.Traits)
	const states, sums = 384 * 2 * 3 * 8, 8 * 19
	fits := func(what string, c population.Config, need int) {
		t.Helper()
		for less, fits := range map[int]bool{0: true, 1: false} {
			d.Bytes = d.Taken() + need - less
			if err := p.Fits(c); (err == nil) != fits {
				t.Errorf("%s, %d bytes less than needed: %v", what, less, err)
			}
		}
		d.Bytes = 1 << 28
	}
	fits("double precision", long, states+384*3*8+sums)
	fits("single precision", short, states+384*3*4+sums)
	crowd, err := p.Gather(c, 1)
	if err != nil {
		t.Fatal(err)
	}
	fits("traits that are there", long, states+sums)
	crowd.Leave()
	fits("traits that are still there", long, states+sums)
}

// Everybody begins where the CPU has them, whether states and traits are kept in single or double precision, are mended when they are read, or not at the traits at all; who is at the own trait as it is kept is copied there.
func TestWhereEverybodyBegins(t *testing.T) {
	drawn := draw(t, 300, 2)
	for i, v := range drawn.Data {
		drawn.Data[i] = v * (1 + 1e-7*float64(i%5)) // rounded to single precision they have other lengths than 1
	}
	kept, err := population.Shorten(drawn, nil)
	if err != nil {
		t.Fatal(err)
	}
	for what, traits := range map[string]kedge.Rows{"long": drawn, "short": kept, "mended": shorten(t, drawn)} {
		for _, storage := range []population.Storage{population.Float64, population.Float32} {
			for name, states := range map[string]kedge.Rows{"the traits": nil, "others": kedge.Block{Data: slices.Clone(drawn.Data), Width: 2}} {
				d := emulated.New()
				p := bare(t, d)
				copies := 0
				d.Fail = func(name string, _ int) int {
					if name == "cuMemcpyDtoDAsync_v2" {
						copies++
					}
					return 0
				}
				c := population.Config{Dynamics: dynamics.Polarized{Dim: 2, Lambda: 0.4, Sigma: 0.5}, Traits: traits, States: states, Storage: storage}
				here, there := both(t, p, c)
				what := fmt.Sprintf("%s traits, storage %v, beginning at %s", what, storage, name)
				if err := sameRows(what, there.Look(), here.Look()); err != nil {
					t.Error(err)
				}
				isThere := states == nil && (what[:4] == "long" && storage == population.Float64 || what[:5] == "short" && storage == population.Float32)
				if want := map[bool]int{true: 1}[isThere]; copies != want {
					t.Errorf("%s: %d copies within the GPU, want %d", what, copies, want)
				}
			}
		}
	}
}

// Kernels of dynamics that cannot be compared are those of nobody else.
func TestKernelsOfDynamicsThatCannotBeCompared(t *testing.T) {
	type noted struct {
		dynamics.Polarized
		notes []string
	}
	p := bare(t, emulated.New())
	for _, sigma := range []float64{0.5, 0.25} {
		here, there := both(t, p, population.Config{Dynamics: noted{dynamics.Polarized{Dim: 3, Lambda: 0.4, Sigma: sigma}, nil}, Traits: draw(t, 140, 3)})
		together(t, 0, 1, here, there)
		if err := sameRows(fmt.Sprint("σ = ", sigma), there.Look(), here.Look()); err != nil {
			t.Error(err)
		}
	}
}

// A planned fault is that of one launch: of the third, if three are planned.
func TestPlannedFaults(t *testing.T) {
	p := bare(t, emulated.New())
	p.faults[atVerdicts].Store(3)
	var struck []bool
	for range 5 {
		struck = append(struck, p.strikes(atVerdicts))
	}
	if want := []bool{false, false, true, false, false}; !slices.Equal(struck, want) || p.strikes(atTurns) {
		t.Errorf("launches fault %v, want %v", struck, want)
	}
}

// A GPU that has just been opened has no faults before it, nobody has used it, and it moves a crowd.
func TestAGPUThatIsOpened(t *testing.T) {
	calm(t)
	p, err := OpenBy(emulated.New(), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if p.Used() || len(p.kept) > 0 {
		t.Errorf("used: %t; %d traits are kept", p.Used(), len(p.kept))
	}
	c, m := smallCrowd(t)
	here, there := both(t, p, c)
	if together(t, 0, 2, here, there); there.retired || !p.Used() {
		t.Errorf("the crowd has gone home: %t; used: %t", there.retired, p.Used())
	}
	p.used.Store(false)
	jury, err := p.Jury(m, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer jury.Leave()
	if _, _, ok := jury.Sum(decision(3, 1)); !ok || !p.Used() {
		t.Errorf("a jury judges: %t; used: %t", ok, p.Used())
	}
}

// Places in a window are whole words that do not lie over each other, and all are in its head.
func TestPlacesInAWindow(t *testing.T) {
	places := []int{flagAt, sumAt, lossAt, sharedAt, windowHead}
	for i, at := range places {
		if at%8 != 0 || i > 0 && at < places[i-1]+8 {
			t.Errorf("places %v", places)
		}
	}
}

// Rows that take several windows come up as those that take one: five tiles, two at a time.
func TestRowsThatComeInParts(t *testing.T) {
	p := bare(t, emulated.New())
	const n, width = 4*ptx.Tile + 7, 3
	block := draw(t, n, width)
	narrow, err := p.dev.Lock(2*ptx.Tile*width*8 + 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, hands := range []int{1, 3} {
		sent, err := p.load(ptx.Float64, block, narrow, hands, func(room []float64, first, last int) ([]float64, error) { return block.View(room, first, last), nil })
		if err != nil {
			t.Fatal(err)
		}
		w, err := p.dev.Lock(sent.Bytes)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(p.dev.Fetch(w, 0, sent.Slab, 0, sent.Bytes), p.dev.Wait()); err != nil {
			t.Fatal(err)
		}
		got := w.Doubles(0, 5*ptx.Tile*width)
		for i := range n {
			for j, v := range kedge.Row(block.Data, i, width) {
				if at := i/ptx.Tile*ptx.Tile*width + j*ptx.Tile + i%ptx.Tile; got[at] != v {
					t.Fatalf("%d hands: entry %d of individual %d is %v, want %v", hands, j, i, got[at], v)
				}
			}
		}
	}
}

// Samples that do not fit into a window come in parts, each to its place. For speed only the first people of every part are fetched, and looked at.
func TestSamplesThatComeInParts(t *testing.T) {
	calm(t)
	p := bare(t, emulated.New())
	here, there := both(t, p, population.Config{Dynamics: dynamics.Polarized{Dim: 2, Lambda: 0.4, Sigma: 0.5}, Traits: draw(t, 300, 2)})
	text := strings.Replace(ptx.Gather(ptx.Float64), "\tld.param.u64 %from", "\tmov.u32 %block, %ctaid.x;\n\tsetp.ne.u32 %p, %block, 0;\n\t@%p bra OUT;\n\tld.param.u64 %from", 1)
	var err error
	if p.tools[ptx.Float64], err = p.dev.Load(ptx.Head+text, "gather"); err != nil {
		t.Fatal(err)
	}
	const part = (windowBytes - windowHead) / (8 * 3) // of two numbers and a person's own
	const n = part + 3
	var states [2][]float64
	for k, c := range []kedge.Population{here, there} {
		states[k] = make([]float64, 2*n)
		if got, err := c.Sample(states[k], make([]float64, 2*n)); got != n || err != nil {
			t.Fatalf("%d people, %v", got, err)
		}
	}
	for _, first := range []int{0, part} {
		if got, want := states[1][2*first:][:6], states[0][2*first:][:6]; !slices.Equal(got, want) {
			t.Errorf("from person %d on: %v, want %v", first, got, want)
		}
	}
}

// Samples are whole, be their numbers a block of threads, one less or one more.
func TestSamplesOfABlock(t *testing.T) {
	here, there := both(t, bare(t, emulated.New()), population.Config{Dynamics: dynamics.Polarized{Dim: 3, Lambda: 0.4, Sigma: 0.5}, Traits: draw(t, 300, 3)})
	for _, n := range []int{1, 42, 43, 44, 128} {
		var states [2][]float64
		for k, c := range []kedge.Population{here, there} {
			states[k] = make([]float64, 3*n)
			if got, err := c.Sample(states[k], make([]float64, 3*n)); got != n || err != nil {
				t.Fatalf("%d people of %d, %v", got, n, err)
			}
		}
		if !slices.Equal(states[0], states[1]) {
			t.Errorf("%d people are others", n)
		}
	}
}

// What juries take, by hand: of so many tiles traits of 3 numbers, rows of 4 sums for the tree, of which there are 16 more than tiles, and 9 numbers that all share. Before one comes, room for
// four numbers of everybody is asked for.
func TestWhatJuriesTake(t *testing.T) {
	for n, tiles := range map[int]int{2 * ptx.Tile: 2, 2*ptx.Tile + 1: 3, 3 * ptx.Tile: 3} {
		d := emulated.New()
		p := bare(t, d)
		m := polarizedModel(dynamics.Polarized{Dim: 3, Lambda: 0.4, Sigma: 0.5}, draw(t, n, 3))
		need := 8 * 4 * (tiles + 16 + 128*tiles)
		d.Bytes = need - 1
		if _, err := p.Jury(m, 1); err == nil || d.Taken() != 0 {
			t.Errorf("%d people: a jury comes where a byte is missing; %d are taken", n, d.Taken())
		}
		d.Bytes = need
		jury, err := p.Jury(m, 1)
		if err != nil {
			t.Fatal(err)
		}
		if want := 8*128*3*tiles + 8*4*(tiles+16) + 8*9; d.Taken() != want {
			t.Errorf("%d people: %d bytes are taken, want %d", n, d.Taken(), want)
		}
		jury.Leave()
	}
}

// Room of whole tiles and of one person more, by hand: twice 3 numbers and once 2 in double precision, and 16 rows of sums more than tiles.
func TestRoomOfWholeTiles(t *testing.T) {
	d := emulated.New()
	p := bare(t, d)
	for n, tiles := range map[int]int{2 * ptx.Tile: 2, 2*ptx.Tile + 1: 3, 3 * ptx.Tile: 3} {
		for less, fits := range map[int]bool{0: true, 1: false} {
			d.Bytes = 128*tiles*8*8 + 8*(tiles+16) - less
			if err := p.HasRoom(n, kedge.Dims{Decision: 3, State: 3, Trait: 2}, population.Float64, false); (err == nil) != fits {
				t.Errorf("%d people, %d bytes less than needed: %v", n, less, err)
			}
		}
	}
}
