package gpu

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/device/emulated"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/ptx"
	"github.com/kedge-opt/kedge/sensitivity"
	"github.com/kedge-opt/kedge/steady"
)

// judges are an engine of a crowd and a jury, of the same model.
func judges(t *testing.T, p *Board, m kedge.Model, storage population.Storage) (*RemoteCrowd, map[string]steady.GradientEngine) {
	t.Helper()
	crowd, err := p.Gather(population.Config{Dynamics: m.Dynamics, Traits: m.Traits, Storage: storage}, 1)
	if err != nil {
		t.Fatal(err)
	}
	jury, err := p.Jury(m, 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { crowd.Leave(); jury.Leave(); p.Forget(m.Traits) })
	return crowd, map[string]steady.GradientEngine{"an engine": crowd.Engine(m).(*engine), "a jury": jury}
}

// Values and gradients have the bits of the CPU's, whether everybody behind the last whole tile is nobody, some, or almost a tile, and however traits are kept.
func TestVerdictsHaveTheBitsOfTheCPU(t *testing.T) {
	p := bare(t, emulated.New())
	f := dynamics.Polarized{Dim: 3, Lambda: 0.4, Sigma: 0.5}
	for _, n := range []int{5, ptx.Tile, 2*ptx.Tile - 1, 2*ptx.Tile + 9} {
		drawn := draw(t, n, 3)
		for storage, traits := range map[population.Storage]kedge.Rows{population.Float64: drawn, population.Float32: shorten(t, drawn)} {
			m := polarizedModel(f, traits)
			_, all := judges(t, p, m, storage)
			for who, one := range all {
				value, err := steady.New(m)
				if err != nil {
					t.Fatal(err)
				}
				for k := range 2 {
					u := decision(3, k)
					want, err := value.Value(u)
					sum, worst, ok := one.Sum(u)
					if got := sum / float64(n); err != nil || !ok || math.Float64bits(got) != math.Float64bits(want) || worst.Norm != rootResidual {
						t.Errorf("%s of %d people, storage %v: %v (%t, residual %v), want %v (%v)", who, n, storage, got, ok, worst, want, err)
					}
					sameGradient(t, m, one, u)
				}
			}
		}
	}
}

// level are dynamics of which the GPU says that everybody is aligned by one number.
type level struct {
	dynamics.Polarized
	bits uint64 // of the number
}

func (f level) EmitAlign(c *ptx.OpList) ptx.Scalar { return c.Const(math.Float64frombits(f.bits)) }

// A sum that is not finite is none.
func TestSumsThatAreNotFinite(t *testing.T) {
	p := bare(t, emulated.New())
	for at, finite := range map[float64]bool{0.5: true, math.Inf(1): false, math.Inf(-1): false, math.MaxFloat64: false, math.NaN(): false} {
		m := affinity(level{dynamics.Polarized{Dim: 3, Lambda: 0.4, Sigma: 0.5}, math.Float64bits(at)}, draw(t, 2*ptx.Tile, 3))
		_, all := judges(t, p, m, population.Float64)
		for who, one := range all {
			if sum, _, ok := one.Sum(decision(3, 1)); ok != finite || ok && sum != -128 { // of 256 people
				t.Errorf("%s, everybody at %v: %v, %t", who, at, sum, ok)
			}
		}
	}
}

// shaky are dynamics whose people the CPU cannot align.
type shaky struct{ dynamics.Polarized }

var errShaky = errors.New("nobody is aligned")

func (shaky) AlignRows([]float64, []float64, []float64) (kedge.Residual, error) {
	return kedge.Residual{}, errShaky
}

