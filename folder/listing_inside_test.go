package folder

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A tree with more names than are looked at is cut, and says so.
func TestListIsCut(t *testing.T) {
	root := t.TempDir()
	for i := range 300 {
		if err := os.WriteFile(filepath.Join(root, fmt.Sprintf("%03d", i)), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for most, want := range map[int]bool{299: true, 300: false} {
		l, err := list(t.Context(), false, most, []string{root})
		if err != nil || l.Cut != want {
			t.Errorf("%d names: %+v, %v", most, l, err)
		}
	}
}

// A folder that cannot be looked into, as one that went meanwhile, is left out with the reason.
func TestListLeavesOutWhatIsGone(t *testing.T) {
	top := t.TempDir()
	root, err := os.OpenRoot(top)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	l := &lister{left: 9, seen: map[string]bool{}}
	if err := l.walk(t.Context(), root, top, "gone", 1); err != nil || len(l.Skipped) != 1 || !strings.Contains(l.Skipped[0], "gone") || len(l.Folders) > 0 {
		t.Errorf("%+v, %v", l.Listing, err)
	}
}

// Where names run out, what was seen of a folder does not make it a result, no size is added, and folders are those that come first.
func TestListIsCutInOrder(t *testing.T) {
	for _, file := range []string{manifestFile, summaryFile} {
		top := t.TempDir()
		for _, name := range []string{file, "a", "b", "c", "d", "e", "f"} {
			if err := os.WriteFile(filepath.Join(top, name), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		for most := range 7 {
			if l, err := list(t.Context(), false, most, []string{top}); err != nil || !l.Cut || len(l.Folders)+len(l.Skipped) > 0 {
				t.Errorf("%s, %d names: %+v, %v", file, most, l, err)
			}
		}
	}
	top := t.TempDir()
	const folders, inEach = 12, 2 // the manifest and cells.json
	noon := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	for i := range folders {
		dir := filepath.Join(top, string(rune('a'+i)))
		c, err := KindSweep.Take(dir)
		if err == nil {
			err = c.Commit(Manifest{Identity: CurrentIdentity(nil)}, Contents{indexFile: asText("{}")}, nil)
			c.Release()
		}
		if err == nil { // at one time, or the newest come first
			err = os.Chtimes(filepath.Join(dir, manifestFile), noon, noon)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for most, want := range map[int]struct {
		dirs  string
		bytes int64 // of the last
	}{folders + inEach - 1: {"", 0}, folders + inEach: {"a", 0}, folders + inEach + 1: {"a", 2}, folders + 3*inEach: {"ab", 2}} {
		l, err := list(t.Context(), false, most, []string{top})
		if err != nil || !l.Cut {
			t.Fatalf("%d names: %+v, %v", most, l, err)
		}
		dirs := ""
		for _, one := range l.Folders {
			dirs += filepath.Base(one.Dir)
		}
		if dirs != want.dirs || dirs != "" && l.Folders[len(dirs)-1].Bytes != want.bytes {
			t.Errorf("%d names: %+v", most, l.Folders)
		}
	}
}

// A folder that is named from here and from the root is one, and a file that came in the place of a folder is told.
func TestListKnowsAFolderByAnyName(t *testing.T) {
	top := t.TempDir()
	t.Chdir(top)
	l := &lister{left: 99, seen: map[string]bool{}}
	if l.known(".") || !l.known(top) || !l.known(filepath.Join("x", "..")) || l.known("x") || !l.known(filepath.Join(top, "x")) {
		t.Errorf("%v", l.seen)
	}
	if err := os.WriteFile("file", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(top)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := l.walk(t.Context(), root, top, "file", 1); err != nil || len(l.Skipped) != 1 || !strings.Contains(l.Skipped[0], "file") {
		t.Errorf("%+v, %v", l.Listing, err)
	}
}

// A cell has no cells: what its manifest lists of such is a file like any other, whose own files nobody counts or reads a second time.
func TestCellsHaveNoCells(t *testing.T) {
	top := t.TempDir()
	write := func(name string, text []byte) File {
		t.Helper()
		path := filepath.Join(top, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, text, 0o644)); err != nil {
			t.Fatal(err)
		}
		return sumOfText(text)
	}
	manifest := func(kind Kind, files map[string]File) []byte {
		t.Helper()
		text, err := (&Manifest{Format: manifestFormat, Kind: kind, Identity: CurrentIdentity(nil), Files: files}).text()
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	inner, listed := "cells/b/manifest.json", map[string]File{}
	ofB := manifest(KindRun, map[string]File{"spec.yaml": write("cells/b/spec.yaml", []byte("seed: 1\n"))})
	ofA := manifest(KindRun, map[string]File{inner: write("cells/a/"+inner, ofB)})
	listed[inner], listed["cells/a/manifest.json"], listed[indexFile] = write(inner, ofB), write("cells/a/manifest.json", ofA), write(indexFile, []byte("{}"))
	write(manifestFile, manifest(KindSweep, listed))
	want := int64(len("seed: 1\n") + 2*len(ofB) + len(ofA) + len("{}"))
	l, err := List(t.Context(), true, top)
	if err != nil || len(l.Folders) != 1 || l.Folders[0].State != AllAsWritten || l.Folders[0].Bytes != want {
		t.Errorf("%+v, want %d bytes, %v", l, want, err)
	}
	found, err := Verify(t.Context(), top)
	if err != nil || len(found.Files) != 5 {
		t.Errorf("%+v, %v", found, err)
	}
}
