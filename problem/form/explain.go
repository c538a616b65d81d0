package form

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kedge-opt/kedge/internal/phrase"
)

// Explain returns what is known about a key. Entries of a list may be named or left out: algorithms.composite.step,
// algorithms.0.step and algorithms.step are the same. The error of an unknown key suggests known ones.
func (v *Vocabulary) Explain(path string) (Key, error) {
	c, err := v.walk(strings.Split(path, "."), true)
	if err != nil {
		return Key{}, err
	}
	return c.of.key(c.path, c.on), nil
}

// Complete lists the paths that a beginning of one can go on to, one key further.
func (v *Vocabulary) Complete(begun string) (paths []string) {
	i := strings.LastIndexByte(begun, '.') + 1
	above, last := begun[:i], begun[i:]
	c, err := v.walk(strings.FieldsFunc(above, func(r rune) bool { return r == '.' }), false)
	if err != nil || c.in == nil {
		return nil
	}
	for _, e := range c.in.entries() {
		if strings.HasPrefix(e.key, last) {
			paths = append(paths, above+e.key)
		}
	}
	return paths
}

// cursor is a place in the vocabulary.
type cursor struct {
	all  *Vocabulary
	path string
	of   *outline // the mapping whose key it is on
	on   entry
	in   *outline // the mapping below, nil if there is none
	list bool     // there is a list of them, of which one may be named
}

// walk goes down the parts of a path, all of it or a beginning.
func (v *Vocabulary) walk(parts []string, all bool) (cursor, error) {
	c := cursor{all: v, in: v.root}
	for i, part := range parts {
		next, err := c.step(part, all && i+1 == len(parts))
		if err != nil {
			return c, err
		}
		c = next
	}
	return c, nil
}

// step goes one part of a path down. The last part names an entry of a list only if it cannot be a misspelt key.
func (c cursor) step(part string, last bool) (cursor, error) {
	if c.in == nil {
		return c, fmt.Errorf("%s is %s and has no keys below it", c.path, c.on.want)
	}
	all := c.in.entries()
	if i := all.index(part); i >= 0 {
		e := all[i]
		return cursor{c.all, Join(c.path, part), c.in, e, e.below, e.list}, nil
	}
	known := all.keys()
	if c.list && part != "" && !(last && phrase.Nearest(part, known) != "") {
		c.list = false
		return c, nil
	}
	return c, c.unknown(part, known)
}

// unknown suggests what was meant: a key of that place, or one of that name anywhere.
func (c cursor) unknown(part string, known []string) error {
	path := Join(c.path, part)
	if part == "" {
		return errors.New("a key is missing, there are " + phrase.Enumerate(known))
	}
	if best := phrase.Nearest(part, known); best != "" {
		return fmt.Errorf("unknown key %s, did you mean %s?", path, Join(c.path, best))
	}
	if meant := c.all.elsewhere(part); meant != nil {
		return fmt.Errorf("unknown key %s, did you mean %s?", path, phrase.EnumerateBy(meant, "or"))
	}
	return fmt.Errorf("unknown key %s, there are %s", path, phrase.Enumerate(known))
}

// elsewhere lists the paths that end with a key, or with the one that it most likely stands for.
func (v *Vocabulary) elsewhere(key string) (paths []string) {
	ends := map[string][]string{}
	for _, k := range v.Keys() {
		end := k.Path[strings.LastIndexByte(k.Path, '.')+1:]
		ends[end] = append(ends[end], k.Path)
	}
	if ends[key] != nil {
		return ends[key]
	}
	return ends[phrase.Nearest(key, slices.Sorted(maps.Keys(ends)))]
}
