package lab

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
)

// Checkpoint says where and how often a run is saved, so that after any stop it can go on to the same result, on any number
// of workers. The zero value saves nothing. docs/formats/checkpoint.md describes what is written.
type Checkpoint struct {
	Dir   string        // the folder of the run, in which the checkpoint has a folder of its own
	Every time.Duration // between two saves of a trial; 0 means 30 s. A run that is stopped is saved at once

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

// HasCheckpoint tells whether the folder of a run holds a checkpoint.
func HasCheckpoint(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, folder.CheckpointDir, folder.CheckpointRun))
	return err == nil
}

// RemoveCheckpoint removes the checkpoint from the folder of a run, if there is one, and nothing else.
func RemoveCheckpoint(dir string) error {
	own := filepath.Join(dir, folder.CheckpointDir)
	if err := folder.Free(own); err != nil {
		return err
	}
	if err := errors.Join(clearCheckpoint(own), folder.Remove(own, folder.LockFile)); err != nil {
		return err
	}
	left, err := os.ReadDir(own)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil || len(left) > 0 {
		return err
	}
	return os.Remove(own)
}

// clearCheckpoint removes the files of a checkpoint, its identity first: without it the others count for nothing.
func clearCheckpoint(own string) error {
	entries, err := os.ReadDir(own)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	names := []string{folder.CheckpointRun}
	for _, e := range entries {
		if n := e.Name(); n != folder.LockFile && folder.IsCheckpointFile(n) {
			names = append(names, n)
		}
	}
	return errors.Join(err, folder.Remove(own, names...))
}

// identity is what a checkpoint is of. Runs with the same identity have the same bits.
type identity struct {
	Name  string       `json:"name"`
	Spec  string       `json:"spec"` // as run, in YAML
	Build folder.Build `json:"build"`
	Data  string       `json:"data"` // SHA-256 of the individuals that were read from files
}

func identify(p *problem.Problem) *identity {
	return &identity{Name: p.Name, Spec: string(p.Spec.YAML()), Build: folder.CurrentBuild(), Data: dataSum(p)}
}

// dataSum hashes the traits, states and weights that come from files: of those a spec holds the name only.
func dataSum(p *problem.Problem) string {
	h := sha256.New()
	add := func(x kedge.Rows) {
		n, width := x.Size()
		room := make([]float64, width)
		for i := range n {
			binary.Write(h, binary.LittleEndian, x.View(room, i, i+1))
		}
	}
	if kind.IsListed(p.Spec.Population.Law) {
		add(p.Traits)
	}
	if kind.IsListed(p.Spec.Population.States) {
		add(p.States)
	}
	if w := p.Spec.Population.Weights; w != nil && w.File != "" {
		add(kedge.Block{Data: p.Weights, Width: 1})
	}
	return hex.EncodeToString(h.Sum(nil))
}

// differs says in what the run differs from the one a checkpoint was begun by.
func (id *identity) differs(before *identity) (list []string) {
	if id.Name != before.Name {
		list = append(list, fmt.Sprintf("it is of %s, this is %s", before.Name, id.Name))
	}
	if id.Build.Version != before.Build.Version {
		list = append(list, fmt.Sprintf("kedge %s wrote it, this is %s", before.Build.Version, id.Build.Version))
	} else if id.Build != before.Build {
		list = append(list, fmt.Sprintf("it is of a build for %s, this is one for %s", before.Build.Target(), id.Build.Target()))
	}
	if id.Spec != before.Spec {
		was, is := firstDifference(before.Spec, id.Spec)
		list = append(list, fmt.Sprintf("the spec had %q, now it has %q", was, is))
	}
	if id.Data != before.Data {
		list = append(list, "the file with the individuals has changed")
	}
	return list
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
