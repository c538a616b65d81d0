package form

// section is a key with a mapping under it.
func (f *Form) section(key, want string, m Meaning, describe func(*Form)) field {
	return field{
		entry:    entry{key: key, says: m, want: want},
		describe: describe,
		write:    func() *Node { return Print(describe) },
		read:     func(n *Node) { f.Fill(n, describe) },
	}
}

// Section describes a mapping below a key. An absent one is an empty one, so that its keys get their defaults.
func (f *Form) Section(key string, m Meaning, describe func(*Form)) {
	d := f.section(key, "a mapping", m, describe)
	d.fallBack = func() { f.Fill(&Node{Shape: Mapping, At: f.at, Path: Join(f.Node.Path, key)}, describe) }
	f.add(d)
}

// NeedSection describes a mapping that must be there.
func (f *Form) NeedSection(key, want string, m Meaning, describe func(*Form)) {
	d := f.section(key, want, m, describe)
	d.need = true
	f.add(d)
}

// OptionalSection describes a mapping whose absence has a meaning of its own; x is then nil.
func OptionalSection[T any](f *Form, key string, x **T, m Meaning, describe func(*T, *Form)) {
	of := *x
	if of == nil {
		of = new(T)
	}
	d := f.section(key, "a mapping", m, func(f *Form) { describe(of, f) })
	if *x == nil {
		d.write = nothing
	}
	d.read = func(n *Node) {
		*x = of
		f.Fill(n, d.describe)
	}
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
		case n.Shape != Scalar || n.Text != word.Value:
			f.Wrong(n, want)
		}
	}
	f.add(d)
}

// itemsOf is a key with a list of mappings under it.
func itemsOf[T any](f *Form, key string, xs *[]T, want string, m Meaning, describe func(*Form, *T)) field {
	item := func(i int) func(*Form) { return func(f *Form) { describe(f, &(*xs)[i]) } }
	return field{
		entry:    entry{key: key, says: m, want: want, list: true},
		describe: func(f *Form) { describe(f, new(T)) },
		write: func() *Node {
			out := &Node{Shape: List}
			for i := range *xs {
				out.Items = append(out.Items, Print(item(i)))
			}
			return out
		},
		read: func(n *Node) {
			if n.Shape != List || len(n.Items) == 0 {
				f.Wrong(n, want)
				return
			}
			*xs = make([]T, len(n.Items))
			for i, one := range n.Items {
				f.Fill(one, item(i))
			}
		},
	}
}

// Items describes a list of mappings below a key, of which there must be at least one.
func Items[T any](f *Form, key string, xs *[]T, want string, m Meaning, describe func(*Form, *T)) {
	d := itemsOf(f, key, xs, want, m, describe)
	d.need = true
	f.add(d)
}

// OptionalItems describes a list of mappings whose absence is an empty list.
func OptionalItems[T any](f *Form, key string, xs *[]T, want string, m Meaning, describe func(*Form, *T)) {
	d := itemsOf(f, key, xs, want, m, describe)
	if len(*xs) == 0 {
		d.write = nothing
	}
	f.add(d)
}
