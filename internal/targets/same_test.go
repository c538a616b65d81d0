package targets

import (
	"bytes"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/internal/evidence"
)

// emulator runs programs of arm64 on amd64.
const emulator = "qemu-aarch64-static"

// machine is a target with what runs its programs.
type machine struct {
	name   string
	row    string // of docs/RELIABILITY.md
	target target
	before []string // the command that runs it
	env    []string

	otherPixels  bool     // PNG figures differ: golang.org/x/image and freetype draw with fused products
	otherSpectra []string // specs whose eigenvalues differ: gonum computes them with assembly on amd64 and fused products on arm64
}

// spectraApart is how far eigenvalues may be apart, relative to themselves; 2.5e-13 was seen.
const spectraApart = 1e-12

func machines() []machine {
	return []machine{
		{name: "v3", row: "targets-v3", target: v3(), otherPixels: true},
		{name: "v1 without FMA", row: "targets-no-fma", target: v1(), env: []string{"GODEBUG=cpu.fma=off"}},
		{name: "arm64", row: "targets-arm64", target: arm64(), before: []string{emulator}, otherPixels: true, otherSpectra: []string{"polarized", "choice"}},
	}
}

// Four short specs give the same folders on GOAMD64=v1, v3, v1 on a processor without fused products, and arm64, byte by byte but for
// times, the stamp of the build and what a machine is known to compute otherwise.
func TestSpecsOnAllTargets(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: builds kedge three times and emulates arm64")
	}
	if runtime.GOARCH != "amd64" || runtime.GOOS != "linux" {
		t.Skip("skipped: programs of amd64 and Linux do not run here")
	}
	dir := t.TempDir()
	bin := func(x target) string { return filepath.Join(dir, "kedge-"+x.name) }
	v1().build(t, root, module, "-ldflags=-s -w", "-o", bin(v1()), "./cmd/kedge")
	want := map[string]map[string]string{}
	for _, spec := range specs() {
		want[spec] = files(t, machine{name: "v1", target: v1()}, bin(v1()), spec)
	}
	for _, m := range machines() {
		t.Run(m.name, func(t *testing.T) {
			same := evidence.For(t, m.promise())
			if len(m.before) > 0 {
				if _, err := exec.LookPath(m.before[0]); err != nil {
					t.Skipf("skipped: %v", err)
				}
			}
			m.target.build(t, root, module, "-ldflags=-s -w", "-o", bin(m.target), "./cmd/kedge")
			for _, spec := range specs() {
				m.compare(t, same, spec, want[spec], files(t, m, bin(m.target), spec))
			}
		})
	}
}

// promise is what is said of a machine.
func (m machine) promise() evidence.Promise {
	p := evidence.Promise{Name: m.row, Needs: "Linux on amd64", Text: "files of four short specs (series, arrays, tables, specs, summaries, pages, SVG, PDF, PNG) with other bytes on " + m.name + " than on amd64 v1"}
	if len(m.before) > 0 {
		p.Needs += " and " + m.before[0]
	}
	if m.otherPixels {
		p.Text += ", but for PNG, which golang.org/x/image draws with fused products"
	}
	if len(m.otherSpectra) > 0 {
		p.Text += "; how far gonum's eigenvalues are apart, relative"
	}
	return p
}

func specs() []string { return []string{"polarized", "choice", "formulas", "constraints"} }

