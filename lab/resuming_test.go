package lab

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/disk"
	"github.com/kedge-opt/kedge/internal/wire"
	"github.com/kedge-opt/kedge/loop"
	"github.com/kedge-opt/kedge/optimum"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/problem/family"
	"github.com/kedge-opt/kedge/problem/kind"
)

// keeperIn is a keeper in a folder of its own, and what it says.
func keeperIn(t *testing.T, width int) (k *keeper, root string, said *[]string) {
	t.Helper()
	root, said = t.TempDir(), new([]string)
	dir, err := disk.Disk{}.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dir.Close() })
	if err := os.Mkdir(filepath.Join(root, folder.CheckpointDir), 0o755); err != nil {
		t.Fatal(err)
	}
	return &keeper{dir: dir, width: width, say: func(line string) { *said = append(*said, line) }, finished: map[place]*folder.Trial{}, underway: map[place]int{}}, root, said
}

// An answer that was saved is not looked for again; one that cannot be read is, which is said.
func TestAnswersAreRecalled(t *testing.T) {
	k, root, said := keeperIn(t, 2)
	looked := 0
	find := func() (*solved, error) {
		looked++
		return &solved{Best: &optimum.Constrained{Search: optimum.Search{Point: optimum.Point{Decision: []float64{3, 4}}}}}, nil
	}
	recall := func(want int) {
		t.Helper()
		s, err := k.recall("the best", find)
		if err != nil || looked != want || !slices.Equal(s.Best.Decision, []float64{3, 4}) {
			t.Errorf("%+v, %v, looked for %d times, want %d", s, err, looked, want)
		}
	}
	recall(1)
	recall(1)
	if k.lost("x", errNothing); len(*said) != 1 || !strings.Contains((*said)[0], "computed again: x: nothing") {
		t.Errorf("%q", *said)
	}
	name := filepath.Join(root, folder.CheckpointDir, folder.CheckpointAnswer+"the-best.bin")
	if err := os.WriteFile(name, []byte("no answer"), 0o600); err != nil {
		t.Fatal(err)
	}
	recall(2)
	if len(*said) != 2 || !strings.Contains((*said)[1], "the-best.bin") {
		t.Errorf("%q", *said)
	}
	recall(2)
	if _, err := k.recall("another", func() (*solved, error) { return nil, errNothing }); !errors.Is(err, errNothing) {
		t.Errorf("what is not found: %v", err)
	}
	if k.warn(errNothing); len(*said) != 3 {
		t.Errorf("%q", *said)
	}
	if k.warn(errNothing); len(*said) != 3 {
		t.Errorf("it is said twice: %q", *said)
	}
}

var errNothing = errors.New("nothing")

// Answers are refused for what is wrong with them: bytes by who reads those, and words by who reads these.
func TestAnswersThatAreNone(t *testing.T) {
	good := written(t, &solved{Failure: "none"})
	var refused *wire.Error
	if err := new(solved).UnmarshalBinary(good[:len(good)-1]); !errors.As(err, &refused) || strings.Contains(err.Error(), "JSON") {
		t.Errorf("cut bytes: %v", err)
	}
	for text, want := range map[string]string{"{": "JSON", `{"Failure":"a","Failure":"b"}`: "not written like that", `{"Other":1}`: "not written like that"} {
		data, err := wire.Append(nil, solvedKind, func(f *wire.Fields) { f.Text(&text) })
		if err != nil {
			t.Fatal(err)
		}
		back := &solved{Failure: "as it was"}
		if err := back.UnmarshalBinary(data); !errors.As(err, &refused) || !strings.Contains(err.Error(), want) || back.Failure != "as it was" {
			t.Errorf("%s: %v, %+v", text, err, back)
		}
	}
}

