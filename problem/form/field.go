package form

import "reflect"

// field is a key of a section, described once for all forms.
type field struct {
	entry                  // what the vocabulary says of it; below is left to describe
	describe func(*Form)   // the mapping under the key, nil if there is none
	write    func() *Node  // what is printed, nil for nothing
	read     func(n *Node) // fills the section
	fallBack func()        // does so when the key is absent and need not be there
}

// add describes a key to the form.
func (f *Form) add(d field) {
	switch {
	case f.outlining():
		d.home = f.draft.home
		if d.describe != nil {
			d.below = f.draft.of.shelf.outline(d.id(), d.describe)
		}
		f.draft.variant.entries = append(f.draft.variant.entries, d.entry)
	case f.Prints():
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
	default:
		d.fallBack()
	}
}

// Field describes a key whose values a codec knows. It must be there, unless the codec says what its absence means.
func Field[T any](f *Form, key string, x *T, c Codec[T], m Meaning) {
	d := field{
		entry: entry{key: key, says: m, options: c.options, want: c.Want, value: c.Schema, need: c.absent == nil, like: c.like, list: c.list,
			accepts: func(n *Node) bool {
				_, ok := c.Read(&Mistakes{}, n)
				return ok
			}},
		describe: c.below,
		write: func() *Node {
			if c.silent && reflect.ValueOf(*x).IsZero() {
				return nil
			}
			return c.Write(*x)
		},
		read: func(n *Node) {
			if v, ok := c.Read(f.Mistakes, n); ok {
				*x = v
			}
		},
		fallBack: func() { *x = *c.absent },
	}
	if c.absent != nil && c.like == "" && !c.silent {
		d.absent = c.Write(*c.absent)
	}
	f.add(d)
}

// Refine describes a word that also decides which keys there are, within a kind.
func (f *Form) Refine(key string, x *string, c Codec[string], m Meaning) {
	if f.outlining() {
		by := choice{key: key, options: values(c.options), like: c.like}
		if c.absent != nil && c.like == "" {
			by.absent = *c.absent
		}
		if option, made := f.draft.ahead[key]; made {
			*x = option
		} else {
			*x = f.draft.pick(by)
		}
	}
	Field(f, key, x, c, m)
}

// Choose describes the key that decides which other keys there are. What the choice of a later overlay leaves missing or without
// meaning is that overlay's mistake.
func (f *Form) Choose(key string, x *string, c Codec[string], m Meaning) {
	f.Refine(key, x, c, m)
	if f.Mistakes == nil {
		return
	}
	f.chosen, f.undecided = *x, *x == ""
	if n := f.Node.Get(key); n != nil && n.At.Rank > f.at.Rank {
		f.at = n.At
	}
}
