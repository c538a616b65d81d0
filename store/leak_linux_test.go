package store

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/kedge-opt/kedge/session"
)

// What could not be opened, and what was closed, leaves no file open.
func TestFailedOpensLeaveNothingOpen(t *testing.T) {
	lost, newer, inUse, dir := lived(t, 1), lived(t, 1), lived(t, 1), t.TempDir()
	tip := tipOf(1 << 40)
	if err := os.WriteFile(filepath.Join(lost, tipFile), tip[:], 0o600); err != nil {
		t.Fatal(err)
	}
	old := opened(t, newer)
	if _, err := old.write.Exec("PRAGMA user_version = 1"); err != nil {
		t.Fatal(err)
	}
	old.Close()
	opened(t, inUse)
	bundle := filepath.Join(dir, "bundle")
	m, _, _ := remembered(t, withIDs, 1)
	if err := Export(t.Context(), m, "shop", bundle); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("nothing"), 0o600); err != nil {
		t.Fatal(err)
	}
	backup := filepath.Join(dir, "all.kedge")
	for name, do := range map[string]func() error{
		"an older schema":    func() error { _, err := Look(filepath.Join(newer, database), true); return err },
		"no database":        func() error { _, err := Look(file, true); return err },
		"acknowledged, gone": func() error { _, err := Open(lost); return err },
		"in use":             func() error { _, err := Open(inUse); return err },
		"gone, checked":      func() error { _, err := CheckFile(t.Context(), filepath.Join(lost, database), false); return err },
		"into a full folder": func() error { _, err := Restore(t.Context(), backup, inUse, wall{}, session.Standard); return err },
		"a file":             func() error { return Export(t.Context(), m, "none", t.TempDir()) },
		"words":              func() error { _, err := OpenKillMarks(dir); return err },
	} {
		if err := do(); err == nil {
			t.Errorf("%s: it is opened", name)
		}
		before := filesOpen(t)
		for range 20 {
			do()
		}
		if after := filesOpen(t); after > before+3 {
			t.Errorf("%s: %d files are open, %d before", name, after, before)
		}
	}
	sound := lived(t, 1)
	for name, do := range map[string]func() error{
		"opened":   func() error { s, err := Open(sound); return closing(s, err) },
		"looked":   func() error { s, err := Look(filepath.Join(sound, database), false); return closing(s, err) },
		"verified": func() error { _, err := Verify(t.Context(), bundle); return err },
		"checked":  func() error { _, err := Verify(t.Context(), sound); return err },
		"told":     func() error { WhatIs(file); return nil },
		"packed":   func() error { _, err := Packed(bundle); return err },
		"exported": func() error { return Export(t.Context(), m, "shop", filepath.Join(t.TempDir(), "x")) },
		"marked": func() error {
			k, err := OpenKillMarks(filepath.Join(dir, "kills"))
			if err != nil {
				return err
			}
			return k.Close()
		},
	} {
		if err := do(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		before := filesOpen(t)
		for range 8 {
			do()
		}
		if after := filesOpen(t); after > before+3 {
			t.Errorf("%s: %d files are open, %d before", name, after, before)
		}
	}
}

func closing(s *SQLite, err error) error {
	if err != nil {
		return err
	}
	return s.Close()
}

// filesOpen is how many files this program has open.
func filesOpen(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip(err)
	}
	return len(list)
}
