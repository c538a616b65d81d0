package release

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/kedge-opt/kedge/folder"
)

// toy is a program that says what a test has it say, in place of kedge, which takes a minute to build.
const toy = `package main

import "os"

func main() {
	said := os.Getenv("KEDGE_TEST_" + os.Args[1])
	if said == "" {
		os.Exit(1)
	}
	if os.Args[1] == "completion" {
		said += os.Args[2]
	}
	os.Stdout.WriteString(said)
}
`

const project = "[project]\nname = \"kedge\"\nversion = %q\ndescription = \"a toy\"\nlicense = { text = \"Apache-2.0\" }\nrequires-python = \">=3.9\"\n\n[project.optional-dependencies]\nframes = [\"pandas\", \"pyarrow\"]\nall = [\"x\"]\n"

// tree is kedge's tree with a toy for a program.
func tree(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.org/kedge\n\ngo 1.26\n", "cmd/kedge/main.go": toy, "LICENSE": "free", "README.md": "read", "CHANGELOG.md": "new", "CITATION.cff": "cite", "docs/command.md": "type",
		"clients/python/pyproject.toml": fmt.Sprintf(project, folder.Version), "clients/python/README.md": "# toy\n", "clients/python/src/kedge/b.py": "b", "clients/python/src/kedge/a.py": "a", "clients/python/src/kedge/py.typed": "", "clients/python/src/kedge/c.txt": "no",
	} {
		put(t, filepath.Join(root, name), text)
	}
	return root
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// honest has the toy say what it is.
func honest(t *testing.T) {
	t.Helper()
	build, err := json.Marshal(struct {
		folder.Build
		Code folder.Code `json:"code"`
	}{folder.Build{Version: folder.Version, GOARCH: Host().Arch}, folder.Code{System: Host().OS}})
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("KEDGE_TEST_version", string(build))
	t.Setenv("KEDGE_TEST_completion", "complete ")
}

// A release of a toy has all its parts, in the words of this list, and its sums and its signature are right.
func TestReleaseOfAToy(t *testing.T) {
	if len(Host().tags()) == 0 || Host().OS == "windows" {
		t.Skipf("no wheel for %v", Host())
	}
	root, out, key := tree(t), filepath.Join(t.TempDir(), "out"), filepath.Join(t.TempDir(), "key")
	honest(t)
	if err := NewKey(key); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	o := Making{Root: root, Out: out, Platforms: []Platform{Host()}, Key: key, Log: &log}
	if err := o.make(t.Context()); !errors.Is(err, errChanged) {
		t.Errorf("a tree of no revision: %v", err)
	}
	o.Modified = true
	if err := o.make(t.Context()); err != nil {
		t.Fatal(err)
	}
	stem := Host().stem(folder.Version)
	wheel := "kedge-" + folder.Version + "-py3-none-" + strings.Join(Host().tags(), ".") + ".whl"
	checkSums(t, out)
	c, err := Verify(out, key+".pub")
	if want := []string{stem + ".cdx.json", stem + ".tar.gz", wheel}; err != nil || !slices.Equal(c.Files, want) || len(c.Missing) != 0 {
		t.Errorf("%+v, %v, want %q", c, err, want)
	}
	lines := strings.Split(log.String(), "\n")
	if want := fmt.Sprintf("%v: , started", Host()); lines[0] != want || len(lines) != 7 || !strings.HasSuffix(lines[5], "  "+filepath.Join(out, sumsFile)) {
		t.Errorf("said %q", lines)
	}
	for name, text := range unpacked(t, filepath.Join(out, stem+".tar.gz")) {
		want := map[string]string{"LICENSE": "free", "README.md": "read", "CHANGELOG.md": "new", "CITATION.cff": "cite", "command.md": "type", "completions/kedge.bash": "complete bash", "completions/_kedge": "complete zsh", "completions/kedge.fish": "complete fish", "completions/kedge.ps1": "complete powershell"}
		if base := strings.TrimPrefix(name, stem+"/"); base != "kedge" && text != want[base] {
			t.Errorf("%s is %.40q", name, text)
		}
	}
	if n := len(unpacked(t, filepath.Join(out, stem+".tar.gz"))); n != 10 {
		t.Errorf("%d files", n)
	}
	o.unmade(t)
}

