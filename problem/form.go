package problem

import (
	"reflect"
	"slices"
)

// form is one mapping of a spec. A section describes itself to a form once, key by key in canonical order: a form with
// mistakes fills the section from its node, one with a draft collects the vocabulary, any other prints the section into its
// node. So all three know the same keys: reading what was printed gives the same section, and what is read is explained.
type form struct {
	*mistakes        // of a form that reads
	draft     *draft // of a form that collects the vocabulary
	node      *node  // the mapping
	at        place  // where a key that is not there is missed
	known     []string
	missed    []string // keys that must be there and are not
	wanted    []string // what they want, in the same order
	chosen    string   // the kind that decides which keys there are
	undecided bool     // the kind could not be read, so nobody knows which keys there are
}

// printed returns what a section prints.
func printed(describe func(*form)) *node {
	root := &node{kind: mapping}
	describe(&form{node: root})
	return root
}

// readSection fills a section from its node, notes all mistakes in it and tells whether there were none.
func readSection(n *node, found *mistakes, describe func(*form)) (ok bool) {
	before := len(found.found)
	(&form{mistakes: found}).fill(n, describe)
	return len(found.found) == before
}

func (f *form) printing() bool  { return f.mistakes == nil && f.draft == nil }
func (f *form) outlining() bool { return f.draft != nil }

// take returns the value of a key and remembers that the form has it. An absent key gives nil.
func (f *form) take(key string) *node {
	if !slices.Contains(f.known, key) {
		f.known = append(f.known, key)
	}
	return f.node.get(key)
}

// field describes a key that must be there.
func field[T any](f *form, key string, x *T, c codec[T], m meaning) {
	if f.outlining() {
		e := entryOf(key, c, m)
		e.need = true
		f.draft.add(e)
		return
	}
	if f.printing() {
		f.node.put(key, c.write(*x))
		return
	}
	n := f.take(key)
	if n == nil {
		f.miss(key, c.want)
		return
	}
	if v, ok := c.read(f.mistakes, n); ok {
		*x = v
	}
}

// fieldOr describes a key with a default.
func fieldOr[T any](f *form, key string, x *T, c codec[T], absent T, m meaning) {
	if f.outlining() {
		e := entryOf(key, c, m)
		e.absent = c.write(absent)
		f.draft.add(e)
		return
	}
	fieldOrElse(f, key, x, c, absent, m)
}

// fieldLike describes a key whose default is the value of another.
func fieldLike[T any](f *form, key string, x *T, c codec[T], other string, absent T, m meaning) {
	if f.outlining() {
		e := entryOf(key, c, m)
		e.like = other
		f.draft.add(e)
		return
	}
	fieldOrElse(f, key, x, c, absent, m)
}

// fieldOrElse reads or prints a key with a default.
func fieldOrElse[T any](f *form, key string, x *T, c codec[T], absent T, m meaning) {
	if !f.printing() && f.take(key) == nil {
		*x = absent
		return
	}
	field(f, key, x, c, m)
}

// optional describes a key whose absence has a meaning of its own; the field is then zero.
func optional[T any](f *form, key string, x *T, c codec[T], m meaning) {
	switch {
	case f.outlining():
		f.draft.add(entryOf(key, c, m))
	case f.printing() && !reflect.ValueOf(*x).IsZero() || !f.printing() && f.take(key) != nil:
		field(f, key, x, c, m)
	}
}

// refineOr describes a word with a default that also decides which keys there are, within a kind.
func (f *form) refineOr(key string, x *string, absent string, m meaning, options ...Option) {
	if f.outlining() {
		*x = f.draft.pick(choice{key: key, options: values(options), absent: absent})
	}
	fieldOr(f, key, x, oneOf(options...), absent, m)
}

// chooseOr is choose with a default.
func (f *form) chooseOr(key string, x *string, absent string, m meaning, options ...Option) {
	if f.outlining() {
		f.refineOr(key, x, absent, m, options...)
		return
	}
	f.fallBack(key, x, absent, m, options)
}

