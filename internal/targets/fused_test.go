package targets

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/internal/evidence"
)

// exactFile lists the lines whose products may be fused with a sum, because they are exact, under a heading that says why.
const exactFile = "testdata/exact.txt"

// A compiler may round a*b + c once instead of twice: for GOAMD64=v3 and arm64 it does. float64(a*b) + c keeps it from that. No line of
// kedge is fused but those whose products are exact.
func TestNoProductIsFused(t *testing.T) {
	rounded := evidence.For(t, evidence.Promise{Name: "fused", Text: "lines whose product is fused with a sum on v3 or arm64, asked of the compiler, that are neither exact nor estimates of memory"})
	if testing.Short() {
		t.Skip("skipped: builds kedge twice")
	}
	found := map[string]string{}
	for _, x := range []target{v3(), arm64()} {
		maps.Copy(found, fused(t, root, module, x.build(t, root, module, "./...")))
	}
	exact := exactLines(t)
	for line, where := range found {
		rounded.Case(slices.Contains(exact, line), "%s: a product is fused with a sum on v3 or arm64: %s\n\twrite float64(a*b) + c, or add the line to %s if the product is exact", where, line, exactFile)
	}
	for _, line := range exact {
		if found[line] == "" {
			t.Errorf("%s: nothing is fused any more in %s: remove it", exactFile, line)
		}
	}
}

// The twin: of three ways to add to a product, the one that is fused is found, on both targets.
func TestFusedProductsAreFound(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: builds a program twice")
	}
	dir := t.TempDir()
	code := strings.Join([]string{"package twin", "", `import "math"`, "",
		"func Rounded(a, b, c float64) float64 { return float64(a*b) + c }",
		"func Asked(a, b, c float64) float64 { return math.FMA(a, b, c) }",
		"func Fused(a, b, c float64) float64 { x := a * b; return x + c }", ""}, "\n")
	for name, text := range map[string]string{"go.mod": "module example.org/twin\n\ngo 1.26.0\n", "twin.go": code} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, x := range []target{v3(), arm64()} {
		found := slices.Collect(maps.Keys(fused(t, dir, "example.org/twin", x.build(t, dir, "example.org/twin", "./..."))))
		if len(found) != 1 || !strings.Contains(found[0], "func Fused") {
			t.Errorf("%s: found %q, want the line of Fused", x.name, found)
		}
	}
}

// fused returns where products of a module in a folder are fused, by "file: line of code". A place that was inlined is where it was written.
func fused(t *testing.T, dir, own, listing string) map[string]string {
	t.Helper()
	cache := goEnv(t, "GOMODCACHE")
	found := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^fmahash triggered (.*) [01]+$`).FindAllStringSubmatch(listing, -1) {
		stack := strings.Split(m[1], "; ")
		parts := strings.Split(stack[len(stack)-1], ":")
		number, err := strconv.Atoi(parts[1])
		if err != nil {
			t.Fatalf("the compiler says %q: %v", m[0], err)
		}
		name := filepath.ToSlash(filepath.Clean(strings.TrimPrefix(parts[0], own+"/")))
		file := filepath.Join(dir, name)
		if foreign := strings.TrimPrefix(name, filepath.ToSlash(cache)+"/"); strings.Contains(foreign, "@") { // of a module, by its path or, trimmed, by its name
			file = filepath.Join(cache, foreign)
			name = regexp.MustCompile(`@[^/]*`).ReplaceAllString(foreign, "")
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatalf("the compiler says %q: %v", m[0], err)
		}
		found[name+": "+strings.TrimSpace(strings.Split(string(text), "\n")[number-1])] = fmt.Sprintf("%s (%s)", stack[0], stack[len(stack)-1])
	}
	return found
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	value, err := exec.CommandContext(t.Context(), "go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(value))
}

func exactLines(t *testing.T) (lines []string) {
	t.Helper()
	text, err := os.ReadFile(exactFile)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			lines = append(lines, line)
		}
	}
	return lines
}
