package folder

import (
	"fmt"
	"os"
	"path/filepath"
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
