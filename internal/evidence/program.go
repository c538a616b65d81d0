package evidence

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// Program is kedge for tests that need a process: built once, when it is first asked for.
type Program struct {
	Dir  string // where tests may put what is to be gone after all of them; "" before they begin
	path func() (string, error)
}

// NewProgram is one that nobody has asked for yet.
func NewProgram() *Program {
	p := new(Program)
	p.path = sync.OnceValues(p.build)
	return p
}

// build lets a program tell its revision where git does, whatever GOFLAGS say: one that knows it need not hash itself, which takes a fifth of a
// second of every process. What a debugger reads is left out: nobody debugs it, and it takes as long to link as all else.
func (p *Program) build() (path string, err error) {
	path = filepath.Join(p.Dir, "kedge")
	var out []byte
	for _, revision := range []string{"auto", "false"} {
		if out, err = exec.Command("go", "build", "-buildvcs="+revision, "-ldflags=-s -w", "-o", path, "github.com/kedge-opt/kedge/cmd/kedge").CombinedOutput(); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("%w: %s", err, out)
}

// Path is where the program is.
func (p *Program) Path() (string, error) { return p.path() }

// Around runs tests with a place for the program, which is gone afterwards, and returns their exit code.
func (p *Program) Around(m *testing.M) int {
	var err error
	if p.Dir, err = os.MkdirTemp("", "kedge-program-*"); err != nil {
		panic(err)
	}
	defer os.RemoveAll(p.Dir)
	return m.Run()
}
