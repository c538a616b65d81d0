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
	jaxSide   = "jax"
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
	python, turns := t.findNumPy(ctx), strconv.Itoa(t.turns)
	return []side{
		t.kedgeSide(ctx),
		t.side(paperSide, python, t.python, filepath.Join("bench", "numpy_paper.py"), "--turns", turns),
		t.side(fastSide, python, t.python, filepath.Join("bench", "numpy_fast.py"), "--turns", turns),
		t.side(jaxSide, t.findJAX(ctx), t.python, filepath.Join("bench", jaxScript), "--turns", turns),
		t.side(cSide, t.buildKernel(ctx), t.sized("kernel")...),
	}
}

// kedgeSide runs kedge's own benchmarks.
func (t *tools) kedgeSide(ctx context.Context) side {
	if command := strings.Fields(t.kedge); len(command) > 0 {
		return t.side(kedgeSide, nil, command...)
	}
	_, err := output(ctx, t.root, "go", "build", "-o", filepath.Join(t.dir, "kedge"), "./cmd/kedge")
	return t.side(kedgeSide, err, t.sized("kedge", "bench", "--json")...)
}

// sized is a command that was built here and knows how to leave the largest crowd out.
func (t *tools) sized(name string, args ...string) []string {
	if t.skipLarge {
		args = append(args, "--skip-large")
	}
	return append([]string{filepath.Join(t.dir, name)}, args...)
}

// side runs a command and decodes the figures it prints, unless what it needs is not there.
func (t *tools) side(name string, unready error, command ...string) side {
	return side{name, func(ctx context.Context) (Figures, error) {
		if unready != nil {
			return nil, unready
		}
		out, err := output(ctx, t.root, command...)
		if err != nil {
			return nil, err
		}
		return decode(out)
	}}
}

func (t *tools) findNumPy(ctx context.Context) error {
	return t.find(ctx, "NumPy", "install the Debian package python3-numpy, or name another interpreter")
}

func (t *tools) findJAX(ctx context.Context) error {
	return t.find(ctx, "JAX", "python3 -m venv DIR, DIR/bin/pip install jax, and name DIR/bin/python")
}

// find says whether Python has a library, and if not, how to get it.
func (t *tools) find(ctx context.Context, library, remedy string) error {
	if _, err := output(ctx, t.root, t.python, "-c", "import "+strings.ToLower(library)); err != nil {
		return fmt.Errorf("%s with %s is missing (%w): %s with --python or KEDGE_PYTHON", t.python, library, err, remedy)
	}
	return nil
}

// jaxScript is the side of JAX.
const jaxScript = "jax_scan.py"

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
