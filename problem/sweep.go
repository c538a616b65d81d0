package problem

import (
	"path/filepath"
	"slices"
	"strings"
)

// MaxCells is how many cells a sweep may have.
const MaxCells = 100_000

// Sweep is a family of specs, its cells: a base and the keys that differ from cell to cell. docs/formats/sweep.md describes
// the file.
type Sweep struct {
	Name    string   // of the results
	Design  string   // "grid": every combination of values, or "random": so many draws
	Samples int      // of design random
	Seed    uint64   // of the design's draws; every cell's own seed is made of it and of the cell's content
	Keys    []string // the swept keys of the spec, in the order of the file
	Cells   []Cell   // no two of them are alike

	base *node // the spec that all cells share, with what set says
	over []axis
	top  int // the rank of swept values, above all that they replace
}

// ParseSweep reads a sweep: the document src, called name in messages, with overlays over the spec of every cell. A base that
// is a file is read by its path from here, the folder of name before it. Every cell is checked as Parse would check it. The
// error joins one *Error for every mistake; one that several cells share is reported once, with the values of the first.
func ParseSweep(name string, src []byte, read func(path string) ([]byte, error), over ...Overlay) (*Sweep, error) {
	found := &mistakes{}
	root := document(found, place{file: name}, string(src))
	if root == nil {
		return nil, found.join()
	}
	root.locate("")
	w := &Sweep{top: len(over) + 2}
	draft := &sweepDraft{sweep: w, file: name, read: read}
	readSection(root, found, draft.describe)
	for i, o := range over {
		draft.overlay(found, o, place{file: o.label, rank: i + 2})
	}
	if err := found.join(); err != nil {
		return nil, err
	}
	if err := w.lay(); err != nil {
		return nil, err
	}
	return w, nil
}

// sweepDraft is a sweep while it is read.
type sweepDraft struct {
	sweep *Sweep
	file  string
	read  func(path string) ([]byte, error)
}

func (d *sweepDraft) describe(f *form) {
	w := d.sweep
	fieldOr(f, "name", &w.Name, folderName(), sweepName(d.file), meaning{})
	field(f, "base", &w.base, d.baseSpec(), meaning{})
	f.chooseOr("design", &w.Design, "grid", meaning{}, option("grid", "", ""), option("random", "", ""))
	if w.Design == "random" {
		field(f, "samples", &w.Samples, count(1, MaxCells), meaning{})
	}
	fieldOr(f, "seed", &w.Seed, word(), 1, meaning{})
	f.section("set", meaning{}, d.describeSet)
	f.needSection("over", "a mapping of keys of the spec to their values", meaning{}, d.describeOver)
}

// sweepName is what a sweep is called that does not say so itself: its file without the ending.
func sweepName(file string) string {
	name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	if !isFolderName(name) {
		return "sweep"
	}
	return name
}

func folderName() codec[string] {
	return text("a name that begins with a letter and has no dot or slash", isFolderName)
}