// Where the CPU cannot align those behind the last whole tile there is no sum, and the user is told by the CPU why; of whole tiles nobody is asked.
func TestARestThatIsNotAligned(t *testing.T) {
	p := bare(t, emulated.New())
	for n, has := range map[int]bool{2 * ptx.Tile: true, 2*ptx.Tile + 1: false} {
		m := affinity(shaky{dynamics.Polarized{Dim: 3, Lambda: 0.4, Sigma: 0.5}}, draw(t, n, 3))
		_, all := judges(t, p, m, population.Float64)
		for who, one := range all {
			if _, _, ok := one.Sum(decision(3, 1)); ok != has {
				t.Errorf("%s of %d people: a sum %t", who, n, ok)
			}
			f, err := steady.New(m)
			if err != nil {
				t.Fatal(err)
			}
			f.Engine = one
			if _, err := f.Value(decision(3, 1)); has != (err == nil) || !has && !errors.Is(err, errShaky) {
				t.Errorf("%s of %d people: %v", who, n, err)
			}
		}
	}
	m := polarizedModel(dynamics.Polarized{Dim: 3, Lambda: 0.4, Sigma: 0.5}, draw(t, 2*ptx.Tile, 3))
	_, all := judges(t, p, m, population.Float64)
	for who, one := range all {
		if _, ok := one.SumGradients(make([]float64, 4), decision(3, 1), true, func([]float64, int) bool { t.Errorf("%s asks for nobody", who); return false }); !ok {
			t.Errorf("%s: no gradient", who)
		}
	}
}

// A jury that does not know how people answer sums values and partial gradients, and leaves the others to the CPU.
func TestJuriesThatDoNotKnowTheAnswer(t *testing.T) {
	p := bare(t, emulated.New())
	f, traits := dynamics.Polarized{Dim: 3, Lambda: 0.4, Sigma: 0.5}, draw(t, 2*ptx.Tile, 3)
	for what, answer := range map[string]kedge.Sensitivity{"none": nil, "of others": &sensitivity.Polarized{Dim: 4, Lambda: 0.4, Sigma: 0.5}} {
		m := affinity(f, traits)
		m.Sensitivity = answer
		jury, err := p.Jury(m, 1)
		if err != nil {
			t.Fatal(err)
		}
		defer jury.Leave()
		for answered, want := range map[bool]bool{false: true, true: false} {
			if _, ok := jury.SumGradients(make([]float64, 4), decision(3, 1), answered, nil); ok != want {
				t.Errorf("sensitivity %s: answered %t, a gradient %t", what, answered, ok)
			}
		}
		if _, _, ok := jury.Sum(decision(3, 1)); !ok {
			t.Errorf("sensitivity %s: no value", what)
		}
	}
}

// Under a decision without a direction, or one that overflows, the GPU is not even asked.
func TestDecisionsThatTheGPUIsNotAskedAbout(t *testing.T) {
	d := emulated.New()
	p := bare(t, d)
	c, m := smallCrowd(t)
	crowd, all := judges(t, p, m, c.Storage)
	for _, u := range [][]float64{{0, 0, 0}, {1e200, 0, 0}} {
		for who, one := range all {
			before := d.Calls()
			_, _, hasValue := one.Sum(u)
			_, hasGradient := one.SumGradients(make([]float64, 4), u, false, func([]float64, int) bool { return true })
			if hasValue || hasGradient || who == "a jury" && d.Calls() != before {
				t.Errorf("%s at %v: a value %t, a gradient %t, %d calls", who, u, hasValue, hasGradient, d.Calls()-before)
			}
		}
	}
	here, err := population.Gather(c)
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range [][]float64{{1, 2}, {1, math.NaN(), 0}, {math.Inf(1), 0, 0}} {
		before := d.Calls()
		want, got := here.Respond(t.Context(), u), crowd.Respond(t.Context(), u)
		if want == nil || fmt.Sprint(got) != fmt.Sprint(want) || crowd.home != nil || d.Calls() != before {
			t.Errorf("a step under %v: %v, want %v; after %d calls", u, got, want, d.Calls()-before)
		}
	}
}

