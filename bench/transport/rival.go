package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

//go:embed transport.py
var script string

// rival is a Python that has POT.
type rival struct{ python string }

// answer is what POT found, and how long it took in seconds.
type answer struct {
	Name                string // and version of POT
	Costs, Solve, Value float64
}

// solve hands an instance over as binary numbers: how many points are on each side, the entries of states and traits, whether there
// are weights, and all of them.
func (r rival) solve(ctx context.Context, in instance) (a answer, err error) {
	var numbers bytes.Buffer
	head := []int64{int64(len(in.p) / in.states), int64(len(in.q) / in.states), int64(in.states), int64(in.trait), int64(len(in.a))}
	for _, part := range []any{head, in.p, in.q, in.d, in.e, in.a, in.b} {
		if err := binary.Write(&numbers, binary.LittleEndian, part); err != nil {
			return a, err
		}
	}
	c := exec.CommandContext(ctx, r.python, "-c", script)
	c.Env = append(os.Environ(), "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1")
	c.Stdin = &numbers
	text, err := c.Output()
	if json.Unmarshal(text, &a) == nil {
		return a, nil
	}
	complaint := &exec.ExitError{}
	errors.As(err, &complaint)
	lines := strings.Split(strings.TrimSpace(string(complaint.Stderr)), "\n")
	return a, fmt.Errorf("%s has no POT (Debian's python3-pot, or pip install pot): %s", r.python, lines[len(lines)-1])
}
