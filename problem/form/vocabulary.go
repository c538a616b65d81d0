package form

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/phrase"
)

// Key is one key of the vocabulary that specs are written in.
type Key struct {
	Path    string   `json:"path"` // as in dynamics.lambda; of all entries of a list at once, as in algorithms.step
	Meaning string   `json:"meaning"`
	Formula string   `json:"formula,omitempty"`
	Options []Option `json:"options,omitempty"` // of a key that is one word of several
	Uses    []Use    `json:"uses"`
	Example string   `json:"example,omitempty"` // a value, in YAML
	Keys    []string `json:"keys,omitempty"`    // of a mapping, or of the mappings of a list
	List    bool     `json:"list,omitempty"`    // there is a list of mappings
}

// Option is a word that a key can be.
type Option struct {
	Value   string `json:"value"`
	Meaning string `json:"meaning"`
	Formula string `json:"formula,omitempty"`

	Note string `json:"-"` // what else an explanation says of it
}

// Choice is a word with what it means.
func Choice(value, meaning, formula string) Option {
	return Option{Value: value, Meaning: meaning, Formula: formula}
}

// explained is the option with its note in the meaning.
func (o Option) explained() Option {
	o.Meaning += o.Note
	o.Note = ""
	return o
}

// Meaning says what a key is for: in words, as a formula where there is one, and by a value that one could write.
type Meaning struct{ text, formula, example string }

// Says is a meaning.
func Says(text, formula, example string) Meaning { return Meaning{text, formula, example} }

// Use is what a key can be. A key that several kinds have, each in its way, has several.
type Use struct {
	Of       string `json:"of,omitempty"` // the kinds that have the key, as in "law cap"; "": it is always there
	Type     string `json:"type"`         // what is allowed, in words
	Required bool   `json:"required"`
	Default  string `json:"default,omitempty"` // in YAML
	Like     string `json:"like,omitempty"`    // the key whose value is the default
}

// Keys lists the vocabulary in the order in which specs are printed. What may be nested in itself, and what several sections
// share, is listed once.
func (v *Vocabulary) Keys() []Key {
	l := lister{seen: map[string]bool{}}
	l.list("", v.root)
	return l.keys
}

type lister struct {
	seen map[string]bool
	keys []Key
}

func (l *lister) list(path string, o *outline) {
	own := slices.DeleteFunc(o.entries(), func(e entry) bool { return l.seen[e.id()] })
	for _, e := range own {
		l.seen[e.id()] = true
	}
	for _, e := range own {
		l.keys = append(l.keys, o.key(Join(path, e.key), e))
		if e.below != nil {
			l.list(Join(path, e.key), e.below)
		}
	}
}

// key tells everything about an entry.
func (o *outline) key(path string, e entry) Key {
	m := e.says
	k := Key{Path: path, Meaning: m.text, Formula: m.formula, Example: m.example, Uses: o.uses(e.key), List: e.list}
	k.Options = lists.Of(e.options, Option.explained)
	if e.below != nil {
		k.Keys = e.below.entries().keys()
	}
	return k
}

// id tells an entry from others: the section or what several sections share, and the key.
func (e entry) id() string { return Join(e.home, e.key) }

// description is what an editor shows beside a key.
func (e entry) description() string {
	lines := []string{e.says.text}
	if e.says.formula != "" {
		lines = append(lines, e.says.formula)
	}
	if e.like != "" {
		lines = append(lines, "Default: that of "+e.like+".")
	}
	for _, o := range e.options {
		o = o.explained()
		lines = append(lines, strings.TrimSpace(o.Value+": "+o.Meaning+" "+o.Formula))
	}
	return strings.Join(lines, "\n")
}

// entries are keys of a mapping, in their order.
type entries []entry

// index returns where a key is, -1 if it is not.
func (list entries) index(key string) int {
	return slices.IndexFunc(list, func(e entry) bool { return e.key == key })
}

func (list entries) keys() []string {
	return lists.Of(list, func(e entry) string { return e.key })
}

// entries lists the keys of all variants, each once and before the keys that it goes before.
func (o *outline) entries() (list entries) {
	for _, v := range o.variants {
		before := len(list)
		for _, e := range slices.Backward(v.entries) {
			i := list.index(e.key)
			if i < 0 {
				i = before
				list = slices.Insert(list, i, e)
			}
			before = i
		}
	}
	for i, e := range list {
		list[i].below = o.below(e)
	}
	return list
}

