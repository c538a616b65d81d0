package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// The sides of the comparison, as they are named in the output.
const (
	kedgeSide = "kedge"
	paperSide = "numpy-paper"
	fastSide  = "numpy-fast"
	cSide     = "c"
)

// side is one competitor.
type side struct {
	name    string
	figures func(ctx context.Context) (Figures, error)
}

// tools is what the sides are run with.
type tools struct {
	options
	root string // of the module
	dir  string // temporary
}

func newTools(ctx context.Context, o options, dir string) (*tools, error) {
	out, err := output(ctx, ".", "go", "env", "GOMOD")
	if err != nil {
		return nil, err
	}
	mod := strings.TrimSpace(string(out))
	if filepath.Base(mod) != "go.mod" {
		return nil, errors.New("run it within the kedge repository: go run ./bench/compare")
	}
	return &tools{options: o, root: filepath.Dir(mod), dir: dir}, nil
}

// sides returns all sides. What one of them needs is made ready once; if that fails, so does the side.
func (t *tools) sides(ctx context.Context) []side {
	python, kedge, kernel := t.findNumPy(ctx), t.buildKedge(ctx), t.buildKernel(ctx)
	return []side{
		{kedgeSide, after(kedge, t.kedgeFigures)},
		{paperSide, after(python, t.script("numpy_paper.py"))},
		{fastSide, after(python, t.script("numpy_fast.py"))},
		{cSide, after(kernel, t.kernelFigures)},
	}
}

// after returns run, or a side that fails if what it needs is not there.
func after(unready error, run func(context.Context) (Figures, error)) func(context.Context) (Figures, error) {
	if unready == nil {
		return run
	}
	return func(context.Context) (Figures, error) { return nil, unready }
}

// kedgeFigures runs kedge's own benchmarks.
func (t *tools) kedgeFigures(ctx context.Context) (Figures, error) {
	command := strings.Fields(t.kedge)
	if len(command) == 0 {
		command = []string{filepath.Join(t.dir, "kedge"), "bench", "--json"}
		if t.skipLarge {
			command = append(command, "--skip-large")
		}
	}
	return figuresOf(ctx, t.root, command...)
}

func (t *tools) buildKedge(ctx context.Context) error {
	if t.kedge != "" {
		return nil
	}
	_, err := output(ctx, t.root, "go", "build", "-o", filepath.Join(t.dir, "kedge"), "./cmd/kedge")
	return err
}

// findNumPy says whether Python has NumPy, and if not, how to get it.
func (t *tools) findNumPy(ctx context.Context) error {
	if _, err := output(ctx, t.root, t.python, "-c", "import numpy"); err != nil {
		return fmt.Errorf("%s with NumPy is missing (%w): install the Debian package python3-numpy, "+
			"or name another interpreter with --python or KEDGE_PYTHON", t.python, err)
	}
	return nil
}

func (t *tools) script(name string) func(context.Context) (Figures, error) {
	return func(ctx context.Context) (Figures, error) {
		return figuresOf(ctx, t.root, t.python, filepath.Join("bench", name), "--turns", strconv.Itoa(t.turns))
	}
}

// buildKernel compiles the C kernel. The two flags beyond the usual ones change no result: they let the compiler vectorise
// square roots and conditions.
func (t *tools) buildKernel(ctx context.Context) error {
	if _, err := exec.LookPath(t.compiler); err != nil {
		return fmt.Errorf("%s is missing (%w): install the Debian package gcc, or name another compiler with --cc", t.compiler, err)
	}
	_, err := output(ctx, t.root, t.compiler, "-O3", "-march=native", "-fno-math-errno", "-fno-trapping-math",
		filepath.Join("bench", "kernel.c"), "-o", filepath.Join(t.dir, "kernel"), "-lm")
	return err
}

func (t *tools) kernelFigures(ctx context.Context) (Figures, error) {
	command := []string{filepath.Join(t.dir, "kernel")}
	if t.skipLarge {
		command = append(command, "--skip-large")
	}
	return figuresOf(ctx, t.root, command...)
}

// figuresOf runs a command and decodes the figures it prints.
func figuresOf(ctx context.Context, dir string, command ...string) (Figures, error) {
	out, err := output(ctx, dir, command...)
	if err != nil {
		return nil, err
	}
	return decode(out)
}

// output runs a command with the numerical libraries held to one thread and returns what it prints. An error carries the
// last line of its complaints.
func output(ctx context.Context, dir string, command ...string) ([]byte, error) {
	c := exec.CommandContext(ctx, command[0], command[1:]...)
	c.Dir = dir
	c.Env = append(os.Environ(), "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1", "MKL_NUM_THREADS=1", "BLIS_NUM_THREADS=1")
	var complaints bytes.Buffer
	c.Stderr = &complaints
	out, err := c.Output()
	if err == nil {
		return out, nil
	}
	err = fmt.Errorf("run %s: %w", filepath.Base(command[0]), err)
	if lines := strings.Split(strings.TrimSpace(complaints.String()), "\n"); lines[len(lines)-1] != "" {
		err = fmt.Errorf("%w: %s", err, lines[len(lines)-1])
	}
	return nil, err
}
