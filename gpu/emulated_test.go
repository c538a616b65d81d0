package gpu

import (
	"bytes"
	"encoding/json"
	"errors"
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
	"github.com/kedge-opt/kedge/objective"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/ptx"
	"github.com/kedge-opt/kedge/steady"
	"github.com/kedge-opt/kedge/stream"
)

// bare opens a GPU made of Go without letting it show what it computes.
func bare(t *testing.T, d *emulated.GPUs) *Board {
	t.Helper()
	p, err := furnished(d, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// Sums of rows have the order of rows.AddTree, whatever their number, and take the room that was counted for them.
func TestSumsHaveTheOrderOfTheTree(t *testing.T) {
	d := emulated.New()
	p := bare(t, d)
	for _, n := range []int{1, 2, 3, 511, 512, 513, 1023, 1024, 1025, 2048, 5000} {
		for _, width := range []int{1, 3} {
			want := make([]float64, n*width)
			stream.New(uint64(n), "parts").Normals(want)
			w, err := p.dev.Lock(8 * (n + 1) * width)
			if err != nil {
				t.Fatal(err)
			}
			parts, err := p.dev.Alloc(8 * width * treeRoom(n))
			if err != nil {
				t.Fatal(err)
			}
			copy(w.Doubles(8*width, n*width), want)
			if err := errors.Join(p.dev.Send(parts, 0, w, 8*width, 8*n*width), p.addUp(parts, n, width, w.At(0)), p.dev.Wait()); err != nil {
				t.Fatal(err)
			}
			rows.AddTree(want, width)
			if got := w.Doubles(0, width); !slices.Equal(got, want[:width]) {
				t.Errorf("%d rows of %d: %v, want %v", n, width, got, want[:width])
			}
			p.dev.Free(parts)
			p.dev.Unlock(w)
		}
	}
	if n := d.Taken(); n != 0 {
		t.Errorf("%d bytes were not given back", n)
	}
}

// A GPU that gets an instruction wrong is refused before it is used, whichever it is of those that results depend on: a quotient in single
// precision is a guess that is bettered.
func TestWrongGPUsAreRefused(t *testing.T) {
	calm(t)
	for i, name := range []string{
		"add.rn.f64", "sub.rn.f64", "mul.rn.f64", "div.rn.f64", "fma.rn.f64", "sqrt.rn.f64", "add.rn.f32", "sub.rn.f32", "mul.rn.f32",
		"cvt.f64.f32", "cvt.rn.f32.f64", "abs.f64", "neg.f64", "selp.f64", "setp.lt.f64", "setp.le.f64", "mul.wide.u32", "mad.lo.u64", "rem.u64", "testp.finite.f64",
	} {
		if testing.Short() && i%5 > 0 {
			continue
		}
		d := emulated.New()
		d.Bent = name
		p, err := OpenBy(d, 0)
		if err == nil {
			p.Close()
			t.Errorf("a GPU that gets %s wrong is opened", name)
		} else if !strings.Contains(err.Error(), "emulated GPU cannot be used") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A GPU that is lost while it shows what it computes is refused by what its driver said.
func TestAGPUThatIsLostAtFirst(t *testing.T) {
	calm(t)
	d := emulated.New()
	d.Fail = func(_ string, before int) int {
		if before < 150 {
			return 0
		}
		return 719
	}
	if _, err := OpenBy(d, 0); err == nil || !strings.Contains(err.Error(), "emulated GPU cannot be used: the GPU's driver says launch failure (719)") {
		t.Errorf("it says %v", err)
	}
}

// crossing is what a small crowd goes through: values, gradients, steps, samples, and what is saved of it. It returns all numbers as bits.
func crossing(t *testing.T, people kedge.Population, gradient func(u []float64) []float64) (bits []uint64) {
	t.Helper()
	add := func(x ...float64) {
		for _, v := range x {
			bits = append(bits, math.Float64bits(v))
		}
	}
	for k := range 3 {
		u := decision(3, k)
		add(gradient(u)...)
		if err := people.Respond(t.Context(), u); err != nil {
			t.Fatal(err)
		}
		x := make([]float64, 2*5*3)
		if _, err := people.Sample(x[:15], x[15:]); err != nil {
			t.Fatal(err)
		}
		add(x...)
	}
	saved, err := people.(interface{ AppendBinary([]byte) ([]byte, error) }).AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	var written bytes.Buffer
	if err := people.(interface{ Save(io.Writer) error }).Save(&written); err != nil || !bytes.Equal(written.Bytes(), saved) {
		t.Fatalf("what is saved is not what is written: %v", err)
	}
	for _, b := range saved {
		bits = append(bits, uint64(b))
	}
	if err := people.(interface{ UnmarshalBinary([]byte) error }).UnmarshalBinary(saved); err != nil {
		t.Fatal(err)
	}
	if err := people.Respond(t.Context(), decision(3, 7)); err != nil {
		t.Fatal(err)
	}
	looked := people.(interface{ Look() kedge.Rows }).Look()
	n, _ := looked.Size()
	add(looked.View(make([]float64, 3*n), 0, n)...)
	return bits
}

// gradientOf returns what gives value, gradient and partial gradient of a model, summed by an engine where it can.
func gradientOf(t *testing.T, m kedge.Model, e steady.Engine) func(u []float64) []float64 {
	t.Helper()
	f, err := steady.New(m)
	if err != nil {
		t.Fatal(err)
	}
	f.Engine = e
	return func(u []float64) []float64 {
		g, partial := make([]float64, len(u)), make([]float64, len(u))
		value, err := f.Value(u)
		_, second := f.Gradient(g, u)
		_, third := f.Partial(partial, u)
		if err := errors.Join(err, second, third); err != nil {
			t.Fatal(err)
		}
		return append(append(g, partial...), value)
	}
}

// oddCrowd is a small one with somebody who is so far out at first that the CPU takes the first step.
func oddCrowd(t *testing.T) (population.Config, kedge.Model) {
	t.Helper()
	c, m := smallCrowd(t)
	states := slices.Clone(c.Traits.(kedge.Block).Data)
	rows.Scale(states[300:303], 1e160)
	c.States = kedge.Block{Data: states, Width: 3}
	return c, m
}

// smallCrowd is one of two tiles and a rest, with its model.
func smallCrowd(t *testing.T) (population.Config, kedge.Model) {
	t.Helper()
	f, traits := dynamics.Polarized{Dim: 3, Lambda: 0.4, Sigma: 0.5}, draw(t, 2*ptx.Tile+9, 3)
	return population.Config{Dynamics: f, Traits: traits, Pick: population.WithReplacement{Source: stream.New(2, "samples")}}, polarizedModel(f, traits)
}

// crossed takes a crowd of the GPU through a crossing and lets it leave; the error is why it did not come. It tells how many calls there had been before it left.
func crossed(t *testing.T, d *emulated.GPUs, p *Board) (bits []uint64, calls int, err error) {
	t.Helper()
	c, m := oddCrowd(t)
	crowd, err := p.Gather(c, 1)
	if err == nil {
		bits = crossing(t, crowd, gradientOf(t, m, crowd.Engine(m)))
	}
	if calls = d.Calls(); err == nil {
		crowd.Leave()
	}
	p.Forget(c.Traits)
	return bits, calls, err
}

// Whatever call of the driver fails, once or for good, a crowd that came to the GPU goes on with the bits of the CPU, and one that did not says that it
// was the driver; nothing is kept there.
func TestWhateverTheDriverSays(t *testing.T) {
	evidence.OneGoroutine(t)
	c, m := oddCrowd(t)
	here, err := population.Gather(c)
	if err != nil {
		t.Fatal(err)
	}
	want := crossing(t, here, gradientOf(t, m, nil))
	d := emulated.New()
	p := bare(t, d)
	begun := d.Calls()
	got, calls, err := crossed(t, d, p)
	if err != nil || !slices.Equal(got, want) {
		t.Fatalf("without a failure: %v, or other bits", err)
	}
	calls, refused, tried, every := calls-begun, 0, 0, 1
	if testing.Short() {
		every = 20 // all others run where this is not asked for
	}
	for _, code := range []int{2, 719} {
		for k := 0; k < calls; k += every {
			tried++
			p := bare(t, d)
			at, taken := d.Calls()+k, d.Taken()
			d.Fail = func(_ string, before int) int { return map[int]int{at: code}[before] }
			got, _, err := crossed(t, d, p)
			d.Fail = nil
			var said *device.DriverError
			var unfit *UnfitError
			switch {
			case err == nil && !slices.Equal(got, want):
				t.Fatalf("call %d fails with %d: other bits", k, code)
			case err != nil && !errors.As(err, &said) && !errors.As(err, &unfit):
				t.Fatalf("call %d fails with %d: %v", k, code, err)
			case err != nil:
				refused++
			}
			if left := d.Taken() - taken; left > 0 && p.Lost() == nil {
				t.Fatalf("call %d fails with %d: %d bytes are kept", k, code, left)
			}
			p.Close()
		}
	}
	if refused == 0 || refused > tried/2 {
		t.Errorf("of %d calls that fail, %d crowds did not come", tried, refused)
	}
	t.Logf("%d times a call failed, for now or for good: %d crowds did not come, all others had the CPU's bits", tried, refused)
}

// A crowd takes what was counted before it came, shares its traits with others, and leaves nothing but those.
func TestWhatCrowdsTake(t *testing.T) {
	d := emulated.New()
	p := bare(t, d)
	c, _ := smallCrowd(t)
	dim, n := c.Dynamics.Dims(), 2*ptx.Tile+9
	need, shares := crowdBytes(n, dim, ptx.Float64, ptx.Float64), 8*dynamics.Polarized{Dim: 3}.Shares()
	one, err := p.Gather(c, 1)
	if err != nil {
		t.Fatal(err)
	}
	if got := d.Taken(); got != need+shares {
		t.Errorf("a crowd takes %d bytes, %d were counted", got, need+shares)
	}
	other, err := p.Gather(c, 1)
	if err != nil {
		t.Fatal(err)
	}
	traits := 3 * ptx.Tile * 3 * 8
	if got := d.Taken(); got != 2*(need+shares)-traits {
		t.Errorf("two crowds take %d bytes, want %d", got, 2*(need+shares)-traits)
	}
	one.Leave()
	other.Leave()
	if got := d.Taken(); got != traits {
		t.Errorf("%d bytes are left, want %d of traits", got, traits)
	}
	p.Forget(c.Traits)
	if got := d.Taken(); got != 0 {
		t.Errorf("%d bytes are left", got)
	}
	for room, fits := range map[int]bool{need: true, need - 1: false} {
		d.Bytes = room
		if err := p.HasRoom(n, dim, population.Float64, false); (err == nil) != fits {
			t.Errorf("%d bytes for %d: %v", room, need, err)
		}
		if err := p.Fits(c); (err == nil) != fits {
			t.Errorf("%d bytes for %d: %v", room, need, err)
		}
	}
}

// Crowds that a GPU does not move are named.
func TestCrowdsThatDoNotFit(t *testing.T) {
	p := bare(t, emulated.New())
	sound, _ := smallCrowd(t)
	sine, err := formula.Compile(formula.Source{Decision: "q[3]", State: "p[3]", Trait: "d[3]", Next: "0.5*p + sin(q + d)"})
	if err != nil {
		t.Fatal(err)
	}
	strange := kedge.Block{Data: []float64{1, 0, math.NaN()}, Width: 3}
	for want, change := range map[string]func(*population.Config){
		"noise":                         func(c *population.Config) { c.Noise = new(population.Noise) },
		"see the mean":                  func(c *population.Config) { c.Social = true },
		"sines":                         func(c *population.Config) { c.Dynamics = sine.Dynamics() },
		"people without traits":         func(c *population.Config) { c.Traits = nil },
		"not finite":                    func(c *population.Config) { c.Traits = strange },
		"not as many first states":      func(c *population.Config) { c.States = kedge.Block{Data: make([]float64, 3), Width: 3} },
		"these dynamics have no kernel": func(c *population.Config) { c.Dynamics = unlisted{c.Dynamics} },
	} {
		c := sound
		change(&c)
		var unfit *UnfitError
		if _, err := p.Gather(c, 1); !errors.As(err, &unfit) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want one of %s", err, want)
		}
	}
	tight := emulated.New()
	p = bare(t, tight)
	tight.Bytes = 1e6
	for want, storage := range map[string]population.Storage{
		"0.0 GB are needed and 0.0 GB free; population.storage: float32 takes half": population.Float64,
		"take fewer people": population.Float32,
	} {
		if err := p.HasRoom(1e5, kedge.Dims{Decision: 3, State: 3, Trait: 3}, storage, true); err == nil || !strings.Contains(strings.ReplaceAll(err.Error(), "0.0072", "0.0"), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// unlisted are dynamics whose operations nobody knows.
type unlisted struct{ kedge.Dynamics }

// What a survey says of GPUs: what they are, what they hold, and what is wrong with them.
func TestSurvey(t *testing.T) {
	calm(t)
	d := emulated.New()
	list, err := Survey(d)
	if err != nil || len(list) != 1 {
		t.Fatalf("%d GPUs, %v", len(list), err)
	}
	if s := list[0]; s.Largest != 1<<28/480 || !(s.Copied > 1e-6) || s.Name != d.Name { // a copy of 64 MiB takes less than a day
		t.Errorf("%+v", s)
	}
	s := Surveyed{Info: device.Info{Number: 1, Name: "one", Bytes: 2e9, Free: 1e9, Driver: "CUDA 12.4", Capability: "9.0"}, Copied: 1234.4, Largest: 2e6}
	want := "gpu:1 one, compute capability 9.0, driver for CUDA 12.4\n  memory 2.0 GB, 1.0 GB free; copies 1234 GB/s\n  holds 2 million people of 20 numbers, or 4 million in single precision\n  computes what the CPU computes, bit for bit"
	if got := strings.Join(s.Lines(), "\n"); got != want {
		t.Errorf("it says\n%s", got)
	}
	d.Major, d.Count = 6, 2
	if list, err = Survey(d); err != nil || len(list) != 2 || !strings.Contains(list[1].Trouble, "kernels need 7.0") || list[1].Lines()[0] != "gpu:1 emulated GPU: "+list[1].Trouble {
		t.Errorf("an old GPU: %+v, %v", list, err)
	}
	d.Count = 0
	var absent *device.AbsentError
	if _, err = Survey(d); !errors.As(err, &absent) {
		t.Errorf("no GPU: %v", err)
	}
	d.Fail = func(name string, _ int) int { return map[string]int{"cuDeviceGetCount": 3}[name] }
	if _, err = Survey(d); err == nil || !strings.Contains(err.Error(), "cuDeviceGetCount") {
		t.Errorf("a driver that fails: %v", err)
	}
}

// A GPU that has no room for what a survey copies is in trouble, and says so, in JSON as well: what was not measured is 0.
func TestSurveyWithoutRoom(t *testing.T) {
	calm(t)
	d := emulated.New()
	d.Bytes = 1 << 24 // little is copied quickly
	calls := map[string][]int{}
	d.Fail = func(name string, before int) int { calls[name] = append(calls[name], before); return 0 }
	if _, err := Survey(d); err != nil {
		t.Fatal(err)
	}
	for name, many := range map[string]int{"cuMemAlloc_v2": 2, "cuMemcpyDtoDAsync_v2": 1} { // the last ones are the survey's
		for _, k := range calls[name][len(calls[name])-many:] {
			d := emulated.New()
			d.Bytes = 1 << 24
			d.Fail = func(_ string, before int) int { return map[int]int{k: 2}[before] }
			list, err := Survey(d)
			if err != nil || len(list) != 1 || !strings.Contains(list[0].Trouble, "out of memory (2) to "+name) || d.Taken() != 0 {
				t.Errorf("call %d, %s, fails: %+v, %v; %d bytes are taken", k, name, list, err, d.Taken())
			}
			if text, err := json.Marshal(list); err != nil || !bytes.Contains(text, []byte(`"copied":0,`)) || !bytes.Contains(text, []byte(`"trouble":"`)) {
				t.Errorf("call %d, %s, fails: %s, %v", k, name, text, err)
			}
		}
	}
}

// States that are not those of the crowd are refused, and nobody has moved; workers are passed on to the crowd at home.
func TestStatesOfOthersAreRefused(t *testing.T) {
	p := bare(t, emulated.New())
	c, _ := oddCrowd(t)
	crowd, err := p.Gather(c, 1)
	if err != nil {
		t.Fatal(err)
	}
	if crowd.Employ(0); crowd.workers != 1 || crowd.Size() != 2*ptx.Tile+9 || crowd.Dims().State != 3 || identity(crowd.TraitRows()) != identity(c.Traits) {
		t.Errorf("%d workers, %d people of %v", crowd.workers, crowd.Size(), crowd.Dims())
	}
	if err := crowd.Respond(t.Context(), decision(3, 1)); err != nil {
		t.Fatal(err)
	}
	if crowd.Employ(3); crowd.workers != 3 || crowd.home == nil || crowd.home.Workers != 3 {
		t.Errorf("%d workers there", crowd.workers)
	}
	before := crowd.Look().View(make([]float64, 3*265), 0, 265)
	for _, one := range [][]byte{nil, {1, 2, 3}, make([]byte, 8*3*265)} {
		if err := crowd.UnmarshalBinary(one); err == nil {
			t.Errorf("%d bytes are taken for states", len(one))
		}
	}
	if now := crowd.Look().View(make([]float64, 3*265), 0, 265); !slices.Equal(now, before) {
		t.Error("somebody has moved")
	}
}

// Laps move nobody, and count the bytes of states and traits that a copy and a step go over.
func TestLaps(t *testing.T) {
	p := bare(t, emulated.New())
	c, m := smallCrowd(t)
	crowd, err := p.Gather(c, 1)
	if err != nil {
		t.Fatal(err)
	}
	engine := crowd.Engine(m)
	before, _, _ := engine.Sum(decision(3, 1))
	if err := crowd.Respond(t.Context(), decision(3, 1)); err != nil {
		t.Fatal(err)
	}
	states := crowd.Look().View(make([]float64, 27), 100, 109)
	l, err := crowd.Laps(decision(3, 2), 2)
	tiled := float64(3 * ptx.Tile * 3 * 8)
	if err != nil || l.Copied != 2*tiled || l.Moved != 3*tiled {
		t.Errorf("%+v, %v", l, err)
	}
	for _, one := range []LapTime{l.Copy, l.Step, l.Value, l.Both} {
		if !(one.Best > 0 && one.Best <= one.Median) {
			t.Errorf("%+v", l)
		}
	}
	if now := crowd.Look().View(make([]float64, 27), 100, 109); !slices.Equal(now, states) {
		t.Error("somebody has moved")
	}
	if again, _, ok := engine.Sum(decision(3, 1)); !ok || again != before {
		t.Errorf("the value is %v, was %v", again, before)
	}
	var said []string
	p.Say = func(line string) { said = append(said, line) }
	p.faults[atTurns].Store(1)
	if _, err := crowd.Laps(decision(3, 2), 1); err == nil {
		t.Error("a fault is not told")
	}
	if err := crowd.Respond(t.Context(), decision(3, 1)); err != nil || !crowd.retired || !p.IsLost() || len(said) != 1 {
		t.Errorf("after a fault: %v; said %q, want it once", err, said)
	}
	var unfit *UnfitError
	if _, err := crowd.Laps(decision(3, 2), 1); !errors.As(err, &unfit) {
		t.Errorf("of a crowd that has left: %v", err)
	}
}

// Others than are measured are deployed: the steps taken ahead do not count, and the crowd dares no more.
func TestStepsAheadThatDoNotCount(t *testing.T) {
	p := bare(t, emulated.New())
	c, m := smallCrowd(t)
	c.Tell = true
	here, there := both(t, p, c)
	engine := there.Engine(m)
	for k, measured := range []int{0, 1, 9, 3} {
		if _, _, ok := engine.Sum(decision(3, measured)); !ok {
			t.Fatal("no value")
		}
		if dares := k < 3; there.dares != dares || (len(there.ahead) > 0) != dares {
			t.Errorf("turn %d: dares %t", k, there.dares)
		}
		if err := errors.Join(here.Respond(t.Context(), decision(3, k)), there.Respond(t.Context(), decision(3, k))); err != nil {
			t.Fatal(err)
		}
	}
	if err := sameRows("the crowd", there.Look(), here.Look()); err != nil {
		t.Error(err)
	}
	for _, people := range []kedge.Population{here, there} {
		for _, u := range [][]float64{{1, 2}, {1, math.NaN(), 0}} {
			if err := people.Respond(t.Context(), u); err == nil {
				t.Errorf("%T takes %v", people, u)
			}
		}
		if _, err := people.Sample(make([]float64, 6), make([]float64, 3)); err == nil {
			t.Errorf("%T gives two states with one trait", people)
		}
	}
	if n := there.Sampled([]uint64{7}); len(n) != 1 || n[0] != 7 {
		t.Errorf("before a sample: %v", n)
	}
	if _, err := there.Sample(make([]float64, 6), make([]float64, 6)); err != nil || len(there.Sampled(nil)) != 2 {
		t.Errorf("of a sample of two %v are told (%v)", there.Sampled(nil), err)
	}
}

// Models whose values are not summed there have no engine.
func TestNoEngine(t *testing.T) {
	p := bare(t, emulated.New())
	c, m := smallCrowd(t)
	crowd, err := p.Gather(c, 1)
	if err != nil {
		t.Fatal(err)
	}
	if crowd.Engine(m) == nil {
		t.Fatal("no engine of its own model")
	}
	for name, change := range map[string]func(*kedge.Model){
		"another objective": func(m *kedge.Model) { m.Objective = new(objective.Quadratic) },
		"weights":           func(m *kedge.Model) { m.Weights = make([]float64, crowd.Size()) },
		"a mean field":      func(m *kedge.Model) { m.Social = true },
		"other people":      func(m *kedge.Model) { m.Traits = draw(t, 300, 3) },
		"other dynamics":    func(m *kedge.Model) { m.Dynamics = dynamics.Polarized{Dim: 3, Lambda: 0.4, Sigma: 0.4} },
	} {
		other := m
		change(&other)
		if crowd.Engine(other) != nil {
			t.Errorf("%s: an engine", name)
		}
	}
}