// unmade has what is missing or odd end a release.
func (o Making) unmade(t *testing.T) {
	t.Helper()
	made := map[string][]byte{"a": []byte("b")}
	for what, err := range map[string]error{
		"no key":              Making{Root: o.Root, Out: filepath.Join(o.Out, "other"), Modified: true, Key: o.Key + "-missing", Log: o.Log}.make(t.Context()),
		"no client":           Making{Root: t.TempDir(), Out: filepath.Join(o.Out, "other")}.make(t.Context()),
		"a file for a folder": Making{Out: filepath.Join(o.Root, "LICENSE"), Log: o.Log}.write(made),
		"a folder for a file": Making{Out: o.Root, Log: o.Log}.write(map[string][]byte{"docs": nil}),
		"a log that is full":  Making{Out: t.TempDir(), Log: full{}}.write(made),
	} {
		if err == nil {
			t.Errorf("%s: it is made", what)
		}
	}
	if _, err := os.Stat(filepath.Join(o.Out, "other")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("something is written: %v", err)
	}
	if err := os.Remove(filepath.Join(o.Root, "CITATION.cff")); err != nil {
		t.Fatal(err)
	}
	if _, err := papers(t.Context(), o.Root, program{}); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	put(t, filepath.Join(o.Root, "clients/python/pyproject.toml"), fmt.Sprintf(project, "9.9"))
	if err := Make(t.Context(), o); err == nil || err.Error() != "clients/python/pyproject.toml has version 9.9 and folder.Version is "+folder.Version+": make them agree" {
		t.Error(err)
	}
}

// Whatever fails on the way of a release ends it, in the words of what failed, before anything is written.
func TestReleasesThatFailOnTheWay(t *testing.T) {
	root, out, host := tree(t), filepath.Join(t.TempDir(), "out"), Host()
	honest(t)
	fails := func(on Platform, want string) {
		t.Helper()
		if err := (Making{Root: root, Out: out, Platforms: []Platform{on}, Modified: true, Log: io.Discard}).make(t.Context()); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
		if _, err := os.Stat(out); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("something is written: %v", err)
		}
	}
	fails(Platform{"plan0", "none"}, "build kedge for plan0/none: ")
	t.Setenv("KEDGE_TEST_version", "{")
	fails(host, "kedge for "+host.String()+": ")
	t.Setenv("KEDGE_TEST_completion", "")
	fails(host, "kedge completion ")
	put(t, filepath.Join(root, "cmd/kedge/main.go"), "package main\n")
	fails(host, "build kedge for "+host.String()+": ")
}

// full is where nothing more can be written.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func unpacked(t *testing.T, path string) map[string]string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	g, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for r := tar.NewReader(g); ; {
		h, err := r.Next()
		if err == io.EOF {
			return all
		}
		text, err2 := io.ReadAll(r)
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		all[h.Name] = string(text)
	}
}

