package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/session"
)

// Whichever row cannot be written, whoever waits is told, nothing of the commit is there, and nothing more is written until the journal is opened again.
func TestRowsThatCannotBeWritten(t *testing.T) {
	blob := []byte("people")
	for trigger, change := range map[string]func(c *chain, e *session.Event) (state []byte){
		"INSERT ON events": func(*chain, *session.Event) []byte { return nil },
		"INSERT ON blobs":  func(_ *chain, e *session.Event) []byte { e.Blob = []byte("others"); return nil },
		"INSERT ON states": func(*chain, *session.Event) []byte { return []byte("state") },
		"DELETE ON blobs":  func(_ *chain, e *session.Event) []byte { e.Drops = []session.Hash{sumOf(blob)}; return nil },
		"DELETE ON series": func(c *chain, e *session.Event) []byte {
			e.Kind, e.K = session.DeployedLate, 1
			e.Hash = e.Chained("a", c.hash)
			return nil
		},
		"DELETE ON loops":  func(c *chain, e *session.Event) []byte { e.Removes = session.Tip{Loop: "b", Seq: 1}; return nil },
		"DELETE ON events": func(c *chain, e *session.Event) []byte { e.Removes = session.Tip{Loop: "b", Seq: 1}; return nil },
		"INSERT ON loops":  nil,
	} {
		dir := t.TempDir()
		s := opened(t, dir)
		c, gone := &chain{loop: "a"}, &chain{loop: "b"}
		if err := errors.Join(s.Append("a", 0, []session.Event{c.told(1, blob)}, nil)(), s.Append("b", 0, []session.Event{gone.next(0, "", nil)}, nil)()); err != nil {
			t.Fatal(err)
		}
		if _, err := s.write.Exec(`INSERT INTO series VALUES (1, 'u.0', 0, x'00'); CREATE TRIGGER no BEFORE ` + trigger + ` BEGIN SELECT RAISE(ABORT, 'no'); END`); err != nil {
			t.Fatal(trigger, err)
		}
		loop, after, before, state := "a", 1, *c, []byte(nil)
		e := c.next(0, "", nil)
		if change != nil {
			if state = change(&before, &e); e.Removes.Loop != "" {
				e.Removes.Hash = gone.hash
			}
		} else {
			loop, after = "new", 0
			e = (&chain{loop: "new"}).next(0, "", nil)
		}
		if err := s.Append(loop, after, []session.Event{e}, state)(); err == nil || !errors.Is(err, session.ErrReadOnly) {
			t.Errorf("%s: %v", trigger, err)
		}
		if heads, err := s.Loops(t.Context()); err != nil || len(heads) != 2 || heads[0].Seq != 1 {
			t.Errorf("%s: %+v, %v", trigger, heads, err)
		}
		if _, err := s.write.Exec(`DROP TRIGGER no`); err != nil {
			t.Fatal(err)
		}
		s.Close()
		if err := opened(t, dir).Append(loop, after, []session.Event{e}, state)(); err != nil {
			t.Errorf("%s, opened again: %v", trigger, err)
		}
	}
}

// A commit takes 256 requests, or 8 MiB of them and what goes beyond with the last; what is left waits for the next.
func TestCommitsTakeSoMuch(t *testing.T) {
	for size, want := range map[int]int{0: 256, 8 << 20: 1, 8<<20 - 1: 2, 3 << 20: 3} {
		s := &SQLite{queue: make(chan *request, 400)}
		for range 300 {
			s.queue <- &request{size: size}
		}
		if got := len(s.gather(&request{size: size})); got != want || len(s.queue) != 301-want {
			t.Errorf("of %d bytes each a commit takes %d, and %d are left; want %d", size, got, len(s.queue), want)
		}
	}
	s := &SQLite{queue: make(chan *request, 4)}
	if got := len(s.gather(&request{})); got != 1 {
		t.Errorf("of one %d are taken", got)
	}
}

// A loop lacks a block once the decision after it is opened, and when one of it goes live late; whose it is is told once.
func TestWhoseSeriesLackBlocks(t *testing.T) {
	for _, c := range []struct {
		kind session.Kind
		k    int
		want bool
	}{
		{session.Opened, 1, false}, {session.Opened, 256, false}, {session.Opened, 257, true}, {session.Opened, 258, false}, {session.Proposed, 513, true}, {session.Proposed, 1, false},
		{session.Deployed, 257, false}, {session.Closed, 513, false}, {session.DeployedLate, 3, true}, {session.DeployedLate, 1, true},
	} {
		d := NewDrawing()
		d.Takes("shop", []session.Event{{Kind: session.Raised}, {Kind: c.kind, K: c.k}, {Kind: session.Raised}})
		if loop, is := d.next(); is != c.want || is && loop != "shop" || len(d.more) == 1 != c.want {
			t.Errorf("%s of decision %d: %q, %v", c.kind, c.k, loop, is)
		}
		if _, is := d.next(); is {
			t.Errorf("%s of decision %d is told twice", c.kind, c.k)
		}
	}
	if BlockOf(1) != 0 || BlockOf(256) != 0 || BlockOf(257) != 1 {
		t.Error("decisions are in other blocks")
	}
}

