package folder

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/internal/intake"
	"github.com/kedge-opt/kedge/internal/npy"
	"github.com/kedge-opt/kedge/loop"
)

// drawn is a result of few trials, whose numbers are quarters, with some that are not there.
func drawn(r *rand.Rand) *Result {
	number := func() float64 {
		switch r.IntN(12) {
		case 0:
			return math.NaN()
		case 1:
			return math.Inf(1 - 2*r.IntN(2))
		}
		return float64(r.IntN(40)-20) / 4
	}
	list := func(n int) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = float64(r.IntN(40)-20) / 4
		}
		return x
	}
	columns := []kedge.Column{loop.Describe("value"), loop.Describe("gap"), loop.Describe("distance"), loop.Describe("excess_1"), loop.Describe("excess_2"), {Name: "foreign", Unit: "€"}}[:1+r.IntN(6)]
	if r.IntN(3) == 0 {
		columns = append(columns[:len(columns):len(columns)], loop.Describe("tracking"), loop.Describe("regret"))
	}
	width := 1 + r.IntN(3)
	out := &Result{Case: "drawn", Spec: "seed: 1\n", Seed: r.Uint64N(100), Iterations: 10, Trials: 2, Individuals: 3, Partial: r.IntN(2) == 0, Maximize: r.IntN(2) == 0, Optimum: Point{Decision: list(width), Value: number()}, Stable: NoPoint()}
	if out.Optimum.Value -= out.Optimum.Value * 0; math.IsNaN(out.Optimum.Value) {
		out.Optimum.Value = 1
	}
	if r.IntN(2) == 0 {
		out.Stable = Point{Decision: list(width), Value: 1, Gap: 0.5}
	}
	if r.IntN(2) == 0 {
		out.Names.Decision = []kedge.Called{{Name: "price", Unit: "EUR"}}
	}
	if r.IntN(2) == 0 {
		out.Angles = &Angles{Initial: list(2), Optimal: list(2), Final: map[string][]float64{"b": list(2)}}
	}
	for _, name := range []string{"a, x", "b", "c/d"}[:1+r.IntN(3)] {
		one := Run{Name: name, Planned: 3}
		for i := range r.IntN(4) {
			m := NewMeasured(columns, 2)
			for k := range 1 + r.IntN(4) {
				row := make([]float64, len(columns))
				for j := range row {
					row[j] = number()
				}
				m.Add(3*k, row)
			}
			t := Trial{Index: 7 * i, Measured: m, Decision: list(width), Finished: true}
			if r.IntN(2) == 0 {
				turns, people := 1+r.IntN(2), 1+r.IntN(2)
				t.Path = &Path{K: []int{0, 5}[:turns], People: []int{1, 2}[:people], States: list(turns * people * 2), Decisions: list(turns * width)}
			}
			one.Trials = append(one.Trials, t)
		}
		out.Runs = append(out.Runs, one)
	}
	return out
}