// A program that does not build, does not start, says nothing or says that it is another one is not released.
func TestProgramsThatAreNotAsTheySay(t *testing.T) {
	root, host := tree(t), Host()
	p, err := compile(t.Context(), root, t.TempDir(), host, "-trimpath")
	if err != nil || p.revision != "" || p.modified || !p.at.Equal(time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)) || p.Platform != host {
		t.Fatalf("%+v, %v", p, err)
	}
	if _, err := p.start(t.Context()); err == nil || !strings.Contains(err.Error(), "start kedge for "+host.String()) {
		t.Error(err)
	}
	t.Setenv("KEDGE_TEST_version", "{")
	if _, err := p.start(t.Context()); err == nil || !strings.Contains(err.Error(), "kedge for "+host.String()+": ") {
		t.Error(err)
	}
	for _, x := range [][4]string{{"9", host.Arch, host.OS, ""}, {folder.Version, "odd", host.OS, ""}, {folder.Version, host.Arch, "odd", ""}, {folder.Version, host.Arch, host.OS, "0123"}} {
		build, err := json.Marshal(map[string]any{"version": x[0], "goarch": x[1], "code": folder.Code{System: x[2], Revision: x[3]}})
		if err != nil {
			t.Fatal(err)
		}
		t.Setenv("KEDGE_TEST_version", string(build))
		if _, err := p.start(t.Context()); err == nil {
			t.Errorf("%q is believed", x)
		}
	}
	if _, err := papers(t.Context(), root, p); err == nil || !strings.HasPrefix(err.Error(), "kedge completion ") {
		t.Error(err)
	}
	made := map[string][]byte{}
	if err := (Making{Root: root, Log: io.Discard}).add(t.Context(), made, program{Platform: Platform{"plan9", "amd64"}, path: "missing"}, nil, nil); !errors.Is(err, fs.ErrNotExist) || len(made) > 0 {
		t.Errorf("%v, %v", made, err)
	}
	if _, _, err := (Making{Root: root}).bill(t.Context(), program{path: filepath.Join(root, "LICENSE")}); err == nil {
		t.Error("a text has a bill")
	}
	if _, _, err := (Making{Root: filepath.Join(root, "missing")}).bill(t.Context(), p); err == nil || !strings.HasPrefix(err.Error(), "modules for "+host.String()+": ") {
		t.Errorf("a program without its modules: %v", err)
	}
	put(t, filepath.Join(root, "cmd/kedge/main.go"), "package main\n")
	if _, err := compile(t.Context(), root, t.TempDir(), host); err == nil || !strings.HasPrefix(err.Error(), "build kedge for "+host.String()+": ") || !strings.Contains(err.Error(), "main is undeclared") {
		t.Error(err)
	}
	put(t, filepath.Join(root, "cmd/kedge/main.go"), "package kedge\n") // of which no program is made
	if _, err := compile(t.Context(), root, t.TempDir(), host); err == nil || !strings.HasPrefix(err.Error(), "build kedge for "+host.String()+": ") {
		t.Error(err)
	}
	put(t, filepath.Join(root, "go.mod"), "nonsense")
	if _, err := Materials(t.Context(), root, host, "./..."); err == nil || !strings.HasPrefix(err.Error(), "modules for "+host.String()+": ") || !strings.Contains(err.Error(), "go.mod:1: unknown directive: nonsense") {
		t.Error(err)
	}
}

// What a program says of its origin is kept, and must be what was asked for.
func TestOriginsOfPrograms(t *testing.T) {
	p := program{Platform: Platform{"linux", "arm64"}}
	for _, x := range []struct{ settings, want string }{
		{"", "|false|1980-01-01T00:00:00Z|<nil>"},
		{"GOOS=linux GOARCH=arm64 CGO_ENABLED=0 vcs.revision=0123 vcs.modified=true vcs.time=2026-02-03T04:05:06+01:00", "0123|true|2026-02-03T03:05:06Z|<nil>"},
		{"vcs.modified=false", "|false|1980-01-01T00:00:00Z|<nil>"},
		{"GOOS=darwin", "|false|1980-01-01T00:00:00Z|kedge for linux/arm64 was built with GOOS=darwin"},
		{"GOARCH=amd64", "|false|1980-01-01T00:00:00Z|kedge for linux/arm64 was built with GOARCH=amd64"},
		{"CGO_ENABLED=1", "|false|1980-01-01T00:00:00Z|kedge for linux/arm64 was built with CGO_ENABLED=1"},
		{"vcs.time=noon", `|false|1980-01-01T00:00:00Z|parsing time "noon" as "2006-01-02T15:04:05Z07:00": cannot parse "noon" as "2006"`},
	} {
		info := new(debug.BuildInfo)
		for _, word := range strings.Fields(x.settings) {
			key, value, _ := strings.Cut(word, "=")
			info.Settings = append(info.Settings, debug.BuildSetting{Key: key, Value: value})
		}
		got, err := described(p, info)
		if text := fmt.Sprintf("%s|%t|%s|%v", got.revision, got.modified, got.at.Format(time.RFC3339), err); text != x.want {
			t.Errorf("%s: %s, want %s", x.settings, text, x.want)
		}
	}
}

