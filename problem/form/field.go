package form

import (
	"reflect"
	"slices"
)

// field is a key of a section, described once for all forms.
type field struct {
	entry                  // what the vocabulary says of it; below is left to describe
	describe func(*Form)   // the mapping under the key, nil if there is none
	write    func() *Node  // what is printed, nil for nothing
	read     func(n *Node) // fills the section
	fallBack func()        // does so when the key is absent and need not be there; nil: the section stays as it is
}

// add describes a key to the form.
func (f *Form) add(d field) {
	switch {
	case f.outlining():
		if d.describe != nil {
			d.below = f.draft.below(d.key, d.describe)
		}
		f.draft.add(d.entry)
	case f.printing():
		if n := d.write(); n != nil {
			f.Node.Put(d.key, n)
		}
	default:
		f.fillIn(d)
	}
}

func (f *Form) fillIn(d field) {
	switch n := f.take(d.key); {
	case n != nil:
		d.read(n)
	case d.need:
		f.Unread(Join(f.Node.Path, d.key))
		f.missed = append(f.missed, d.entry)
	case d.fallBack != nil:
		d.fallBack()
	}
}

func nothing() *Node { return nil }

// valueOf is a key whose values a codec knows.
func valueOf[T any](f *Form, key string, x *T, c Codec[T], m Meaning) field {
	return field{
		entry: entry{key: key, says: m, options: c.options, want: c.Want, value: c.Schema, accepts: func(n *Node) bool {
			_, ok := c.Read(&Mistakes{}, n)
			return ok
		}},
		write: func() *Node { return c.Write(*x) },
		read: func(n *Node) {
			if v, ok := c.Read(f.Mistakes, n); ok {
				*x = v
			}
		},
	}
}

// Field describes a key that must be there.
func Field[T any](f *Form, key string, x *T, c Codec[T], m Meaning) {
	d := valueOf(f, key, x, c, m)
	d.need = true
	f.add(d)
}

// FieldOr describes a key with a default.
func FieldOr[T any](f *Form, key string, x *T, c Codec[T], absent T, m Meaning) {
	d := valueOf(f, key, x, c, m)
	d.absent, d.fallBack = c.Write(absent), func() { *x = absent }
	f.add(d)
}

// FieldLike describes a key whose default is the value of another.
func FieldLike[T any](f *Form, key string, x *T, c Codec[T], other string, absent T, m Meaning) {
	d := valueOf(f, key, x, c, m)
	d.like, d.fallBack = other, func() { *x = absent }
	f.add(d)
}

// Optional describes a key whose absence has a meaning of its own; the field is then zero.
func Optional[T any](f *Form, key string, x *T, c Codec[T], m Meaning) {
	d := valueOf(f, key, x, c, m)
	if reflect.ValueOf(*x).IsZero() {
		d.write = nothing
	}
	f.add(d)
}

// RefineOr describes a word with a default that also decides which keys there are, within a kind.
func (f *Form) RefineOr(key string, x *string, absent string, m Meaning, options ...Option) {
	f.pick(x, choice{key: key, absent: absent}, options)
	FieldOr(f, key, x, OneOf(options...), absent, m)
}

// Choose describes the key that decides which other keys there are.
func (f *Form) Choose(key string, x *string, m Meaning, options ...Option) {
	f.pick(x, choice{key: key}, options)
	Field(f, key, x, OneOf(options...), m)
	f.decided(key, *x)
}

// ChooseOr is Choose with a default.
func (f *Form) ChooseOr(key string, x *string, absent string, m Meaning, options ...Option) {
	f.RefineOr(key, x, absent, m, options...)
	f.decided(key, *x)
}

// ChooseLike is Choose with the value of another key as the default, if that is one of the options. An empty default is one that
// could not be read.
func (f *Form) ChooseLike(key string, x *string, other, absent string, m Meaning, options ...Option) {
	if absent != "" && !f.outlining() && !slices.Contains(values(options), absent) {
		f.Choose(key, x, m, options...)
		return
	}
	f.pick(x, choice{key: key, like: other}, options)
	FieldLike(f, key, x, OneOf(options...), other, absent, m)
	f.decided(key, *x)
}

// pick makes a choice as the draft of a vocabulary wants it made.
func (f *Form) pick(x *string, c choice, options []Option) {
	if f.outlining() {
		c.options = values(options)
		*x = f.draft.pick(c)
	}
}

// decided notes which kind a section was read to be of. What the choice of a later overlay leaves missing or without meaning is
// that overlay's mistake.
func (f *Form) decided(key, chosen string) {
	if f.Mistakes == nil {
		return
	}
	f.chosen, f.undecided = chosen, chosen == ""
	if n := f.Node.Get(key); n != nil && n.At.Rank > f.at.Rank {
		f.at = n.At
	}
}