// chooseLike is choose with the value of another key as the default, if that is one of the options.
func (f *form) chooseLike(key string, x *string, other, absent string, m meaning, options ...Option) {
	if f.outlining() {
		*x = f.draft.pick(choice{key: key, options: values(options), like: other})
		fieldLike(f, key, x, oneOf(options...), other, absent, m)
		return
	}
	f.fallBack(key, x, absent, m, options)
}

// fallBack chooses, or takes a default. An empty default is one that could not be read.
func (f *form) fallBack(key string, x *string, absent string, m meaning, options []Option) {
	if f.printing() || f.take(key) != nil || absent != "" && !slices.Contains(values(options), absent) {
		f.choose(key, x, m, options...)
		return
	}
	*x, f.chosen, f.undecided = absent, absent, absent == ""
}

// choose describes the key that decides which other keys there are. What a later overlay's choice leaves missing or without
// meaning is that overlay's mistake.
func (f *form) choose(key string, x *string, m meaning, options ...Option) {
	if f.outlining() {
		*x = f.draft.pick(choice{key: key, options: values(options)})
	}
	field(f, key, x, oneOf(options...), m)
	if f.mistakes == nil {
		return
	}
	f.chosen, f.undecided = *x, *x == ""
	if n := f.node.get(key); n != nil && n.at.rank > f.at.rank {
		f.at = n.at
	}
}

// decide tells whether an optional key is there, on which it depends what else there is.
func (f *form) decide(key string, has bool) bool {
	switch {
	case f.outlining():
		return f.draft.pick(choice{key: key, options: []string{"absent", "present"}, presence: true}) == "present"
	case f.printing():
		return has
	}
	return f.node.get(key) != nil
}

// know notes that the form has a key, of which nothing is read here.
func (f *form) know(key string) {
	if f.mistakes != nil {
		f.take(key)
	}
}

// each calls do with every key of a mapping whose keys are the author's own.
func (f *form) each(do func(key string, value *node)) {
	for i, key := range f.node.keys {
		f.take(key)
		do(key, f.node.items[i])
	}
}

// refuse reports a key that must not be there, with the reason.
func (f *form) refuse(key, why string) {
	if f.mistakes == nil || f.node.get(key) == nil {
		return
	}
	n := f.take(key)
	f.unread(n.path)
	f.report(n.at, n.path, "%s", why)
}

// section describes a mapping below a key. An absent one is an empty one, so that its keys get their defaults.
func (f *form) section(key string, m meaning, describe func(*form)) {
	if f.outlining() {
		f.draft.add(entry{key: key, says: m, want: "a mapping", below: f.draft.below(key, describe)})
		return
	}
	if f.printing() {
		f.node.put(key, printed(describe))
		return
	}
	n := f.take(key)
	if n == nil {
		n = &node{kind: mapping, at: f.at, path: join(f.node.path, key)}
	}
	f.fill(n, describe)
}

// needSection describes a mapping that must be there.
func (f *form) needSection(key, want string, m meaning, describe func(*form)) {
	if f.outlining() {
		f.draft.add(entry{key: key, says: m, need: true, want: want, below: f.draft.below(key, describe)})
		return
	}
	if !f.printing() && f.take(key) == nil {
		f.miss(key, want)
		return
	}
	f.section(key, m, describe)
}

// items describes a list of mappings below a key, of which there must be at least one.
func items[T any](f *form, key string, xs *[]T, want string, m meaning, describe func(*form, *T)) {
	if f.outlining() {
		below := f.draft.below(key, func(f *form) { describe(f, new(T)) })
		f.draft.add(entry{key: key, says: m, need: true, want: want, below: below, list: true})
		return
	}
	if f.printing() {
		out := &node{kind: list}
		for i := range *xs {
			out.items = append(out.items, printed(func(f *form) { describe(f, &(*xs)[i]) }))
		}
		f.node.put(key, out)
		return
	}
	n := f.take(key)
	switch {
	case n == nil:
		f.miss(key, want)
	case n.kind != list || len(n.items) == 0:
		f.wrong(n, want)
	default:
		*xs = make([]T, len(n.items))
		for i, item := range n.items {
			f.fill(item, func(f *form) { describe(f, &(*xs)[i]) })
		}
	}
}

