package form

import (
	"reflect"
	"slices"
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
	missed    []string // keys that must be there and are not
	wanted    []string // what they want, in the same order
	chosen    string   // the kind that decides which keys there are
	undecided bool     // the kind could not be read, so nobody knows which keys there are
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

func (f *Form) printing() bool  { return f.Mistakes == nil && f.draft == nil }
func (f *Form) outlining() bool { return f.draft != nil }

// take returns the value of a key and remembers that the form has it. An absent key gives nil.
func (f *Form) take(key string) *Node {
	if !slices.Contains(f.known, key) {
		f.known = append(f.known, key)
	}
	return f.Node.Get(key)
}

// Field describes a key that must be there.
func Field[T any](f *Form, key string, x *T, c Codec[T], m Meaning) {
	if f.outlining() {
		e := entryOf(key, c, m)
		e.need = true
		f.draft.add(e)
		return
	}
	if f.printing() {
		f.Node.Put(key, c.Write(*x))
		return
	}
	n := f.take(key)
	if n == nil {
		f.miss(key, c.Want)
		return
	}
	if v, ok := c.Read(f.Mistakes, n); ok {
		*x = v
	}
}

// FieldOr describes a key with a default.
func FieldOr[T any](f *Form, key string, x *T, c Codec[T], absent T, m Meaning) {
	if f.outlining() {
		e := entryOf(key, c, m)
		e.absent = c.Write(absent)
		f.draft.add(e)
		return
	}
	fieldOrElse(f, key, x, c, absent, m)
}

// FieldLike describes a key whose default is the value of another.
func FieldLike[T any](f *Form, key string, x *T, c Codec[T], other string, absent T, m Meaning) {
	if f.outlining() {
		e := entryOf(key, c, m)
		e.like = other
		f.draft.add(e)
		return
	}
	fieldOrElse(f, key, x, c, absent, m)
}

// fieldOrElse reads or prints a key with a default.
func fieldOrElse[T any](f *Form, key string, x *T, c Codec[T], absent T, m Meaning) {
	if !f.printing() && f.take(key) == nil {
		*x = absent
		return
	}
	Field(f, key, x, c, m)
}

// Optional describes a key whose absence has a meaning of its own; the field is then zero.
func Optional[T any](f *Form, key string, x *T, c Codec[T], m Meaning) {
	switch {
	case f.outlining():
		f.draft.add(entryOf(key, c, m))
	case f.printing() && !reflect.ValueOf(*x).IsZero() || !f.printing() && f.take(key) != nil:
		Field(f, key, x, c, m)
	}
}

// RefineOr describes a word with a default that also decides which keys there are, within a kind.
func (f *Form) RefineOr(key string, x *string, absent string, m Meaning, options ...Option) {
	if f.outlining() {
		*x = f.draft.pick(choice{key: key, options: values(options), absent: absent})
	}
	FieldOr(f, key, x, OneOf(options...), absent, m)
}

// ChooseOr is choose with a default.
func (f *Form) ChooseOr(key string, x *string, absent string, m Meaning, options ...Option) {
	if f.outlining() {
		f.RefineOr(key, x, absent, m, options...)
		return
	}
	f.fallBack(key, x, absent, m, options)
}

// ChooseLike is choose with the value of another key as the default, if that is one of the options.
func (f *Form) ChooseLike(key string, x *string, other, absent string, m Meaning, options ...Option) {
	if f.outlining() {
		*x = f.draft.pick(choice{key: key, options: values(options), like: other})
		FieldLike(f, key, x, OneOf(options...), other, absent, m)
		return
	}
	f.fallBack(key, x, absent, m, options)
}

// fallBack chooses, or takes a default. An empty default is one that could not be read.
func (f *Form) fallBack(key string, x *string, absent string, m Meaning, options []Option) {
	if f.printing() || f.take(key) != nil || absent != "" && !slices.Contains(values(options), absent) {
		f.Choose(key, x, m, options...)
		return
	}
	*x, f.chosen, f.undecided = absent, absent, absent == ""
}

// Choose describes the key that decides which other keys there are. What a later overlay's choice leaves missing or without
// meaning is that overlay's mistake.
func (f *Form) Choose(key string, x *string, m Meaning, options ...Option) {
	if f.outlining() {
		*x = f.draft.pick(choice{key: key, options: values(options)})
	}
	Field(f, key, x, OneOf(options...), m)
	if f.Mistakes == nil {
		return
	}
	f.chosen, f.undecided = *x, *x == ""
	if n := f.Node.Get(key); n != nil && n.At.Rank > f.at.Rank {
		f.at = n.At
	}
}

// Decide tells whether an optional key is there, on which it depends what else there is.
func (f *Form) Decide(key string, has bool) bool {
	switch {
	case f.outlining():
		return f.draft.pick(choice{key: key, options: []string{"absent", "present"}, presence: true}) == "present"
	case f.printing():
		return has
	}
	return f.Node.Get(key) != nil
}

// Know notes that the form has a key, of which nothing is read here.
func (f *Form) Know(key string) {
	if f.Mistakes != nil {
		f.take(key)
	}
}

// Each calls do with every key of a mapping whose keys are the author's own.
func (f *Form) Each(do func(key string, value *Node)) {
	for i, key := range f.Node.Keys {
		f.take(key)
		do(key, f.Node.Items[i])
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

// Section describes a mapping below a key. An absent one is an empty one, so that its keys get their defaults.
func (f *Form) Section(key string, m Meaning, describe func(*Form)) {
	if f.outlining() {
		f.draft.add(entry{key: key, says: m, want: "a mapping", below: f.draft.below(key, describe)})
		return
	}
	if f.printing() {
		f.Node.Put(key, Print(describe))
		return
	}
	n := f.take(key)
	if n == nil {
		n = &Node{Shape: Mapping, At: f.at, Path: Join(f.Node.Path, key)}
	}
	f.Fill(n, describe)
}

// NeedSection describes a mapping that must be there.
func (f *Form) NeedSection(key, want string, m Meaning, describe func(*Form)) {
	if f.outlining() {
		f.draft.add(entry{key: key, says: m, need: true, want: want, below: f.draft.below(key, describe)})
		return
	}
	if !f.printing() && f.take(key) == nil {
		f.miss(key, want)
		return
	}
	f.Section(key, m, describe)
}

// Items describes a list of mappings below a key, of which there must be at least one.
func Items[T any](f *Form, key string, xs *[]T, want string, m Meaning, describe func(*Form, *T)) {
	if f.outlining() {
		below := f.draft.below(key, func(f *Form) { describe(f, new(T)) })
		f.draft.add(entry{key: key, says: m, need: true, want: want, below: below, list: true})
		return
	}
	if f.printing() {
		out := &Node{Shape: List}
		for i := range *xs {
			out.Items = append(out.Items, Print(func(f *Form) { describe(f, &(*xs)[i]) }))
		}
		f.Node.Put(key, out)
		return
	}
	n := f.take(key)
	switch {
	case n == nil:
		f.miss(key, want)
	case n.Shape != List || len(n.Items) == 0:
		f.Wrong(n, want)
	default:
		*xs = make([]T, len(n.Items))
		for i, item := range n.Items {
			f.Fill(item, func(f *Form) { describe(f, &(*xs)[i]) })
		}
	}
}

// OptionalSection describes a mapping whose absence has a meaning of its own; x is then nil.
func OptionalSection[T any](f *Form, key string, x **T, m Meaning, describe func(*T, *Form)) {
	switch {
	case f.outlining():
		f.Section(key, m, func(f *Form) { describe(new(T), f) })
		return
	case f.printing() && *x == nil || !f.printing() && f.take(key) == nil:
		return
	case *x == nil:
		*x = new(T)
	}
	f.Section(key, m, func(f *Form) { describe(*x, f) })
}

// OptionalItems describes a list of mappings whose absence is an empty list.
func OptionalItems[T any](f *Form, key string, xs *[]T, want string, m Meaning, describe func(*Form, *T)) {
	switch {
	case f.outlining():
		below := f.draft.below(key, func(f *Form) { describe(f, new(T)) })
		f.draft.add(entry{key: key, says: m, want: want, below: below, list: true})
	case f.printing() && len(*xs) > 0 || !f.printing() && f.take(key) != nil:
		Items(f, key, xs, want, m, describe)
	}
}

// WordOrSection describes a key that is one word, which is its default, or a mapping. isWord is asked when it is printed.
func (f *Form) WordOrSection(key string, isWord bool, word Option, want string, m Meaning, describe func(*Form)) {
	c := OneOf(word)
	if f.outlining() {
		e := entryOf(key, c, m)
		e.want, e.absent, e.below = want, c.Write(word.Value), f.draft.below(key, describe)
		f.draft.add(e)
		return
	}
	if f.printing() && isWord {
		f.Node.Put(key, c.Write(word.Value))
		return
	}
	if !f.printing() {
		n := f.take(key)
		if n == nil || n.Shape == Scalar && n.Text == word.Value {
			return
		}
		if n.Shape != Mapping {
			f.Wrong(n, want)
			return
		}
	}
	f.Section(key, m, describe)
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

// miss notes that a key which must be there is not.
func (f *Form) miss(key, want string) {
	f.Unread(Join(f.Node.Path, key))
	f.missed = append(f.missed, key)
	f.wanted = append(f.wanted, want)
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
		best := Nearest(key, f.known)
		meant = append(meant, best)
		f.Report(at, value.Path, "unknown key %s, %s", value.Path, f.instead(best))
	}
	return meant
}

// reportMissed reports the missing keys, except those that were only misspelt or left without a value.
func (f *Form) reportMissed(meant []string) {
	for i, key := range f.missed {
		if j := slices.Index(f.Node.Keys, key); j >= 0 && f.Node.Items[j].blank || slices.Contains(meant, key) {
			continue
		}
		path := Join(f.Node.Path, key)
		f.Report(f.at, path, "%s is missing, want %s", path, f.wanted[i])
	}
}

// instead says what is known instead of an unknown key.
func (f *Form) instead(best string) string {
	switch {
	case best != "":
		return "did you mean " + best + "?"
	case f.chosen != "":
		return f.chosen + " has " + Enumerate(f.known, "and")
	}
	return "there are " + Enumerate(f.known, "and")
}
