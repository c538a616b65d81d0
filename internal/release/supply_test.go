package release

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/internal/licence"
)

const dependencies = "../../docs/DEPENDENCIES.md"

// licenceTable finds the table of all modules: licence, then module.
var licenceTable = regexp.MustCompile(`(?s)(<!-- licences of all modules -->\n)(.*?)(<!-- end of licences -->)`)

// Every module of the commands on any system, of their tests and of the device has a licence that lets others pass kedge on, and docs/DEPENDENCIES.md
// says which. KEDGE_UPDATE=1 writes that table.
func TestModulesHaveLicences(t *testing.T) {
	row := evidence.For(t, evidence.Promise{Name: "modules", Text: "modules of commands, tests and device, on every system, whose licence is not in their files, does not let others pass kedge on under terms of their own, or is not as docs/DEPENDENCIES.md says"})
	if testing.Short() {
		t.Skip("asks Go for the modules of five systems")
	}
	all := map[string]Material{}
	gather := func(on Platform, flags ...string) {
		parts, err := Materials(t.Context(), "../..", on, flags...)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range parts {
			all[p.Path] = p
		}
	}
	gather(Host(), "-test", "-tags=gpu", "./...")
	for _, on := range Platforms() {
		gather(on, "./cmd/kedge")
	}
	text, err := os.ReadFile(dependencies)
	if err != nil {
		t.Fatal(err)
	}
	want, faults := licences(all)
	found := licenceTable.FindStringSubmatch(string(text))
	if found == nil {
		t.Fatalf("%s has no table of licences", dependencies)
	}
	if os.Getenv("KEDGE_UPDATE") != "" {
		text := licenceTable.ReplaceAllString(string(text), "${1}"+strings.ReplaceAll(want, "$", "$$")+"${3}")
		if err := os.WriteFile(dependencies, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if found[2] != want {
		listed := strings.Split(found[2], "\n")
		for line := range strings.Lines(want) {
			if !slices.Contains(listed, strings.TrimSpace(line)) {
				faults = append(faults, dependencies+" has no line "+line)
			}
		}
		faults = append(faults, "the table of licences is not that of the modules: KEDGE_UPDATE=1 go test -run Licences ./internal/release, and look at what changes")
	}
	for _, fault := range faults {
		t.Error(fault)
	}
	row.Cases(len(faults), max(len(all), 1))
}

// licences is the table of modules, and what is wrong with them.
func licences(all map[string]Material) (table string, faults []string) {
	lines := []string{}
	for path, p := range all {
		if p.Fault != "" {
			faults = append(faults, path+" "+p.Version+": "+p.Fault)
			continue
		}
		for _, id := range p.Licences {
			if !licence.Permissive(id) {
				faults = append(faults, fmt.Sprintf("%s %s comes under %s: whoever passes kedge on would be bound by it", path, p.Version, id))
			}
		}
		lines = append(lines, fmt.Sprintf("| %s | `%s` |\n", strings.Join(p.Licences, ", "), path))
	}
	slices.SortFunc(lines, func(a, b string) int {
		path := func(line string) string { return strings.Split(line, "`")[1] }
		return cmp.Compare(path(a), path(b))
	})
	slices.Sort(faults)
	return "\n| licence | module |\n|---|---|\n" + strings.Join(lines, "") + "\n", faults
}

// A module without a licence, or with one that binds others, is found.
func TestFaultyLicencesAreFound(t *testing.T) {
	table, faults := licences(map[string]Material{
		"example.org/free": {Licences: []string{"MIT"}}, "example.org/bound": {Version: "v1.0.0", Licences: []string{"GPL", "MIT"}}, "example.org/bare": {Version: "v2.0.0", Fault: "no licence that is known"},
	})
	if want := "\n| licence | module |\n|---|---|\n| GPL, MIT | `example.org/bound` |\n| MIT | `example.org/free` |\n\n"; table != want {
		t.Errorf("the table is %q, want %q", table, want)
	}
	if want := []string{"example.org/bare v2.0.0: no licence that is known", "example.org/bound v1.0.0 comes under GPL: whoever passes kedge on would be bound by it"}; !slices.Equal(faults, want) {
		t.Errorf("found %q, want %q", faults, want)
	}
}

// A bill has the program, its modules with licence and sum, the standard library and what pages embed; what cannot be told is refused.
func TestBills(t *testing.T) {
	info := &debug.BuildInfo{GoVersion: "go1.26.0", Main: debug.Module{Path: "example.org/m"}, Deps: []*debug.Module{{Path: "example.org/Dep", Version: "v1.2.3", Sum: "h1:abc"}}}
	p := program{Platform: Platform{"linux", "arm64"}, revision: "0123", at: noon}
	parts := []Material{{Path: "example.org/Dep", Version: "v1.2.3", Licences: []string{"BSD-3-Clause", "MIT"}}}
	name, text, err := billOf(p, info, parts)
	if err != nil || name != "kedge-0.1.0-linux-arm64.cdx.json" {
		t.Fatal(name, err)
	}
	for _, want := range []string{
		`"bomFormat": "CycloneDX"`, `"specVersion": "1.6"`, `"timestamp": "2026-01-02T12:00:00Z"`, `"purl": "pkg:golang/example.org/m@0.1.0"`, `"purl": "pkg:golang/example.org/dep@v1.2.3"`,
		`"expression": "BSD-3-Clause AND MIT"`, `"value": "h1:abc"`, `"purl": "pkg:golang/stdlib@1.26.0"`, `"purl": "pkg:npm/preact@11.2.0"`, `"value": "0123"`, `"value": "linux/arm64"`,
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the bill has no %s:\n%s", want, text)
		}
	}
	if _, _, err := billOf(p, info, nil); err == nil || !strings.Contains(err.Error(), "example.org/Dep v1.2.3: no licence is known") {
		t.Error(err)
	}
	info.Deps[0].Replace = &debug.Module{Path: "../mine"}
	if _, _, err := billOf(p, info, parts); err == nil || !strings.Contains(err.Error(), "is replaced by ../mine") {
		t.Error(err)
	}
	words, err := os.ReadFile(dependencies)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range embedded() {
		if !regexp.MustCompile(`(?i)` + m.Path + `\)? ?\]?\([^)]*\) ` + regexp.QuoteMeta(m.Version) + ` \(MIT\)`).Match(words) {
			t.Errorf("%s does not say that %s %s is embedded", dependencies, m.Path, m.Version)
		}
	}
}

// Checksums that were signed are believed, and nothing else: neither other checksums, files, keys, nor a key that others may read.
func TestSignatures(t *testing.T) {
	dir, keys := t.TempDir(), t.TempDir()
	key, other := filepath.Join(keys, "a"), filepath.Join(keys, "b")
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, k := range []string{key, other} {
		if err := NewKey(k); err != nil {
			t.Fatal(err)
		}
	}
	if err := NewKey(key); err == nil {
		t.Error("a key was overwritten")
	}
	list := sums(map[string][]byte{"kedge.tar.gz": []byte("program"), "gone.whl": []byte("wheel")})
	signature, err := sign(key, list)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ program, list, sig, key, want string }{
		{"program", string(list), string(signature), key, ""},
		{"another", string(list), string(signature), key, "has another checksum"},
		{"program", strings.Replace(string(list), "gone", "lost", 1), string(signature), key, "is not signed by"},
		{"program", string(list), string(signature[1:]), key, "is not signed by"},
		{"program", string(list), string(signature), other, "is not signed by"},
		{"", string(list), string(signature), key, "none of the files"},
	} {
		write("SHA256SUMS", c.list)
		write("SHA256SUMS.sig", c.sig)
		write("kedge.tar.gz", c.program)
		if c.program == "" {
			os.Remove(filepath.Join(dir, "kedge.tar.gz"))
		}
		got, err := Verify(dir, c.key+".pub")
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.20q: %v, want %q", c.program, err, c.want)
		}
		if err == nil && (!slices.Equal(got.Files, []string{"kedge.tar.gz"}) || !slices.Equal(got.Missing, []string{"gone.whl"})) {
			t.Errorf("verified %+v", got)
		}
	}
	if _, err := Verify(dir, key); err == nil || !strings.Contains(err.Error(), "is no public key in PEM") {
		t.Error(err)
	}
	if _, err := sign(key+".pub", list); err == nil {
		t.Error("signed by a public key")
	}
	if err := os.Chmod(key, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := sign(key, list); err == nil || !strings.Contains(err.Error(), "may be read by others") {
		t.Error(err)
	}
	byOpenSSL(t, key+".pub", list, signature)
}

// byOpenSSL has a program that is not ours check a signature.
func byOpenSSL(t *testing.T, public string, list, signature []byte) {
	t.Helper()
	if _, err := exec.LookPath("openssl"); err != nil {
		t.Log("no openssl to compare with")
		return
	}
	dir := t.TempDir()
	for name, text := range map[string][]byte{"list": list, "sig": signature} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	c := exec.CommandContext(t.Context(), "openssl", "pkeyutl", "-verify", "-pubin", "-inkey", public, "-rawin", "-in", "list", "-sigfile", "sig")
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil || !strings.Contains(string(out), "Verified Successfully") {
		t.Errorf("openssl says %s (%v)", out, err)
	}
}
