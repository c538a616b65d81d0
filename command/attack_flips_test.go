package command

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/lab/compare"
	"github.com/kedge-opt/kedge/lab/study"
	"github.com/kedge-opt/kedge/problem/kind"
)

// prey is a folder whose files are damaged, one at a time.
type prey struct {
	kind, dir string
	files     []string
	read      func(dir string) (any, error) // what the library reads of it
	value     string                        // that, spelt out, undamaged
	commands  []reader
	renewed   map[string]string // all files once the report was made anew in it, undamaged
}

// reader is a command that reads a folder and writes elsewhere.
type reader struct {
	args   func(dir, out string) []string
	output map[string]string // undamaged, by file
}

// preys copies folders of some kinds.
func preys(t *testing.T, w *workshop, kinds ...string) (list []*prey) {
	t.Helper()
	for _, kind := range kinds {
		p := &prey{kind: kind, dir: filepath.Join(t.TempDir(), kind), read: library(kind)}
		if err := os.CopyFS(p.dir, os.DirFS(w.path(kind+"-1"))); err != nil {
			t.Fatal(err)
		}
		p.files = slices.Sorted(func(yield func(string) bool) {
			for name := range treeOf(t, p.dir) {
				yield(name)
			}
		})
		v, err := p.read(p.dir)
		if p.value = spelt(reflect.ValueOf(v)); err != nil {
			t.Fatal(err)
		}
		for _, args := range readersOf(kind) {
			r := reader{args: args}
			out := filepath.Join(t.TempDir(), "out")
			if said, code := command(t, args(p.dir, out)...); code != 0 {
				t.Fatalf("%v: exit code %d: %s", args(p.dir, out), code, said)
			}
			r.output = treeOf(t, filepath.Dir(out))
			p.commands = append(p.commands, r)
		}
		again := filepath.Join(t.TempDir(), kind)
		if err := os.CopyFS(again, os.DirFS(p.dir)); err != nil {
			t.Fatal(err)
		}
		if said, code := command(t, "report", again); code != 0 {
			t.Fatalf("report %s: exit code %d: %s", kind, code, said)
		}
		p.renewed = treeOf(t, again)
		list = append(list, p)
	}
	return list
}

// library is how the library reads a folder of a kind.
func library(of string) func(dir string) (any, error) {
	switch of {
	case "run":
		return func(dir string) (any, error) { return folder.Open(context.Background(), dir, folder.Verified) }
	case "sweep":
		return func(dir string) (any, error) { return folder.OpenSweep(context.Background(), dir, folder.Verified) }
	case "study":
		return func(dir string) (any, error) {
			return folder.Decode(context.Background(), dir, folder.StudyFile, folder.Verified, study.Decode)
		}
	}
	kinds := kind.Standard()
	return func(dir string) (any, error) {
		return folder.Decode(context.Background(), dir, folder.CompareFile, folder.Verified, func(r io.Reader) (*compare.Comparison, error) { return compare.Decode(kinds, r) })
	}
}

// readersOf are the commands that read a folder of a kind.
func readersOf(kind string) (list []func(dir, out string) []string) {
	list = append(list, func(dir, out string) []string { return []string{"report", dir, "--out", out} })
	if kind == "run" || kind == "sweep" {
		list = append(list, func(dir, out string) []string { return []string{"plot", dir, "--out", out + ".svg"} })
	}
	if kind == "sweep" {
		list = append(list, func(dir, out string) []string { return []string{"merge", "--quiet", out, dir} })
	}
	return list
}

// One bit of one file is another, or a file is cut short: verify says so, and whoever reads the folder refuses it or, where that file is
// not read, gives what it gave before. All files have their turn. Every tenth time the commands are tried too, the library every time.
func TestFlipsAreNoticed(t *testing.T) {
	a := newAttack(t, evidence.Promise{Name: "flips", Short: "50 bits, 14 ends",
		Text: "one bit, or the end, of a file of a run, sweep, comparison or study is lost, all files in turn: unseen by `kedge verify`, or read by library, `plot`, `report`, `merge`, or by `report` in the folder itself, as if nothing were"})
	list := preys(t, workshopOf(t), "run", "sweep", "compare", "study")
	a.flip(list, func(p *prey, round int) (string, error) { return p.ask(t, round%10 == 0) })
}

// The Python client hands out nothing that is not as it was written either.
func TestFlipsAreNoticedByPython(t *testing.T) {
	a := newAttack(t, evidence.Promise{Name: "flips-python", Short: "50 bits, 14 ends", Needs: "Python 3",
		Text: "the same, of runs and sweeps, read by the Python client: other values than those that were written"})
	w := workshopOf(t)
	client := newClient(t)
	list := preys(t, w, "run", "sweep")
	calm := map[*prey]string{}
	for _, p := range list {
		said, err := client.read(p)
		if calm[p] = said; err != nil || !strings.HasPrefix(said, "read ") {
			t.Fatalf("%s: %v: %s", p.kind, err, said)
		}
	}
	a.flip(list, func(p *prey, _ int) (string, error) {
		said, err := client.read(p)
		switch {
		case err != nil:
			return "bad", err
		case said == calm[p]:
			return "not read", nil
		case strings.HasPrefix(said, "refused "):
			return "refused", nil
		}
		return "wrong", fmt.Errorf("the Python client reads something else: %s", said)
	})
}