// optionalSection describes a mapping whose absence has a meaning of its own; x is then nil.
func optionalSection[T any](f *form, key string, x **T, m meaning, describe func(*T, *form)) {
	switch {
	case f.outlining():
		f.section(key, m, func(f *form) { describe(new(T), f) })
		return
	case f.printing() && *x == nil || !f.printing() && f.take(key) == nil:
		return
	case *x == nil:
		*x = new(T)
	}
	f.section(key, m, func(f *form) { describe(*x, f) })
}

// optionalItems describes a list of mappings whose absence is an empty list.
func optionalItems[T any](f *form, key string, xs *[]T, want string, m meaning, describe func(*form, *T)) {
	switch {
	case f.outlining():
		below := f.draft.below(key, func(f *form) { describe(f, new(T)) })
		f.draft.add(entry{key: key, says: m, want: want, below: below, list: true})
	case f.printing() && len(*xs) > 0 || !f.printing() && f.take(key) != nil:
		items(f, key, xs, want, m, describe)
	}
}

// wordOrSection describes a key that is one word, which stands for nil, or a mapping.
func wordOrSection[T any](f *form, key string, x **T, word Option, want string, m meaning, describe func(*T, *form)) {
	c := oneOf(word)
	if f.outlining() {
		e := entryOf(key, c, m)
		e.want, e.absent, e.below = want, c.write(word.Value), f.draft.below(key, func(f *form) { describe(new(T), f) })
		f.draft.add(e)
		return
	}
	if f.printing() && *x == nil {
		f.node.put(key, c.write(word.Value))
		return
	}
	if !f.printing() {
		n := f.take(key)
		if n == nil || n.kind == scalar && n.text == word.Value {
			return
		}
		if n.kind != mapping {
			f.wrong(n, want)
			return
		}
		*x = new(T)
	}
	f.section(key, m, func(f *form) { describe(*x, f) })
}

// fill reads a mapping, then reports the keys that nobody asked for and those that are missing.
func (f *form) fill(n *node, describe func(*form)) {
	if n.kind != mapping {
		f.wrong(n, "a mapping")
		return
	}
	below := &form{mistakes: f.mistakes, node: n, at: n.at}
	describe(below)
	below.reportMissed(below.reportUnknown())
}

// miss notes that a key which must be there is not.
func (f *form) miss(key, want string) {
	f.unread(join(f.node.path, key))
	f.missed = append(f.missed, key)
	f.wanted = append(f.wanted, want)
}

// reportUnknown reports the keys that nobody asked for and returns what they were meant to be.
func (f *form) reportUnknown() (meant []string) {
	if f.undecided {
		return nil
	}
	for i, key := range f.node.keys {
		if slices.Contains(f.known, key) {
			continue
		}
		value := f.node.items[i]
		at := value.at
		if at.rank == 0 && f.at.rank > 0 {
			at = f.at
		}
		best := Nearest(key, f.known)
		meant = append(meant, best)
		f.report(at, value.path, "unknown key %s, %s", value.path, f.instead(best))
	}
	return meant
}

// reportMissed reports the missing keys, except those that were only misspelt or left without a value.
func (f *form) reportMissed(meant []string) {
	for i, key := range f.missed {
		if j := slices.Index(f.node.keys, key); j >= 0 && f.node.items[j].blank || slices.Contains(meant, key) {
			continue
		}
		path := join(f.node.path, key)
		f.report(f.at, path, "%s is missing, want %s", path, f.wanted[i])
	}
}

// instead says what is known instead of an unknown key.
func (f *form) instead(best string) string {
	switch {
	case best != "":
		return "did you mean " + best + "?"
	case f.chosen != "":
		return f.chosen + " has " + enumerate(f.known, "and")
	}
	return "there are " + enumerate(f.known, "and")
}
