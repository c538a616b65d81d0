// Package family reads families of specs: a base, and the keys that differ from cell to cell.
package family

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/axis"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/kind"
)

// MaxCells is how many cells a sweep may have.
const MaxCells = 100_000

// Sweep is a family of specs, its cells: a base and the keys that differ from cell to cell. docs/formats/sweep.md describes
// the file.
type Sweep struct {
	Name    string            // of the results
	Design  string            // "grid": every combination of values, or "random": so many draws
	Samples int               // of design random
	Seed    uint64            // of the design's draws and of all cells
	Seeds   string            // "common": all cells have the seed, so that they meet the same people and draws; "own": it is made of the seed and of the cell's content
	Keys    []string          // the swept keys of the spec, in the order of the file
	Cells   []Cell            // no two of them are alike
	Inputs  map[string]string // the files that cells name: SHA-256 of what they hold, by which cells are known

	base  *form.Node // the spec that all cells share, with what set says
	over  []axis.Swept
	kinds *kind.Catalogue // that cells can name
	top   int             // the rank of swept values, above all that they replace

	sums   sync.Mutex        // held while Inputs grow
	file   string            // that it is read from
	stated map[string]string // what the document says of inputs
	Sources
}

// Sources is where a sweep finds what it names. A sweep that was written by kedge needs neither.
type Sources struct {
	Read func(path string) ([]byte, error)          // a base, by its path from here
	Sum  func(input string) (sum string, err error) // SHA-256 of a file that cells name; nil: the sweep says it, or it is known by its name
}

// Parse reads a sweep of specs that name kinds of a catalogue: the document src, called name in messages, with overlays over the spec of every cell. A base that
// is a file is read by its path from here, the folder of name before it. Every cell is checked as Parse would check it. The
// error joins one *Error for every mistake; one that several cells share is reported once, with the values of the first.
func Parse(kinds *kind.Catalogue, name string, src []byte, read func(path string) ([]byte, error), over ...problem.Overlay) (*Sweep, error) {
	return ParseOf(kinds, name, src, Sources{Read: read}, over...)
}

// ParseOf is Parse that also knows what the files hold that cells name.
func ParseOf(kinds *kind.Catalogue, name string, src []byte, from Sources, over ...problem.Overlay) (*Sweep, error) {
	w, err := read(kinds, name, src, from, over...)
	if err != nil {
		return nil, err
	}
	if err := w.layOut(); err != nil {
		return nil, err
	}
	return w, nil
}

// Open reads a sweep as YAML writes it, without its cells: At makes those that somebody wants. Inputs are those that it states.
func Open(kinds *kind.Catalogue, name string, src []byte) (*Sweep, error) {
	w, err := read(kinds, name, src, Sources{Read: func(path string) ([]byte, error) {
		return nil, fmt.Errorf("%s: a sweep that is opened names no file", path)
	}})
	if err != nil {
		return nil, err
	}
	w.Inputs = map[string]string{}
	maps.Copy(w.Inputs, w.stated)
	return w, nil
}

// read reads a sweep without its cells.
func read(kinds *kind.Catalogue, name string, src []byte, from Sources, over ...problem.Overlay) (*Sweep, error) {
	found := &form.Mistakes{}
	root := problem.Document(found, form.Place{File: name}, string(src))
	if root == nil {
		return nil, found.Join()
	}
	root.Locate("")
	w := &Sweep{top: len(over) + 2, kinds: kinds, file: name, Sources: from}
	form.Read(root, found, w.describe)
	for i, o := range over {
		w.overlay(found, o, form.Place{File: o.Label(), Rank: i + 2})
	}
	if err := found.Join(); err != nil {
		return nil, err
	}
	return w, nil
}

