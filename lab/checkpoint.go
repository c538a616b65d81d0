package lab

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/disk"
	"github.com/kedge-opt/kedge/problem"
)

// Checkpoint says where and how often a run is saved, so that after any stop it can go on to the same result, on any number
// of workers. The zero value saves nothing. docs/formats/checkpoint.md describes what is written.
type Checkpoint struct {
	In    *folder.Taken // the folder of the run, in which the checkpoint has a folder of its own
	Every time.Duration // between two saves of a trial, or twice what a save takes, if that is longer; 0 means 30 s. A run that is stopped is saved at once

	// Say is told, a line at a time, what a user must know: where the run was resumed, and what could not be saved or read.
	// None of it is an error: what is not saved is computed again. It is called by one goroutine at a time.
	Say func(line string)
}

// CheckpointError says that a folder holds the checkpoint of another run, which must not be mixed with this one.
type CheckpointError struct {
	Dir     string
	Differs []string // what is different, in words
}

func (e *CheckpointError) Error() string {
	return fmt.Sprintf("%s holds a checkpoint that this run cannot go on from: %s; repeat the command that wrote it, or start over with --fresh",
		e.Dir, strings.Join(e.Differs, ", "))
}

// inCheckpoint is where a file of a checkpoint is in the folder of its run.
func inCheckpoint(name string) string { return path.Join(folder.CheckpointDir, name) }

// HasCheckpoint tells whether the folder of a run holds a checkpoint.
func HasCheckpoint(c *folder.Taken) bool { return c.Root().Has(inCheckpoint(folder.CheckpointRun)) }

// RemoveCheckpoint removes the checkpoint from the folder of a run, if there is one, and nothing else.
func RemoveCheckpoint(c *folder.Taken) error {
	dir := c.Root()
	if err := clearCheckpoint(dir); err != nil {
		return err
	}
	left, err := dir.List(folder.CheckpointDir)
	if err != nil || len(left) > 0 {
		return err
	}
	return errors.Join(dir.Remove(folder.CheckpointDir), dir.Sync("."))
}

// clearCheckpoint removes the files of a checkpoint, its identity first: without it the others count for nothing.
func clearCheckpoint(dir *disk.Dir) error {
	entries, err := dir.List(folder.CheckpointDir)
	names := []string{inCheckpoint(folder.CheckpointRun)}
	for _, e := range entries {
		if folder.IsCheckpointFile(e.Name()) {
			names = append(names, inCheckpoint(e.Name()))
		}
	}
	return errors.Join(err, dir.Remove(names...))
}

// identity is what a checkpoint is of. Runs with the same identity have the same bits.
type identity struct {
	Name string `json:"name"`
	Spec string `json:"spec"` // as run, in YAML
	folder.Identity
}

func identify(p *problem.Problem) *identity {
	return &identity{p.Name, string(p.Spec.YAML()), folder.CurrentIdentity(p.Inputs())}
}

// differs says in what the run differs from the one a checkpoint was begun by.
func (id *identity) differs(before *identity) (list []string) {
	if id.Name != before.Name {
		list = append(list, fmt.Sprintf("it is of %s, this is %s", before.Name, id.Name))
	}
	if id.Spec != before.Spec {
		was, is := firstDifference(before.Spec, id.Spec)
		list = append(list, fmt.Sprintf("the spec had %q, now it has %q", was, is))
	}
	return append(list, id.Identity.Differs(before.Identity)...)
}

// firstDifference returns the first line in which two texts differ, as it is in each.
func firstDifference(a, b string) (inA, inB string) {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	i := 0
	for i < len(x)-1 && i < len(y)-1 && x[i] == y[i] {
		i++
	}
	return strings.TrimSpace(x[i]), strings.TrimSpace(y[i])
}
