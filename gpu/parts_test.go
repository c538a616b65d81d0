package gpu

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/device"
	"github.com/kedge-opt/kedge/device/emulated"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/internal/wire"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/ptx"
	"github.com/kedge-opt/kedge/steady"
	"github.com/kedge-opt/kedge/stream"
)

// What crowds take, by hand: of 265 people, who are three tiles of 128, states twice and traits once, and 3 + 0 + 16 rows of sums. A byte less is too few.
func TestRoomOfCrowds(t *testing.T) {
	d := emulated.New()
	p := bare(t, d)
	dim := kedge.Dims{Decision: 3, State: 3, Trait: 2}
	for _, x := range []struct {
		storage population.Storage
		redrawn bool
		need    int
		remedy  string
	}{
		{population.Float64, false, 384*(2*3*8+2*8) + 8*19, "population.storage: float32 takes half"},
		{population.Float64, true, 384*(2*3*8+2*8) + 8*19, "population.storage: float32 takes half"},
		{population.Float32, false, 384*(2*3*4+2*4) + 8*19, "take fewer people"},
		{population.Float32, true, 384*(2*3*4+2*8) + 8*19, "take fewer people"},
	} {
		d.Bytes = x.need
		if err := p.HasRoom(265, dim, x.storage, x.redrawn); err != nil {
			t.Errorf("%+v: %v", x, err)
		}
		d.Bytes--
		if err := p.HasRoom(265, dim, x.storage, x.redrawn); err == nil || err.Error() != "the GPU does not do this: 0.0 GB are needed and 0.0 GB free; "+x.remedy {
			t.Errorf("%+v: %v", x, err)
		}
	}
	for n, want := range map[int]int{1: 17, 511: 527, 512: 529, 1024: 1042, 5120: 5146} { // a 512th of all, and 16
		if got := treeRoom(n); got != want {
			t.Errorf("the tree of %d takes %d rows, want %d", n, got, want)
		}
	}
	d.Bytes = 3e9
	if err := p.HasRoom(1e8, dim, population.Float64, false); err == nil || !strings.Contains(err.Error(), "6.4 GB are needed and 3.0 GB free") {
		t.Error(err)
	}
	d.Fail = func(string, int) int { return 3 }
	var unfit *UnfitError
	if err := p.HasRoom(1, dim, population.Float64, false); !errors.As(err, &unfit) {
		t.Errorf("a driver that does not say: %v", err)
	}
}

// Rows are known again by where they lie.
func TestIdentity(t *testing.T) {
	block := draw(t, 5, 3)
	short := shorten(t, block)
	if identity(block) == nil || identity(block) != identity(kedge.Block{Data: block.Data[:15], Width: 3}) || identity(block) == identity(draw(t, 5, 3)) {
		t.Error("a block is not known by its numbers")
	}
	for _, other := range []kedge.Block{{Data: block.Data[:6], Width: 3}, {Data: block.Data, Width: 5}, {Data: block.Data[3:], Width: 3}} {
		if identity(block) == identity(other) {
			t.Errorf("%d numbers in rows of %d are taken for 15 in rows of 3", len(other.Data), other.Width)
		}
	}
	if one := (kedge.Block{Data: []float64{1}, Width: 1}); identity(one) == nil || identity(one) != identity(one) {
		t.Error("a single number is not known again")
	}
	if identity(short) != any(short) || identity(kedge.Block{Width: 3}) != nil || identity(valued{block}) != nil {
		t.Error("rows are known that cannot be, or are not")
	}
}

// valued are rows that are no pointer.
type valued struct{ kedge.Rows }

