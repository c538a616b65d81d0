package command

import (
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/folder"
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
}

// reader is a command that reads a folder and writes elsewhere.
type reader struct {
	args   func(dir, out string) []string
	output map[string]string // undamaged, by file
}

// preys copies folders of every kind.
func preys(t *testing.T, w *workshop) (list []*prey) {
	t.Helper()
	for _, kind := range []string{"run", "sweep", "compare", "study"} {
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
		list = append(list, p)
	}
	return list
}

// library is how the library reads a folder of a kind.
func library(of string) func(dir string) (any, error) {
	switch of {
	case "run":
		return func(dir string) (any, error) { return folder.Open(dir, folder.Verified) }
	case "sweep":
		return func(dir string) (any, error) { return folder.OpenSweep(dir, folder.Verified) }
	case "study":
		return func(dir string) (any, error) {
			return folder.Decode(dir, folder.StudyFile, folder.Verified, study.Decode)
		}
	}
	kinds := kind.Standard()
	return func(dir string) (any, error) {
		return folder.Decode(dir, folder.CompareFile, folder.Verified, func(r io.Reader) (*compare.Comparison, error) { return compare.Decode(kinds, r) })
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
// not read, gives what it gave before. Every twentieth time the commands are tried too, the library every time.
func TestFlipsAreNoticed(t *testing.T) {
	w := workshopOf(t)
	list := preys(t, w)
	a, blows, cuts := newAttack(t, "flips"), 150, 30
	if isWhole() {
		blows, cuts = 2500, 500
	}
	a.strike(blows+cuts, 1, func(n int, random *rand.Rand) (string, error) {
		return list[n%len(list)].hurt(t, random, n >= blows, n/len(list)%20 == 0)
	})
	a.report(figures{Promise: "one bit, or the end, of a file of a run, sweep, comparison or study is lost: unseen by `kedge verify`, or read by library, `plot`, `report`, `merge` as if nothing were",
		Test: "Flips", Short: "150 bits, 30 ends"})
}

// hurt damages a file, asks everybody, and mends it.
func (p *prey) hurt(t *testing.T, random *rand.Rand, isCut, all bool) (ended string, err error) {
	name := p.files[random.IntN(len(p.files))]
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
	ended, err = p.ask(t, all)
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
	for _, r := range p.commands {
		out := filepath.Join(t.TempDir(), "out")
		if !all {
			break
		}
		said, code := command(t, r.args(p.dir, out)...)
		if got := treeOf(t, filepath.Dir(out)); code == 0 && !reflect.DeepEqual(got, r.output) {
			return "wrong", fmt.Errorf("%v writes something else: %s", r.args(p.dir, out), said)
		}
		if code != 0 && code != exitUsage && code != exitFailed {
			return "bad", fmt.Errorf("%v: exit code %d: %s", r.args(p.dir, out), code, said)
		}
	}
	return ended, nil
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
