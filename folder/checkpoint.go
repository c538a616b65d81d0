package folder

import (
	"io/fs"
	"slices"
	"strings"

	"github.com/kedge-opt/kedge/internal/disk"
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
func isCheckpoint(dir *disk.Dir) bool {
	entries, err := dir.List(CheckpointDir)
	return err == nil && !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return !IsCheckpointFile(e.Name()) })
}

// IsCheckpointFile tells whether a checkpoint has files of this name, or prepares files under it.
func IsCheckpointFile(name string) bool {
	begins := func(with string) bool { return strings.HasPrefix(name, with) && strings.HasSuffix(name, ".bin") }
	if strings.HasPrefix(name, ".") {
		name = strings.TrimSuffix(strings.TrimPrefix(name, "."), strings.TrimPrefix(disk.Draft(""), "."))
	}
	return name == CheckpointRun || slices.ContainsFunc([]string{CheckpointAnswer, CheckpointDone, CheckpointTrial}, begins)
}
