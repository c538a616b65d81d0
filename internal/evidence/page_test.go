package evidence

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/kedge-opt/kedge/internal/evidence/board"
)

// The tables of docs/RELIABILITY.md are what the files of docs/reliability say, and every file is what a test that is there has stated.
func TestPageIsOfTheFiles(t *testing.T) {
	const root = "../.."
	want, faults, err := board.Page(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("KEDGE_UPDATE") != "" {
		if err := os.WriteFile(filepath.Join(root, board.File), []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		_, faults, err = board.Page(os.DirFS(root))
	}
	for _, fault := range faults {
		t.Error(fault)
	}
	if err != nil {
		t.Error(err)
	}
}
