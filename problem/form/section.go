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
		case n.Shape != Scalar || n.Text != word.Value:
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
	return Codec[*T]{
		Want: "a mapping", below: func(f *Form) { describe(new(T), f) },
		Read: func(m *Mistakes, n *Node) (*T, bool) {
			x := new(T)
			Read(n, m, func(f *Form) { describe(x, f) })
			return x, true
		},
		Write: func(x *T) *Node { return Print(func(f *Form) { describe(x, f) }) },
	}
}

// ListOrPart is a list of numbers, which take makes a value of and give gives back (nil for none), or a mapping with what it describes.
func ListOrPart[T any](each Codec[[]float64], take func([]float64) *T, give func(*T) []float64, want string, describe func(*T, *Form)) Codec[*T] {
	part := Part(describe)
	return Codec[*T]{
		Want: want, Schema: each.Schema, below: part.below,
		Read: func(m *Mistakes, n *Node) (*T, bool) {
			switch n.Shape {
			case Mapping:
				return part.Read(m, n)
			case List:
				xs, ok := each.Read(m, n)
				return take(xs), ok
			}
			m.Wrong(n, want)
			return nil, false
		},
		Write: func(x *T) *Node {
			if list := give(x); list != nil {
				return each.Write(list)
			}
			return part.Write(x)
		},
	}
}

// Parts is a list of at least one mapping.
func Parts[T any](want string, describe func(*Form, *T)) Codec[[]T] {
	return Codec[[]T]{
		Want: want, list: true, below: func(f *Form) { describe(f, new(T)) },
		Read: func(m *Mistakes, n *Node) (xs []T, ok bool) {
			if n.Shape != List || len(n.Items) == 0 {
				m.Wrong(n, want)
				return nil, false
			}
			xs = make([]T, len(n.Items))
			for i, one := range n.Items {
				Read(one, m, func(f *Form) { describe(f, &xs[i]) })
			}
			return xs, true
		},
		Write: func(xs []T) *Node {
			out := &Node{Shape: List}
			for i := range xs {
				out.Items = append(out.Items, Print(func(f *Form) { describe(f, &xs[i]) }))
			}
			return out
		},
	}
}