// begun is a run of the linear-quadratic case before its first turn.
func begun(t *testing.T, sets ...string) *run {
	t.Helper()
	p := of(t, "lq2", append(sets, "iterations=6", "record.every=2", "algorithms=[{name: a, kind: composite, step: 0.1, trials: 2}, {name: b, kind: vanilla, step: 0.1, trials: 2}]")...)
	r := &run{Options: Options{Workers: 1, Progress: new(Progress), Watch: new(Watch)}, problem: p, result: newResult(p), leave: func() {}}
	if err := r.solve(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.Watch.begin(r.result)
	r.open.Store(1)
	return r
}

// A trial that was saved goes on where it was; the file of another, or one that cannot be read, makes it begin again.
func TestTrialsGoOnFromTheirFiles(t *testing.T) {
	r := begun(t)
	a, err := r.start(place{0, 1}, math.NaN())
	if err != nil {
		t.Fatal(err)
	}
	file := func(change func()) []byte {
		at, slot := a.at, *a.slot
		change()
		var b bytes.Buffer
		for _, s := range a.states() {
			if err := write(&b, s); err != nil {
				t.Fatal(err)
			}
		}
		a.at, *a.slot = at, slot
		return b.Bytes()
	}
	var refused *wire.Error
	for name, x := range map[string]struct {
		data []byte
		want string // "": taken
	}{
		"its own": {file(func() { a.at.turns = 4 }), ""}, "at its end": {file(func() { a.at.turns = 6 }), ""}, "beyond its end": {file(func() { a.at.turns = 7 }), "of another trial"}, "of the first trial": {file(func() { a.at.trial = 0 }), "of another trial"},
		"of another algorithm": {file(func() { a.at.algorithm = 1 }), "of another trial"}, "with another number": {file(func() { a.slot.Index = 0 }), "of another trial"}, "with more": {append(file(func() {}), written(t, &reached{})...), "of another trial"},
		"with other columns": {file(func() { a.slot.Measured = folder.NewMeasured([]kedge.Column{loop.Describe("gap")}, 1) }), "other quantities"}, "cut": {file(func() {})[:9], " "},
	} {
		err := a.read(x.data)
		if (err == nil) != (x.want == "") || err != nil && (!errors.As(err, &refused) || !strings.Contains(err.Error(), x.want)) {
			t.Errorf("%s: %v", name, err)
		}
		*a.slot = folder.Trial{Index: 1} // what was refused spoils it
		if a, err = r.start(place{0, 1}, math.NaN()); err != nil {
			t.Fatal(err)
		}
	}
	k, root, said := keeperIn(t, 2)
	r.keeper = k
	whole := file(func() { a.at.turns = 4 })
	for _, x := range []struct {
		data       []byte
		turns      int
		done, says int64
	}{{whole, 4, 4, 0}, {whole[:len(whole)/2], 0, 0, 1}} {
		if err := os.WriteFile(filepath.Join(root, folder.CheckpointDir, a.file()), x.data, 0o600); err != nil {
			t.Fatal(err)
		}
		k.underway[place{0, 1}] = 4
		r.Progress.Done.Store(4)
		got, err := r.start(place{0, 1}, math.NaN())
		if err != nil || got.at.turns != x.turns || got.at.trial != 1 || got.slot.Index != 1 || r.Progress.Done.Load() != x.done || int64(len(*said)) != x.says {
			t.Errorf("%+v with %d turns done, %q, %v; want %+v", got.at, r.Progress.Done.Load(), *said, err, x.turns)
		}
	}
	if !strings.HasPrefix((*said)[0], "a trial begins again, because ") {
		t.Errorf("%q", *said)
	}
	if a, err = r.start(place{0, 1}, math.NaN()); err != nil {
		t.Fatal(err)
	}
	a.finish([]float64{7, 8})
	k.flush()
	again := &keeper{dir: k.dir, width: 2, finished: map[place]*folder.Trial{}, underway: map[place]int{}}
	if err := again.readDone(folder.CheckpointDone + "1.bin"); err != nil || again.finished[place{0, 1}] == nil || !slices.Equal(again.finished[place{0, 1}].Decision, []float64{7, 8}) || !again.finished[place{0, 1}].Finished {
		t.Errorf("what was finished is %+v, %v", again.finished, err)
	}
	if _, err := os.Stat(filepath.Join(root, folder.CheckpointDir, a.file())); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file of a finished trial is there: %v", err)
	}
}

