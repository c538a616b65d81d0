package mutant

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/kedge-opt/kedge/internal/lists"
)

// together is code that has many changes in it, of which a process shows the one that its environment names: it is compiled once for all of them.
type together struct {
	court   *Court
	dir     string // for what is compiled
	overlay string
	planted map[Mutation]int    // the number that chooses a change
	unbuilt map[Mutation]string // changes that do not compile, with what the compiler says
}

// The environment of a process that has changes in it: which one it shows, or that it notes in a file which of them it came by.
const (
	chosen = "KEDGE_MUTANT"
	passed = "KEDGE_MUTANT_PASSED"
)

// switches is put into every package that is changed.
const switches = `package %s

import (
	"os"
	"strconv"
	"sync"
)

var mutantChosen = func() int {
	n, _ := strconv.Atoi(os.Getenv("` + chosen + `"))
	if os.Getenv("` + passed + `") != "" {
		n = -1
	}
	return n
}()

var mutantSeen sync.Map

func mutantPassed(ids ...int) {
	for _, id := range ids {
		if _, before := mutantSeen.LoadOrStore(id, true); before {
			return
		}
		f, err := os.OpenFile(os.Getenv("` + passed + `"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
		if err == nil {
			f.WriteString(strconv.Itoa(id) + "\n")
			f.Close()
		}
	}
}
`

// plantTogether writes code with all changes in it that are within functions, and leaves out those that do not compile.
func (c *Court) plantTogether(ctx context.Context, dir string, list []Mutation) (*together, error) {
	t := &together{court: c, dir: dir, planted: map[Mutation]int{}, unbuilt: map[Mutation]string{}}
	byPackage := map[string][]Mutation{}
	for _, s := range list {
		if _, twice := t.planted[s]; s.body.to == 0 || s.body.labels || twice || c.Except[s.Key] != "" {
			continue
		}
		if s.now == "{}" && s.body.results && s.to >= s.body.to-2 {
			t.unbuilt[s] = "missing return"
			continue
		}
		t.planted[s] = len(t.planted) + 1
		byPackage[s.Package()] = append(byPackage[s.Package()], s)
	}
	replace := map[string]string{}
	for pack, some := range byPackage {
		files, err := t.plantPackage(ctx, pack, some)
		if err != nil {
			return nil, err
		}
		maps.Copy(replace, files)
	}
	var err error
	t.overlay, err = writeOverlay(dir, "all", replace)
	return t, err
}

var compilerSays = regexp.MustCompile(`mutant(\d+)\.go:\d+(?::\d+)?: (.*)`)

// plantPackage writes the files of a package with its changes, as often as it takes until it compiles.
func (t *together) plantPackage(ctx context.Context, pack string, some []Mutation) (map[string]string, error) {
	for {
		files, err := t.write(pack, some)
		if err != nil {
			return nil, err
		}
		overlay, err := writeOverlay(t.dir, "package", files)
		if err != nil {
			return nil, err
		}
		out, err := t.court.command(ctx, "go", "build", "-gcflags=-e", "-overlay="+overlay, "./"+pack)
		if err == nil {
			return files, nil
		}
		wrong := map[int]string{}
		for _, m := range compilerSays.FindAllSubmatch(out, -1) {
			id, _ := strconv.Atoi(string(m[1]))
			wrong[id] = string(m[2])
		}
		if len(wrong) == 0 || ctx.Err() != nil {
			return nil, fmt.Errorf("build %s with its changes: %w: %s", pack, err, out)
		}
		some = slices.DeleteFunc(some, func(s Mutation) bool {
			why, is := wrong[t.planted[s]]
			if is {
				delete(t.planted, s)
				t.unbuilt[s] = why
			}
			return is
		})
	}
}

// write returns, by the path of a file, where that is which the compiler is to read instead.
func (t *together) write(pack string, some []Mutation) (map[string]string, error) {
	root, err := filepath.Abs(t.court.Root)
	if err != nil {
		return nil, err
	}
	byFile := map[string][]Mutation{}
	for _, s := range some {
		byFile[s.File] = append(byFile[s.File], s)
	}
	files := map[string]string{}
	put := func(path string, text []byte) error {
		instead := filepath.Join(t.dir, "src", strings.ReplaceAll(path, string(filepath.Separator), "_"))
		files[path] = instead
		return os.WriteFile(instead, text, 0o600)
	}
	if err := os.MkdirAll(filepath.Join(t.dir, "src"), 0o700); err != nil {
		return nil, err
	}
	name := ""
	for file, list := range byFile {
		path := filepath.Join(root, filepath.FromSlash(file))
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		if name == "" {
			name = string(packageClause.FindSubmatch(text)[1])
		}
		if err := put(path, t.choose(path, text, list)); err != nil {
			return nil, err
		}
	}
	if name == "" {
		return files, nil
	}
	return files, put(filepath.Join(root, filepath.FromSlash(pack), "mutant_switches.go"), fmt.Appendf(nil, switches, name))
}

var packageClause = regexp.MustCompile(`(?m)^package (\w+)`)

// choose writes a file whose functions have their changed bodies before the one that they had.
func (t *together) choose(path string, text []byte, list []Mutation) []byte {
	byBody := map[span][]Mutation{}
	for _, s := range list {
		byBody[s.body] = append(byBody[s.body], s)
	}
	var out bytes.Buffer
	at := 0
	for _, b := range slices.SortedFunc(maps.Keys(byBody), func(a, b span) int { return a.from - b.from }) {
		out.Write(text[at:b.from])
		ids := lists.Of(byBody[b], func(s Mutation) string { return strconv.Itoa(t.planted[s]) })
		fmt.Fprintf(&out, "{\nif mutantChosen != 0 {\nswitch mutantChosen {\ncase -1:\nmutantPassed(%s)\n", strings.Join(ids, ", "))
		for _, s := range byBody[b] {
			end := "return"
			if b.results {
				end = `panic("mutant: missing return")`
			}
			fmt.Fprintf(&out, "case %d:\n//line mutant%[1]d.go:1\n", t.planted[s])
			out.Write(text[b.from:s.from])
			out.WriteString(s.now)
			out.Write(text[s.to:b.to])
			fmt.Fprintf(&out, "\n%s\n", end)
		}
		fmt.Fprintf(&out, "}\n}\n//line %s:%d\n", path, b.line)
		out.Write(text[b.from+1 : b.to])
		at = b.to
	}
	out.Write(text[at:])
	return out.Bytes()
}
