package form

import (
	"slices"
	"strings"

	"github.com/kedge-opt/kedge/internal/phrase"
)

// Form is one mapping of a spec. A section describes itself to a form once, key by key in canonical order: a form with
// mistakes fills the section from its node, one with a draft collects the vocabulary, any other prints the section into its
// node. So all three know the same keys: reading what was printed gives the same section, and what is read is explained.
type Form struct {
	*Mistakes        // of a form that reads
	draft     *draft // of a form that collects the vocabulary
	Node      *Node  // the mapping
	at        Place  // where a key that is not there is missed
	known     []string
	missed    []entry // that must be there and are not
	chosen    string  // the kind that decides which keys there are
	undecided bool    // the kind could not be read, so nobody knows which keys there are
}

// Print returns what a section prints.
func Print(describe func(*Form)) *Node {
	root := &Node{Shape: Mapping}
	describe(&Form{Node: root})
	return root
}

// Read fills a section from its node, notes all mistakes in it and tells whether there were none.
func Read(n *Node, found *Mistakes, describe func(*Form)) (ok bool) {
	before := len(found.Found)
	(&Form{Mistakes: found}).Fill(n, describe)
	return len(found.Found) == before
}

// Prints tells whether the form prints the section, which must not change then.
func (f *Form) Prints() bool    { return f.Mistakes == nil && f.draft == nil }
func (f *Form) outlining() bool { return f.draft != nil }

// take returns the value of a key and remembers that the form has it. An absent key gives nil.
func (f *Form) take(key string) *Node {
	if !slices.Contains(f.known, key) {
		f.known = append(f.known, key)
	}
	return f.Node.Get(key)
}

// Know notes that the form has a key, of which nothing is read here.
func (f *Form) Know(key string) {
	if f.Mistakes != nil {
		f.take(key)
	}
}

// Refuse reports a key that must not be there, with the reason.
func (f *Form) Refuse(key, why string) {
	if f.Mistakes == nil || f.Node.Get(key) == nil {
		return
	}
	n := f.take(key)
	f.Unread(n.Path)
	f.Report(n.At, n.Path, "%s", why)
}

// Fill reads a mapping, then reports the keys that nobody asked for and those that are missing.
func (f *Form) Fill(n *Node, describe func(*Form)) {
	if n.Shape != Mapping {
		f.Wrong(n, "a mapping")
		return
	}
	below := &Form{Mistakes: f.Mistakes, Node: n, at: n.At}
	describe(below)
	below.reportMissed(below.reportUnknown())
}

// reportUnknown reports the keys that nobody asked for and returns what they were meant to be.
func (f *Form) reportUnknown() (meant []string) {
	if f.undecided {
		return nil
	}
	for i, key := range f.Node.Keys {
		if slices.Contains(f.known, key) {
			continue
		}
		value := f.Node.Items[i]
		at := value.At
		if at.Rank == 0 && f.at.Rank > 0 {
			at = f.at
		}
		best := phrase.Nearest(key, f.known)
		meant = append(meant, best)
		f.Report(at, value.Path, "unknown key %s, %s", value.Path, f.instead(best))
	}
	return meant
}

// reportMissed reports the missing keys, except those that were only misspelt or left without a value.
func (f *Form) reportMissed(meant []string) {
	for _, e := range f.missed {
		if i := slices.Index(f.Node.Keys, e.key); i >= 0 && f.Node.Items[i].blank || slices.Contains(meant, e.key) {
			continue
		}
		path, name := Join(f.Node.Path, e.key), f.Node.Path[strings.LastIndexByte(f.Node.Path, '.')+1:] // which may say the kind
		f.Report(f.at, path, "%s is missing, want %s%s", path, e.want, Meant(name, values(e.options)))
	}
}

// instead says what is known instead of an unknown key.
func (f *Form) instead(best string) string {
	switch {
	case best != "":
		return "did you mean " + best + "?"
	case f.chosen != "":
		return f.chosen + " has " + phrase.Enumerate(f.known)
	}
	return "there are " + phrase.Enumerate(f.known)
}