// A program is started as it is, by an emulator, or not at all.
func TestHowProgramsAreStarted(t *testing.T) {
	if command, reason := (program{Platform: Host(), path: "p"}).starter(); !slices.Equal(command, []string{"p"}) || reason != "" {
		t.Errorf("%q, %s", command, reason)
	}
	if command, reason := (program{Platform: Platform{"plan9", "amd64"}}).starter(); command != nil || reason != "this is no plan9" {
		t.Errorf("%q, %s", command, reason)
	}
	bin := t.TempDir()
	t.Setenv("PATH", bin)
	for arch, emulator := range map[string]string{"amd64": "qemu-x86_64-static", "arm64": "qemu-aarch64-static"} {
		p := program{Platform: Platform{Host().OS, arch}, path: "p"}
		if p.Platform == Host() {
			continue
		}
		if command, reason := p.starter(); command != nil || reason != "no "+emulator {
			t.Errorf("%q, %s", command, reason)
		}
		if skipped, err := p.start(t.Context()); skipped != "no "+emulator || err != nil {
			t.Errorf("%s, %v", skipped, err)
		}
		put(t, filepath.Join(bin, emulator), "#!/bin/sh\n")
		if err := os.Chmod(filepath.Join(bin, emulator), 0o755); err != nil {
			t.Fatal(err)
		}
		if command, reason := p.starter(); !slices.Equal(command, []string{filepath.Join(bin, emulator), "p"}) || reason != "" {
			t.Errorf("%q, %s", command, reason)
		}
	}
}

// The modules of a package have a path, a version, a sum and a licence each, every one once, in order.
func TestMaterials(t *testing.T) {
	list, err := Materials(t.Context(), "../..", Host(), "./store")
	if err != nil || len(list) < 3 {
		t.Fatal(list, err)
	}
	seen := map[string]bool{}
	for i, m := range list {
		if seen[m.Path] || m.Version == "" || !strings.HasPrefix(m.Sum, "h1:") || len(m.Licences) == 0 || m.Fault != "" || i > 0 && m.Path <= list[i-1].Path {
			t.Errorf("%+v", m)
		}
		seen[m.Path] = true
	}
	if !seen["modernc.org/sqlite"] {
		t.Errorf("%v", slices.Sorted(maps.Keys(seen)))
	}
}

// A folder that cannot be looked through, for its name is a pattern, is told, and one with nothing in it has no sources.
func TestFoldersOfSources(t *testing.T) {
	c := &client{name: "kedge"}
	if err := c.readSources(filepath.Join(t.TempDir(), "[")); !errors.Is(err, filepath.ErrBadPattern) {
		t.Error(err)
	}
	if err := c.readSources(t.TempDir()); err != nil || c.sources != nil {
		t.Errorf("%v, %v", c.sources, err)
	}
	dir := t.TempDir()
	put(t, filepath.Join(dir, "x.py", "in.txt"), "a folder is no source")
	if err := c.readSources(dir); err == nil || c.sources != nil {
		t.Errorf("a folder is read as %v, %v", c.sources, err)
	}
}

// A module whose files have no licence is listed, and why.
func TestModulesWithoutALicence(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.org/m\n\ngo 1.26\n\nrequire example.org/d v1.2.3\n\nreplace example.org/d => ./d\n", "m.go": "package m\n\nimport _ \"example.org/d\"\n",
		"d/go.mod": "module example.org/d\n\ngo 1.26\n", "d/d.go": "package d\n",
	} {
		put(t, filepath.Join(root, name), text)
	}
	list, err := Materials(t.Context(), root, Host(), ".")
	if err != nil || len(list) != 1 || list[0].Path != "example.org/d" || list[0].Version != "v1.2.3" || list[0].Licences != nil || list[0].Fault == "" {
		t.Errorf("%+v, %v", list, err)
	}
}

