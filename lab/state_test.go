package lab

import (
	"bytes"
	"errors"
	"reflect"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/disk"
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
		Decision: []float64{1, 2}, Angles: []float64{3}, Carried: 8, Seconds: 4, Finished: true,
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
	answer := &solved{
		Failure: "none", Rests: []optimum.Rest{{Point: optimum.Point{Decision: []float64{1}}, Eigenvalues: [][2]float64{{1, 2}}}},
		Best: &optimum.Constrained{Search: optimum.Search{Point: optimum.Point{Decision: []float64{1, 2}, Loss: 3, Residual: 4, Steps: 5}, Spread: 6, Residue: 7}},
	}
	return map[string]wire.State{"folder.Trial/2": full(t), solvedKind: answer, reachedKind: &reached{place{1, 2}, 3}}
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
	before := identity{"a", "seed: 1\ntrials: 2\n", folder.Identity{
		Build: folder.Build{Version: "1", GOARCH: "amd64", GOAMD64: "v1", FMA: true}, Code: folder.Code{Go: "go1", Revision: "abc"}, Inputs: map[string]string{"x.csv": "12"},
	}}
	for want, change := range map[string]func(*identity){
		"it is of a, this is b":                                                func(id *identity) { id.Name = "b" },
		`the spec had "trials: 2", now it has "trials: 3"`:                     func(id *identity) { id.Spec = "seed: 1\ntrials: 3\n" },
		`the spec had "trials: 2", now it has ""`:                              func(id *identity) { id.Spec = "seed: 1\n" },
		"the version of kedge was 1, now it is 2":                              func(id *identity) { id.Build.Version = "2" },
		"its arithmetic was 0, now it is 1":                                    func(id *identity) { id.Build.Numeric = 1 },
		"the build target was amd64 v1 fma=true, now it is amd64 v1 fma=false": func(id *identity) { id.Build.FMA = false },
		"the build target was amd64 v1 fma=true, now it is amd64 v3 fma=true":  func(id *identity) { id.Build.GOAMD64 = "v3" },
		"the build target was amd64 v1 fma=true, now it is arm64 v1 fma=true":  func(id *identity) { id.Build.GOARCH = "arm64" },
		"the system was , now it is plan9":                                     func(id *identity) { id.Code.System = "plan9" },
		"the module was , now it is v2.0.0":                                    func(id *identity) { id.Code.Module = "v2.0.0" },
		"the revision of kedge's code was abc, now it is def":                  func(id *identity) { id.Code.Revision = "def" },
		"the version of Go was go1, now it is go2":                             func(id *identity) { id.Code.Go = "go2" },
		"the revision of kedge's code was abc, now it is abc with changes, in the program 0123456789ab": func(id *identity) {
			id.Code.Modified, id.Code.Program = true, "0123456789abcdef"
		},
		"x.csv held other bytes (SHA-256 12, now 34)": func(id *identity) { id.Inputs = map[string]string{"x.csv": "34"} },
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

// Trials that cannot be written now are written the next time.
func TestFinishedTrialsOutliveFailures(t *testing.T) {
	dir, err := disk.Disk{}.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	k := &keeper{dir: dir, width: 2, finished: map[place]*folder.Trial{}}
	for trial := range 2 {
		k.finish("trial", reached{place{0, trial}, 5}, *full(t))
		k.flush()
	}
	if err := dir.Make(folder.CheckpointDir); err != nil {
		t.Fatal(err)
	}
	k.flush()
	k.finish("trial", reached{place{1, 0}, 5}, *full(t))
	k.flush()
	for _, name := range []string{"done-1.bin", "done-2.bin"} {
		if err := k.readDone(name); err != nil {
			t.Error(err)
		}
	}
	for _, at := range []place{{0, 0}, {0, 1}, {1, 0}} {
		if !reflect.DeepEqual(k.finished[at], full(t)) {
			t.Errorf("trial %v came back as %+v", at, k.finished[at])
		}
	}
}
