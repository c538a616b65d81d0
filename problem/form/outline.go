package form

// outline is a mapping of the vocabulary: what a section tells of itself to a form that asks for nothing else. Which keys
// there are depends on choices, such as that of a kind, so a section is asked once for every combination of them.
type outline struct {
	name     string // "" unless several keys have mappings of this form
	variants []variant
	shelf    *shelf
}

// variant is the keys of a mapping under certain choices.
type variant struct {
	choices []choice
	entries entries
}

// choice is the key that decides which keys there are, and what it was decided to be.
type choice struct {
	key, option string
	options     []string
	absent      string // the default
	like        string // the key whose value is the default
	presence    bool   // what matters is whether the key is there
}

// entry is a key of a mapping.
type entry struct {
	home    string // of the meaning: the path of the section, or the name of what several sections share
	key     string
	says    Meaning
	options []Option // of a key that is one word of several
	need    bool
	want    string // in words
	value   Schema
	absent  *Node // the default; nil: none, or that of like
	like    string
	below   *outline // the mapping under the key
	list    bool     // there is a list of them
	accepts func(n *Node) bool
}

// shelf keeps the outlines that several keys share.
type shelf struct {
	names []string
	named map[string]*outline
}

// draft is what a form collects that asks for the vocabulary.
type draft struct {
	of      *outline
	home    string
	plan    []int             // which option to take at every choice; those beyond its end take the first
	done    bool              // somebody else has told it all
	ahead   map[string]string // choices that were made before their keys are described
	variant variant
}

// Vocabulary is all that documents of one form can hold: keys, what they mean, types, ranges, defaults, and which keys a kind has.
type Vocabulary struct{ root *outline }

// NewVocabulary asks a section for everything that it can hold.
func NewVocabulary(describe func(*Form)) *Vocabulary {
	return &Vocabulary{(&shelf{named: map[string]*outline{}}).outline("", describe)}
}

// SchemaOf returns the schema of a section by itself.
func SchemaOf(describe func(*Form)) Schema { return NewVocabulary(describe).root.schema() }

// outline asks a section for its keys under every combination of choices.
func (s *shelf) outline(home string, describe func(*Form)) *outline {
	o := &outline{shelf: s}
	for plan := []int{}; plan != nil; {
		d := &draft{of: o, home: home, plan: plan}
		describe(&Form{draft: d})
		if d.done {
			return d.of
		}
		o.variants = append(o.variants, d.variant)
		plan = d.next()
	}
	return o
}

// next returns the plan of the variant after this one, nil after the last: the last choice that has another option left
// takes it.
func (d *draft) next() []int {
	plan := make([]int, len(d.variant.choices))
	copy(plan, d.plan)
	for i := len(plan) - 1; i >= 0; i-- {
		if plan[i]++; plan[i] < len(d.variant.choices[i].options) {
			return plan[:i+1]
		}
	}
	return nil
}

// pick takes the next choice of the plan.
func (d *draft) pick(c choice) (option string) {
	i, at := 0, len(d.variant.choices)
	if at < len(d.plan) {
		i = d.plan[at]
	}
	c.option = c.options[i]
	d.variant.choices = append(d.variant.choices, c)
	return c.option
}

// Shared describes keys that several sections have, under the name that their meanings go by. A section of nothing else is
// outlined once.
func (f *Form) Shared(name string, describe func()) {
	if !f.outlining() {
		describe()
		return
	}
	d := f.draft
	if known := d.of.shelf.named[name]; len(d.variant.entries) == 0 && d.of.name == "" && d.of.variants == nil {
		if known != nil {
			d.of, d.done = known, true
			return
		}
		d.of.name = name
		d.of.shelf.named[name] = d.of
		d.of.shelf.names = append(d.of.shelf.names, name)
	}
	home := d.home
	d.home = name
	describe()
	d.home = home
}

// Decide tells whether an optional key is there, on which it depends what else there is.
func (f *Form) Decide(key string, has bool) bool {
	switch {
	case f.outlining():
		return f.draft.pick(choice{key: key, options: []string{"absent", "present"}, presence: true}) == "present"
	case f.Prints():
		return has
	}
	return f.Node.Get(key) != nil
}

// May tells whether keys are there about which another section decides: an outline shows them in any case.
func (f *Form) May(decided bool) bool { return f.outlining() || decided }