// Names of targets, of programs and of wheels, by hand.
func TestNamesOfTargets(t *testing.T) {
	var got []string
	for _, on := range append(Platforms(), Platform{"plan9", "386"}) {
		got = append(got, fmt.Sprintf("%v %s %s %s", on, on.program(), on.stem("1"), strings.Join(on.tags(), " ")))
	}
	want := []string{
		"linux/amd64 kedge kedge-1-linux-amd64 manylinux2014_x86_64 musllinux_1_1_x86_64", "linux/arm64 kedge kedge-1-linux-arm64 manylinux2014_aarch64 musllinux_1_1_aarch64",
		"darwin/amd64 kedge kedge-1-macos-amd64 macosx_12_0_x86_64", "darwin/arm64 kedge kedge-1-macos-arm64 macosx_12_0_arm64", "windows/amd64 kedge.exe kedge-1-windows-amd64 ", "plan9/386 kedge kedge-1-plan9-386 ",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if list, err := ParsePlatforms("host,darwin/arm64"); err != nil || !slices.Equal(list, []Platform{Host(), {"darwin", "arm64"}}) {
		t.Errorf("%v, %v", list, err)
	}
	if _, err := ParsePlatforms("linux/amd64,linux/am"); err == nil || err.Error() != `there is no target "linux/am"; the targets are linux/amd64, linux/arm64, darwin/amd64, darwin/arm64, windows/amd64, host and all` {
		t.Error(err)
	}
}

// What is missing of a client is told, and what there is goes into METADATA in this order.
func TestClients(t *testing.T) {
	root := tree(t)
	c, err := readClient(root)
	if err != nil {
		t.Fatal(err)
	}
	want := "Metadata-Version: 2.1\nName: kedge\nVersion: " + folder.Version + "\nSummary: a toy\nLicense: Apache-2.0\nRequires-Python: >=3.9\n" +
		"Provides-Extra: all\nRequires-Dist: x; extra == 'all'\nProvides-Extra: frames\nRequires-Dist: pandas; extra == 'frames'\nRequires-Dist: pyarrow; extra == 'frames'\nDescription-Content-Type: text/markdown\n\n# toy\n"
	if string(c.metadata) != want || string(c.license) != "free" || c.name != "kedge" || c.version != folder.Version {
		t.Errorf("%s", c.metadata)
	}
	var names []string
	for _, e := range c.sources {
		names = append(names, fmt.Sprintf("%s %o %s", e.name, e.mode, e.bytes))
	}
	if want := []string{"kedge/a.py 644 a", "kedge/b.py 644 b", "kedge/py.typed 644 "}; !slices.Equal(names, want) {
		t.Errorf("%q", names)
	}
	for name, text := range map[string]string{
		"clients/python/pyproject.toml": "", "clients/python/README.md": "", "LICENSE": "", "clients/python/pyproject.toml!": "nonsense", "clients/python/pyproject.toml!!": "[project]\nname = 7\nversion = \"1\"\n",
		"clients/python/pyproject.toml!!!": strings.Replace(fmt.Sprintf(project, "1"), "[\"x\"]", "x", 1), "clients/python/pyproject.toml!!!!": "[project]\nname = \"a\"\nversion = \"1\"\n", "clients/python/src/kedge/d.py/x": "a folder",
	} {
		root := tree(t)
		path := filepath.Join(root, strings.TrimRight(name, "!"))
		if text != "" {
			put(t, path, text)
		} else if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if c, err := readClient(root); err == nil || (text == "") != errors.Is(err, fs.ErrNotExist) || text == "nonsense" && !strings.HasPrefix(err.Error(), "pyproject.toml:1: ") || strings.Contains(text, "name = 7") && !strings.HasPrefix(err.Error(), "pyproject.toml: name: ") {
			t.Errorf("%s: %+v, %v", name, c, err)
		}
	}
}

// Without numbers at random there is no key, nor a file that looks like one.
func TestNoKeyWithoutChance(t *testing.T) {
	gone, dir := errors.New("nothing is random"), t.TempDir()
	defer func(usual io.Reader) { rand.Reader = usual }(rand.Reader)
	rand.Reader = iotest.ErrReader(gone)
	err := NewKey(filepath.Join(dir, "key"))
	if files, _ := os.ReadDir(dir); !errors.Is(err, gone) || len(files) > 0 {
		t.Errorf("%v, and there is %v", err, files)
	}
}

// Keys, signatures and lists that are missing or odd are told apart.
func TestOddKeys(t *testing.T) {
	dir, key := t.TempDir(), filepath.Join(t.TempDir(), "key")
	if err := NewKey(filepath.Join(dir, "missing", "key")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	put(t, filepath.Join(dir, "half.pub"), "")
	if err := NewKey(filepath.Join(dir, "half")); !errors.Is(err, fs.ErrExist) {
		t.Error(err)
	}
	if err := NewKey(key); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]fs.FileMode{key: 0o600, key + ".pub": 0o644} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%v, %v", info.Mode(), err)
		}
	}
	other, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(other)
	open, err2 := x509.MarshalPKIXPublicKey(&other.PublicKey)
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	inPEM := func(kind string, der []byte) string {
		path := filepath.Join(t.TempDir(), "key")
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	none := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(none, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{none: "is no private key in PEM", inPEM("PRIVATE KEY", secret): "is no ed25519 key", inPEM("PRIVATE KEY", []byte("x")): "asn1", inPEM("OTHER", secret): "is no private key in PEM", key + "-missing": "no such file"} {
		if _, err := sign(path, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	for path, want := range map[string]string{none: "is no public key in PEM", inPEM("PUBLIC KEY", open): "is no ed25519 key", inPEM("PUBLIC KEY", []byte("x")): "asn1", key: "is no public key in PEM", key + "-missing": "no such file", key + ".pub": sumsFile + ": no such file"} {
		if _, err := Verify(dir, path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// A list without a signature, or with lines that lead elsewhere, is refused.
func TestOddLists(t *testing.T) {
	dir, key := t.TempDir(), filepath.Join(t.TempDir(), "key")
	if err := NewKey(key); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(dir, sumsFile), "x")
	if _, err := Verify(dir, key+".pub"); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), signFile) {
		t.Error(err)
	}
	for _, line := range []string{"0123 one blank\n", "0123  ../outside\n", "0123  /outside\n", "0123  .\n"} {
		signature, err := sign(key, []byte(line))
		if err != nil || len(signature) != ed25519.SignatureSize {
			t.Fatal(err)
		}
		put(t, filepath.Join(dir, sumsFile), line)
		put(t, filepath.Join(dir, signFile), string(signature))
		if _, err := Verify(dir, key+".pub"); err == nil || strings.Contains(line, ".") != strings.Contains(err.Error(), "directory") && !strings.Contains(err.Error(), "SHA256SUMS has the line") {
			t.Errorf("%q: %v", line, err)
		}
	}
}

// A program depends on all its parts, and each of them on nothing; and nothing is made where there is no room for it.
func TestBillsSayWhatDependsOnWhat(t *testing.T) {
	info := &debug.BuildInfo{GoVersion: "go1.26.0", Main: debug.Module{Path: "example.org/m"}, Deps: []*debug.Module{{Path: "example.org/d", Version: "v1.2.3"}}}
	_, text, err := billOf(program{}, info, []Material{{Path: "example.org/d", Version: "v1.2.3", Licences: []string{"MIT"}}})
	var b bill
	if err := errors.Join(err, json.Unmarshal(text, &b)); err != nil {
		t.Fatal(err)
	}
	var refs []string
	for i, c := range b.Components {
		if refs = append(refs, c.Ref); b.Dependencies[i].Ref != c.Ref || b.Dependencies[i].On != nil {
			t.Errorf("%+v", b.Dependencies[i])
		}
	}
	if on := b.Dependencies[len(refs)]; len(refs) != 4 || len(b.Dependencies) != 5 || !slices.Equal(on.On, refs) || on.Ref != b.Metadata.Component.Ref {
		t.Errorf("%+v", b.Dependencies)
	}
	root := tree(t)
	t.Setenv("TMPDIR", filepath.Join(root, "missing"))
	if err := (Making{Root: root}).make(t.Context()); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}
