package store

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/session"
)

// The marks of kills outlive a restart, are taken away one by one, and their room is used again; a name of 63 bytes has room, one of 64 has none.
func TestKillMarks(t *testing.T) {
	ctx, file := t.Context(), filepath.Join(t.TempDir(), "kill.map")
	open := func() *KillMarks {
		t.Helper()
		m, err := OpenKillMarks(file)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { m.Close() })
		return m
	}
	m := open()
	are := func(want ...string) {
		t.Helper()
		for _, which := range []*KillMarks{m, open()} {
			if got, err := which.Marked(ctx); err != nil || !slices.Equal(got, want) {
				t.Errorf("marked are %q, %v, want %q", got, err, want)
			}
		}
	}
	are()
	if info, err := os.Stat(file); err != nil || info.Size() != 1<<20 { // 16,384 slots of 64 bytes, taken at once
		t.Errorf("%d bytes, %v", info.Size(), err)
	}
	long := strings.Repeat("n", 63)
	for _, names := range [][]string{{"shop", "b", "shop"}, {"a", long}, nil} {
		if !m.Mark(ctx, true, names...) {
			t.Errorf("%q cannot be marked", names)
		}
	}
	are("a", "b", long, "shop")
	if m.Mark(ctx, true, long+"n") {
		t.Error("a name of 64 bytes is marked")
	}
	if !m.Mark(ctx, false, "b", "none") {
		t.Error("a mark cannot be taken away")
	}
	are("a", long, "shop")
	if !m.Mark(ctx, true, "c") {
		t.Error("there is no room for another")
	}
	if text, err := os.ReadFile(file); err != nil || string(text[64:66]) != "\x01c" || text[4*64] != 0 { // in the slot that b had
		t.Errorf("%q, %v", text[:5*64], err)
	}
	are("a", "c", long, "shop")
	if err := m.Close(); err != nil || m.Mark(ctx, true, "d") || m.Mark(ctx, false, "a") {
		t.Errorf("a closed file takes marks, %v", err)
	}
	m = open()
	text, _ := os.ReadFile(file)
	text[2*64] = 64 // longer than a name can be
	if err := os.WriteFile(file, text[:3*64], 0o600); err != nil {
		t.Fatal(err)
	}
	m = open() // of which the end was cut off
	are("c", "shop")
	if info, err := os.Stat(file); err != nil || info.Size() != 1<<20 {
		t.Errorf("%d bytes, %v", info.Size(), err)
	}
	if _, err := OpenKillMarks(t.TempDir()); err == nil {
		t.Error("a folder has marks")
	}
}

// There is room for 16,384 marks, and for not one more until another is taken away.
func TestKillMarksAreFull(t *testing.T) {
	m, err := OpenKillMarks(filepath.Join(t.TempDir(), "kill.map"))
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	all := make([]string, 16_384)
	for i := range all {
		all[i] = fmt.Sprint("loop", i)
	}
	if !m.Mark(t.Context(), true, all...) || m.Mark(t.Context(), true, "more") {
		t.Error("they do not have the room that they should")
	}
	if !m.Mark(t.Context(), false, all[16_383]) || !m.Mark(t.Context(), true, "more") {
		t.Error("what was taken away has left no room")
	}
	if got, _ := m.Marked(t.Context()); len(got) != 16_384 {
		t.Errorf("%d are marked", len(got))
	}
}

// The same of the loops of a database, by a bit each: no neighbour is taken for another, and a loop that is not there has none.
func TestKillMap(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	s := opened(t, dir)
	for n := range 20 {
		c := &chain{loop: fmt.Sprintf("loop%02d", n)}
		if err := s.Append(c.loop, 0, []session.Event{c.next(0, "", nil)}, nil)(); err != nil {
			t.Fatal(err)
		}
	}
	are := func(want ...string) {
		t.Helper()
		if got, err := s.Marked(ctx); err != nil || !slices.Equal(got, want) {
			t.Errorf("marked are %q, %v, want %q", got, err, want)
		}
	}
	mark := func(on, is bool, names ...string) {
		t.Helper()
		if s.Mark(ctx, on, names...) != is {
			t.Errorf("%q can be marked %v: %v", names, on, !is)
		}
	}
	are()
	mark(true, true, "loop03", "loop07", "loop08")
	mark(true, true, "loop16", "loop03")
	are("loop03", "loop07", "loop08", "loop16")
	mark(true, false, "loop01", "none")
	mark(false, true, "loop07", "loop06")
	are("loop03", "loop08", "loop16")
	if info, err := os.Stat(filepath.Join(dir, killFile)); err != nil || info.Size() != 16<<10 {
		t.Errorf("%d bytes, %v", info.Size(), err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = opened(t, dir)
	are("loop03", "loop08", "loop16")
	for _, id := range []int{8*killBytes - 1, 8 * killBytes} { // the last that has a bit, and one that has none
		if _, err := s.write.Exec(`PRAGMA foreign_keys = OFF; UPDATE loops SET id = ? WHERE name = 'loop19'`, id); err != nil {
			t.Fatal(err)
		}
		mark(true, id < 8*killBytes, "loop19")
		if id < 8*killBytes {
			are("loop03", "loop08", "loop16", "loop19")
		} else {
			are("loop03", "loop08", "loop16")
		}
	}
	s.kills.file.Close()
	mark(true, false, "loop01")
	are("loop03", "loop08", "loop16")
	s.kills.file = nil
	mark(false, false, "loop03")
	s.peek.Close()
	if _, err := s.Marked(ctx); err == nil {
		t.Error("of a database that cannot be read some are marked")
	}
}