// describe describes the sweep, as it is printed: the base comes last, with all in it that set says, so that set is read and never printed.
func (w *Sweep) describe(f *form.Form) {
	form.Field(f, "name", &w.Name, folderName().Or(sweepName(w.file)), form.Says("What the results are called; otherwise like the file.", "", "steps"))
	f.Know("base")
	f.Choose("design", &w.Design, form.OneOf(form.Choice("grid", "Every combination of values.", ""), form.Choice("random", "So many draws.", "")).Or("grid"), form.Says("Which values go together.", "", "random"))
	if w.Design == "random" {
		form.Field(f, "samples", &w.Samples, form.Count(1, MaxCells), form.Says("How many cells are drawn.", "", "50"))
	}
	form.Field(f, "seed", &w.Seed, form.Word64().Or(1), form.Says("The seed of the design's draws and of the cells.", "", "1"))
	form.Field(f, "seeds", &w.Seeds, form.OneOf(
		form.Choice("common", "All have the sweep's seed: where their specs agree they meet the same people and the same draws, so that they differ by what is swept alone.", ""),
		form.Choice("own", "Every cell has a seed of its own, made of the sweep's and of the cell's content.", "")).Or("common"),
		form.Says("Which seeds cells have.", "", "own"))
	form.Field(f, "inputs", &w.stated, form.Sums().Optional(), form.Says("What the files that cells name held when the sweep was begun: kedge writes it. A file that holds something else is refused.", "SHA-256", ""))
	f.Know("set")
	form.Field(f, "over", &w.over, w.axes(), form.Says("Keys of the spec with their values: a list, {from, to, count}, of design random {from, to}; several keys that change together stand before one colon, separated by commas.", "", "{dynamics.lambda: [0.2, 0.4]}"))
	form.Field(f, "base", &w.base, w.baseSpec(), form.Says("The spec that all cells begin with: a case, a file from the folder of this one, or a spec.", "", "polarized"))
	form.Field(f, "set", new(*form.Node), w.shared().Optional(), form.Says("Keys of the spec with the values that they have in all cells.", "", "{trials: 5}"))
}

// Vocabulary returns all that the files of sweeps can hold.
func Vocabulary() *form.Vocabulary { return form.NewVocabulary((&Sweep{}).describe) }