// A trial that cannot be measured does not begin: by a theory over fewer turns than none, or by people who move and whose first states are of others.
func TestTrialsThatCannotBeMeasuredDoNotBegin(t *testing.T) {
	for name, x := range map[string]struct {
		sets  []string
		spoil func(r *run)
		want  string // "": it begins
	}{
		"as it is": {nil, func(*run) {}, ""}, "people who move": {[]string{"population.drift={rate: [0.001, -0.002]}"}, func(*run) {}, ""},
		"no such theory": {nil, func(r *run) {
			r.sticks, r.problem.Spec.Record.Transport = make([]yardstick, 2), -1
		}, "a theory needs a lag"},
		"other people's states": {[]string{"population.drift={rate: [0.001, -0.002]}"}, func(r *run) {
			r.problem.States = kedge.Block{Data: []float64{1, 2}, Width: 2}
		}, "first states"},
	} {
		r := begun(t, x.sets...)
		x.spoil(r)
		if _, err := r.start(place{0, 1}, math.NaN()); (err == nil) != (x.want == "") || err != nil && !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: %v, want %q", name, err, x.want)
		}
	}
}

// At most half of a trial's time goes into saves, however often they are asked for: it is quiet for as long as the last one took. A run that is stopped is saved
// at once.
func TestSavesTakeHalfOfTheTimeAtMost(t *testing.T) {
	from := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	if got, want := quietUntil(from, from.Add(3*time.Second)), from.Add(6*time.Second); !got.Equal(want) {
		t.Errorf("after a save of three seconds it is quiet until %v, want %v", got, want)
	}
	r := begun(t)
	k, root, _ := keeperIn(t, 1)
	r.keeper = k
	a, err := r.start(place{0, 1}, math.NaN())
	if err != nil {
		t.Fatal(err)
	}
	defer a.leave()
	file := filepath.Join(root, inCheckpoint(a.file()))
	stopped, stop := context.WithCancel(t.Context())
	stop()
	for i, c := range []struct {
		ctx   context.Context
		quiet time.Time
		asked bool
		saved bool
	}{
		{t.Context(), time.Now().Add(time.Hour), true, false},
		{t.Context(), time.Time{}, false, false},
		{t.Context(), time.Time{}, true, true},
		{stopped, time.Now().Add(time.Hour), true, true},
	} {
		if a.quiet = c.quiet; c.asked {
			k.requestSaves()
		}
		before := time.Now()
		err := a.after(c.ctx, i+1)
		if _, found := os.Stat(file); (found == nil) != c.saved || c.saved && !a.quiet.After(before) || !errors.Is(err, c.ctx.Err()) {
			t.Errorf("turn %d: file %v, quiet until %v, %v", i+1, found, a.quiet, err)
		}
		os.Remove(file)
	}
}