// below is the mapping under a key, with the keys that it has under every kind where kinds give it different ones.
func (o *outline) below(e entry) *outline {
	if e.below == nil || e.below.name != "" {
		return e.below
	}
	all, same := &outline{shelf: o.shelf}, true
	for _, v := range o.variants {
		i := v.entries.index(e.key)
		if i < 0 || v.entries[i].below == nil {
			continue
		}
		one := v.entries[i].below
		same = same && slices.Equal(one.entries().keys(), e.below.entries().keys())
		for _, w := range one.variants {
			all.variants = append(all.variants, variant{slices.Concat(v.choices, w.choices), w.entries})
		}
	}
	if same {
		return e.below
	}
	return all
}

// uses groups the variants that have a key by what it can be.
func (o *outline) uses(key string) (list []Use) {
	var groups [][]variant
	for _, v := range o.variants {
		i := v.entries.index(key)
		if i < 0 {
			continue
		}
		use := v.entries[i].use()
		at := slices.Index(list, use)
		if at < 0 {
			at = len(list)
			list, groups = append(list, use), append(groups, nil)
		}
		groups[at] = append(groups[at], v)
	}
	for i := range list {
		list[i].Of = o.kinds(groups[i])
	}
	return list
}

func (e entry) use() Use {
	u := Use{Type: e.want, Required: e.need, Like: e.like}
	if e.absent != nil {
		u.Default = e.absent.Flow()
	}
	return u
}

// kinds says in words which of the variants some are: "law cap or bimodal", "kind composite with sensitivity closed".
func (o *outline) kinds(some []variant) string {
	if len(some) == len(o.variants) {
		return ""
	}
	if c := some[0].choices[0]; c.presence {
		return map[string]string{"absent": "without ", "present": "with "}[c.option] + c.key
	}
	var whole, parts []string
	for i, v := range some {
		option := v.choices[0].option
		if i > 0 && some[i-1].choices[0].option == option {
			continue
		}
		if these := withOption(some, option); len(these) == len(withOption(o.variants, option)) {
			whole = append(whole, option)
		} else {
			parts = append(parts, refinement(these))
		}
	}
	key := o.variants[0].choices[0].key
	if len(whole) > 0 {
		parts = append([]string{key + " " + phrase.EnumerateBy(whole, "or")}, parts...)
	}
	return strings.Join(parts, "; ")
}

// withOption returns the variants of a kind.
func withOption(list []variant, option string) []variant {
	return slices.DeleteFunc(slices.Clone(list), func(v variant) bool { return v.choices[0].option != option })
}

// refinement names the kind of some variants and what their second choice may be.
func refinement(these []variant) string {
	first, second := these[0].choices[0], these[0].choices[1]
	seconds := lists.Of(these, func(v variant) string { return v.choices[1].option })
	return first.key + " " + first.option + " with " + second.key + " " + phrase.EnumerateBy(slices.Compact(seconds), "or")
}

// Faults lists what the vocabulary leaves unsaid or says wrongly: keys and words without a sentence that explains them, and
// examples that their key does not take.
func (v *Vocabulary) Faults() (list []string) {
	v.root.every(map[*outline]bool{}, func(e entry) {
		list = append(list, e.faults()...)
	})
	return list
}

// every calls do for each entry of an outline and of those below, in each of its variants.
func (o *outline) every(seen map[*outline]bool, do func(entry)) {
	if seen[o] {
		return
	}
	seen[o] = true
	for _, v := range o.variants {
		for _, e := range v.entries {
			do(e)
			if e.below != nil {
				e.below.every(seen, do)
			}
		}
	}
}

func (e entry) faults() (list []string) {
	if !strings.HasSuffix(e.says.text, ".") {
		list = append(list, fmt.Sprintf("%s means %q, want a sentence", e.id(), e.says.text))
	}
	for _, o := range e.options {
		if !strings.HasSuffix(o.Meaning, ".") {
			list = append(list, fmt.Sprintf("%s: %s means %q, want a sentence", e.id(), o.Value, o.Meaning))
		}
	}
	if e.accepts == nil || e.below != nil {
		return list
	}
	if n := ReadValue(&Mistakes{}, Place{}, e.id(), e.says.example); n == nil || !e.accepts(n) {
		list = append(list, fmt.Sprintf("the example %q of %s is not accepted, want %s", e.says.example, e.id(), e.want))
	}
	return list
}
