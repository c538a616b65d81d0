package folder

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Names of a checkpoint, which lies in the folder of a run while that is computed.
const (
	CheckpointDir    = "checkpoint"
	CheckpointRun    = "run.json"
	CheckpointAnswer = "answer-" // how the files of what was found offline begin
	CheckpointDone   = "done-"   // how the files of finished trials begin
	CheckpointTrial  = "trial-"  // how the files of trials under way begin
)

// isCheckpoint tells whether a folder's checkpoint holds nothing but what belongs there. It may be empty.
func isCheckpoint(dir string) bool {
	entries, err := os.ReadDir(filepath.Join(dir, CheckpointDir))
	return err == nil && !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return !IsCheckpointFile(e.Name()) })
}

// IsCheckpointFile tells whether a checkpoint has files of this name.
func IsCheckpointFile(name string) bool {
	bare := strings.TrimPrefix(name, ".") // of a file under preparation
	begins := func(with string) bool { return strings.HasPrefix(bare, with) }
	return name == LockFile || slices.ContainsFunc([]string{CheckpointRun, CheckpointAnswer, CheckpointDone, CheckpointTrial}, begins)
}
