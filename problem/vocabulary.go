package problem

import (
	"slices"
	"strings"

	"github.com/kedge-opt/kedge/online"
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
}

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
func Keys() []Key {
	l := lister{seen: map[string]bool{}}
	l.list("", vocabulary())
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
		l.keys = append(l.keys, o.key(join(path, e.key), e))
		if e.below != nil {
			l.list(join(path, e.key), e.below)
		}
	}
}

// key tells everything about an entry.
func (o *outline) key(path string, e entry) Key {
	m := meanings[e.id()]
	k := Key{Path: path, Meaning: m.text, Formula: m.formula, Example: m.example, Uses: o.uses(e.key), List: e.list}
	for _, option := range e.options() {
		m := e.meaning(option)
		k.Options = append(k.Options, Option{option, m.text, m.formula})
	}
	if e.below != nil {
		for _, below := range e.below.entries() {
			k.Keys = append(k.Keys, below.key)
		}
	}
	return k
}

// id is what the meaning of an entry goes by.
func (e entry) id() string { return join(e.home, e.key) }

// options lists the words of an entry that is one of several.
func (e entry) options() (list []string) {
	for _, o := range e.value.Enum {
		list = append(list, o.(string))
	}
	return list
}

// meaning explains a word that an entry can be. A method also tells what it needs and where it settles.
func (e entry) meaning(option string) meaning {
	m := meanings[e.id()+"="+option]
	if method, ok := online.MethodOf(option); ok && e.id() == "algorithms.kind" {
		m.text += " Needs " + method.Needs.String() + "; " + method.Settles() + "."
	}
	return m
}

// description is what an editor shows beside a key.
func (e entry) description() string {
	m := meanings[e.id()]
	lines := []string{m.text}
	if m.formula != "" {
		lines = append(lines, m.formula)
	}
	if e.like != "" {
		lines = append(lines, "Default: that of "+e.like+".")
	}
	for _, o := range e.options() {
		m := e.meaning(o)
		lines = append(lines, strings.TrimSpace(o+": "+m.text+" "+m.formula))
	}
	return strings.Join(lines, "\n")
}

// entries lists the keys of all variants, each once and before the keys that it goes before.
func (o *outline) entries() (list []entry) {
	for _, v := range o.variants {
		before := len(list)
		for _, e := range slices.Backward(v.entries) {
			i := slices.IndexFunc(list, func(known entry) bool { return known.key == e.key })
			if i < 0 {
				i = before
				list = slices.Insert(list, i, e)
			}
			before = i
		}
	}
	return list
}

// uses groups the variants that have a key by what it can be.
func (o *outline) uses(key string) (list []Use) {
	var groups [][]variant
	for _, v := range o.variants {
		i := slices.IndexFunc(v.entries, func(e entry) bool { return e.key == key })
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
		u.Default = e.absent.flow()
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
		if variantsOf(some, option) == variantsOf(o.variants, option) {
			whole = append(whole, option)
		} else {
			parts = append(parts, refinement(some, option))
		}
	}
	key := o.variants[0].choices[0].key
	if len(whole) > 0 {
		parts = append([]string{key + " " + enumerate(whole, "or")}, parts...)
	}
	return strings.Join(parts, "; ")
}

// variantsOf counts the variants of a kind.
func variantsOf(list []variant, option string) (n int) {
	for _, v := range list {
		if v.choices[0].option == option {
			n++
		}
	}
	return n
}

// refinement names a kind and the second choice of those of its variants that are listed.
func refinement(some []variant, option string) string {
	var first, second choice
	var seconds []string
	for _, v := range some {
		if first = v.choices[0]; first.option == option {
			second = v.choices[1]
			seconds = append(seconds, second.option)
		}
	}
	return first.key + " " + option + " with " + second.key + " " + enumerate(slices.Compact(seconds), "or")
}