// Rows that lie there in tiles come back, wherever one begins to look, of more tiles than come at a time.
func TestRowsComeBack(t *testing.T) {
	p := bare(t, emulated.New())
	const n, m = 70*ptx.Tile + 5, 2
	f := dynamics.Polarized{Dim: m, Lambda: 0.4, Sigma: 0.5}
	traits := draw(t, n, m)
	for _, storage := range []population.Storage{population.Float64, population.Float32} {
		want := slices.Clone(traits.Data)
		states := kedge.Block{Data: slices.Clone(want), Width: m} // which is not the block of the traits
		if storage == population.Float32 {
			for i, v := range want {
				want[i] = float64(float32(v))
			}
		}
		crowd, err := p.Gather(population.Config{Dynamics: f, Traits: traits, States: states, Storage: storage}, 3)
		if err != nil {
			t.Fatal(err)
		}
		look := crowd.Look()
		if size, width := look.Size(); size != n || width != m {
			t.Errorf("%d rows of %d", size, width)
		}
		for _, x := range [][2]int{{0, 1}, {127, 129}, {8191, 8193}, {n - 1, n}, {60, 60}, {0, n}, {64 * ptx.Tile, n}, {5, 300}} {
			if got := look.View(make([]float64, m*(x[1]-x[0])), x[0], x[1]); !slices.Equal(got, want[m*x[0]:m*x[1]]) {
				t.Errorf("storage %v, rows %v are others", storage, x)
			}
		}
		crowd.Leave()
		if !slices.Equal(states.Data, traits.Data) {
			t.Error("who looks at first states changes them")
		}
	}
}

// First states that lie where the traits do, and are narrower, are not taken for them.
func TestStatesAmongTraits(t *testing.T) {
	p := bare(t, emulated.New())
	f, err := formula.Compile(formula.Source{Decision: "q[2]", State: "p[2]", Trait: "d[4]", Next: "0.5*p + 0.1*d[0:2] + 0.1*q"})
	if err != nil {
		t.Fatal(err)
	}
	const n = ptx.Tile + 9
	traits := draw(t, n, 4)
	c := population.Config{Dynamics: f.Dynamics(), Traits: traits, States: kedge.Block{Data: traits.Data[:2*n], Width: 2}}
	here, there := both(t, p, c)
	for k := range 2 {
		if err := sameRows(fmt.Sprint("step ", k), there.Look(), here.Look()); err != nil {
			t.Error(err)
		}
		if err := errors.Join(here.Respond(t.Context(), decision(2, k)), there.Respond(t.Context(), decision(2, k))); err != nil {
			t.Fatal(err)
		}
	}
}

// Who is asked too late does nothing; and decisions are kept until there are too many, when everybody comes home.
func TestDecisionsAreKept(t *testing.T) {
	p := bare(t, emulated.New())
	c, _ := smallCrowd(t)
	crowd, err := p.Gather(c, 1)
	if err != nil {
		t.Fatal(err)
	}
	before := crowd.Look().View(make([]float64, 30), 0, 10)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := crowd.Respond(ctx, decision(3, 1)); !errors.Is(err, context.Canceled) || err.Error() != "respond: context canceled" {
		t.Error(err)
	}
	if now := crowd.Look().View(make([]float64, 30), 0, 10); !slices.Equal(now, before) || len(crowd.passed) > 0 {
		t.Error("somebody has moved")
	}
	const most = 1 << 20 // numbers, which are 8 MiB
	crowd.passed = make([]float64, most-3)
	for k, home := range []bool{false, true, true} {
		if err := crowd.Respond(t.Context(), decision(3, k)); err != nil {
			t.Fatal(err)
		}
		if want := []int{most, 0, 3}[k]; (crowd.home != nil) != home || len(crowd.passed) != want || crowd.retired {
			t.Errorf("step %d: home %t, %d numbers passed, want %d", k, crowd.home != nil, len(crowd.passed), want)
		}
	}
	if n, err := crowd.Sample(nil, nil); n != 0 || err != nil || crowd.Sampled([]uint64{7})[0] != 7 || len(crowd.Sampled(nil)) != 0 {
		t.Errorf("a sample of nobody: %d, %v", n, err)
	}
	if _, err := crowd.Sample(make([]float64, 9), make([]float64, 9)); err != nil || len(crowd.Sampled(nil)) != 0 {
		t.Errorf("who is not to be told is: %v, %v", crowd.Sampled(nil), err)
	}
}