// files runs a spec and returns what it writes, without times and stamps.
func files(t *testing.T, m machine, bin, spec string) map[string]string {
	t.Helper()
	out := filepath.Join(t.TempDir(), spec)
	args := append(slices.Clone(m.before), bin, "run", "testdata/"+spec+".yaml", "--quiet", "--no-check", "--out", out)
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	cmd.Env = append(os.Environ(), m.env...)
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s on %s: %v: %s", spec, m.name, err, text)
	}
	all := map[string]string{}
	err := fs.WalkDir(os.DirFS(out), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || name == "manifest.json" || name == "times.json" {
			return err
		}
		text, err := os.ReadFile(filepath.Join(out, name))
		all[name] = string(unstamped(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// unstamped takes out what a summary and a report say of the build.
func unstamped(text []byte) []byte {
	for _, stamp := range []string{
		`"goarch": "[^"]*",\s*"goamd64": "[^"]*",\s*"fma": (true|false)`,
		`- goarch: \w+\n(- goamd64: \w+\n)?- fma: \w+\n`,
		`<dt>goarch</dt>\s*<dd>\w+</dd>\s*(<dt>goamd64</dt>\s*<dd>\w+</dd>\s*)?<dt>fma</dt>\s*<dd>\w+</dd>`,
	} {
		text = regexp.MustCompile(stamp).ReplaceAll(text, []byte("build"))
	}
	return text
}

// compare reports the files that differ, but for what is known.
func (m machine) compare(t *testing.T, same *evidence.Witness, spec string, want, got map[string]string) {
	t.Helper()
	for name, text := range got {
		if name == "summary.json" && slices.Contains(m.otherSpectra, spec) {
			alike, apart := alikeSpectra(t, text, want[name])
			same.AtMost("eigenvalues", apart, spectraApart)
			text = alike
		}
		if m.otherPixels && strings.HasSuffix(name, ".png") && want[name] != "" {
			continue
		}
		same.Case(text == want[name], "%s: %s differs from v1's at byte %d of %d", spec, name, differ(text, want[name]), len(text))
	}
	if len(got) != len(want) {
		t.Errorf("%s: %d files, of v1 %d", spec, len(got), len(want))
	}
}

// alikeSpectra returns a summary with the eigenvalues of another if they are near enough, and how far they are apart.
func alikeSpectra(t *testing.T, text, other string) (alike string, apart float64) {
	t.Helper()
	spectrum, number := regexp.MustCompile(`"eigenvalues": \[[^a-z]*\]`), regexp.MustCompile(`[-+.e\d]+`)
	theirs, k := spectrum.FindAllString(other, -1), 0
	text = spectrum.ReplaceAllStringFunc(text, func(own string) string {
		if k == len(theirs) {
			return own
		}
		a, b := number.FindAllString(own[len(`"eigenvalues"`):], -1), number.FindAllString(theirs[k][len(`"eigenvalues"`):], -1)
		for i := range min(len(a), len(b)) {
			x, errX := strconv.ParseFloat(a[i], 64)
			y, errY := strconv.ParseFloat(b[i], 64)
			if errX != nil || errY != nil {
				t.Fatalf("eigenvalues %q and %q: %v, %v", a[i], b[i], errX, errY)
			}
			apart = max(apart, math.Abs(x-y)/max(math.Abs(x), math.Abs(y), math.SmallestNonzeroFloat64))
		}
		if k++; len(a) != len(b) || apart > spectraApart {
			return own
		}
		return theirs[k-1]
	})
	return text, apart
}

// differ is where two texts begin to differ.
func differ(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// The twin: a stamp is taken out, anything else is not.
func TestStampsAreTakenOut(t *testing.T) {
	for _, pair := range [][2]string{
		{`{"goarch": "amd64", "goamd64": "v1", "fma": true}`, `{"goarch": "arm64", "goamd64": "", "fma": false}`},
		{"- goarch: amd64\n- goamd64: v3\n- fma: true\n", "- goarch: arm64\n- fma: true\n"},
		{"<dt>goarch</dt><dd>amd64</dd>\n<dt>goamd64</dt><dd>v1</dd>\n<dt>fma</dt><dd>true</dd>", "<dt>goarch</dt><dd>arm64</dd>\n<dt>fma</dt><dd>true</dd>"},
	} {
		a, b := unstamped([]byte(pair[0])), unstamped([]byte(pair[1]))
		if !bytes.Equal(a, b) || bytes.Contains(a, []byte("amd64")) {
			t.Errorf("%q and %q become %q and %q", pair[0], pair[1], a, b)
		}
	}
}

// The twin: eigenvalues that are nearly the same count as such, others and other numbers do not.
func TestSpectraAreCompared(t *testing.T) {
	const a = `{"value": 1, "eigenvalues": [[0.5, 0], [2e1, -1]], "attracting": true}`
	for text, alike := range map[string]bool{
		strings.Replace(a, "0.5", "0.50000000000001", 1):  true,
		strings.Replace(a, "0.5", "0.50000000001", 1):     false,
		strings.Replace(a, ", [2e1, -1]", "", 1):          false,
		strings.Replace(a, `"value": 1`, `"value": 2`, 1): false,
	} {
		if got, _ := alikeSpectra(t, text, a); (got == a) != alike {
			t.Errorf("%s counts as the same: %v", text, got == a)
		}
	}
}
