package gpu

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/device/emulated"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/ptx"
)

// failAt lets a GPU fail once, when a function of its driver is called for the k-th time from now on.
func failAt(d *emulated.GPUs, function string, k, code int) {
	seen := 0
	d.Fail = func(name string, _ int) int {
		if name != function {
			return 0
		}
		seen++
		return map[int]int{k: code}[seen]
	}
}

// together lets crowds deploy decisions number first … last−1.
func together(t *testing.T, first, last int, crowds ...kedge.Population) {
	t.Helper()
	for k := first; k < last; k++ {
		for _, c := range crowds {
			if err := c.Respond(t.Context(), decision(c.Dims().Decision, k)); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// everybody is all states of a crowd.
func everybody(t *testing.T, of kedge.Rows) []float64 {
	t.Helper()
	n, width := of.Size()
	return slices.Clone(of.View(make([]float64, n*width), 0, n))
}

// A GPU that fails while everybody is brought home, at the first tiles or at later ones, leaves the crowd where the CPU has it, however many steps it has taken.
func TestGPUsThatFailOnTheWayHome(t *testing.T) {
	written, err := formula.Compile(formula.Source{Decision: "q[2]", State: "p[2]", Trait: "d[2]", Next: "0.5*p + 0.3*d + 0.2*q"})
	if err != nil {
		t.Fatal(err)
	}
	const n = 64*ptx.Tile + 5 // 64 tiles come at a time
	traits := draw(t, n, 2)
	for what, c := range map[string]population.Config{
		"polarized":                     {Dynamics: dynamics.Polarized{Dim: 2, Lambda: 0.4, Sigma: 0.5}, Traits: traits},
		"polarized in single precision": {Dynamics: dynamics.Polarized{Dim: 2, Lambda: 0.4, Sigma: 0.5}, Traits: traits, Storage: population.Float32},
		"a formula":                     {Dynamics: written.Dynamics(), Traits: traits},
	} {
		for _, x := range [][3]int{{0, 2, 2}, {1, 1, 719}, {1, 2, 2}, {2, 2, 719}} { // steps, look that fails, code
			d := emulated.New()
			here, there := both(t, bare(t, d), c)
			together(t, 0, x[0], here, there)
			failAt(d, "cuMemcpyDtoHAsync_v2", x[1], x[2])
			home := there.atHome()
			if d.Fail = nil; !there.retired {
				t.Errorf("%s: nothing has failed", what)
			}
			if err := sameRows(fmt.Sprintf("%s, %v", what, x), home.Look(), here.Look()); err != nil {
				t.Error(err)
			}
			together(t, x[0], x[0]+1, here, there)
			if err := sameRows(fmt.Sprintf("%s, %v, a step later", what, x), there.Look(), here.Look()); err != nil {
				t.Error(err)
			}
		}
	}
}

// Whoever looks at everybody sees the same after others have looked, or a sample was taken.
func TestLooksBesideEachOther(t *testing.T) {
	p := bare(t, emulated.New())
	const n = 66 * ptx.Tile
	here, there := both(t, p, population.Config{Dynamics: dynamics.Polarized{Dim: 2, Lambda: 0.4, Sigma: 0.5}, Traits: draw(t, n, 2)})
	together(t, 0, 1, here, there)
	want, one, other := everybody(t, here.Look()), there.Look(), there.Look()
	see := func(what string, look kedge.Rows, first, last int) {
		t.Helper()
		if got := look.View(make([]float64, 2*(last-first)), first, last); !slices.Equal(got, want[2*first:2*last]) {
			t.Errorf("%s: %v, want %v", what, got, want[2*first:2*last])
		}
	}
	see("the first look", one, 0, 3)
	see("another look, at others", other, n-3, n)
	see("the first look again", one, 0, 3)
	if _, err := there.Sample(make([]float64, 400), make([]float64, 400)); err != nil {
		t.Fatal(err)
	}
	see("the first look after a sample", one, 0, 3)
	if got := one.View(make([]float64, 100), 0, 3); len(got) != 6 {
		t.Errorf("three people have %d numbers", len(got))
	}
	see("the other look after a sample", other, n-3, n)
}

// A look at tiles that are in the window already asks nothing of the GPU.
func TestLooksThatAskNothing(t *testing.T) {
	d := emulated.New()
	c, _ := smallCrowd(t)
	_, there := both(t, bare(t, d), c)
	look, room := there.Look(), make([]float64, 6)
	look.View(room, 0, 2)
	before := d.Calls()
	if look.View(room, 263, 265); d.Calls() != before {
		t.Errorf("%d calls", d.Calls()-before)
	}
}

// Decisions before what was saved are forgotten with it: a crowd whose GPU is lost later goes on from the saved states.
func TestLossesAfterSavedStates(t *testing.T) {
	d := emulated.New()
	c, _ := smallCrowd(t)
	here, there := both(t, bare(t, d), c)
	saved, err := here.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	together(t, 0, 2, here, there)
	if err := errors.Join(here.UnmarshalBinary(saved), there.UnmarshalBinary(saved)); err != nil {
		t.Fatal(err)
	}
	failAt(d, "cuStreamSynchronize", 1, 719)
	together(t, 2, 4, here, there)
	if err := sameRows("after the loss", there.Look(), here.Look()); err != nil || !there.retired {
		t.Errorf("%v; retired %t", err, there.retired)
	}
	if err := errors.Join(here.UnmarshalBinary(saved), there.UnmarshalBinary(saved)); err != nil {
		t.Fatal(err)
	}
	if err := sameRows("saved states after the loss", there.Look(), here.Look()); err != nil {
		t.Error(err)
	}
}

// States that were saved take the place of those that were worked out ahead for the next decision.
func TestSavedStatesAfterAValue(t *testing.T) {
	c, m := smallCrowd(t)
	here, there := both(t, bare(t, emulated.New()), c)
	saved, err := here.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	together(t, 0, 2, here, there)
	if _, _, ok := there.Engine(m).Sum(decision(3, 2)); !ok {
		t.Fatal("no value")
	}
	if err := errors.Join(here.UnmarshalBinary(saved), there.UnmarshalBinary(saved)); err != nil {
		t.Fatal(err)
	}
	together(t, 2, 3, here, there)
	if err := sameRows("the step", there.Look(), here.Look()); err != nil {
		t.Error(err)
	}
}

// The user is told once why a crowd goes on on the CPU: of a GPU that is lost while states come home, and of one that does not take the next ones.
func TestWhyACrowdGoesHomeIsToldOnce(t *testing.T) {
	for what, x := range map[string]struct {
		function string
		k, code  int
		want     string
	}{
		"lost on the way home": {"cuMemcpyDtoHAsync_v2", 1, 719, "the crowd goes on on the CPU with the same bytes, because the GPU's driver says launch failure (719)"},
		"no way back":          {"cuMemcpyHtoDAsync_v2", 2, 2, "the crowd goes on on the CPU: the GPU's driver says out of memory (2)"}, // after the shared numbers
	} {
		d := emulated.New()
		p := bare(t, d)
		var said []string
		p.Say = func(line string) { said = append(said, line) }
		c, _ := oddCrowd(t)
		here, there := both(t, p, c)
		failAt(d, x.function, x.k, x.code)
		together(t, 0, 2, here, there)
		if len(said) != 1 || !strings.HasPrefix(said[0], x.want) || !there.retired {
			t.Errorf("%s: it says %q", what, said)
		}
		if err := sameRows(what, there.Look(), here.Look()); err != nil {
			t.Error(err)
		}
		if d.Fail = nil; p.Lost() != nil && (!p.IsLost() || len(said) != 1) {
			t.Errorf("%s: it says %q", what, said)
		}
	}
}

// fickle are rows that are others once they have been looked at so often.
type fickle struct {
	kedge.Block
	looks int
}

func (r *fickle) View(room []float64, first, last int) []float64 {
	if r.looks--; r.looks < 0 {
		return slices.Repeat([]float64{math.NaN()}, (last-first)*r.Width)
	}
	return r.Block.View(room, first, last)
}

// First states that have changed since a crowd was gathered are somebody's mistake, and what stops says so, whether the GPU is lost or the crowd is saved.
func TestFirstStatesThatChange(t *testing.T) {
	for what, stop := range map[string]func(d *emulated.GPUs, crowd *RemoteCrowd){
		"lost": func(d *emulated.GPUs, crowd *RemoteCrowd) {
			d.Fail = func(string, int) int { return 719 }
			together(t, 0, 1, crowd)
		},
		"saved": func(_ *emulated.GPUs, crowd *RemoteCrowd) { _ = crowd.Save(new(bytes.Buffer)) },
	} {
		d := emulated.New()
		c, _ := smallCrowd(t)
		c.States = &fickle{c.Traits.(kedge.Block), 3} // of three tiles
		crowd, err := bare(t, d).Gather(c, 1)
		if err != nil {
			t.Fatal(err)
		}
		func() {
			defer func() {
				if said := fmt.Sprint(recover()); !strings.HasPrefix(said, "gpu: a crowd that was gathered cannot be gathered again: individual 0: states[0] is NaN") {
					t.Errorf("%s: it says %s", what, said)
				}
			}()
			stop(d, crowd)
		}()
	}
}

// First states that have changed are told to whoever brings saved ones back.
func TestSavedStatesForFirstOnesThatChange(t *testing.T) {
	c, _ := smallCrowd(t)
	crowd, err := bare(t, emulated.New()).Gather(c, 1)
	if err != nil {
		t.Fatal(err)
	}
	saved, err := crowd.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	c.States = &fickle{c.Traits.(kedge.Block), 3} // of three tiles
	if crowd, err = bare(t, emulated.New()).Gather(c, 1); err != nil {
		t.Fatal(err)
	}
	if err := crowd.UnmarshalBinary(saved); err == nil || !strings.Contains(err.Error(), "states[0] is NaN") {
		t.Error(err)
	}
}

// Workers that a crowd was gathered with, at least one, are those that it has at home.
func TestWorkersAtHome(t *testing.T) {
	p := bare(t, emulated.New())
	c, _ := oddCrowd(t)
	for asked, want := range map[int]int{-1: 1, 0: 1, 3: 3} {
		crowd, err := p.Gather(c, asked)
		if err != nil {
			t.Fatal(err)
		}
		if together(t, 0, 1, crowd); crowd.workers != want || crowd.home == nil || crowd.home.Workers != want {
			t.Errorf("%d workers were asked for: %d, and %d at home", asked, crowd.workers, crowd.home.Workers)
		}
		crowd.Leave()
	}
}

// A step that went well on the GPU goes well on the CPU; where it does not, what stops says so.
func TestStepsThatDoNotGoWellAgain(t *testing.T) {
	d := emulated.New()
	c, _ := smallCrowd(t)
	_, there := both(t, bare(t, d), c)
	there.passed = []float64{1, math.NaN(), 0}
	d.Fail = func(string, int) int { return 719 }
	defer func() {
		if said := fmt.Sprint(recover()); !strings.HasPrefix(said, "gpu: a step that went well does not go well again: ") {
			t.Errorf("it says %s", said)
		}
	}()
	together(t, 0, 1, there)
}

// Whatever call of the driver fails while saved states are put in, the crowd has them afterwards and goes on from there, on the GPU or at home.
func TestSavedStatesArriveWhateverFails(t *testing.T) {
	f, traits := dynamics.Polarized{Dim: 2, Lambda: 0.4, Sigma: 0.5}, draw(t, ptx.Tile+5, 2)
	for k, stays := 0, true; stays; k++ {
		d := emulated.New()
		here, there := both(t, bare(t, d), population.Config{Dynamics: f, Traits: traits})
		together(t, 0, 1, here, there)
		saved, err := here.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		together(t, 1, 2, here, there)
		at := d.Calls() + k
		d.Fail = func(_ string, before int) int { return map[int]int{at: 2}[before] }
		if err := errors.Join(here.UnmarshalBinary(saved), there.UnmarshalBinary(saved)); err != nil {
			t.Fatalf("call %d fails: %v", k, err)
		}
		d.Fail, stays = nil, d.Calls() > at
		together(t, 2, 4, here, there)
		if err := sameRows(fmt.Sprintf("after call %d failed", k), there.Look(), here.Look()); err != nil {
			t.Error(err)
		}
		if there.retired != stays {
			t.Errorf("call %d, made %t: at home %t", k, stays, there.retired)
		}
	}
}
