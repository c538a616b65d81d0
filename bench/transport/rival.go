package main

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

//go:embed transport.py
var script string

// rival is a running Python process with POT. It gets instances as binary numbers and answers with a line each.
type rival struct {
	name    string
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Scanner
}

// answer is what POT found, and how long it took in seconds.
type answer struct{ Costs, Solve, Value float64 }

func startRival(ctx context.Context, python string) (*rival, error) {
	c := exec.CommandContext(ctx, python, "-c", script)
	c.Env = append(os.Environ(), "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1")
	var complaint strings.Builder
	c.Stderr = &complaint
	in, err := c.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	r := &rival{command: c, in: in, out: bufio.NewScanner(out)}
	if !r.out.Scan() {
		_ = c.Wait()
		return nil, fmt.Errorf("%s has no POT (Debian's python3-pot, or pip install pot): %s", python, lastLine(complaint.String()))
	}
	r.name = r.out.Text()
	return r, nil
}

func lastLine(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return lines[len(lines)-1]
}

func (r *rival) stop() {
	_ = r.in.Close()
	_ = r.command.Wait()
}

// solve sends an instance: the number of points on each side, the entries of states and traits, whether there are weights, and
// all numbers.
func (r *rival) solve(in instance) (answer, error) {
	head := []int64{int64(len(in.p) / in.states), int64(len(in.q) / in.states), int64(in.states), int64(in.trait), int64(len(in.a))}
	w := bufio.NewWriter(r.in)
	for _, part := range []any{head, in.p, in.q, in.d, in.e, in.a, in.b} {
		if err := binary.Write(w, binary.LittleEndian, part); err != nil {
			return answer{}, err
		}
	}
	if err := w.Flush(); err != nil {
		return answer{}, err
	}
	if !r.out.Scan() {
		return answer{}, fmt.Errorf("no answer from %s", r.name)
	}
	var a answer
	return a, json.Unmarshal(r.out.Bytes(), &a)
}