// A block comes back as it was written, to the bit; any other byte in it is noticed.
func TestBlocksAreWhatWasWritten(t *testing.T) {
	values := make([]float64, perBlock)
	for i := range values {
		values[i] = math.Sqrt(float64(i)) - 3
	}
	values[7] = math.NaN()
	block := writeBlock(values)
	got := readBlock(block)
	if len(block) != 8*256+8 || len(got) != 256 {
		t.Fatalf("%d bytes, %d numbers", len(block), len(got))
	}
	for i := range got {
		if math.Float64bits(got[i]) != math.Float64bits(values[i]) {
			t.Errorf("number %d is %v, want %v", i, got[i], values[i])
		}
	}
	for at := range block {
		if block[at] ^= 1; readBlock(block) != nil {
			t.Errorf("byte %d is not noticed", at)
		}
		block[at] ^= 1
	}
	if readBlock(block[:len(block)-1]) != nil || readBlock(append(block, 0)) != nil || readBlock(nil) != nil {
		t.Error("a block of another length is one")
	}
}

// A journal in memory has the same series as one on the disk.
func TestSeriesInMemory(t *testing.T) {
	m, h, _ := remembered(t, withIDs, 7)
	if _, err := h.Do(t.Context(), "shop", "test", session.Switch{To: session.Paused}); err != nil { // of no decision
		t.Fatal(err)
	}
	s := opened(t, t.TempDir())
	copied(t, m, s, "shop")
	names := []string{"u.0", "off", "stepped", "value", "trust", "nonsense"}
	for _, from := range []int{1, 3, 7, 9} {
		for _, points := range []int{1, 2, 100} {
			got, err := m.Series(t.Context(), "shop", names, from, points)
			want, fault := s.Series(t.Context(), "shop", names, from, points)
			a, _ := json.Marshal(got)
			b, _ := json.Marshal(want)
			if err != nil || fault != nil || !bytes.Equal(a, b) {
				t.Errorf("from %d, %d points: %s, %v, want %s, %v", from, points, a, err, b, fault)
			}
		}
	}
	broken := changed(t, m, func(events []session.Event, _ map[session.Hash][]byte) []session.Event {
		events[1].Body = []byte("[]")
		return events
	})
	if _, err := broken.Series(t.Context(), "shop", names, 1, 10); err == nil {
		t.Error("decisions that say nothing have series")
	}
	for _, kinds := range [][]session.Kind{{session.Opened}, {session.Opened, session.Closed}, nil} {
		for _, most := range []int{0, 3, 100} {
			got, err := m.Newest(t.Context(), "shop", kinds, most)
			want, fault := s.Newest(t.Context(), "shop", kinds, most)
			if err != nil || fault != nil || len(got) != len(want) || len(got) > 0 && !reflect.DeepEqual(got, want) {
				t.Errorf("the newest %d of %v: %d, %v, want %d, %v", most, kinds, len(got), err, len(want), fault)
			}
		}
	}
	if err := m.Append("none", 0, nil, []byte("state"))(); err != nil {
		t.Error(err)
	}
	if tips, err := m.Loops(t.Context()); err != nil || len(tips) != 1 || tips[0].Loop != "shop" {
		t.Errorf("loops without events: %+v, %v", tips, err)
	}
	for seq := range 30 {
		got, err := m.DecisionAt("shop", seq)
		if want, fault := s.DecisionAt("shop", seq); err != nil || fault != nil || got != want {
			t.Errorf("at event %d: decision %d, %v, want %d, %v", seq, got, err, want, fault)
		}
	}
}

// A database that contradicts itself is not sound, though its events are.
func TestDatabasesThatContradictThemselves(t *testing.T) {
	dir := lived(t, 2)
	s := opened(t, dir)
	if _, err := s.write.Exec(`PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, 'k > 0', 'k >= 0') WHERE name = 'events_k'`); err != nil {
		t.Fatal(err)
	}
	s.Close()
	file := filepath.Join(dir, database)
	j, err := Look(file, false)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if _, err := Check(t.Context(), j); err != nil {
		t.Errorf("its events are sound: %v", err)
	}
	if _, err := CheckFile(t.Context(), file, false); err == nil || !strings.Contains(err.Error(), "events_k") {
		t.Errorf("checked: %v", err)
	}
}

