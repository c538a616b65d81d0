package main

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/stream"
)

// The sizes of the checked runs; batch, trials and parameters are those of bench/workloads.py.
const (
	checkTurns = 50
	people     = 60
	batch      = 50
	items      = 100
	trials     = 20
	budget     = 250
	dim        = 20
)

// polarizedInput is what a checked run of the polarized case starts from.
type polarizedInput struct {
	people, q0 []float64
	picks      []int32
}

func newPolarizedInput() polarizedInput {
	r := stream.New(1, "polarized")
	in := polarizedInput{people: unitRows(r, people, dim), q0: unitRows(r, 1, dim), picks: make([]int32, checkTurns*batch)}
	for i := range in.picks {
		in.picks[i] = int32(r.Intn(people))
	}
	return in
}

func (in polarizedInput) write(t *testing.T) string {
	dir := t.TempDir()
	write(t, dir, "people.f64", in.people)
	write(t, dir, "q0.f64", in.q0)
	write(t, dir, "picks.i32", in.picks)
	return dir
}

// choiceInput is what a checked run of the choice case starts from.
type choiceInput struct{ p0, q0, optimum, directions []float64 }

// newChoiceInput starts with fees so unequal that the bound 0 of some of them is soon met.
func newChoiceInput() choiceInput {
	r := stream.New(1, "choice")
	in := choiceInput{p0: portions(r, 1, 1), q0: portions(r, budget, 4), optimum: portions(r, budget, 1)}
	in.directions = make([]float64, checkTurns*trials*items)
	for i := range in.directions {
		in.directions[i] = r.Normal()
	}
	for i := range checkTurns * trials {
		normalize(kedge.Row(in.directions, i, items))
	}
	return in
}

func (in choiceInput) write(t *testing.T) string {
	dir := t.TempDir()
	write(t, dir, "p0.f64", in.p0)
	write(t, dir, "q0.f64", in.q0)
	write(t, dir, "optimum.f64", in.optimum)
	write(t, dir, "directions.f64", in.directions)
	return dir
}

func unitRows(r *stream.Stream, count, width int) []float64 {
	x := make([]float64, count*width)
	for i := range x {
		x[i] = r.Normal()
	}
	for i := range count {
		normalize(kedge.Row(x, i, width))
	}
	return x
}

func normalize(x []float64) { rows.Scale(x, 1/rows.Norm(x)) }

// portions returns positive numbers of the given sum, the more unequal the higher the power.
func portions(r *stream.Stream, total, power float64) []float64 {
	x := make([]float64, items)
	for i := range x {
		x[i] = math.Pow(r.Float64(), power)
	}
	rows.Scale(x, total/rows.Sum(x))
	return x
}

func write(t *testing.T, dir, name string, data any) {
	t.Helper()
	var b bytes.Buffer
	if err := binary.Write(&b, binary.LittleEndian, data); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, dir, name string) []float64 {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	x := make([]float64, len(data)/8)
	if err := binary.Read(bytes.NewReader(data), binary.LittleEndian, x); err != nil {
		t.Fatal(err)
	}
	return x
}

// agree fails the test where got is further from want than tol, relative to the largest entry or 1.
func agree(t *testing.T, what string, got, want []float64, tol float64) {
	t.Helper()
	if len(got) != len(want) || len(want) == 0 {
		t.Fatalf("%s: %d numbers, want %d", what, len(got), len(want))
	}
	scale := max(1, rows.MaxAbs(want))
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= tol*scale) {
			t.Fatalf("%s: entry %d is %v, want %v", what, i, got[i], want[i])
		}
	}
}
