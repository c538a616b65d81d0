package evidence

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// plantedFault is a fault that a test must notice: whoever broke the code like this would be told.
type plantedFault struct {
	name  string
	where string   // the file or folder that has the lines
	lines []string // as they stand, each followed by what is planted in their place
	pack  string   // of the test
	test  string
	says  string // of what is printed; empty: that the test fails
}

// find returns the files of a fault with the fault in them. Every line must be there once.
func (p plantedFault) find(root string) (planted map[string]string, err error) {
	texts := map[string]string{}
	err = filepath.WalkDir(filepath.Join(root, filepath.FromSlash(p.where)), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		texts[path] = string(text)
		return err
	})
	if err != nil {
		return nil, err
	}
	planted = map[string]string{}
	for i := 0; i < len(p.lines); i += 2 {
		var file string
		times := 0
		for path, text := range texts {
			if n := strings.Count(text, p.lines[i]); n > 0 {
				file, times = path, times+n
			}
		}
		if times != 1 {
			return nil, fmt.Errorf("%s: %s has the line %q %d times, want once: plant the fault where the code is now", p.name, p.where, p.lines[i], times)
		}
		texts[file] = strings.Replace(texts[file], p.lines[i], p.lines[i+1], 1)
		planted[file] = texts[file]
	}
	return planted, nil
}

// notice runs the test of a fault with the fault in the code. The files of the repository stay as they are: the compiler is given others.
func (p plantedFault) notice(t *testing.T, root string) (noticed bool, said string) {
	t.Helper()
	planted, err := p.find(root)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name string, text []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	instead := map[string]string{}
	for file, text := range planted {
		instead[file] = write(fmt.Sprint(len(instead), ".go"), []byte(text))
	}
	list, err := json.Marshal(map[string]any{"Replace": instead})
	if err != nil {
		t.Fatal(err)
	}
	overlay := write("overlay.json", list)
	c := exec.Command("go", "test", "-count=1", "-timeout", "3m", "-run", "^"+p.test+"$", p.pack)
	c.Dir = root
	c.Env = append(os.Environ(), "KEDGE_TORTURE=", "KEDGE_UPDATE=", "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -overlay="+overlay)) // also of what the test builds
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	err = c.Run()
	sign := "--- FAIL: " + p.test
	if p.says != "" {
		sign = p.says
	}
	return err != nil && strings.Contains(out.String(), sign) && !strings.Contains(out.String(), "[build failed]"), out.String()
}

// Every fault that is planted in the service is noticed by the test of what it breaks. Without KEDGE_TORTURE=1 it is only seen to that the lines in
// which they are planted are there.
func TestPlantedFaultsAreNoticed(t *testing.T) {
	row := For(t, Promise{Name: "service-faults", Text: "faults planted one by one in the code of the service: not noticed by the test of what they break", Short: "only a look whether the lines to plant them in are there"})
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	root, err := moduleOf(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range plantedFaults() {
		t.Run(strings.ReplaceAll(p.name, " ", "-"), func(t *testing.T) {
			if !Whole() {
				_, err := p.find(root)
				there := strings.Contains(testFiles(filepath.Join(root, filepath.FromSlash(p.pack))), "\nfunc "+p.test+"(t *testing.T) {\n")
				row.Case(err == nil && there, "%v; %s has the test %s: %t", err, p.pack, p.test, there)
				return
			}
			noticed, said := p.notice(t, root)
			row.Case(noticed, "%s: %s does not notice it:\n%s", p.name, p.test, said)
			if testing.Verbose() && noticed {
				t.Logf("noticed: %.1500s", said)
			}
		})
	}
}
