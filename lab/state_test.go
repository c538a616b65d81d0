package lab

import (
	"bytes"
	"errors"
	"math"
	"reflect"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/wire"
	"github.com/kedge-opt/kedge/optimum"
)

// full returns a trial with something in every field, and fails where a field is new and has no value here.
func full(t testing.TB) *folder.Trial {
	column := kedge.Column{
		Name: "a", Unit: "b", Label: "c", Chart: "d", Title: "e", Symbols: "f", Meaning: "g", Better: kedge.Larger, Scale: kedge.Logarithmic, Relative: true, Bound: "h",
	}
	trial := &folder.Trial{
		Index: 3, Measured: folder.Measured{K: []int{0, 10}, Columns: []kedge.Column{column, {Name: "i"}}, Values: [][]float64{{1, 2}, {3, 4}}},
		Decision: []float64{1, 2}, Angles: []float64{3}, Seconds: 4, Finished: true,
		Path: &folder.Path{K: []int{0}, People: []int{5}, States: []float64{6}, Decisions: []float64{7}},
	}
	for _, v := range []reflect.Value{reflect.ValueOf(*trial), reflect.ValueOf(*trial.Path), reflect.ValueOf(column)} {
		for i := range v.NumField() {
			if v.Field(i).IsZero() {
				t.Fatalf("%s.%s is new: fill it in here and save it in folder/trial_state.go", v.Type(), v.Type().Field(i).Name)
			}
		}
	}
	return trial
}

func states(t testing.TB) map[string]wire.State {
	answer := &solved{what: "optimum", failure: "none", Search: optimum.Search{
		Point: optimum.Point{Decision: []float64{1, 2}, Loss: 3, Residual: 4, Steps: 5}, Spread: 6, Residue: 7,
	}}
	return map[string]wire.State{
		"folder.Trial/1": full(t), solvedKind: answer, placeKind: &place{run: 1, algorithm: 2, trial: 3, turns: 4},
		finishedKind: &finished{algorithm: 1, carried: 2, trial: *full(t)},
		identityKind: &identity{name: "a", spec: "b: 1\n", build: folder.CurrentBuild(), data: [32]byte{1}},
	}
}

// fresh returns a zero state of the same type.
func fresh(s wire.State) wire.State {
	return reflect.New(reflect.TypeOf(s).Elem()).Interface().(wire.State)
}

func written(t testing.TB, s wire.State) []byte {
	t.Helper()
	b, err := s.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Every field comes back; bytes that were cut off or turned are an *Error and change nothing.
func TestStatesComeBack(t *testing.T) {
	for kind, s := range states(t) {
		data, back := written(t, s), fresh(s)
		if err := back.UnmarshalBinary(data); err != nil || !reflect.DeepEqual(back, s) {
			t.Errorf("%s: %+v came back as %+v (%v)", kind, s, back, err)
		}
		for n := range data {
			turned := bytes.Clone(data)
			turned[n] ^= 1
			for _, bad := range [][]byte{data[:n], turned} {
				var e *wire.Error
				if err := back.UnmarshalBinary(bad); !errors.As(err, &e) || !reflect.DeepEqual(back, s) {
					t.Fatalf("%s, byte %d: %v, %+v", kind, n, err, back)
				}
			}
		}
	}
}

func TestEmptyTrialsComeBack(t *testing.T) {
	s, back := new(folder.Trial), full(t)
	if err := back.UnmarshalBinary(written(t, s)); err != nil || !reflect.DeepEqual(back, s) {
		t.Errorf("%+v came back as %+v (%v)", s, back, err)
	}
}

// Any content under a right checksum: refused without a trace, or taken and written again byte for byte.
func FuzzUnmarshalStates(f *testing.F) {
	for kind, s := range states(f) {
		data := written(f, s)
		f.Add(data[1+len(kind)+8 : len(data)-4])
	}
	f.Add(bytes.Repeat([]byte{0xff}, 200))
	f.Fuzz(func(t *testing.T, content []byte) {
		for kind, s := range states(t) {
			before, data := written(t, s), wire.Seal(kind, content)
			if err := s.UnmarshalBinary(data); err == nil {
				before = data
			}
			if !bytes.Equal(written(t, s), before) {
				t.Errorf("%s: refused content left traces, or accepted content changed", kind)
			}
		}
	})
}

// By hand: what differs is named, one by one.
func TestDifferencesAreNamed(t *testing.T) {
	before := identity{name: "a", spec: "seed: 1\ntrials: 2\n", build: folder.Build{Version: "1", GOARCH: "amd64", GOAMD64: "v1", FMA: true}}
	for want, change := range map[string]func(*identity){
		"it is of a, this is b":                                                      func(id *identity) { id.name = "b" },
		`the spec had "trials: 2", now it has "trials: 3"`:                           func(id *identity) { id.spec = "seed: 1\ntrials: 3\n" },
		`the spec had "trials: 2", now it has ""`:                                    func(id *identity) { id.spec = "seed: 1\n" },
		"kedge 1 wrote it, this is 2":                                                func(id *identity) { id.build.Version = "2" },
		"it is of a build for amd64 v1 fma=true, this is one for amd64 v1 fma=false": func(id *identity) { id.build.FMA = false },
		"the file with the individuals has changed":                                  func(id *identity) { id.data[0] = 1 },
	} {
		now := before
		change(&now)
		if list := now.differs(&before); len(list) != 1 || list[0] != want {
			t.Errorf("named %q, want %q", list, want)
		}
	}
	if list := before.differs(&before); len(list) > 0 {
		t.Errorf("nothing differs, named is %q", list)
	}
}

// Records that cannot be written now are written the next time; those that were torn are written over.
func TestLogsOutliveFailures(t *testing.T) {
	path := t.TempDir() + "/log.bin"
	first, second := wire.Seal("first", []byte("1")), wire.Seal("second", bytes.Repeat([]byte("2"), 100))
	l, err := beginLog(path, first)
	if err != nil {
		t.Fatal(err)
	}
	l.path = path + "/no/such/folder"
	l.add(first)
	if l.flush() == nil {
		t.Fatal("written to a folder that does not exist")
	}
	l.path = path
	if err := l.put(second[:90]); err != nil { // a write that did not come to its end
		t.Fatal(err)
	}
	if _, records, err := readLog(path); len(records) != 1 || !torn(err) {
		t.Errorf("a torn log has %d records, %v", len(records), err)
	}
	if err := l.flush(); err != nil {
		t.Fatal(err)
	}
	again, records, err := readLog(path)
	if err != nil || len(records) != 2 || again.size != l.size {
		t.Errorf("%d records of %d bytes, %v", len(records), again.size, err)
	}
}

func torn(err error) bool {
	var e *wire.Error
	return errors.As(err, &e) && e.Torn
}

// A trial's own number is far from a place in memory.
func TestPlacesAreChecked(t *testing.T) {
	r := &run{result: &folder.Result{Runs: []folder.Run{{Trials: make([]folder.Trial, 2)}}}}
	for _, at := range [][2]int{{1, 0}, {0, 2}, {math.MaxInt, 0}} {
		if r.slot(at[0], at[1]) != nil {
			t.Errorf("there is no trial %v", at)
		}
	}
}
