package form

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/kedge-opt/kedge/internal/lists"
)

// maxMistakes is how many mistakes are reported one by one; the rest is counted.
const maxMistakes = 100

// Mistake is one mistake in a spec. It prints as
//
//	polarized.yaml:12: dynamics.lambda is 1.5, want a number from 0 to 1
//	--set dynamics.lambda=1.5: dynamics.lambda is 1.5, want a number from 0 to 1
type Mistake struct {
	Place
	Path string // the key, as in "algorithms.composite.step"; "" for the whole
	Msg  string // a sentence with the key, what it holds and what is allowed
}

// Error implements error.
func (e *Mistake) Error() string {
	if e.Line == 0 {
		return e.File + ": " + e.Msg
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Msg)
}

// Place is where a value was written.
type Place struct {
	File   string // as Parse was told, or the flag that an assignment came from
	Rank   int    // documents and flags count in the order they are applied
	Line   int    // from 1; 0 of the file as a whole and of a flag
	Column int    // from 1 in characters; 0 like Line
}

// Mistake returns one about a key that was written there.
func (at Place) Mistake(path, format string, args ...any) *Mistake {
	return &Mistake{at, path, fmt.Sprintf(format, args...)}
}

// Mistakes collects everything that is wrong with a spec, so that one run tells it all.
type Mistakes struct {
	Found  []*Mistake
	broken []string // paths whose values could not be read, which later checks leave alone
}

// Report notes a mistake about a key that was written at a place.
func (m *Mistakes) Report(at Place, path, format string, args ...any) {
	m.Found = append(m.Found, at.Mistake(path, format, args...))
}

// Unread notes that the value of a path could not be read, for the checks that come later.
func (m *Mistakes) Unread(path string) { m.broken = append(m.broken, path) }

// Wrong reports a value of the wrong type or outside its range.
func (m *Mistakes) Wrong(n *Node, want string) {
	m.Unread(n.Path)
	m.Report(n.At, n.Path, "%s is %s, want %s", n.Path, n.Show(), want)
}

// Sound tells whether every one of the paths was read without a mistake in it, above it or below it.
func (m *Mistakes) Sound(paths ...string) bool {
	return !slices.ContainsFunc(m.broken, func(b string) bool {
		return slices.ContainsFunc(paths, func(path string) bool { return within(b, path) || within(path, b) })
	})
}

// Join returns the mistakes in the order a reader meets them, nil if there are none.
func (m *Mistakes) Join() error {
	slices.SortStableFunc(m.Found, func(a, b *Mistake) int {
		return cmp.Or(cmp.Compare(a.Rank, b.Rank), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	all := lists.Of(m.Found[:min(len(m.Found), maxMistakes)], func(f *Mistake) error { return f })
	if more := len(m.Found) - maxMistakes; more > 0 {
		all = append(all, Place{File: m.Found[maxMistakes].File}.Mistake("", "%d more mistakes are not shown", more))
	}
	return errors.Join(all...)
}