// Schema returns their JSON Schema.
func Schema() []byte {
	return Vocabulary().Schema("kedge sweep", "A spec for many values of its keys.")
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
	return form.Codec[*form.Node]{Want: wantBase, Schema: form.Schema{Type: form.Types{"string", "object"}}, Write: func(n *form.Node) *form.Node { return n }, Read: func(m *form.Mistakes, n *form.Node) (*form.Node, bool) {
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
	src, ok := problem.Case(file)
	if !ok && !slices.Contains([]string{".yaml", ".yml"}, filepath.Ext(file)) {
		m.Report(n.At, n.Path, "base is %s; the cases are %s, and a file ends in .yaml", n.Show(), phrase.Enumerate(problem.Cases()))
		return nil
	}
	if !ok {
		if !filepath.IsAbs(file) {
			file = filepath.Join(filepath.Dir(w.file), file)
		}
		var err error
		if src, err = w.Read(file); err != nil {
			m.Report(n.At, n.Path, "base cannot be read: %v", err)
			return nil
		}
	}
	return problem.Document(m, form.Place{File: file}, string(src))
}

// shared is what all cells are given over the base. It is read into that and never printed.
func (w *Sweep) shared() form.Codec[*form.Node] {
	return form.Codec[*form.Node]{Want: "a mapping of keys of the spec to values", Schema: form.Schema{Type: form.Types{"object"}}, Read: w.readSet}
}

// readSet puts the values that all cells share into the base.
func (w *Sweep) readSet(m *form.Mistakes, n *form.Node) (none *form.Node, ok bool) {
	if n.Shape != form.Mapping {
		m.Wrong(n, "a mapping")
	}
	for i, key := range n.Keys {
		value := n.Items[i]
		if w.refusesCells(m, value, key) || w.base == nil {
			continue
		}
		if key == "seed" {
			w.setSeed(m, value)
			continue
		}
		if err := w.base.Assign(strings.Split(key, "."), value.Copied(1)); err != nil {
			m.Report(value.At, value.Path, "%s", err)
		}
	}
	return nil, true
}

// setSeed gives all cells a seed.
func (w *Sweep) setSeed(m *form.Mistakes, n *form.Node) {
	if seed, ok := form.Word64().Read(m, n); ok {
		w.Seed = seed
	}
}

// refusesCells reports keys that no cell can be given.
func (w *Sweep) refusesCells(m *form.Mistakes, n *form.Node, key string) bool {
	switch {
	case key == "seed" && w.Seeds == "own":
		m.Report(n.At, n.Path, "%s: seeds is own, so every cell's seed is made of the sweep's seed and the cell's content; want seeds: common", n.Path)
	case strings.Count(key, ".") >= form.MaxDepth:
		m.Report(n.At, n.Path, "%s: want a key of the spec, as in dynamics.lambda", n.Path)
	default:
		return false
	}
	return true
}

// axes are the keys that differ and their values.
func (w *Sweep) axes() form.Codec[[]axis.Swept] {
	return form.Codec[[]axis.Swept]{Want: "a mapping of keys of the spec to their values", Schema: axis.Schema(), Read: w.readAxes, Write: func(all []axis.Swept) *form.Node {
		over := &form.Node{Shape: form.Mapping}
		for i := range all {
			over.Put(all[i].Name, all[i].Node(w.Design))
		}
		return over
	}}
}

func (w *Sweep) readAxes(m *form.Mistakes, n *form.Node) (all []axis.Swept, ok bool) {
	switch {
	case n.Shape != form.Mapping:
		m.Wrong(n, "a mapping")
	case len(n.Keys) == 0:
		m.Wrong(n, "at least one key of the spec with its values")
	}
	for i, name := range n.Keys {
		values := n.Items[i]
		a := axis.Swept{Name: name, At: values.At}
		for key := range strings.SplitSeq(name, ",") {
			key = strings.TrimSpace(key)
			if !w.refusesCells(m, values, key) && slices.Contains(w.Keys, key) {
				m.Report(values.At, values.Path, "%s is swept twice", key)
			}
			a.Keys = append(a.Keys, key)
			w.Keys = append(w.Keys, key)
		}
		a.Read(m, values, w.Design)
		all = append(all, a)
	}
	return all, true
}

// overlay applies an overlay to the base; what is swept, it cannot set.
func (w *Sweep) overlay(m *form.Mistakes, o problem.Overlay, at form.Place) {
	key, text, assigns := o.Assignment()
	switch {
	case assigns && slices.Contains(w.Keys, key):
		m.Report(at, key, "%s is swept; change its values in the file", key)
	case assigns && key == "seed":
		n := form.ReadValue(m, at, key, text)
		if n != nil && !w.refusesCells(m, &form.Node{At: at, Path: key}, key) {
			n.Locate(key)
			w.setSeed(m, n)
		}
	case w.base != nil:
		o.Apply(m, w.base, at)
	}
}

// YAML returns the sweep as it runs in one canonical form, which needs no other file: the base is written out and what all
// cells share is in it. Parse of it gives the same sweep.
func (w *Sweep) YAML() []byte { return form.Print(w.describe).Normal().YAML() }

// layOut lays out the cells and joins what is wrong with them.
func (w *Sweep) layOut() error {
	l := layout{sweep: w, seen: map[string]bool{}, wrong: map[string]*blame{}}
	total := w.size()
	if total > MaxCells {
		l.Report(w.over[0].At, "over", "over makes %d cells or more, at most %d can be run; list fewer values, or draw some with design: random", total, MaxCells)
		return l.Join()
	}
	w.Inputs = map[string]string{}
	l.addAll(total)
	w.changed(&l.Mistakes)
	w.fix()
	return l.conclude()
}
