package release

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// The same files give the same bytes, in whatever order they come; other files, modes and times give others.
func TestArchivesAreReproducible(t *testing.T) {
	shared := []entry{{"LICENSE", plainMode, []byte("free")}, {"README.md", plainMode, []byte("read")}, {"completions/_kedge", plainMode, []byte("#compdef")}}
	turned := slices.Clone(shared)
	slices.Reverse(turned)
	for _, target := range Platforms() {
		name, first, err := archive(target, []byte("program"), shared, noon)
		_, again, err2 := archive(target, []byte("program"), turned, noon)
		if err != nil || err2 != nil || !bytes.Equal(first, again) {
			t.Errorf("%s differs from itself (%v, %v)", name, err, err2)
		}
		_, other, _ := archive(target, []byte("program"), shared, noon.Add(time.Hour))
		if bytes.Equal(first, other) {
			t.Errorf("%s does not carry the time of its revision", name)
		}
	}
}

func TestArchivesHoldTheCommand(t *testing.T) {
	name, packed, err := archive(Platform{"darwin", "arm64"}, []byte("program"), []entry{{"LICENSE", plainMode, []byte("free")}}, noon)
	if err != nil || name != "kedge-0.1.0-macos-arm64.tar.gz" {
		t.Fatal(name, err)
	}
	g, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for r := tar.NewReader(g); ; {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		text, err2 := io.ReadAll(r)
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		got = append(got, fmt.Sprintf("%s %o %s %v", h.Name, h.Mode, text, h.ModTime.Equal(noon)))
	}
	want := []string{"kedge-0.1.0-macos-arm64/LICENSE 644 free true", "kedge-0.1.0-macos-arm64/kedge 755 program true"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if name, _, _ := archive(Platform{"windows", "amd64"}, nil, nil, noon); name != "kedge-0.1.0-windows-amd64.zip" {
		t.Error(name)
	}
}

// RECORD lists every file with its checksum, as the format of wheels wants it; tags in the name and in WHEEL are the same.
func TestWheelsAreWhole(t *testing.T) {
	c, err := readClient("../..")
	if err != nil {
		t.Fatal(err)
	}
	name, packed, err := c.wheel(Platform{"linux", "arm64"}, []byte("program"), noon)
	if err != nil || name != "kedge-"+c.version+"-py3-none-manylinux2014_aarch64.musllinux_1_1_aarch64.whl" {
		t.Fatal(name, err)
	}
	if _, again, _ := c.wheel(Platform{"linux", "arm64"}, []byte("program"), noon); !bytes.Equal(packed, again) {
		t.Error("a wheel differs from itself")
	}
	r, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	if err != nil {
		t.Fatal(err)
	}
	texts, want, info := map[string]string{}, []string{}, "kedge-"+c.version+".dist-info/"
	for i, f := range r.File {
		if last := len(r.File) - 1; i > 0 && i < last && f.Name <= r.File[i-1].Name || i == last && f.Name != info+"RECORD" {
			t.Errorf("%s is number %d, behind %s", f.Name, i, r.File[i-1].Name)
		}
		file, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(file)
		if err != nil {
			t.Fatal(err)
		}
		texts[f.Name] = string(text)
		sum := sha256.Sum256(text)
		want = append(want, fmt.Sprintf("%s,sha256=%s,%d", f.Name, base64.RawURLEncoding.EncodeToString(sum[:]), len(text)))
		if isProgram := f.Name == "kedge/bin/kedge"; f.Mode().IsRegular() && isProgram != (f.Mode().Perm() == 0o755) {
			t.Errorf("%s has mode %v", f.Name, f.Mode())
		}
	}
	want[len(want)-1] = info + "RECORD,,"
	if got := texts[info+"RECORD"]; got != strings.Join(want, "\n")+"\n" {
		t.Errorf("RECORD is\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
	for file, words := range map[string][]string{
		info + "WHEEL":            {"Wheel-Version: 1.0", "Root-Is-Purelib: false", "Tag: py3-none-manylinux2014_aarch64\nTag: py3-none-musllinux_1_1_aarch64"},
		info + "METADATA":         {"Name: kedge\nVersion: " + c.version + "\n", "License: Apache-2.0\n", "Requires-Dist: pandas; extra == 'frames'\n", "\n\n# kedge for Python"},
		info + "entry_points.txt": {"kedge = kedge.__main__:main"},
		"kedge/__main__.py":       {"def main"},
		"kedge/py.typed":          {""},
	} {
		text, ok := texts[file]
		for _, word := range words {
			if !ok || !strings.Contains(text, word) {
				t.Errorf("%s has no %q:\n%s", file, word, text)
			}
		}
	}
}

// Tables have what stands below their heads; a key above the first head is in none, and one of a table that comes twice in the later one.
func TestProjectsAreRead(t *testing.T) {
	got, err := parseProject([]byte("alone = 1\n\n[project]\nname = \"kedge\"\n  \nrequires-python = \">= 3.9\"\n[tool.a-b]\nx.y = [1]\n[none]\n"))
	want := map[string]map[string]string{"project": {"name": `"kedge"`, "requires-python": `">= 3.9"`}, "tool.a-b": {"x.y": "[1]"}, "none": {}}
	if err != nil || !maps.EqualFunc(got, want, maps.Equal[map[string]string, map[string]string]) {
		t.Errorf("%v, %v", got, err)
	}
}

// A file whose name has no room in an archive is refused.
func TestLongNamesInArchives(t *testing.T) {
	list := []entry{{strings.Repeat("a", 101), plainMode, nil}}
	if packed, err := tarball(list, noon); err == nil || packed != nil {
		t.Errorf("a name of 101 letters gives %d bytes, %v", len(packed), err)
	}
	list[0].name = strings.Repeat("a", 100)
	if _, err := tarball(list, noon); err != nil {
		t.Error(err)
	}
	for letters, isLong := range map[int]bool{1<<16 - 1: false, 1 << 16: true} { // whose number has two bytes in a zip
		if _, err := zipped([]entry{{strings.Repeat("a", letters), plainMode, nil}}, noon); isLong != (err != nil) {
			t.Errorf("a name of %d letters: %v", letters, err)
		}
	}
}

func TestProjectsOutOfOrderAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"[project]\ndependencies = [\n  \"numpy\",\n]\n": "pyproject.toml:3",
		"[project\n":                      "pyproject.toml:1",
		"[project]\nname = kedge\n":       "project.name",
		"[project]\nname = \"kedge\"\n":   "project.version",
		"# a comment\nname = \"kedge\"\n": "pyproject.toml:1",
	} {
		tables, err := parseProject([]byte(text))
		if err == nil {
			_, err = metadata(tables, nil)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestParseTargets(t *testing.T) {
	for list, want := range map[string]int{"all": len(Platforms()), "linux/arm64": 1, "linux/amd64,darwin/arm64": 2, "plan9/amd64": 0, "linux": 0, "": 0} {
		got, err := ParsePlatforms(list)
		if len(got) != want || (err == nil) != (want > 0) {
			t.Errorf("%q: %v, %v", list, got, err)
		}
	}
}
