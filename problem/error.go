package problem

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// maxMistakes is how many mistakes are reported one by one; the rest is counted.
const maxMistakes = 100

// Mistake is one mistake in a spec. It prints as
//
//	polarized.yaml:12: dynamics.lambda is 1.5, want a number from 0 to 1
//	--set dynamics.lambda=1.5: dynamics.lambda is 1.5, want a number from 0 to 1
type Mistake struct {
	File   string // the file as Parse was told, or the flag that an assignment came from
	Line   int    // from 1; 0 when the mistake belongs to the file as a whole or to a flag
	Column int    // from 1 in characters; 0 like Line
	Path   string // the key, as in "algorithms.composite.step"; "" for the whole
	Msg    string // a sentence with the key, what it holds and what is allowed

	rank int // of the document or flag it stands in
}

func (e *Mistake) Error() string {
	if e.Line == 0 {
		return e.File + ": " + e.Msg
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Msg)
}

// place is where a value was written. Documents and flags are ranked in the order they are applied.
type place struct {
	file         string
	rank         int
	line, column int
}

func (at place) error(path, format string, args ...any) *Mistake {
	return &Mistake{File: at.file, Line: at.line, Column: at.column, Path: path, Msg: fmt.Sprintf(format, args...), rank: at.rank}
}

// mistakes collects everything that is wrong with a spec, so that one run tells it all.
type mistakes struct {
	found  []*Mistake
	broken []string // paths whose values could not be read, which later checks leave alone
}

func (m *mistakes) report(at place, path, format string, args ...any) {
	m.found = append(m.found, at.error(path, format, args...))
}

// unread notes that the value of a path could not be read, for the checks that come later.
func (m *mistakes) unread(path string) { m.broken = append(m.broken, path) }

// wrong reports a value of the wrong type or outside its range.
func (m *mistakes) wrong(n *node, want string) {
	m.unread(n.path)
	m.report(n.at, n.path, "%s is %s, want %s", n.path, n.show(), want)
}

// sound tells whether every one of the paths was read without a mistake in it, above it or below it.
func (m *mistakes) sound(paths ...string) bool {
	for _, path := range paths {
		for _, b := range m.broken {
			if within(b, path) || within(path, b) {
				return false
			}
		}
	}
	return true
}

// within tells whether path is root or lies below it.
func within(path, root string) bool {
	return len(path) >= len(root) && path[:len(root)] == root && (len(path) == len(root) || path[len(root)] == '.')
}

// join returns the mistakes in the order a reader meets them, nil if there are none.
func (m *mistakes) join() error {
	slices.SortStableFunc(m.found, func(a, b *Mistake) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	var all []error
	for _, f := range m.found[:min(len(m.found), maxMistakes)] {
		all = append(all, f)
	}
	if more := len(m.found) - maxMistakes; more > 0 {
		all = append(all, &Mistake{File: m.found[maxMistakes].File, Msg: fmt.Sprintf("%d more mistakes are not shown", more)})
	}
	return errors.Join(all...)
}