// flip damages files one after the other and asks somebody each time.
func (a *attack) flip(list []*prey, ask func(p *prey, round int) (string, error)) {
	bits, ends := 50, 14
	if evidence.Whole() {
		bits, ends = 2500, 500
	}
	a.strike(bits+ends, 1, func(n int, random *rand.Rand) (string, error) {
		p, round := list[n%len(list)], n/len(list)
		return p.hurt(p.files[round%len(p.files)], random, n >= bits, func() (string, error) { return ask(p, round) })
	})
}

// client is a Python process that reads folders.
type client struct {
	in  io.Writer
	out *bufio.Scanner
}

func newClient(t *testing.T) *client {
	t.Helper()
	c := exec.Command(pythonOf(t), "testdata/reader.py")
	c.Env = append(os.Environ(), "PYTHONPATH="+filepath.Join("..", "clients", "python", "src"), "PYTHONDONTWRITEBYTECODE=1")
	c.Stderr = os.Stderr
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		c.Wait()
	})
	return &client{in, bufio.NewScanner(out)}
}

// read says what the client reads of a folder: a checksum of it, or why it refuses.
func (c *client) read(p *prey) (string, error) {
	if _, err := fmt.Fprintf(c.in, "%s\t%s\n", p.kind, p.dir); err != nil {
		return "", err
	}
	if !c.out.Scan() {
		return "", fmt.Errorf("the Python client ended: %w", c.out.Err())
	}
	return c.out.Text(), nil
}

// hurt damages a file, asks somebody, and mends it.
func (p *prey) hurt(name string, random *rand.Rand, isCut bool, ask func() (string, error)) (ended string, err error) {
	path := filepath.Join(p.dir, filepath.FromSlash(name))
	good, err := os.ReadFile(path)
	if err != nil {
		return "bad", err
	}
	bad, what := slices.Clone(good), "cut short"
	if bit := random.IntN(8 * len(good)); isCut {
		bad = bad[:bit/8]
	} else {
		bad[bit/8] ^= 1 << (bit % 8)
		what = fmt.Sprintf("flipped at bit %d", bit)
	}
	defer func() {
		if mended := os.WriteFile(path, good, 0o644); err == nil {
			err = mended
		}
	}()
	if err := os.WriteFile(path, bad, 0o644); err != nil {
		return "bad", err
	}
	ended, err = ask()
	if err != nil {
		err = fmt.Errorf("%s %s %s: %w", p.kind, name, what, err)
	}
	return ended, err
}

// ask tells whether a damaged folder is refused, and by whom.
func (p *prey) ask(t *testing.T, all bool) (ended string, err error) {
	if out, code := command(t, "verify", p.dir); code != exitFailed && code != exitUsage {
		return "unseen", fmt.Errorf("verify: exit code %d: %s", code, out)
	}
	ended = "refused"
	v, err := p.read(p.dir)
	if err == nil {
		ended = "not read"
		if spelt(reflect.ValueOf(v)) != p.value {
			return "wrong", fmt.Errorf("the library reads other numbers")
		}
	}
	if !all {
		return ended, nil
	}
	for _, r := range p.commands {
		out := filepath.Join(t.TempDir(), "out")
		said, code := command(t, r.args(p.dir, out)...)
		if got := treeOf(t, filepath.Dir(out)); code == 0 && !reflect.DeepEqual(got, r.output) {
			return "wrong", fmt.Errorf("%v writes something else: %s", r.args(p.dir, out), said)
		}
		if code != 0 && code != exitUsage && code != exitFailed {
			return "bad", fmt.Errorf("%v: exit code %d: %s", r.args(p.dir, out), code, said)
		}
	}
	return ended, p.renew(t)
}

// renew makes the report of a damaged folder anew, in a copy of it: it refuses, or no file has other bytes that verify vouches for.
func (p *prey) renew(t *testing.T) error {
	dir := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(dir, os.DirFS(p.dir)); err != nil {
		return err
	}
	before := treeOf(t, dir)
	said, code := command(t, "report", dir)
	after := treeOf(t, dir)
	switch {
	case code != 0 && code != exitUsage && code != exitFailed:
		return fmt.Errorf("report in the folder: exit code %d: %s", code, said)
	case code != 0 && !reflect.DeepEqual(before, after):
		return fmt.Errorf("report in the folder refuses, and changes it: %s", said)
	case code != 0:
		return nil
	}
	if _, code := command(t, "verify", dir); code != 0 {
		return nil
	}
	for name, text := range p.renewed {
		if after[name] != text {
			return fmt.Errorf("report in the folder vouches for another %s: %s", name, said)
		}
	}
	return nil
}

// treeOf reads all files below a folder, by name with slashes.
func treeOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		files[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// spelt spells a value out, with everything that it points to and every bit of its numbers.
func spelt(v reflect.Value) string {
	var b strings.Builder
	spell(&b, v)
	return b.String()
}

func spell(b *strings.Builder, v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		spell(b, v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			fmt.Fprintf(b, "%s:", v.Type().Field(i).Name)
			spell(b, v.Field(i))
		}
	case reflect.Slice, reflect.Array:
		fmt.Fprintf(b, "%d[", v.Len())
		for i := range v.Len() {
			spell(b, v.Index(i))
		}
	case reflect.Map:
		var parts []string
		for _, key := range v.MapKeys() {
			parts = append(parts, spelt(key)+"="+spelt(v.MapIndex(key)))
		}
		slices.Sort(parts)
		fmt.Fprintf(b, "%q", parts)
	case reflect.Float64:
		fmt.Fprintf(b, "%x,", math.Float64bits(v.Float()))
	case reflect.Func, reflect.Invalid:
		fmt.Fprintf(b, "%s,", v.Kind())
	default:
		fmt.Fprintf(b, "%v,", v)
	}
}
