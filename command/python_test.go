package command

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// The tests of the Python package, with this kedge. They try what happens without NumPy themselves.
func TestPythonClient(t *testing.T) {
	t.Parallel() // it waits for others most of the time
	if testing.Short() {
		t.Skip("a process for every run")
	}
	python := pythonOf(t)
	kedge, err := program.Path()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(python, "-m", "unittest", "discover", "-s", "tests")
	c.Dir = filepath.Join("..", "clients", "python")
	c.Env = append(os.Environ(), "KEDGE="+kedge, "PYTHONPATH=src", "PYTHONDONTWRITEBYTECODE=1")
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// pythonOf is an interpreter, for a test that skips without one.
func pythonOf(t *testing.T) string {
	t.Helper()
	python := os.Getenv("KEDGE_PYTHON")
	if python == "" {
		python = "python3"
	}
	if _, err := exec.LookPath(python); err != nil {
		t.Skip("no Python; set KEDGE_PYTHON to one")
	}
	return python
}
