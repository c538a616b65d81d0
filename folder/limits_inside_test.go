package folder

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/internal/disk"
)

// Limits are those that were chosen, and formats those that folders are in.
func TestLimits(t *testing.T) {
	for name, c := range map[string]struct{ got, want float64 }{
		"the share of trials that may break a constraint": {BrokenShare, 0.01},
		"the confidence of intervals":                     {Confidence, 0.95},
		"the format of manifests":                         {manifestFormat, 2},
		"the format before it":                            {bareFormat, 1},
		"bytes of a manifest":                             {largestManifest, 268_435_456},
		"bytes of a summary":                              {largestSummary, 67_108_864},
		"bytes in which a program says who it is":         {firstPages, 32_768},
		"names that a listing looks at":                   {mostNames, 1_048_576},
		"folders in folders that it looks into":           {deepest, 32},
		"entries of decisions in a table":                 {mostTabled, 16},
		"tags of a folder":                                {mostTags, 64},
		"letters of a tag":                                {longestTag, 64},
		"bytes of all tags":                               {largestTags, 1_048_576},
	} {
		if c.got != c.want {
			t.Errorf("%s: %v, want %v", name, c.got, c.want)
		}
	}
}

// A mark of what is growing in a folder has a mebibyte at most, and says what that is.
func TestMarksOfFolders(t *testing.T) {
	for length, fits := range map[int]bool{1_048_576: true, 1_048_577: false} {
		at := t.TempDir()
		text := `{"kind": "sweep", "note": "x"}`
		if err := os.WriteFile(filepath.Join(at, unfinishedFile), []byte(text+strings.Repeat(" ", length-len(text))), 0o644); err != nil {
			t.Fatal(err)
		}
		dir, err := disk.Disk{}.Open(at)
		if err != nil {
			t.Fatal(err)
		}
		defer dir.Close()
		kind, err := markOf(dir)
		if fits && (err != nil || kind != KindSweep) || !fits && (err == nil || kind != "" || !strings.HasPrefix(err.Error(), dir.Path(unfinishedFile)+": ")) {
			t.Errorf("%d bytes: %q, %v", length, kind, err)
		}
	}
}