// Kernels are compiled once for dynamics and how people are kept, and not at all where a step is too long.
func TestKernelsAreCompiledOnce(t *testing.T) {
	p := bare(t, emulated.New())
	f := dynamics.Polarized{Dim: 3, Lambda: 0.4, Sigma: 0.5}
	long, short := &traits{tiles: &tiles{format: ptx.Float64}}, &traits{tiles: &tiles{format: ptx.Float32}, unit: true}
	seen := map[*kernels]string{}
	for i, x := range []struct {
		f      Emitting
		states ptx.Precision
		t      *traits
	}{{f, ptx.Float64, long}, {f, ptx.Float32, long}, {f, ptx.Float64, short}, {dynamics.Polarized{Dim: 3, Lambda: 0.4, Sigma: 0.4}, ptx.Float64, long}} {
		for range 2 {
			k, err := p.kernels(x.f, x.states, x.t)
			if err != nil || k.shares != 8 || k.next == nil || k.value == nil || k.both == nil {
				t.Fatalf("%d: %+v, %v", i, k, err)
			}
			if was := seen[k]; was != "" && was != fmt.Sprint(i) {
				t.Errorf("%d has the kernels of %s", i, was)
			}
			seen[k] = fmt.Sprint(i)
		}
	}
	if len(seen) != 4 || len(p.codes) != 4 {
		t.Errorf("%d kernels of 4, %d are kept", len(seen), len(p.codes))
	}
	var unfit *UnfitError
	if k, err := p.kernels(dynamics.Polarized{Dim: 9000, Lambda: 0.4, Sigma: 0.5}, ptx.Float64, long); k != nil || !errors.As(err, &unfit) || !strings.Contains(unfit.Why, "operations, at most 20000 are compiled") || len(p.codes) != 4 {
		t.Errorf("a long step: %v", err)
	}
}

// A GPU on which something all crowds need cannot be loaded is refused, whatever it is, and given back.
func TestGPUsThatCannotBeFurnished(t *testing.T) {
	for refused := range 3 {
		d := emulated.New()
		loaded := 0
		d.Fail = func(name string, _ int) int {
			if name == "cuModuleLoadDataEx" {
				if loaded++; loaded == refused+1 {
					return 2
				}
			}
			return 0
		}
		if _, err := furnished(d, 0); err == nil || !strings.HasPrefix(err.Error(), "emulated GPU cannot be used: ") || loaded != refused+1 || d.Taken() != 0 {
			t.Errorf("program %d: %v after %d", refused, err, loaded)
		}
	}
	if _, err := OpenBy(emulated.New(), 5); err == nil {
		t.Error("a GPU that is not there is opened")
	}
}

