package mutant

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Verdict is how the tests took a change.
type Verdict string

// A change that ends in a time-out is noticed: nobody waits for such a program.
const (
	Killed   Verdict = "killed"
	Alive    Verdict = "ALIVE"
	Hung     Verdict = "hung"
	Unbuilt  Verdict = "not built"
	Excepted Verdict = "equivalent"
)

// Court has changes judged by tests.
type Court struct {
	Root    string
	Timeout time.Duration  // of the tests of a package
	Run     string         // which tests are asked, a pattern of go test; "": all
	Short   bool           // only tests that go test -short runs: they are quicker, and notice less
	Whole   bool           // tests of packages that import the changed one are asked too, where its own do not notice
	Except  map[Key]string // why a change changes nothing that anybody could see

	tested map[string][]string // packages with tests, by the package that they need
}

// Files are the files of the module that have code of their own, without tests.
func (c *Court) Files(ctx context.Context, patterns ...string) ([]string, error) {
	out, err := c.command(ctx, "go", append([]string{"list", "-f", `{{$d := .Dir}}{{range .GoFiles}}{{$d}}/{{.}}{{"\n"}}{{end}}`}, patterns...)...)
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	root, err := filepath.Abs(c.Root)
	if err != nil {
		return nil, err
	}
	var files []string
	for path := range strings.Lines(string(out)) {
		if path = strings.TrimSpace(path); path == "" {
			continue
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return nil, err
		}
		files = append(files, filepath.ToSlash(name))
	}
	slices.Sort(files)
	return files, nil
}

// Judge plants a change and runs tests: those of its package and, of a whole judgement, those of all that import it.
func (c *Court) Judge(ctx context.Context, s Mutation) (Verdict, string, error) {
	if why := c.Except[s.Key]; why != "" {
		return Excepted, why, nil
	}
	dir, err := os.MkdirTemp("", "kedge-mutant-")
	if err != nil {
		return "", "", err
	}
	defer os.RemoveAll(dir)
	overlay, err := c.plant(dir, s)
	if err != nil {
		return "", "", err
	}
	pack := "./" + s.Package()
	if out, err := c.command(ctx, "go", "build", "-overlay="+overlay, pack); err != nil {
		if ctx.Err() != nil {
			return "", "", ctx.Err()
		}
		return Unbuilt, string(out), nil
	}
	packs := []string{pack}
	if c.Whole {
		others, err := c.importers(ctx, s.Package())
		if err != nil {
			return "", "", err
		}
		packs = append(packs, others...)
	}
	for _, p := range packs {
		v, said, err := c.test(ctx, overlay, p)
		if v != Alive || err != nil {
			return v, said, err
		}
	}
	return Alive, "", nil
}

// plant writes what the compiler is to read instead.
func (c *Court) plant(dir string, s Mutation) (overlay string, err error) {
	path, err := filepath.Abs(filepath.Join(c.Root, s.File))
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	instead := filepath.Join(dir, "mutant.go")
	if err := os.WriteFile(instead, s.Plant(text), 0o600); err != nil {
		return "", err
	}
	return writeOverlay(dir, "one", map[string]string{path: instead})
}

// writeOverlay says which files the compiler is to read instead of which.
func writeOverlay(dir, name string, replace map[string]string) (string, error) {
	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, name+".json")
	return path, os.WriteFile(path, list, 0o600)
}

// test runs the tests of a package; what they build has the change too.
func (c *Court) test(ctx context.Context, overlay, pack string) (Verdict, string, error) {
	ctx, cancel := context.WithTimeout(ctx, c.Timeout+time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", "test", "-vet=off", "-count=1", "-failfast", "-run", c.Run, "-timeout", c.Timeout.String(), "-short="+strconv.FormatBool(c.Short), pack)
	cmd.Dir = c.Root
	cmd.WaitDelay = 10 * time.Second
	cmd.Env = append(os.Environ(), "KEDGE_TORTURE=", "KEDGE_UPDATE=", "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -overlay="+overlay))
	out, err := cmd.CombinedOutput()
	switch {
	case ctx.Err() != nil && ctx.Err() != context.DeadlineExceeded:
		return "", "", ctx.Err()
	case err == nil:
		return Alive, "", nil
	case ctx.Err() != nil || bytes.Contains(out, []byte("panic: test timed out after")):
		return Hung, pack, nil
	}
	return Killed, pack + ": " + failure(string(out)), nil
}

// failure is the first line of a test's output that says what failed.
func failure(out string) string {
	for line := range strings.Lines(out) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "--- FAIL") || strings.HasPrefix(line, "panic:") {
			return line
		}
	}
	return strings.TrimSpace(out[:min(len(out), 200)])
}

// importers are the packages whose tests need a package, nearest first, itself left out.
func (c *Court) importers(ctx context.Context, name string) ([]string, error) {
	if c.tested == nil {
		out, err := c.command(ctx, "go", "list", "-test", "-f", `{{if .ForTest}}{{.ForTest}} {{len .Deps}}{{range .Deps}} {{.}}{{end}}{{end}}`, "./...")
		if err != nil {
			return nil, fmt.Errorf("%w: %s", err, out)
		}
		module, err := c.command(ctx, "go", "list", "-m")
		if err != nil {
			return nil, fmt.Errorf("%w: %s", err, module)
		}
		c.tested = needs(strings.TrimSpace(string(module)), string(out))
	}
	return c.tested[name], nil
}

// needs reads a list of packages under test, each with how many others its tests need, and which. By a package of the module it gives those whose
// tests need it, the smallest first.
func needs(module, list string) map[string][]string {
	type tested struct {
		path string
		deps int
	}
	by := map[string][]tested{}
	for line := range strings.Lines(list) {
		words := strings.Fields(line)
		if len(words) < 2 {
			continue
		}
		deps, _ := strconv.Atoi(words[1])
		one := tested{"." + strings.TrimPrefix(words[0], module), deps}
		for _, dep := range words[2:] {
			if rest, isOurs := strings.CutPrefix(dep, module); isOurs && dep != words[0] {
				name := cmp.Or(strings.TrimPrefix(rest, "/"), ".")
				if !slices.ContainsFunc(by[name], func(t tested) bool { return t.path == one.path }) {
					by[name] = append(by[name], one)
				}
			}
		}
	}
	all := map[string][]string{}
	for name, list := range by {
		slices.SortFunc(list, func(a, b tested) int { return a.deps - b.deps })
		for _, t := range list {
			all[name] = append(all[name], t.path)
		}
	}
	return all
}

func (c *Court) command(ctx context.Context, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = c.Root
	return cmd.CombinedOutput()
}
