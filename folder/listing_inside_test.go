package folder

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
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