// A keeper asks for saves as often as it is told to.
func TestKeepersBeat(t *testing.T) {
	taken, err := folder.KindRun.Take(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Release()
	k, err := openKeeper(Checkpoint{In: taken, Every: time.Millisecond}, of(t, "lq2"))
	if err != nil {
		t.Fatal(err)
	}
	for tries := 0; k.pulse.Load() < 2; tries++ {
		if time.Sleep(time.Millisecond); tries > 20_000 {
			t.Fatal("it asks for nothing")
		}
	}
	k.close()
	pulse := int64(0)
	if !k.wantsSave(&pulse) || pulse < 2 || k.wantsSave(&pulse) || (*keeper)(nil).wantsSave(&pulse) {
		t.Errorf("after %d", pulse)
	}
}

// Where no checkpoint can be made that is said, and nothing else happens.
func TestKeepersWithoutAPlace(t *testing.T) {
	root := filepath.Join(t.TempDir(), "out")
	taken, err := folder.KindRun.Take(root)
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Release()
	if err := os.WriteFile(filepath.Join(root, folder.CheckpointDir), []byte("in the way"), 0o600); err != nil {
		t.Fatal(err)
	}
	var said []string
	k, err := openKeeper(Checkpoint{In: taken, Every: time.Hour, Say: func(line string) { said = append(said, line) }}, of(t, "lq2"))
	if err != nil {
		t.Fatal(err)
	}
	if k.close(); len(said) != 1 || !strings.HasPrefix(said[0], "cannot save a checkpoint: ") {
		t.Errorf("%q", said)
	}
}

// A trial that is told what the one before came to goes another way than one that is not; the first is told nothing.
func TestTrialsCarryOn(t *testing.T) {
	ends := func(carry string) [][]float64 {
		p := of(t, "lq2", "iterations=3", "optimum.starts=1", "algorithms=[{name: a, kind: derivative-free, step: 0.05, delta: 0.1, trials: 2, carry: "+carry+"}]")
		r, err := Execute(t.Context(), p, Options{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		return [][]float64{r.Runs[0].Trials[0].Decision, r.Runs[0].Trials[1].Decision}
	}
	told, alone := ends("true"), ends("false")
	if !slices.Equal(told[0], alone[0]) || slices.Equal(told[1], alone[1]) {
		t.Errorf("ends at %v with and at %v without", told, alone)
	}
}

// By hand: decisions are judged until half of the moment is over, the first of those that can be judged in any case; where none can, that is an error.
func TestJudgingTakesAMoment(t *testing.T) {
	decisions := [][]float64{{1}, {2}, {3}}
	for _, x := range []struct {
		name   string
		fails  func(u float64) bool
		moment time.Duration
		values int
		slopes int
		ok     bool
	}{
		{"all", func(float64) bool { return false }, time.Hour, 3, 3, true}, {"no time", func(float64) bool { return false }, 0, 1, 1, true}, {"the first fails, and no time", func(u float64) bool { return u == 1 }, 0, 2, 1, true},
		{"some fail", func(u float64) bool { return u == 2 }, time.Hour, 3, 2, true}, {"none", func(float64) bool { return true }, time.Hour, 3, 0, false},
	} {
		values, slopes := 0, 0
		value := func(u []float64) (float64, error) {
			if values++; x.fails(u[0]) {
				return 0, errNothing
			}
			time.Sleep(2 * time.Millisecond)
			return 0, nil
		}
		gradient := func(g, _ []float64) (float64, error) {
			slopes += len(g)
			time.Sleep(4 * time.Millisecond)
			return 0, nil
		}
		v, g, err := judging(value, gradient, decisions, x.moment)
		if values != x.values || slopes != x.slopes || (err == nil) != x.ok || x.ok && !(v >= 2e-3 && g >= 4e-3) || !x.ok && (v != 0 || g != 0) {
			t.Errorf("%s: %d values, %d slopes, %v s and %v s, %v", x.name, values, slopes, v, g, err)
		}
	}
}

// What is measured of an algorithm are its own turns: it ends at the decision of its first trial. What fails is told.
func TestPacesAreOfTheRun(t *testing.T) {
	p := of(t, "lq2", "iterations=3", "optimum.starts=1", "algorithms=[{name: a, kind: composite, step: 0.1}, {name: b, kind: vanilla, step: 0.2}]")
	r, err := Execute(t.Context(), p, Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	for i := range p.Spec.Algorithms {
		seconds, last, err := turnOf(t.Context(), p, i, 1, time.Hour)
		if err != nil || !(seconds > 0) || !slices.Equal(last, r.Runs[i].Trials[0].Decision) {
			t.Errorf("%s: %v s, ends at %v, %v; want %v", r.Runs[i].Name, seconds, last, err, r.Runs[i].Trials[0].Decision)
		}
	}
	if took := r.Runs[0].Trials[0].Seconds; !(took > 0 && took < 3600) {
		t.Errorf("three turns took %v s", took)
	}
	pace, err := NewPace(t.Context(), p, 0, time.Millisecond)
	if err != nil || pace.workers != runtime.GOMAXPROCS(0) || len(pace.turns) != len(p.Spec.Algorithms) || !(pace.measure > 0) || !(pace.search > 0) {
		t.Errorf("%+v, %v", pace, err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, _, err := turnOf(ended, p, 0, 1, time.Hour); !errors.Is(err, context.Canceled) {
		t.Errorf("after a stop: %v", err)
	}
	s := p.Spec
	s.Record.Gradient, s.Record.Theory = true, true
	if got := measurement(s, 1, 10); got != 1+10+40 {
		t.Errorf("a measurement takes %v, want 51", got)
	}
	if s.Record.Gradient, s.Record.Theory = false, false; measurement(s, 1, 10) != 1 {
		t.Errorf("a measurement takes %v, want 1", measurement(s, 1, 10))
	}
	if bound := of(t, "scalar-pricing", capacityOf1).Spec; measurement(bound, 1, 10) != 2 {
		t.Errorf("a measurement with a constraint takes %v, want 2", measurement(bound, 1, 10))
	}
}

// One worker runs one trial at a time.
func TestOneWorkerIsOne(t *testing.T) {
	p := of(t, "lq2", "iterations=1", "optimum.starts=1", "algorithms=[{name: a, kind: composite, step: 0.1, trials: 3}]")
	first, second := make(chan struct{}, 1), make(chan struct{})
	first <- struct{}{}
	o := Options{Workers: 1, Instruments: func() []kedge.Instrument {
		select {
		case <-first:
			select {
			case <-second:
				t.Error("two trials begin at a time")
			case <-time.After(100 * time.Millisecond):
			}
		case second <- struct{}{}:
		default:
		}
		return nil
	}}
	if _, err := Execute(t.Context(), p, o); err != nil {
		t.Fatal(err)
	}
	w, err := family.Parse(kind.Standard(), "grid.yaml", []byte("base: lq2\nover: {trials: [1, 2, 3]}\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	for asked, want := range map[int]int{1: 1, 2: 2, 7: 7, 0: runtime.GOMAXPROCS(0), -1: runtime.GOMAXPROCS(0)} {
		if r := newSweepRun(w, nil, SweepOptions{Workers: asked}); r.Workers != want || len(r.cells) != 3 || r.open.Load() != 3 || r.Runner == nil || r.Progress == nil {
			t.Errorf("%d workers asked for: %+v", asked, r)
		}
	}
}

// What a device does not do is told; without a device nobody is there.
func TestWhatDevicesDoNotDo(t *testing.T) {
	for key, words := range map[string]string{"record.theory=true": "theory", "record.w1=items": "record.w1"} {
		name := "lq2"
		if strings.Contains(key, "w1") {
			name = "choice"
		}
		r := &run{problem: of(t, name, key)}
		if _, err := r.gather(population.Config{}); !Unfit(err) || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %v", key, err)
		}
		if r.elsewhere() != nil {
			t.Errorf("%s: there is a device", key)
		}
	}
	if Unfit(errNothing) || Unfit(nil) {
		t.Error("any error says that a device does not do it")
	}
	OnDevice{}.Close()
	(&attempt{}).leave()
}

// capacityOf1 keeps the mean demand at 1 or less.
const capacityOf1 = "constraints=[{name: capacity, kind: expectation, of: {kind: quadratic, linear-state: [1]}, bound: 1}]"

// By hand: people settle at 1 − u and 3 − u, of whom half may be beyond 2. So it is at ½, where one is; at −2 both are, and a lower loss counts for nothing. What is not smoothed is judged by what was measured.
func TestSurprisesKeepTheTruth(t *testing.T) {
	share := "constraints=[{name: share, kind: chance, of: {kind: quadratic, linear-state: [1]}, bound: 2, level: 0.5, smoothing: 0.1}]"
	columns := []kedge.Column{loop.Describe("value"), loop.Describe("excess_1")}
	for _, x := range []struct {
		name   string
		set    string
		u      float64
		loss   float64
		passed bool
	}{
		{"kept", share, 0.5, 4, true}, {"broken in truth", share, -2, 4, false}, {"not smoothed", capacityOf1, -2, 4, true}, {"not lower", share, 0.5, 5, false},
	} {
		p := of(t, "scalar-pricing", x.set)
		list, _, err := p.Constraints()
		if err != nil {
			t.Fatal(err)
		}
		r := &run{problem: p, bounds: bounds{list: list}}
		r.meter.Optimum.Loss = 5
		r.watchFor([]float64{x.loss, 0}, []float64{x.u}, columns)
		if (r.passed != nil) != x.passed {
			t.Errorf("%s: %+v", x.name, r.passed)
		}
	}
}

// What is measured has room: as many numbers as a run keeps of a turn, and two more.
func TestColumnsHaveRoom(t *testing.T) {
	p := of(t, "lq2", "iterations=1", "optimum.starts=1", "record.traits=true")
	r, err := Execute(t.Context(), p, Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := measuredColumns(p.Spec), float64(len(r.Runs[0].Trials[0].Columns)+2); got != want {
		t.Errorf("%v numbers of a turn, want %v", got, want)
	}
}