// Every kernel of a jury is compiled once, when it is asked for.
func TestKernelsOfAJuryAreCompiledOnce(t *testing.T) {
	d := emulated.New()
	p := bare(t, d)
	_, m := smallCrowd(t)
	jury, err := p.Jury(m, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer jury.Leave()
	compiled := 0
	d.Fail = func(name string, _ int) int {
		if name == "cuModuleLoadDataEx" {
			compiled++
		}
		return 0
	}
	for round := range 2 {
		for k := range verdicts {
			if err := jury.run(k, decision(3, 1), []int{1, 4, 4}[k]); err != nil {
				t.Fatal(err)
			}
			if want := []int{int(k) + 1, 3}[round]; compiled != want {
				t.Errorf("round %d, verdict %d: %d programs compiled, want %d", round, k, compiled, want)
			}
		}
	}
}

// long are dynamics whose lists have more operations than they need.
type long struct {
	dynamics.Polarized
	steps, aligns int
}

func lengthen(c *ptx.OpList, by int) {
	x := c.Trait(0)
	for range by {
		x = c.Add(x, x)
	}
}

func (f long) EmitNext(c *ptx.OpList) { lengthen(c, f.steps); f.Polarized.EmitNext(c) }

func (f long) EmitAlign(c *ptx.OpList) ptx.Scalar {
	lengthen(c, f.aligns)
	return f.Polarized.EmitAlign(c)
}

// Lists of 20,000 operations are compiled, and no longer ones: of a step, with which its value is too long then, and of a value for a jury.
func TestLongLists(t *testing.T) {
	p := bare(t, emulated.New())
	f, traits := dynamics.Polarized{Dim: 2, Lambda: 0.4, Sigma: 0.5}, draw(t, 5, 2)
	step, value, both := ptx.New(2, 2, f.Shares()), ptx.New(2, 2, f.Shares()), ptx.New(2, 2, f.Shares())
	long{f, 1, 1}.EmitNext(step)
	value.Score(long{f, 1, 1}.EmitAlign(value))
	long{f, 1, 1}.EmitNext(both)
	both.Score(long{f, 1, 1}.EmitAlign(both))
	for more, length := range map[int]int{0: both.Len() + 20_000 - step.Len(), 1: 20_001} {
		var unfit *UnfitError
		_, err := p.Gather(population.Config{Dynamics: long{f, 20_001 - step.Len() + more, 1}, Traits: traits}, 1)
		if want := fmt.Sprintf("a step has %d operations, at most 20000 are compiled", length); !errors.As(err, &unfit) || unfit.Why != want {
			t.Errorf("a step and %d more: %v, want %s", more, err, want)
		}
		jury, err := p.Jury(affinity(long{f, 1, 20_001 - value.Len() + more}, traits), 1)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = jury.kernel(byValue); more == 0 && err != nil || more == 1 && (!errors.As(err, &unfit) || unfit.Why != "people have too many numbers") {
			t.Errorf("a value and %d more: %v", more, err)
		}
		jury.Leave()
	}
}

// A value that comes with the next states does not bring them where somebody is flagged: the crowd steps on the CPU, and dares to work ahead again.
func TestValuesThatAreFlagged(t *testing.T) {
	c, m := oddCrowd(t)
	here, there := both(t, bare(t, emulated.New()), c)
	e := there.Engine(m)
	if _, _, ok := e.Sum(decision(3, 0)); ok || len(there.ahead) != 0 {
		t.Errorf("a value %t; the next states are there for %v", ok, there.ahead)
	}
	if together(t, 0, 1, here, there); !there.dares || there.home == nil {
		t.Errorf("it dares %t, home %t", there.dares, there.home != nil)
	}
	if _, _, ok := e.Sum(decision(3, 1)); !ok || len(there.ahead) != 3 {
		t.Errorf("a value %t; the next states are there for %v", ok, there.ahead)
	}
	together(t, 1, 2, here, there)
	if err := sameRows("two steps", there.Look(), here.Look()); err != nil || there.retired {
		t.Error(err)
	}
}

// Other decisions are noticed when they have one number, too.
func TestOtherDecisionsOfOneNumber(t *testing.T) {
	people := kedge.Block{Data: []float64{1, -1, 1}, Width: 1}
	f := dynamics.Polarized{Dim: 1, Lambda: 0.4, Sigma: 0.5}
	here, there := both(t, bare(t, emulated.New()), population.Config{Dynamics: f, Traits: people})
	if _, _, ok := there.Engine(affinity(f, people)).Sum([]float64{0.5}); !ok || len(there.ahead) != 1 {
		t.Fatalf("a value %t, the next states are there for %v", ok, there.ahead)
	}
	if together(t, 0, 1, here, there); there.dares || len(there.ahead) != 0 {
		t.Errorf("it dares %t", there.dares)
	}
	if err := sameRows("the step", there.Look(), here.Look()); err != nil {
		t.Error(err)
	}
}

// A crowd that is not measured between its steps dares to work ahead still.
func TestStepsThatAreNotMeasured(t *testing.T) {
	c, _ := smallCrowd(t)
	_, there := both(t, bare(t, emulated.New()), c)
	if together(t, 0, 3, there); !there.dares {
		t.Error("it does not")
	}
}

// Crowds have no engine of models of other people, be they the first of their own, or where nobody can know who they are, or that have no settled value there.
func TestNoEngineOfOthers(t *testing.T) {
	p := bare(t, emulated.New())
	c, m := smallCrowd(t)
	_, there := both(t, p, c)
	some := m
	some.Traits = kedge.Block{Data: c.Traits.(kedge.Block).Data[:600], Width: 3}
	if there.Engine(some) != nil {
		t.Error("200 people of 265 have an engine")
	}
	jury, err := p.Jury(some, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer jury.Leave()
	sameGradient(t, some, jury, decision(3, 1))
	unknown, other := c, m
	unknown.Traits, other.Traits = valued{c.Traits}, valued{draw(t, 265, 3)}
	unknown.States = valued{c.Traits}
	if _, there = both(t, p, unknown); there.Engine(other) != nil {
		t.Error("people whom nobody knows again have an engine")
	}
	written, err := formula.Compile(formula.Source{Decision: "q[3]", State: "p[3]", Trait: "d[3]", Next: "0.5*p + 0.3*d + 0.2*q"})
	if err != nil {
		t.Fatal(err)
	}
	formulas := c
	formulas.Dynamics = written.Dynamics()
	_, there = both(t, p, formulas)
	if there.Engine(affinity(formulas.Dynamics, c.Traits)) != nil {
		t.Error("a formula has an engine")
	}
	var unfit *UnfitError
	if _, err := there.Laps(decision(3, 1), 1); !errors.As(err, &unfit) {
		t.Errorf("laps of a formula: %v", err)
	}
	if _, err := p.Jury(affinity(sharing{dynamics.Polarized{Dim: 3, Lambda: 0.4, Sigma: 0.5}, 0}, c.Traits), 1); err != nil {
		t.Errorf("a jury of people who share no number: %v", err)
	}
}

// Models whose states are wider than traits, or whose decisions make no numbers that all share, have no jury.
func TestNoJuryOfOthers(t *testing.T) {
	p := bare(t, emulated.New())
	f, traits := dynamics.Polarized{Dim: 3, Lambda: 0.4, Sigma: 0.5}, draw(t, 5, 3)
	for _, of := range []kedge.Dynamics{dynamics.PolarizedNorm{Polarized: f}, sharing{f, -1}} {
		var unfit *UnfitError
		if _, err := p.Jury(affinity(of, traits), 1); !errors.As(err, &unfit) || unfit.Why != "the settled value of this model has no kernel" || len(p.kept) != 0 {
			t.Errorf("%T: %v", of, err)
		}
	}
}

// The user is told once of a GPU that is lost, also where gradients are asked for afterwards.
func TestGradientsAfterALoss(t *testing.T) {
	d := emulated.New()
	p := bare(t, d)
	var said []string
	p.Say = func(line string) { said = append(said, line) }
	c, m := smallCrowd(t)
	here, there := both(t, p, c)
	e, rest := there.Engine(m).(*engine), func([]float64, int) bool { return true }
	if _, ok := e.SumGradients(make([]float64, 4), decision(3, 0), true, rest); !ok {
		t.Fatal("no gradient")
	}
	d.Fail = func(string, int) int { return 719 }
	together(t, 0, 1, here, there)
	if _, ok := e.SumGradients(make([]float64, 4), decision(3, 0), true, rest); ok || len(said) != 1 {
		t.Errorf("a gradient %t; it says %q", ok, said)
	}
}

// A jury whose kernel reaches for a wrong address, or which its GPU fails once, says so once and judges nobody any more.
func TestJuriesThatFail(t *testing.T) {
	for want, fail := range map[string]func(d *emulated.GPUs, p *Board){
		"out of memory (2) to cuStreamSynchronize":     func(d *emulated.GPUs, _ *Board) { failAt(d, "cuStreamSynchronize", 1, 2) },
		"illegal address (700) to cuStreamSynchronize": func(_ *emulated.GPUs, p *Board) { p.faults[atVerdicts].Store(1) },
	} {
		d := emulated.New()
		p := bare(t, d)
		var said []string
		p.Say = func(line string) { said = append(said, line) }
		_, m := smallCrowd(t)
		jury, err := p.Jury(m, 1)
		if err != nil {
			t.Fatal(err)
		}
		fail(d, p)
		for range 2 {
			if _, _, ok := jury.Sum(decision(3, 1)); ok || len(said) != 1 || said[0] != "values and gradients come from the CPU with the same bytes, because the GPU's driver says "+want {
				t.Errorf("a value %t; it says %q", ok, said)
			}
		}
		jury.Leave()
	}
}

// A crowd that has left asks no jury for its gradients.
func TestGradientsOfWhoHasLeft(t *testing.T) {
	d := emulated.New()
	p := bare(t, d)
	c, m := smallCrowd(t)
	crowd, err := p.Gather(c, 1)
	if err != nil {
		t.Fatal(err)
	}
	e := crowd.Engine(m).(*engine)
	crowd.Leave()
	before := d.Calls()
	if _, ok := e.SumGradients(make([]float64, 4), decision(3, 1), true, func([]float64, int) bool { return true }); ok || d.Calls() != before {
		t.Errorf("gradients %t, after %d calls", ok, d.Calls()-before)
	}
}

// Windows that crowds and juries lock are given back: as many as were taken.
func TestWindowsAreGivenBack(t *testing.T) {
	d := emulated.New()
	p := bare(t, d)
	c, m := smallCrowd(t)
	locked := map[string]int{}
	d.Fail = func(name string, _ int) int { locked[name]++; return 0 }
	crowd, err := p.Gather(c, 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := crowd.Engine(m).(*engine).SumGradients(make([]float64, 4), decision(3, 0), true, func([]float64, int) bool { return true }); !ok {
		t.Fatal("no gradient")
	}
	crowd.Leave()
	p.Forget(c.Traits)
	if n := locked["cuMemHostAlloc"]; n != 3 || locked["cuMemFreeHost"] != n || d.Taken() != 0 {
		t.Errorf("%d windows taken, want 3; %d given back; %d bytes are kept", n, locked["cuMemFreeHost"], d.Taken())
	}
}

// People whose traits are of length 1 to the bit are off by nothing.
func TestPeopleOfLengthOne(t *testing.T) {
	traits := kedge.Block{Data: make([]float64, 3*ptx.Tile), Width: 3}
	for i := range ptx.Tile {
		traits.Data[3*i+i%3] = 1
	}
	jury, err := bare(t, emulated.New()).Jury(polarizedModel(dynamics.Polarized{Dim: 3, Lambda: 0.4, Sigma: 0.5}, traits), 1)
	if err != nil {
		t.Fatal(err)
	}
	defer jury.Leave()
	if off, ok := jury.judge(byGradient, make([]float64, 4), decision(3, 1), nil); off != 0 || !ok {
		t.Errorf("off by %v, %t", off, ok)
	}
}

// Places in a jury's window follow each other: a number for everybody's worst, the sums, and as many of those behind the last tile.
func TestPlacesInAJurysWindow(t *testing.T) {
	f := dynamics.Polarized{Dim: 3}
	j := &Jury{of: f, width: 4}
	if j.worstAt() != sharedAt+8*8 || j.totalAt() != j.worstAt()+8 || j.restAt() != j.totalAt()+8*4 {
		t.Errorf("places %d, %d, %d, %d", sharedAt, j.worstAt(), j.totalAt(), j.restAt())
	}
}