// said is everything that a result says of its numbers.
func said(t *testing.T, r *Result) (lines []string) {
	t.Helper()
	var text bytes.Buffer
	for _, err := range []error{WriteJSON(&text, r.Summarize()), r.writeSeries(&text)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	lines = strings.Split(strings.TrimSpace(text.String()), "\n")
	for i := range r.Runs {
		one := &r.Runs[i]
		spread, count := SpreadOfFinite(one.Final("value"))
		lines = append(lines, fmt.Sprintf("%s: %+v of %d, breaks %+v", one.Name, spread, count, r.Breaches(one)))
	}
	if list, closest := r.Tracking(); list != nil {
		lines = append(lines, fmt.Sprintf("tracking %+v, closest %+v", list, closest))
	}
	lines = append(lines, fmt.Sprintf("entries %+v", r.Entries()))
	var arrays, series bytes.Buffer
	if err := r.writeArrays(&arrays); err != nil {
		t.Fatal(err)
	}
	named, err := npy.ReadZip(bytes.NewReader(arrays.Bytes()), int64(arrays.Len()), intake.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range named {
		lines = append(lines, fmt.Sprintf("array %s %v %v", n.Name, n.Shape, n.Data))
	}
	back := &Result{}
	for _, one := range r.Runs {
		back.Runs = append(back.Runs, Run{Name: one.Name})
	}
	if err := r.writeParquet(&series); err != nil {
		t.Fatal(err)
	}
	err = back.readSeries(bytes.NewReader(series.Bytes()), int64(series.Len()), nil)
	if err == nil {
		err = back.readArrays(bytes.NewReader(arrays.Bytes()), int64(arrays.Len()))
	}
	lines = append(lines, fmt.Sprint("back: ", err))
	for _, one := range back.Runs {
		for _, t := range one.Trials {
			lines = append(lines, fmt.Sprintf("%s %d: %v %v %v %v", one.Name, t.Index, t.K, t.Values, t.Decision, t.Path))
		}
	}
	return lines
}

// Results at random say of their numbers what they said when this was recorded, and come back as they did.
func TestResultsAsRecorded(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var got []string
	for range 14 {
		got = append(got, said(t, drawn(r))...)
	}
	evidence.AsRecorded(t, "testdata/results.txt", got)
}

// Trials are the bytes that they were when this was recorded, and come back as what they are.
func TestTrialStatesAsRecorded(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var got []string
	for range 6 {
		for _, one := range drawn(r).Runs {
			for _, trial := range one.Trials {
				trial.Carried, trial.Seconds, trial.Angles = 1.5, 2.5, []float64{3}
				b, err := trial.AppendBinary(nil)
				if err != nil {
					t.Fatal(err)
				}
				var back Trial
				if err := back.UnmarshalBinary(b); err != nil {
					t.Fatal(err)
				}
				again, err := back.AppendBinary(nil)
				if err != nil || !bytes.Equal(b, again) {
					t.Errorf("other bytes came back, %v", err)
				}
				got = append(got, fmt.Sprintf("%d bytes %x", len(b), sha256.Sum256(b)))
				if len(trial.Values) > 0 {
					trial.Values[0] = trial.Values[0][1:]
					if b, err = trial.AppendBinary(nil); err == nil {
						err = new(Trial).UnmarshalBinary(b)
					}
					got = append(got, fmt.Sprint(err))
				}
			}
		}
	}
	evidence.AsRecorded(t, "testdata/trials.txt", got)
}

// The names of files that a manifest may list, of cells, tags and checkpoints, by hand.
func TestNamesThatAreOurs(t *testing.T) {
	for name, want := range map[string]bool{
		"a": true, "a.svg": true, "": false, ".": false, "..": false, ".a": false, "a/b": false, `a\b`: false, "manifest.json": false, "cells/a/manifest.json": true, "cells/a/x": false,
		"cells/.a/manifest.json": false, "cells/manifest.json": false, "other/a/manifest.json": false, "cells/a/b/manifest.json": false, "/a": false, "cells//manifest.json": false,
	} {
		if got := isFileName(name); got != want {
			t.Errorf("%q is a file: %t", name, got)
		}
	}
	for name, want := range map[string]bool{
		"run.json": true, ".run.json-draft": true, "done-1.bin": true, "trial-a.bin": true, "answer-.bin": true, ".done-1.bin-draft": true, "done-1": false, "other.bin": false, "": false, ".": false, "run.json-draft": false, "x": false,
	} {
		if got := IsCheckpointFile(name); got != want {
			t.Errorf("%q is of a checkpoint: %t", name, got)
		}
	}
	for name, want := range map[string]bool{
		"a": true, "é9": true, "a.b_c:d+e=f@g-h": true, "-a": false, "": false, "a b": false, ".a": false, "a/b": false, strings.Repeat("é", 64): true, strings.Repeat("a", 65): false, "9": true,
	} {
		if got := isTag(name); got != want {
			t.Errorf("%q is a tag: %t", name, got)
		}
	}
	for text, want := range map[string]string{"%": "x_%25", "a/b": "x_a%2Fb", `a\b:c`: "x_a%5Cb%3Ac", "plain": "x_plain"} {
		if got := member("x_", text); got != want {
			t.Errorf("%q is the array %q, want %q", text, got, want)
		}
	}
}

// By hand: what is said of errors.
func TestWordsOfErrors(t *testing.T) {
	for want, err := range map[string]error{
		"cell a was computed twice, and x; " + ErrDiffers.Error():                       &DiffersError{Cell: "a", What: "x"},
		"cell a was computed twice, and x, the second time by y; " + ErrDiffers.Error(): &DiffersError{Cell: "a", What: "x", Who: "y"},
		"cell a was computed twice, and x (kept in z); " + ErrDiffers.Error():           &DiffersError{Cell: "a", What: "x", Where: "z"},
		"cell a is not taken: x": &UnsoundError{"a", "x"},
		"d holds a run, and x; replace it with --overwrite, or choose another folder with --out": &HeldError{Dir: "d", Holds: "a run", Differs: "x"},
		"d holds a run, and x; replace it with --overwrite, or choose another folder -o":         &HeldError{Dir: "d", Holds: "a run", Differs: "x", Other: "-o"},
		"d holds cells of another origin than e: x, y; they " + ErrOtherIdentity.Error():         &MixedError{"d", "e", []string{"x", "y"}},
	} {
		if err.Error() != want {
			t.Errorf("%s\nwant %s", err, want)
		}
	}
	for want, m := range map[string]*Manifest{
		"a run of c with seed 7": {Kind: KindRun, Case: "c", Seed: 7}, "a report of several folders": {Kind: KindCompare}, "a report of c": {Kind: KindCompare, Case: "c"},
		"a comparison of c with seed 0": {Kind: KindCompare, Case: "c", Files: map[string]File{CompareFile: {}}},
	} {
		if m.About() != want {
			t.Errorf("%s, want %s", m.About(), want)
		}
	}
	if text, err := within(strings.NewReader("12345"), 5); err != nil || string(text) != "12345" {
		t.Error(err)
	}
	if _, err := within(strings.NewReader("12345"), 4); err == nil || err.Error() != "more than 4 bytes, which is all that is read" {
		t.Error(err)
	}
	for want, c := range map[string]Code{
		"code: 0123456789ab, module m, go1, linux":                                                 {Module: "m", Revision: "0123456789abcdef", Go: "go1", System: "linux"},
		"code: that of the program fedc, module unknown, go1, linux":                               {Program: "fedc", Go: "go1", System: "linux"},
		"code: 0123456789ab with changes, in the program fedcba987654, module unknown, go1, linux": {Revision: "0123456789abcdef", Program: "fedcba9876543210", Go: "go1", System: "linux"},
	} {
		if c.String() != want {
			t.Errorf("%s, want %s", c, want)
		}
	}
	if b := (Build{Version: "1", GOARCH: "arm64"}); b.String() != "1 arm64  fma=false" || b.Target() != "arm64 fma=false" {
		t.Error(b, b.Target())
	}
}