// A backup is judged by itself, whatever lies beside it; a data folder by what it acknowledged as well. Folders that are made are their owner's alone.
func TestWhatLiesBesideABackup(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	s := opened(t, lived(t, 2))
	file := filepath.Join(dir, "a.kedge")
	if _, err := s.Backup(ctx, file); err != nil {
		t.Fatal(err)
	}
	tip := tipOf(1 << 40)
	if err := os.WriteFile(filepath.Join(dir, tipFile), tip[:], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Verify(ctx, file); err != nil {
		t.Errorf("verified: %v", err)
	}
	into := filepath.Join(t.TempDir(), "new", "data")
	if _, err := Restore(ctx, file, into, wall{}, session.Standard); err != nil {
		t.Errorf("restored: %v", err)
	}
	if _, err := Fill(ctx, file, NewMemory(), wall{}, session.Standard); err != nil {
		t.Errorf("filled: %v", err)
	}
	if err := os.WriteFile(filepath.Join(into, tipFile), tip[:], 0o600); err != nil {
		t.Fatal(err)
	}
	var lost *LostError
	if _, err := Verify(ctx, into); !errors.As(err, &lost) || lost.Acknowledged != 1<<40 {
		t.Errorf("what was acknowledged is gone: %v", err)
	}
	if err := os.WriteFile(filepath.Join(into, tipFile), tip[:15], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Verify(ctx, into); err != nil {
		t.Errorf("a torn tip says nothing: %v", err)
	}
	out, unpacked := filepath.Join(dir, "out"), filepath.Join(dir, "unpacked")
	if err := errors.Join(Export(ctx, s, "shop", out), Unpack(bytes.NewReader(nil), unpacked)); err != nil {
		t.Fatal(err)
	}
	fresh := filepath.Join(dir, "fresh")
	opened(t, fresh)
	for _, path := range []string{into, filepath.Dir(into), out, unpacked, fresh} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s has %v, %v", path, info.Mode(), err)
		}
	}
}

// A long spec makes a long line, which is read; a manifest has a mebibyte at most.
func TestLongBundles(t *testing.T) {
	m, dir := NewMemory(), filepath.Join(t.TempDir(), "bundle")
	spec := strings.Repeat("# a long word of explanation\n", 4000) + shop
	if _, err := session.NewFleet(m, wall{}, session.Standard, nil).Do(context.Background(), "shop", "test", session.Create{Spec: spec, Mode: session.Live, Epoch: "e"}); err != nil {
		t.Fatal(err)
	}
	if err := Export(t.Context(), m, "shop", dir); err != nil {
		t.Fatal(err)
	}
	if got, _, err := ReadBundle(t.Context(), dir); err != nil || session.SpecOf(&got.of("shop").events[0]) != spec {
		t.Fatalf("%v", err)
	}
	file := filepath.Join(dir, manifestFile)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for length, is := range map[int]Holding{1 << 20: Bundle, 1<<20 + 1: Other} {
		if err := os.WriteFile(file, append(bytes.Repeat([]byte(" "), length-len(text)), text...), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := WhatIs(dir); got != is {
			t.Errorf("with a manifest of %d bytes it is %q, want %q", length, got, is)
		}
		if _, _, err := ReadBundle(t.Context(), dir); (err == nil) != (is == Bundle) {
			t.Errorf("with a manifest of %d bytes: %v", length, err)
		}
	}
}

// Blobs of 2 KiB are packed where that helps, shorter ones never, and noise stays as it is; all come back.
func TestWhatIsPacked(t *testing.T) {
	p, err := NewPacker()
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for name, c := range map[string]struct {
		blob []byte
		pack int
	}{"2 KiB": {make([]byte, 2048), zipped}, "less": {make([]byte, 2047), asIs}, "noise": {noise(1, 4096), asIs}, "nothing": {nil, asIs}} {
		pack, data := p.Pack(c.blob)
		if pack != c.pack || (len(data) < len(c.blob)) != (pack == zipped) {
			t.Errorf("%s: %d, %d bytes", name, pack, len(data))
		}
		if got, err := p.Unpack(pack, data, nil); err != nil || !bytes.Equal(got, c.blob) {
			t.Errorf("%s comes back as %d bytes, %v", name, len(got), err)
		}
	}
}

// While a copy is made no file goes, since the copy may name it; a repair finds one that stayed behind.
func TestFilesStayWhileACopyIsMade(t *testing.T) {
	s := opened(t, t.TempDir())
	blob := noise(5, mostInside+1)
	file := blobFolder + "/" + session.Hash(sumOf(blob)).String()
	c := &chain{loop: "a"}
	drop := func() {
		t.Helper()
		after := c.seq
		e := c.next(0, "", nil)
		e.Drops = []session.Hash{sumOf(blob)}
		if err := s.Append("a", after, []session.Event{e}, nil)(); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Append("a", 0, []session.Event{c.told(1, blob)}, nil)(); err != nil {
		t.Fatal(err)
	}
	s.copying.Add(1)
	if drop(); !s.dir.Has(file) {
		t.Error("a file is gone that a copy may name")
	}
	s.copying.Add(-1)
	if n, err := s.sweep(); err != nil || n != 1 || s.dir.Has(file) {
		t.Errorf("%d files are swept, %v", n, err)
	}
	if n, err := s.sweep(); err != nil || n != 0 {
		t.Errorf("%d files are swept, %v", n, err)
	}
}
