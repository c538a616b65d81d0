package form

// section is a key with a mapping under it, which fills what the caller describes.
func (f *Form) section(key, want string, m Meaning, describe func(*Form)) field {
	return field{
		entry:    entry{key: key, says: m, want: want},
		describe: describe,
		write:    func() *Node { return Print(describe) },
		read:     func(n *Node) { f.Fill(n, describe) },
		fallBack: func() { f.Fill(&Node{Shape: Mapping, At: f.at, Path: Join(f.Node.Path, key)}, describe) },
	}
}

// Section describes a mapping below a key. An absent one is an empty one, so that its keys get their defaults.
func (f *Form) Section(key string, m Meaning, describe func(*Form)) {
	f.add(f.section(key, "a mapping", m, describe))
}

// NeedSection describes a mapping that must be there.
func (f *Form) NeedSection(key, want string, m Meaning, describe func(*Form)) {
	d := f.section(key, want, m, describe)
	d.need = true
	f.add(d)
}

// WordOrSection describes a key that is one word, which is its default, or a mapping. isWord is asked when it is printed.
func (f *Form) WordOrSection(key string, isWord bool, word Option, want string, m Meaning, describe func(*Form)) {
	c, d := OneOf(word), f.section(key, want, m, describe)
	d.options, d.value, d.absent = c.options, c.Schema, c.Write(word.Value)
	if isWord {
		d.write = func() *Node { return d.absent }
	}
	d.read = func(n *Node) {
		switch {
		case n.Shape == Mapping:
			f.Fill(n, describe)
		case n.Text != word.Value: // as that of a list, which has none
			f.Wrong(n, want)
		}
	}
	d.fallBack = func() {}
	f.add(d)
}

// NeedTextOrSection describes a mapping that must be there, for which a text can stand. A text that is not empty is printed in its place.
func (f *Form) NeedTextOrSection(key, text string, c Codec[string], take func(text string), want string, m Meaning, describe func(*Form)) {
	d := f.section(key, want, m, describe)
	d.need, d.value = true, c.Schema
	if text != "" {
		d.write = func() *Node { return c.Write(text) }
	}
	d.read = func(n *Node) {
		if n.Shape != Scalar {
			f.Fill(n, describe)
		} else if text, ok := c.Read(f.Mistakes, n); ok {
			take(text)
		}
	}
	f.add(d)
}

// Part is a mapping with what it describes. It is there even if something in it could not be read.
func Part[T any](describe func(*T, *Form)) Codec[*T] {
	return Pointed(mappingOf(func(f *Form, x *T) { describe(x, f) }))
}

func mappingOf[T any](describe func(*Form, *T)) Codec[T] {
	return Codec[T]{
		Want: "a mapping", below: func(f *Form) { describe(f, new(T)) },
		Read: func(m *Mistakes, n *Node) (x T, ok bool) {
			Read(n, m, func(f *Form) { describe(f, &x) })
			return x, true
		},
		Write: func(x T) *Node { return Print(func(f *Form) { describe(f, &x) }) },
	}
}

// ListOrPart is a list of numbers, which take makes a value of and give gives back (nil for none), or a mapping with what it describes.
func ListOrPart[T any](each Codec[[]float64], take func([]float64) *T, give func(*T) []float64, want string, describe func(*T, *Form)) Codec[*T] {
	part := Part(describe)
	c := either(want, part, each, func(n *Node) bool { return n.Shape == Mapping },
		func(x *T) *T { return x }, take,
		func(x *T) (*T, []float64, bool) {
			list := give(x)
			return x, list, list == nil
		})
	c.Schema, c.below = each.Schema, part.below
	return c
}

// Parts is a list of at least one mapping.
func Parts[T any](want string, describe func(*Form, *T)) Codec[[]T] {
	each := mappingOf(describe)
	c := ListOf(each, want)
	c.Schema, c.below, c.list = each.Schema, each.below, true
	return c
}
