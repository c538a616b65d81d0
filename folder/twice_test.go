package folder_test

import (
	"path/filepath"
	"testing"

	"github.com/kedge-opt/kedge/folder"
)

// A folder that was committed to is that of its result: who still has it can write the next one there, and pages to it.
func TestWhoHasAFolderCanCommitTwice(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	c, err := folder.KindRun.Take(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Release()
	for range 2 {
		if err := small().Save(c, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Renew(map[string][]byte{"report.md": []byte("new")}); err != nil {
		t.Fatal(err)
	}
	found, err := folder.Verify(t.Context(), dir)
	if err != nil || len(found.Files) != 7 || len(found.Strange) != 0 {
		t.Errorf("%+v, %v, want the seven files", found, err)
	}
	for _, f := range found.Files {
		if f.Problem != "" {
			t.Errorf("%s: %s", f.File, f.Problem)
		}
	}
}