// Rows in single precision go as they are kept where a kernel can mend them, and else in double precision; what is not finite goes nowhere.
func TestHowTraitsAreSent(t *testing.T) {
	d := emulated.New()
	p := bare(t, d)
	w, err := p.dev.Lock(windowBytes)
	if err != nil {
		t.Fatal(err)
	}
	block := draw(t, 200, 3)
	shortened := func(mend func([]float64)) kedge.Rows {
		s, err := population.Shorten(block, mend)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	wrong := kedge.Block{Data: []float64{1, math.Inf(1), 0}, Width: 3}
	for what, x := range map[string]struct {
		of     kedge.Rows
		format ptx.Precision
		unit   bool
	}{
		"as they are":       {block, ptx.Float64, false},
		"shortened":         {shortened(nil), ptx.Float32, false},
		"of length 1":       {shortened(mend), ptx.Float32, true},
		"mended in another": {shortened(func(x []float64) { rows.Scale(x, 0.5) }), ptx.Float64, false},
	} {
		made, err := p.bring(x.of, w, 2)
		if err != nil || made.format != x.format || made.unit != x.unit || made.rows != 200 || made.width != 3 || made.count() != 2 || made.Bytes != 2*ptx.Tile*3*x.format.Bytes() {
			t.Errorf("%s: %+v, %v", what, made, err)
		}
		if again, err := p.bring(x.of, w, 2); again != made || err != nil || p.find(x.of) != made {
			t.Errorf("%s: brought twice, %v", what, err)
		}
		taken := d.Taken()
		if p.Forget(x.of); p.find(x.of) != nil || d.Taken() != taken-made.Bytes {
			t.Errorf("%s: not forgotten", what)
		}
	}
	if _, err := p.bring(wrong, w, 1); err != error(strangeError{}) || d.Taken() != 0 {
		t.Errorf("what is not finite: %v, %d bytes are taken", err, d.Taken())
	}
}

// Whatever call of the driver fails while people move, are judged or are looked at, whoever asked for that is told.
func TestEveryCallThatFailsIsTold(t *testing.T) {
	evidence.OneGoroutine(t)
	d := emulated.New()
	p := bare(t, d)
	c, m := smallCrowd(t)
	crowd, err := p.Gather(c, 1)
	if err != nil {
		t.Fatal(err)
	}
	jury, err := p.Jury(m, 1)
	if err != nil {
		t.Fatal(err)
	}
	e, u, x := crowd.Engine(m).(*engine), decision(3, 1), make([]float64, 15)
	other := kedge.Block{Data: slices.Clone(c.Traits.(kedge.Block).Data), Width: 3}
	for what, do := range map[string]func() error{
		"a step":             func() error { crowd.ahead = nil; return second(crowd.step(u)) },
		"a sample":           func() error { return crowd.fetch(x, []int{3, 1, 4, 1, 5}) },
		"everybody anew":     func() error { return crowd.enter(other) },
		"at the own trait":   func() error { return crowd.enter(c.Traits) },
		"a look":             func() error { return crowd.Look().(*remoteRows).look(1) },
		"a value":            func() error { return e.run(u, 2) },
		"a verdict":          func() error { return jury.run(byValue, u, 1) },
		"a partial gradient": func() error { return jury.run(byPartial, u, 4) },
		"a gradient":         func() error { return jury.run(byGradient, u, 4) },
		"laps":               func() error { return second(crowd.Laps(u, 1)) },
		"traits": func() error {
			return second(p.bring(kedge.Block{Data: slices.Clone(other.Data), Width: 3}, crowd.window, 1))
		},
		"traits that are short": func() error {
			short, err := population.Shorten(kedge.Block{Data: slices.Clone(other.Data), Width: 3}, nil)
			return errors.Join(err, second(p.bring(short, crowd.window, 1)))
		},
	} {
		if err := do(); err != nil { // which compiles what it needs
			t.Fatalf("%s: %v", what, err)
		}
		before := d.Calls()
		if err := do(); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		for k := range d.Calls() - before {
			if what == "laps" && k > 8 {
				break
			}
			at := d.Calls() + k
			d.Fail = func(_ string, before int) int { return map[int]int{at: 2}[before] }
			var said *device.DriverError
			if err := do(); !errors.As(err, &said) || said.Code != 2 {
				t.Errorf("%s: call %d fails, and it says %v", what, k, err)
			}
			d.Fail = nil
		}
	}
}

func second[T any](_ T, err error) error { return err }

// A GPU that is not lost has nothing to say, and one that is lost says so once.
func TestLossesAreToldOnce(t *testing.T) {
	d := emulated.New()
	p := bare(t, d)
	var said []string
	p.Say = func(line string) { said = append(said, line) }
	for range 2 {
		if p.IsLost() || len(said) > 0 {
			t.Fatalf("one that is there is lost, and says %q", said)
		}
	}
	d.Fail = func(string, int) int { return 719 }
	if err := p.dev.Wait(); err == nil {
		t.Fatal("nothing fails")
	}
	for range 2 {
		if !p.IsLost() || len(said) != 1 || !strings.Contains(said[0], "all that follows is on the CPU with the same bytes, because the GPU's driver says") {
			t.Errorf("one that is lost says %q", said)
		}
	}
}

// The sum of everybody's losses is −Σhᵀu, whether the last tile is whole, lacks somebody or has one person alone.
func TestSumsOfTheLastTile(t *testing.T) {
	p := bare(t, emulated.New())
	f, u := dynamics.Polarized{Dim: 3, Lambda: 0.4, Sigma: 0.5}, decision(3, 1)
	for _, n := range []int{ptx.Tile, ptx.Tile + 1, ptx.Tile + 2, 2*ptx.Tile - 1} {
		traits := draw(t, n, 3)
		crowd, err := p.Gather(population.Config{Dynamics: f, Traits: traits, Pick: population.WithReplacement{Source: stream.New(2, "samples")}}, 1)
		if err != nil {
			t.Fatal(err)
		}
		e, want := crowd.Engine(polarizedModel(f, traits)), 0.0
		for i := range n {
			h := make([]float64, 3)
			if _, err := f.Settle(h, u, kedge.Row(traits.Data, i, 3)); err != nil {
				t.Fatal(err)
			}
			want -= rows.Dot(h, u)
		}
		if got, _, ok := e.Sum(u); !ok || !(math.Abs(got-want) <= 1e-9*float64(n)) {
			t.Errorf("%d people: %v, want %v (%t)", n, got, want, ok)
		}
		crowd.Leave()
	}
}

// Who has left judges nobody, and neither does a jury that is gone.
func TestWhoHasLeftJudgesNobody(t *testing.T) {
	p := bare(t, emulated.New())
	c, m := smallCrowd(t)
	crowd, err := p.Gather(c, 1)
	if err != nil {
		t.Fatal(err)
	}
	jury, err := p.Jury(m, 1)
	if err != nil {
		t.Fatal(err)
	}
	e, u := crowd.Engine(m), decision(3, 1)
	rest := func([]float64, int) bool { return true }
	for _, has := range []bool{true, false} {
		for who, one := range map[string]steady.Engine{"a crowd": e, "a jury": jury} {
			if _, _, ok := one.Sum(u); ok != has {
				t.Errorf("%s: a sum %t, want %t", who, ok, has)
			}
			if _, ok := one.(steady.GradientEngine).SumGradients(make([]float64, 4), u, true, rest); ok != has {
				t.Errorf("%s: gradients %t, want %t", who, ok, has)
			}
		}
		crowd.Leave()
		jury.Leave()
	}
}

// Wide rows come as many tiles at a time as the window has room for behind its head: seven of 4 MiB of 32.
func TestWideRowsComeInParts(t *testing.T) {
	p := bare(t, emulated.New())
	w, err := p.dev.Lock(windowBytes)
	if err != nil {
		t.Fatal(err)
	}
	wide, err := newTiles(p.dev, ptx.Float64, 9*ptx.Tile, 4096)
	if err != nil {
		t.Fatal(err)
	}
	var shown *remoteRows
	r := &remoteRows{of: wide, dev: p.dev, window: w, shown: &shown, instead: func(err error, _ []float64, _, _ int) []float64 { t.Fatal(err); return nil }}
	for first, have := range map[int]int{0: 7, 3: 6, 8: 1} {
		shown = nil
		if r.View(make([]float64, 4096), first*ptx.Tile+5, first*ptx.Tile+6); r.begin != first || r.have != have {
			t.Errorf("from tile %d on %d are there, want %d", r.begin, r.have, have)
		}
	}
}

// Rows that nobody knows again are sent, and not taken for others that nobody knows.
func TestRowsThatNobodyKnowsAgain(t *testing.T) {
	p := bare(t, emulated.New())
	c, _ := smallCrowd(t)
	states := kedge.Block{Data: slices.Clone(c.Traits.(kedge.Block).Data), Width: 3}
	slices.Reverse(states.Data)
	c.Traits, c.States = valued{c.Traits}, valued{states}
	crowd, err := p.Gather(c, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := sameRows("states", crowd.Look(), states); err != nil || len(p.kept) > 0 {
		t.Errorf("%v; %d are kept", err, len(p.kept))
	}
}

// What is saved of a crowd whose GPU is lost meanwhile is what the CPU would save.
func TestSavedWhenTheGPUIsLost(t *testing.T) {
	for what, save := range map[string]func(people kedge.Population) ([]byte, error){
		"append": func(people kedge.Population) ([]byte, error) { return people.(wire.State).AppendBinary(nil) },
		"save": func(people kedge.Population) ([]byte, error) {
			var b bytes.Buffer
			err := people.(interface{ Save(io.Writer) error }).Save(&b)
			return b.Bytes(), err
		},
	} {
		d := emulated.New()
		p := bare(t, d)
		c, _ := smallCrowd(t)
		here, there := both(t, p, c)
		for k := range 2 {
			if err := errors.Join(here.Respond(t.Context(), decision(3, k)), there.Respond(t.Context(), decision(3, k))); err != nil {
				t.Fatal(err)
			}
		}
		d.Fail = func(string, int) int { return 719 }
		want, err := save(here)
		got, fail := save(there)
		if err != nil || fail != nil || !bytes.Equal(got, want) || !there.retired {
			t.Errorf("%s: %v, %v, retired %t, or other bytes", what, err, fail, there.retired)
		}
	}
}

// A jury takes what was counted before it came; with a byte less it does not come. By hand: of three tiles, rows of four numbers for the tree, which
// takes 3 + 0 + 16, and for everybody.
func TestRoomOfJuries(t *testing.T) {
	_, m := smallCrowd(t)
	need := 8 * 4 * (19 + 3*ptx.Tile)
	for room, fits := range map[int]bool{need: true, need - 1: false} {
		d := emulated.New()
		p := bare(t, d)
		d.Bytes = room
		jury, err := p.Jury(m, 1)
		var unfit *UnfitError
		if fits && err != nil || !fits && (!errors.As(err, &unfit) || unfit.Why != "there is no room for everybody's trait") {
			t.Errorf("%d bytes of %d: %v", room, need, err)
		}
		if fits && err == nil {
			jury.Leave()
			if again, err := p.Jury(m, 1); err != nil { // whose traits are there, so that it needs less
				t.Error(err)
			} else {
				again.Leave()
			}
		}
	}
}

// sharing are dynamics whose people share so many numbers.
type sharing struct {
	dynamics.Polarized
	many int
}

func (f sharing) Shares() int { return f.many }

func (f sharing) Share(dst, u []float64) { f.Polarized.Share(dst[:f.Polarized.Shares()], u) }

// What all share has room in the window's head, and no more: 8,184 numbers of 64 KiB less 64 bytes.
func TestSharedNumbersHaveRoom(t *testing.T) {
	c, _ := smallCrowd(t)
	f := c.Dynamics.(dynamics.Polarized)
	for many, fits := range map[int]bool{8184: true, 8185: false} {
		p := bare(t, emulated.New())
		c.Dynamics = sharing{f, many}
		crowd, err := p.Gather(c, 1)
		var unfit *UnfitError
		if fits && err != nil || !fits && (!errors.As(err, &unfit) || unfit.Why != "a decision makes too many numbers that all share") {
			t.Errorf("%d numbers: %v", many, err)
		}
		if fits && err == nil {
			if err := crowd.Respond(t.Context(), decision(3, 1)); err != nil || crowd.retired {
				t.Errorf("%d numbers: %v", many, err)
			}
		}
	}
}

// Thousands of people of one number are sampled as the CPU samples them.
func TestSamplesOfOneNumber(t *testing.T) {
	f, err := formula.Compile(formula.Source{Decision: "q", State: "p", Trait: "d", Next: "0.5*p + 0.3*d + 0.2*q"})
	if err != nil {
		t.Fatal(err)
	}
	c := population.Config{Dynamics: f.Dynamics(), Traits: kedge.Block{Data: draw(t, 4500, 2).Data, Width: 1}}
	here, there := both(t, bare(t, emulated.New()), c)
	var got [2][]float64
	for i, people := range []kedge.Population{here, there} {
		if err := people.Respond(t.Context(), decision(1, 2)); err != nil {
			t.Fatal(err)
		}
		got[i] = make([]float64, 2*9000)
		if n, err := people.Sample(got[i][:9000], got[i][9000:]); n != 9000 || err != nil {
			t.Fatalf("%d people, %v", n, err)
		}
	}
	if !slices.Equal(got[0], got[1]) || there.retired {
		t.Error("other people are sampled")
	}
}
