// Package disktest is a disk for tests: it remembers every step that is taken on it and shows what is left of a folder when the process dies,
// or the power goes, before any of them.
package disktest

import (
	"errors"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/kedge-opt/kedge/internal/disk"
)

// Tree is what a folder holds: files by their names with slashes, folders by names that end in one.
type Tree map[string]string

// Read reads a folder whole; of one that is not there the tree is empty.
func Read(dir string) (Tree, error) {
	t := Tree{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || path == dir {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		if e.IsDir() {
			t[filepath.ToSlash(name)+"/"] = ""
			return nil
		}
		text, err := os.ReadFile(path)
		t[filepath.ToSlash(name)] = string(text)
		return err
	})
	return t, err
}

// Write makes a folder that holds the tree.
func (t Tree) Write(dir string) error {
	err := os.MkdirAll(dir, 0o755)
	for _, name := range slices.Sorted(maps.Keys(t)) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if strings.HasSuffix(name, "/") {
			err = errors.Join(err, os.MkdirAll(path, 0o755))
		} else {
			err = errors.Join(err, os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(t[name]), 0o644))
		}
	}
	return err
}

// step is one step with what it does to content.
type step struct {
	disk.Step
	data string // of a file that was filled
}

// Tape remembers the steps that are taken below a folder.
type Tape struct {
	root  string
	first Tree
	mu    sync.Mutex
	steps []step
}

// Record begins with what the folder holds now.
func Record(root string) (*Tape, error) {
	first, err := Read(root)
	return &Tape{root: root, first: first}, err
}

// Disk is the disk whose steps are remembered.
func (r *Tape) Disk() disk.Disk {
	return disk.Disk{Before: func(s disk.Step) error {
		one := step{Step: s}
		if s.Call == disk.Fill {
			text, err := os.ReadFile(s.Path)
			if err != nil {
				return err
			}
			one.data = string(text)
		}
		one.Path, one.To = r.name(s.Path), r.name(s.To)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.steps = append(r.steps, one)
		return nil
	}}
}

func (r *Tape) name(path string) string {
	name, err := filepath.Rel(r.root, path)
	if path == "" || err != nil {
		return ""
	}
	return filepath.ToSlash(name)
}

// Len is how many steps were taken.
func (r *Tape) Len() int { return len(r.steps) }

// Call is what step i does, and to what.
func (r *Tape) Call(i int) (disk.Call, string) { return r.steps[i].Call, r.steps[i].Path }

// Killed is what a process leaves that is killed before step n.
func (r *Tape) Killed(n int) Tree {
	return r.replay(n, -1).tree(seen, func(x *inode) string { return x.live })
}

// Cut is what is left when the power goes before step n: names and contents that were put on disk, and nothing else. Step skip is not taken,
// if it is not negative.
func (r *Tape) Cut(n, skip int) Tree { return r.replay(n, skip).tree(onDisk, durable) }

// Eager is what is left when the power goes before step n and all names are on disk, but of the contents only what was put there.
func (r *Tape) Eager(n, skip int) Tree { return r.replay(n, skip).tree(seen, durable) }

// Scrambled is what is left when the power goes before step n and of the changes of names that were not put on disk any may be there,
// at random, in whatever order they were made; a rename is whole or not at all. Contents are those that were put there.
func (r *Tape) Scrambled(n, skip int, random *rand.Rand) Tree {
	root := r.start()
	for i, s := range r.steps[:n] {
		if i == skip || s.Call == disk.SyncDir {
			continue
		}
		change := root.take(s)
		if change != nil && (r.isSynced(i, n, skip) || random.IntN(2) == 0) {
			change.keep()
		}
	}
	return root.tree(onDisk, durable)
}

// isSynced tells whether the names that step i changes were put on disk before step n.
func (r *Tape) isSynced(i, n, skip int) bool {
	one := r.steps[i]
	for j := i + 1; j < n; j++ {
		s := r.steps[j]
		if j != skip && s.Call == disk.SyncDir && (s.Path == path.Dir(one.Path) || one.To != "" && s.Path == path.Dir(one.To)) {
			return true
		}
	}
	return false
}

func (r *Tape) replay(n, skip int) *inode {
	root := r.start()
	var open []*change // that are not on disk
	for i, s := range r.steps[:n] {
		switch {
		case i == skip:
		case s.Call == disk.SyncDir:
			dir := root.find(s.Path)
			open = slices.DeleteFunc(open, func(c *change) bool {
				isOf := c.from == dir || c.to == dir
				if isOf {
					c.keep()
				}
				return isOf
			})
		default:
			if c := root.take(s); c != nil {
				open = append(open, c)
			}
		}
	}
	return root
}

// inode is a file or a folder, whatever its name is, as a process sees it and as it is on disk.
type inode struct {
	isDir         bool
	live, durable string            // content
	names, kept   map[string]*inode // in a folder
}

func newFolder() *inode {
	return &inode{isDir: true, names: map[string]*inode{}, kept: map[string]*inode{}}
}

func seen(x *inode) map[string]*inode   { return x.names }
func onDisk(x *inode) map[string]*inode { return x.kept }
func durable(x *inode) string           { return x.durable }

// start is what the folder held before the first step.
func (r *Tape) start() *inode {
	root := newFolder()
	for _, name := range slices.Sorted(maps.Keys(r.first)) { // folders before what is in them
		bare := strings.TrimSuffix(name, "/")
		x := newFolder()
		if bare == name {
			x = &inode{live: r.first[name], durable: r.first[name]}
		}
		above := root.find(path.Dir(bare))
		above.names[path.Base(bare)], above.kept[path.Base(bare)] = x, x
	}
	return root
}

// find returns the inode of a name.
func (x *inode) find(name string) *inode {
	if name == "." {
		return x
	}
	return x.find(path.Dir(name)).names[path.Base(name)]
}

// change is a change of names: something comes to a folder, or leaves one, or both.
type change struct {
	what             *inode
	from, to         *inode // nil: nowhere
	oldName, newName string
}

// keep makes the change on disk.
func (c *change) keep() {
	if c.from != nil && c.from.kept[c.oldName] == c.what {
		delete(c.from.kept, c.oldName)
	}
	if c.to != nil {
		c.to.kept[c.newName] = c.what
	}
}

// take takes a step as a process sees it, and returns the change of names that is not on disk yet.
func (x *inode) take(s step) *change {
	above, base := x.find(path.Dir(s.Path)), path.Base(s.Path)
	switch s.Call {
	case disk.Make, disk.Create:
		made := &inode{}
		if s.Call == disk.Make {
			made = newFolder()
		}
		above.names[base] = made
		return &change{what: made, to: above, newName: base}
	case disk.Fill:
		above.names[base].live = s.data
	case disk.SyncFile:
		above.names[base].durable = above.names[base].live
	case disk.Remove:
		gone := above.names[base]
		delete(above.names, base)
		return &change{what: gone, from: above, oldName: base}
	case disk.Rename:
		moved, to := above.names[base], x.find(path.Dir(s.To))
		delete(above.names, base)
		to.names[path.Base(s.To)] = moved
		return &change{moved, above, to, base, path.Base(s.To)}
	}
	return nil
}

// tree is what can be reached by some names, with some contents.
func (x *inode) tree(names func(*inode) map[string]*inode, content func(*inode) string) Tree {
	t := Tree{}
	for name, one := range names(x) {
		if !one.isDir {
			t[name] = content(one)
			continue
		}
		t[name+"/"] = ""
		for inner, text := range one.tree(names, content) {
			t[name+"/"+inner] = text
		}
	}
	return t
}
