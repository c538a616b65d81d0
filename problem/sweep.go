package problem

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/kedge-opt/kedge/internal/phrase"
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

	file string // that it is read from
	read func(path string) ([]byte, error)
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
	w := &Sweep{top: len(over) + 2, kinds: kinds, file: name, read: read}
	form.Read(root, found, w.describe)
	for i, o := range over {
		w.overlay(found, o, form.Place{File: o.label, Rank: i + 2})
	}
	if err := found.Join(); err != nil {
		return nil, err
	}
	if err := w.layOut(); err != nil {
		return nil, err
	}
	return w, nil
}

// describe describes the sweep, as it is printed: the base comes last, with all in it that set says, so that set is read and never printed.
func (w *Sweep) describe(f *form.Form) {
	form.Field(f, "name", &w.Name, folderName().Or(sweepName(w.file)), form.Meaning{})
	f.Know("base")
	f.Choose("design", &w.Design, form.OneOf(form.Choice("grid", "", ""), form.Choice("random", "", "")).Or("grid"), form.Meaning{})
	if w.Design == "random" {
		form.Field(f, "samples", &w.Samples, form.Count(1, MaxCells), form.Meaning{})
	}
	form.Field(f, "seed", &w.Seed, form.Word64().Or(1), form.Meaning{})
	f.Know("set")
	form.Field(f, "over", &w.over, w.axes(), form.Meaning{})
	form.Field(f, "base", &w.base, w.baseSpec(), form.Meaning{})
	form.Field(f, "set", new(*form.Node), form.Codec[*form.Node]{Read: w.readSet}.Optional(), form.Meaning{})
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

// baseSpec is what the cells share: a spec written in place, an embedded case or a file.
func (w *Sweep) baseSpec() form.Codec[*form.Node] {
	return form.Codec[*form.Node]{Want: wantBase, Write: func(n *form.Node) *form.Node { return n }, Read: func(m *form.Mistakes, n *form.Node) (*form.Node, bool) {
		switch {
		case n.Shape == form.Mapping:
			return n.Copied(0), true
		case n.Shape != form.Scalar || !form.IsPrintable(n.Text):
			m.Wrong(n, wantBase)
			return nil, false
		}
		base := w.baseFile(m, n)
		return base, base != nil
	}}
}

func (w *Sweep) baseFile(m *form.Mistakes, n *form.Node) *form.Node {
	file := n.Text
	src, ok := Case(file)
	if !ok && !slices.Contains([]string{".yaml", ".yml"}, filepath.Ext(file)) {
		m.Report(n.At, n.Path, "base is %s; the cases are %s, and a file ends in .yaml", n.Show(), phrase.Enumerate(Cases()))
		return nil
	}
	if !ok {
		if !filepath.IsAbs(file) {
			file = filepath.Join(filepath.Dir(w.file), file)
		}
		var err error
		if src, err = w.read(file); err != nil {
			m.Report(n.At, n.Path, "base cannot be read: %v", err)
			return nil
		}
	}
	return document(m, form.Place{File: file}, string(src))
}

// readSet puts the values that all cells share into the base.
func (w *Sweep) readSet(m *form.Mistakes, n *form.Node) (none *form.Node, ok bool) {
	if n.Shape != form.Mapping {
		m.Wrong(n, "a mapping")
	}
	for i, key := range n.Keys {
		value := n.Items[i]
		if refusesCells(m, value, key) || w.base == nil {
			continue
		}
		if err := w.base.Assign(strings.Split(key, "."), value.Copied(1)); err != nil {
			m.Report(value.At, value.Path, "%s", err)
		}
	}
	return nil, true
}

// refusesCells reports keys that no cell can be given.
func refusesCells(m *form.Mistakes, n *form.Node, key string) bool {
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

// axes are the keys that differ and their values.
func (w *Sweep) axes() form.Codec[[]axis] {
	return form.Codec[[]axis]{Want: "a mapping of keys of the spec to their values", Read: w.readAxes, Write: func(all []axis) *form.Node {
		over := &form.Node{Shape: form.Mapping}
		for i := range all {
			over.Put(all[i].name, all[i].node(w.Design))
		}
		return over
	}}
}

func (w *Sweep) readAxes(m *form.Mistakes, n *form.Node) (all []axis, ok bool) {
	switch {
	case n.Shape != form.Mapping:
		m.Wrong(n, "a mapping")
	case len(n.Keys) == 0:
		m.Wrong(n, "at least one key of the spec with its values")
	}
	for i, name := range n.Keys {
		values := n.Items[i]
		a := axis{name: name, at: values.At}
		for key := range strings.SplitSeq(name, ",") {
			key = strings.TrimSpace(key)
			if !refusesCells(m, values, key) && slices.Contains(w.Keys, key) {
				m.Report(values.At, values.Path, "%s is swept twice", key)
			}
			a.keys = append(a.keys, key)
			w.Keys = append(w.Keys, key)
		}
		a.read(m, values, w.Design)
		all = append(all, a)
	}
	return all, true
}

// overlay applies an overlay to the base; what is swept, it cannot set.
func (w *Sweep) overlay(m *form.Mistakes, o Overlay, at form.Place) {
	key, _, _ := strings.Cut(o.text, "=")
	switch key = strings.TrimSpace(key); {
	case o.assign && key == "seed":
		refusesCells(m, &form.Node{At: at, Path: key}, key)
	case o.assign && slices.Contains(w.Keys, key):
		m.Report(at, key, "%s is swept; change its values in the file", key)
	case w.base != nil:
		o.apply(m, w.base, at)
	}
}

// YAML returns the sweep as it runs in one canonical form, which needs no other file: the base is written out and what all
// cells share is in it. ParseSweep of it gives the same sweep.
func (w *Sweep) YAML() []byte { return form.Print(w.describe).Normal().YAML() }

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