func isFolderName(s string) bool { return isLabel(s) && !strings.ContainsAny(s, `/\`) }

const wantBase = "the name of a case, a file that ends in .yaml, or a spec"

// baseSpec reads what the cells share: a spec written in place, an embedded case or a file.
func (d *sweepDraft) baseSpec() codec[*node] {
	return codec[*node]{want: wantBase, read: func(m *mistakes, n *node) (*node, bool) {
		switch {
		case n.kind == mapping:
			return n.copied(0), true
		case n.kind != scalar || !isPrintable(n.text):
			m.wrong(n, wantBase)
			return nil, false
		}
		base := d.baseFile(m, n)
		return base, base != nil
	}}
}

func (d *sweepDraft) baseFile(m *mistakes, n *node) *node {
	file := n.text
	src, ok := Case(file)
	if !ok && !slices.Contains([]string{".yaml", ".yml"}, filepath.Ext(file)) {
		m.report(n.at, n.path, "base is %s; the cases are %s, and a file ends in .yaml", n.show(), enumerate(Cases(), "and"))
		return nil
	}
	if !ok {
		if !filepath.IsAbs(file) {
			file = filepath.Join(filepath.Dir(d.file), file)
		}
		var err error
		if src, err = d.read(file); err != nil {
			m.report(n.at, n.path, "base cannot be read: %v", err)
			return nil
		}
	}
	return document(m, place{file: file}, string(src))
}

// describeSet puts the values that all cells share into the base.
func (d *sweepDraft) describeSet(f *form) {
	f.each(func(key string, value *node) {
		if d.refuses(f.mistakes, value, key) || d.sweep.base == nil {
			return
		}
		if err := d.sweep.base.assign(strings.Split(key, "."), value.copied(1)); err != nil {
			f.report(value.at, value.path, "%s", err)
		}
	})
}

// refuses reports keys that no cell can be given.
func (d *sweepDraft) refuses(m *mistakes, n *node, key string) bool {
	switch {
	case key == "seed":
		m.report(n.at, n.path, "%s: every cell's seed is made of the sweep's seed and the cell's content; set the sweep's own seed, or trials for repetitions", n.path)
	case strings.Count(key, ".") >= maxDepth:
		m.report(n.at, n.path, "%s: want a key of the spec, as in dynamics.lambda", n.path)
	default:
		return false
	}
	return true
}

// describeOver reads the keys that differ and their values.
func (d *sweepDraft) describeOver(f *form) {
	w := d.sweep
	if len(f.node.keys) == 0 {
		f.wrong(f.node, "at least one key of the spec with its values")
	}
	f.each(func(name string, n *node) {
		a := axis{name: name, at: n.at}
		for key := range strings.SplitSeq(name, ",") {
			key = strings.TrimSpace(key)
			if !d.refuses(f.mistakes, n, key) && slices.Contains(w.Keys, key) {
				f.report(n.at, n.path, "%s is swept twice", key)
			}
			a.keys = append(a.keys, key)
			w.Keys = append(w.Keys, key)
		}
		a.read(f, n, w.Design)
		w.over = append(w.over, a)
	})
}

// overlay applies an overlay to the base; what is swept, it cannot set.
func (d *sweepDraft) overlay(m *mistakes, o Overlay, at place) {
	key, _, _ := strings.Cut(o.text, "=")
	switch key = strings.TrimSpace(key); {
	case o.assign && key == "seed":
		d.refuses(m, &node{at: at, path: key}, key)
	case o.assign && slices.Contains(d.sweep.Keys, key):
		m.report(at, key, "%s is swept; change its values in the file", key)
	case d.sweep.base != nil:
		o.apply(m, d.sweep.base, at)
	}
}

// YAML returns the sweep as it runs in one canonical form, which needs no other file: the base is written out and what all
// cells share is in it. ParseSweep of it gives the same sweep.
func (w *Sweep) YAML() []byte {
	root := &node{kind: mapping}
	root.put("name", folderName().write(w.Name))
	root.put("design", &node{kind: scalar, text: w.Design})
	if w.Design == "random" {
		root.put("samples", count(1, MaxCells).write(w.Samples))
	}
	root.put("seed", word().write(w.Seed))
	over := &node{kind: mapping}
	for i := range w.over {
		over.put(w.over[i].name, w.over[i].node())
	}
	root.put("over", over)
	root.put("base", w.base)
	return root.normal().YAML()
}

// lay lays out the cells and joins what is wrong with them.
func (w *Sweep) lay() error {
	l := layout{sweep: w, seen: map[string]bool{}, wrong: map[string]int{}}
	total := w.size()
	if total > MaxCells {
		l.report(w.over[0].at, "over", "over makes %d cells or more, at most %d can be run; list fewer values, or draw some with design: random", total, MaxCells)
		return l.join()
	}
	for i := range total {
		l.add(i)
	}
	return l.conclude()
}
