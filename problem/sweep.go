package problem

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/kind"
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

	base  *form.Node // the spec that all cells share, with what set says
	over  []axis
	kinds *kind.Catalogue // that cells can name
	top   int             // the rank of swept values, above all that they replace
}

// ParseSweep reads a sweep of specs that name kinds of a catalogue: the document src, called name in messages, with overlays over the spec of every cell. A base that
// is a file is read by its path from here, the folder of name before it. Every cell is checked as Parse would check it. The
// error joins one *Error for every mistake; one that several cells share is reported once, with the values of the first.
func ParseSweep(kinds *kind.Catalogue, name string, src []byte, read func(path string) ([]byte, error), over ...Overlay) (*Sweep, error) {
	found := &form.Mistakes{}
	root := document(found, form.Place{File: name}, string(src))
	if root == nil {
		return nil, found.Join()
	}
	root.Locate("")
	w := &Sweep{top: len(over) + 2, kinds: kinds}
	draft := &sweepDraft{sweep: w, file: name, read: read}
	form.Read(root, found, draft.describe)
	for i, o := range over {
		draft.overlay(found, o, form.Place{File: o.label, Rank: i + 2})
	}
	if err := found.Join(); err != nil {
		return nil, err
	}
	if err := w.layOut(); err != nil {
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

func (d *sweepDraft) describe(f *form.Form) {
	w := d.sweep
	form.Field(f, "name", &w.Name, folderName().Or(sweepName(d.file)), form.Meaning{})
	form.Field(f, "base", &w.base, d.baseSpec(), form.Meaning{})
	f.Choose("design", &w.Design, form.OneOf(form.Choice("grid", "", ""), form.Choice("random", "", "")).Or("grid"), form.Meaning{})
	if w.Design == "random" {
		form.Field(f, "samples", &w.Samples, form.Count(1, MaxCells), form.Meaning{})
	}
	form.Field(f, "seed", &w.Seed, form.Word64().Or(1), form.Meaning{})
	f.Section("set", form.Meaning{}, d.describeSet)
	f.NeedSection("over", "a mapping of keys of the spec to their values", form.Meaning{}, d.describeOver)
}

// sweepName is what a sweep is called that does not say so itself: its file without the ending.
func sweepName(file string) string {
	name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	if !isFolderName(name) {
		return "sweep"
	}
	return name
}

func folderName() form.Codec[string] {
	return form.TextOf("a name that begins with a letter and has no dot or slash", isFolderName)
}

func isFolderName(s string) bool { return form.IsLabel(s) && !strings.ContainsAny(s, `/\`) }

const wantBase = "the name of a case, a file that ends in .yaml, or a spec"

// baseSpec reads what the cells share: a spec written in place, an embedded case or a file.
func (d *sweepDraft) baseSpec() form.Codec[*form.Node] {
	return form.Codec[*form.Node]{Want: wantBase, Read: func(m *form.Mistakes, n *form.Node) (*form.Node, bool) {
		switch {
		case n.Shape == form.Mapping:
			return n.Copied(0), true
		case n.Shape != form.Scalar || !form.IsPrintable(n.Text):
			m.Wrong(n, wantBase)
			return nil, false
		}
		base := d.baseFile(m, n)
		return base, base != nil
	}}
}

func (d *sweepDraft) baseFile(m *form.Mistakes, n *form.Node) *form.Node {
	file := n.Text
	src, ok := Case(file)
	if !ok && !slices.Contains([]string{".yaml", ".yml"}, filepath.Ext(file)) {
		m.Report(n.At, n.Path, "base is %s; the cases are %s, and a file ends in .yaml", n.Show(), form.Enumerate(Cases(), "and"))
		return nil
	}
	if !ok {
		if !filepath.IsAbs(file) {
			file = filepath.Join(filepath.Dir(d.file), file)
		}
		var err error
		if src, err = d.read(file); err != nil {
			m.Report(n.At, n.Path, "base cannot be read: %v", err)
			return nil
		}
	}
	return document(m, form.Place{File: file}, string(src))
}

// describeSet puts the values that all cells share into the base.
func (d *sweepDraft) describeSet(f *form.Form) {
	f.Each(func(key string, value *form.Node) {
		if d.refuses(f.Mistakes, value, key) || d.sweep.base == nil {
			return
		}
		if err := d.sweep.base.Assign(strings.Split(key, "."), value.Copied(1)); err != nil {
			f.Report(value.At, value.Path, "%s", err)
		}
	})
}

// refuses reports keys that no cell can be given.
func (d *sweepDraft) refuses(m *form.Mistakes, n *form.Node, key string) bool {
	switch {
	case key == "seed":
		m.Report(n.At, n.Path, "%s: every cell's seed is made of the sweep's seed and the cell's content; set the sweep's own seed, or trials for repetitions", n.Path)
	case strings.Count(key, ".") >= form.MaxDepth:
		m.Report(n.At, n.Path, "%s: want a key of the spec, as in dynamics.lambda", n.Path)
	default:
		return false
	}
	return true
}

// describeOver reads the keys that differ and their values.
func (d *sweepDraft) describeOver(f *form.Form) {
	w := d.sweep
	if len(f.Node.Keys) == 0 {
		f.Wrong(f.Node, "at least one key of the spec with its values")
	}
	f.Each(func(name string, n *form.Node) {
		a := axis{name: name, at: n.At}
		for key := range strings.SplitSeq(name, ",") {
			key = strings.TrimSpace(key)
			if !d.refuses(f.Mistakes, n, key) && slices.Contains(w.Keys, key) {
				f.Report(n.At, n.Path, "%s is swept twice", key)
			}
			a.keys = append(a.keys, key)
			w.Keys = append(w.Keys, key)
		}
		a.read(f, n, w.Design)
		w.over = append(w.over, a)
	})
}

// overlay applies an overlay to the base; what is swept, it cannot set.
func (d *sweepDraft) overlay(m *form.Mistakes, o Overlay, at form.Place) {
	key, _, _ := strings.Cut(o.text, "=")
	switch key = strings.TrimSpace(key); {
	case o.assign && key == "seed":
		d.refuses(m, &form.Node{At: at, Path: key}, key)
	case o.assign && slices.Contains(d.sweep.Keys, key):
		m.Report(at, key, "%s is swept; change its values in the file", key)
	case d.sweep.base != nil:
		o.apply(m, d.sweep.base, at)
	}
}

// YAML returns the sweep as it runs in one canonical form, which needs no other file: the base is written out and what all
// cells share is in it. ParseSweep of it gives the same sweep.
func (w *Sweep) YAML() []byte {
	root := &form.Node{Shape: form.Mapping}
	root.Put("name", folderName().Write(w.Name))
	root.Put("design", &form.Node{Shape: form.Scalar, Text: w.Design})
	if w.Design == "random" {
		root.Put("samples", form.Count(1, MaxCells).Write(w.Samples))
	}
	root.Put("seed", form.Word64().Write(w.Seed))
	over := &form.Node{Shape: form.Mapping}
	for i := range w.over {
		over.Put(w.over[i].name, w.over[i].node(w.Design))
	}
	root.Put("over", over)
	root.Put("base", w.base)
	return root.Normal().YAML()
}

// layOut lays out the cells and joins what is wrong with them.
func (w *Sweep) layOut() error {
	l := layout{sweep: w, seen: map[string]bool{}, wrong: map[string]*blame{}}
	total := w.size()
	if total > MaxCells {
		l.Report(w.over[0].at, "over", "over makes %d cells or more, at most %d can be run; list fewer values, or draw some with design: random", total, MaxCells)
		return l.Join()
	}
	for i := range total {
		l.add(i)
	}
	return l.conclude()
}
