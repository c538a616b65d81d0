package folder_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/disk"
	"github.com/kedge-opt/kedge/internal/evidence"
)

// tagsOf says which tags a folder has, or what is wrong.
func tagsOf(dir string) string {
	s, err := folder.OpenSealed(context.Background(), dir, folder.Verified)
	if err != nil {
		return err.Error()
	}
	defer s.Close()
	tags, err := s.Tags()
	return strings.Join(tags, " ") + errorText(err)
}

// Tags are sorted, once each, and leave the seal of the folder as it is.
func TestTags(t *testing.T) {
	dir := sealed(t, small())
	manifest, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		add, remove []string
		want        string
	}{
		{[]string{"paper", "baseline", "paper"}, nil, "baseline paper"},
		{[]string{"λ=0.3"}, []string{"paper", "nosuch"}, "baseline λ=0.3"},
		{nil, nil, "baseline λ=0.3"},
		{nil, []string{"baseline", "λ=0.3"}, ""},
	} {
		got, err := folder.Retag(dir, c.add, c.remove)
		if err != nil || strings.Join(got, " ") != c.want || tagsOf(dir) != c.want {
			t.Errorf("+%v −%v: %v, %v; the folder says %q, want %q", c.add, c.remove, got, err, tagsOf(dir), c.want)
		}
		found, err := folder.Verify(t.Context(), dir)
		if err != nil || len(found.Strange) > 0 || slices.ContainsFunc(found.Files, func(f folder.Checked) bool { return f.Problem != "" }) {
			t.Errorf("%+v, %v", found, err)
		}
	}
	if after, _ := os.ReadFile(filepath.Join(dir, "manifest.json")); string(after) != string(manifest) {
		t.Error("the manifest was changed")
	}
	if _, err := os.Lstat(filepath.Join(dir, "tags.json")); err == nil {
		t.Error("a folder without tags has a tags.json")
	}
	if _, err := os.Lstat(filepath.Join(dir, ".kedge")); err == nil {
		t.Error("the lock was left")
	}
}

func TestTagsThatAreNone(t *testing.T) {
	dir := sealed(t, small())
	for _, tag := range []string{"", "-x", "a b", "a/b", "a\nb", "a\x1b[31m", ".a", strings.Repeat("a", 65), "a\u202eb"} {
		if _, err := folder.Retag(dir, []string{tag}, nil); err == nil || !strings.Contains(err.Error(), "is no tag") {
			t.Errorf("%q: %v", tag, err)
		}
	}
	many := []string{}
	for i := range 65 {
		many = append(many, "t"+strings.Repeat("x", i))
	}
	if _, err := folder.Retag(dir, many, nil); err == nil {
		t.Error("65 tags were taken")
	}
	if _, err := folder.Retag(t.TempDir(), []string{"a"}, nil); !errors.Is(err, folder.ErrUnfinished) {
		t.Error(err)
	}
	if got := tagsOf(dir); got != "" {
		t.Error(got)
	}
}

// A tags.json that was changed, or that somebody else has put there, is neither believed nor overwritten, and verify names it.
func TestChangedTagsAreFound(t *testing.T) {
	dir := sealed(t, small())
	if _, err := folder.Retag(dir, []string{"baseline"}, nil); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "tags.json")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, other := range []string{strings.Replace(string(text), "baseline", "basemine", 1), "{}", "", `{"tags": ["a"]}`, string(text) + "\n"} {
		if err := os.WriteFile(file, []byte(other), 0o644); err != nil {
			t.Fatal(err)
		}
		if got := tagsOf(dir); !strings.Contains(got, "not as it was written") || !strings.Contains(got, "tags.json") {
			t.Errorf("%q is read as %q", other, got)
		}
		if _, err := folder.Retag(dir, []string{"more"}, nil); !errors.Is(err, folder.ErrChanged) {
			t.Errorf("%q is overwritten: %v", other, err)
		}
		found, err := folder.Verify(t.Context(), dir)
		if err != nil || !slices.ContainsFunc(found.Files, func(f folder.Checked) bool { return f.File == "tags.json" && f.Problem != "" }) {
			t.Errorf("verify says nothing of %q: %+v, %v", other, found, err)
		}
	}
	if err := os.Truncate(file, 1<<20+1); err != nil {
		t.Fatal(err)
	}
	if got := tagsOf(dir); !strings.Contains(got, file+": more than 1048576 bytes, which is all that is read") {
		t.Errorf("more than is read: %q", got)
	}
}

// Two writers: while one has the folder, nobody else tags it.
func TestTagsWaitForNobody(t *testing.T) {
	dir := sealed(t, small())
	c := taken(t, folder.KindRun, dir)
	defer c.Release()
	if _, err := folder.Retag(dir, []string{"a"}, nil); !errors.Is(err, disk.ErrInUse) {
		t.Error(err)
	}
}

// A stop at any step leaves the old tags or the new ones, and nothing else behind. A result that takes the place of another keeps them.
func TestStoppedTagsAreOldOrNew(t *testing.T) {
	whole := evidence.For(t, evidence.Promise{Name: "stops-tags", Text: "the same of tags that are changed"})
	root := t.TempDir()
	dir := filepath.Join(root, "out")
	if err := saveOn(disk.Disk{}, dir, 1); err != nil {
		t.Fatal(err)
	}
	if _, err := folder.Retag(dir, []string{"old"}, nil); err != nil {
		t.Fatal(err)
	}
	tape := record(t, root)
	c, err := folder.KindRun.TakeOn(tape.Disk(), dir)
	if err == nil {
		_, err = c.Tag([]string{"new"}, []string{"old"})
	}
	if err != nil {
		t.Fatal(err)
	}
	c.Release()
	everyStop(t, whole, tape, "tags", "version 1 old", "version 1 new", func(root string) string {
		dir := filepath.Join(root, "out")
		return outcome(dir) + " " + tagsOf(dir)
	})
	if err := saveOn(disk.Disk{}, dir, 2); err != nil || outcome(dir)+" "+tagsOf(dir) != "version 2 new" {
		t.Errorf("%v, %s %s", err, outcome(dir), tagsOf(dir))
	}
}
