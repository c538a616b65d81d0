package store

import (
	"testing"

	"github.com/kedge-opt/kedge/session"
)

// Of loops whose kills were written down the marks go, also where one of them was removed meanwhile: a mark that stays kills its loop once more at the next start.
func TestMarksGoAlsoWhereALoopIsGone(t *testing.T) {
	s := opened(t, t.TempDir())
	c := &chain{loop: "a"}
	if err := s.Append("a", 0, []session.Event{c.next(0, "", nil)}, nil)(); err != nil {
		t.Fatal(err)
	}
	if !s.Mark(t.Context(), true, "a") || s.Mark(t.Context(), true, "a", "gone") {
		t.Error("a is not marked, or what is not there is")
	}
	if !s.Mark(t.Context(), false, "a", "gone") {
		t.Error("the marks are said to stay")
	}
	if marked, err := s.Marked(t.Context()); err != nil || len(marked) > 0 {
		t.Errorf("%v are marked, %v", marked, err)
	}
}
