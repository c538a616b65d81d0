package form

import (
	"fmt"
	"strings"
)

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
