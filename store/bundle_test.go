package store

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/columns"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/session/chronicle"
)

// exported is the folder of a bundle of a loop with a compaction.
func exported(t *testing.T) (dir string, m *InMemory) {
	t.Helper()
	m, h, clock := remembered(t, withIDs, 5)
	clock.now = clock.now.Add(4 * time.Hour)
	if _, err := h.Do(t.Context(), "shop", "test", session.Compact{}); err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(t.TempDir(), "bundle")
	if err := Export(t.Context(), m, "shop", dir); err != nil {
		t.Fatal(err)
	}
	return dir, m
}

// Whatever is wrong with a bundle is said, with the file.
func TestBundlesThatAreWrong(t *testing.T) {
	sound, _ := exported(t)
	dir := sound
	write := func(name, text string) func(*testing.T) {
		return func(t *testing.T) {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	manifest := func(change func(m *contents)) func(*testing.T) {
		return func(t *testing.T) {
			var m contents
			text, err := os.ReadFile(filepath.Join(dir, manifestFile))
			if err == nil {
				err = json.Unmarshal(text, &m)
			}
			change(&m)
			if text, fault := json.Marshal(m); err != nil || fault != nil || os.WriteFile(filepath.Join(dir, manifestFile), text, 0o600) != nil {
				t.Fatal(err, fault)
			}
		}
	}
	events, err := os.ReadFile(filepath.Join(dir, eventsFile))
	if err != nil {
		t.Fatal(err)
	}
	sumOfEvents := func(text string) func(*testing.T) { // with a sum that fits
		return func(t *testing.T) {
			write(eventsFile, text)(t)
			manifest(func(m *contents) { m.Files[eventsFile] = sumOf([]byte(text)) })(t)
		}
	}
	first, rest, _ := strings.Cut(string(events), "\n")
	newest := strings.Count(string(events), "\n")
	ofEvent := map[string]int{"another loop": 1, "an unknown key": 1, "other white space": newest + 1, "another order": 2, "an event less": 1, "another hash": newest, "another end": newest, "a changed event": 4}
	for name, c := range map[string]struct {
		harm  func(*testing.T)
		words string
	}{
		"no manifest":       {func(*testing.T) { os.Remove(filepath.Join(dir, manifestFile)) }, manifestFile},
		"no JSON":           {write(manifestFile, "nothing"), manifestFile + ": "},
		"another key":       {write(manifestFile, `{"format":1,"kind":"bundle","more":1}`), `unknown field "more"`},
		"a long manifest":   {write(manifestFile, strings.Repeat(" ", 1<<20+1)), "more than 1048576 bytes"},
		"another kind":      {manifest(func(m *contents) { m.Kind = "run" }), "is of a run of format 1"},
		"another format":    {manifest(func(m *contents) { m.Format = 2 }), "is of a bundle of format 2"},
		"a file not listed": {manifest(func(m *contents) { delete(m.Files, specFile) }), "does not list " + specFile},
		"a file elsewhere":  {manifest(func(m *contents) { m.Files["../lock"] = session.Hash{} }), `lists "../lock"`},
		"a file not there":  {manifest(func(m *contents) { m.Files["more"] = session.Hash{} }), "more"},
		"another spec":      {write(specFile, "nothing"), specFile + ": " + folder.ErrChanged.Error()},
		"other people": {func(t *testing.T) {
			write(samplesFile, "nothing")(t)
			manifest(func(m *contents) { m.Files[samplesFile] = sumOf([]byte("nothing")) })(t)
		}, samplesFile + ": "},
		"no events":         {sumOfEvents(""), "no events"},
		"another loop":      {manifest(func(m *contents) { m.Loop = "other" }), "it is of loop shop"},
		"an unknown key":    {sumOfEvents(`{"more":1}` + "\n"), `unknown field "more"`},
		"another order":     {sumOfEvents(rest), "comes after event 0"},
		"an event less":     {sumOfEvents(first + "\n"), "the manifest ends with event"},
		"another hash":      {manifest(func(m *contents) { m.Hash[0] ^= 1 }), "the manifest ends with event"},
		"another end":       {manifest(func(m *contents) { m.Seq-- }), "the manifest ends with event"},
		"other white space": {write(eventsFile, string(events)+" \n"), ""},
		"a changed event":   {write(eventsFile, strings.Replace(string(events), `"kind":"batch"`, `"kind":"botch"`, 1)), "event 4 of loop shop"},
		"a changed end":     {write(eventsFile, strings.Replace(string(events), `{"loop"`, ` {"loop"`, 1)), eventsFile + ": " + folder.ErrChanged.Error()},
	} {
		dir = filepath.Join(t.TempDir(), "bundle")
		if err := os.CopyFS(dir, os.DirFS(sound)); err != nil {
			t.Fatal(err)
		}
		if _, _, err := ReadBundle(t.Context(), dir); err != nil {
			t.Fatalf("before %s: %v", name, err)
		}
		c.harm(t)
		_, _, err := ReadBundle(t.Context(), dir)
		_, verified := Verify(t.Context(), dir)
		if at := brokenAt(err); err == nil || verified == nil || !strings.Contains(err.Error(), c.words) || at != ofEvent[name] {
			t.Errorf("%s: %v of event %d, want %q of %d; verified %v", name, err, at, c.words, ofEvent[name], verified)
		}
	}
}

// brokenAt is the event at which a chain of a loop is broken, 0 if none is.
func brokenAt(err error) int {
	if broken, is := errors.AsType[*session.ChainError](err); is && broken.Loop != "" {
		return broken.Seq
	}
	return 0
}

// A bundle has all of a loop: the state of its rule that a compaction kept, its newest spec, and who is still there, whatever is known of them.
func TestBundlesKeepWhatTheyAreGiven(t *testing.T) {
	dir, m := exported(t)
	states, err := os.ReadDir(filepath.Join(dir, statesFolder))
	if err != nil || len(states) != 1 {
		t.Errorf("%d states, %v", len(states), err)
	}
	got, loop, err := ReadBundle(t.Context(), dir)
	if err != nil || loop != "shop" {
		t.Fatal(loop, err)
	}
	a, b := m.of("shop"), got.of("shop")
	if len(a.blobs) != len(b.blobs) || len(a.events) != len(b.events) || len(a.blobs) < 3 {
		t.Errorf("%d blobs and %d events, want %d and %d", len(b.blobs), len(b.events), len(a.blobs), len(a.events))
	}
	if spec, err := os.ReadFile(filepath.Join(dir, specFile)); err != nil || string(spec) != withIDs {
		t.Errorf("its spec is %q, %v", spec, err)
	}
	if err := Export(t.Context(), m, "shop", dir); !errors.Is(err, os.ErrExist) {
		t.Errorf("over another: %v", err)
	}
	if err := Export(t.Context(), m, "none", t.TempDir()); !session.IsRefusal(err, session.NotFound) {
		t.Errorf("of no loop: %v", err)
	}
	if err := ExportTar(t.Context(), m, "none", &bytes.Buffer{}); !session.IsRefusal(err, session.NotFound) {
		t.Errorf("of no loop: %v", err)
	}
	if err := Export(t.Context(), m, "shop", filepath.Join(dir, specFile)); err == nil {
		t.Error("a file is a folder")
	}
	if err := Import(t.Context(), NewMemory(), wall{}, session.Standard, got, session.OfServer); !session.IsRefusal(err, session.Malformed) {
		t.Errorf("under a name of the server's own: %v", err)
	}
	other := func(spec string) (*session.Brief, error) { return session.Standard(replaceStep(spec)) }
	young, _, _ := remembered(t, withIDs, 2)
	if err := Import(t.Context(), NewMemory(), wall{}, other, young, "shop"); !session.IsRefusal(err, session.Malformed) || !strings.Contains(err.Error(), "does not replay") {
		t.Errorf("of another rule: %v", err)
	}
	for _, b := range []session.Batch{
		{P: []float64{1, 2, 3, 4}},
		{P: []float64{1, 2, 3, 4}, ObservedAt: time.Unix(1, 0).UTC()},
		{P: []float64{1, 2, 3, 4}, ObservedAt: time.Unix(0, 1).UTC()},
		{P: []float64{1, 2, 3, 4}, D: []float64{5, 6}, ObservedAt: time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC)},
		{P: []float64{1, 2, 3, 4}, D: []float64{5, 0}, Missing: []int{1}, W: []float64{0.5, 2}, Who: []uint64{1<<63 + 7, 1<<32 - 1}, ObservedAt: time.Unix(0, 1000).UTC()},
	} {
		frame, err := b.Encode()
		if err != nil {
			t.Fatal(err)
		}
		s, e := samples{}, session.Event{Seq: 3, Body: []byte(`{"rows":2}`)}
		var table bytes.Buffer
		if err := errors.Join(s.add(&e, frame), s.write(&table)); err != nil {
			t.Fatal(err)
		}
		blobs := map[session.Hash][]byte{}
		if err := readSamples(table.Bytes(), blobs); err != nil || !bytes.Equal(blobs[sumOf(frame)], frame) {
			t.Errorf("%+v is read as another, %v", b, err)
		}
		for _, body := range []string{`{"rows":0}`, `{"rows":3}`, `{"rows":-2}`, `[]`} {
			if err := s.add(&session.Event{Body: []byte(body)}, frame); err == nil {
				t.Errorf("%s of two rows", body)
			}
		}
		odd, err := (&session.Batch{P: []float64{1, 2, 3, 4, 5, 6}, D: []float64{1, 2, 3, 4}}).Encode()
		for _, body := range []string{`{"rows":3}`, `{"rows":4}`} { // of which only one is a divisor
			if fault := s.add(&session.Event{Body: []byte(body)}, odd); err != nil || fault == nil {
				t.Errorf("%s of two rows, %v", body, err)
			}
		}
		if err := s.add(&e, frame[1:]); err == nil {
			t.Error("other bytes are people")
		}
	}
}

// Tables that are not those of a bundle are refused.
func TestTablesOfOthers(t *testing.T) {
	good := make([]columns.Column, 0, 12)
	for _, name := range append(fixedNames(), "p.0", "d.0") {
		good = append(good, columns.Column{Name: name, Numbers: []float64{1}})
	}
	for name, c := range map[string]struct {
		change func(list []columns.Column) []columns.Column
		words  string
	}{
		"as it is":     {func(list []columns.Column) []columns.Column { return list }, ""},
		"too few":      {func(list []columns.Column) []columns.Column { return list[:fixedColumns-1] }, "too few columns"},
		"another name": {func(list []columns.Column) []columns.Column { list[9].Name = "id"; return list }, "column id is not that of a bundle"},
		"words": {func(list []columns.Column) []columns.Column {
			list[11] = columns.Column{Name: "d.0", Text: []string{"x"}}
			return list
		}, "column d.0 is not that of a bundle"},
		"no people": {func(list []columns.Column) []columns.Column {
			for i := range list {
				list[i].Numbers = []float64{}
			}
			return list
		}, ""},
	} {
		var b bytes.Buffer
		if err := (columns.Table{Columns: c.change(slices.Clone(good))}).WriteParquet(&b); err != nil {
			t.Fatal(name, err)
		}
		if err := readSamples(b.Bytes(), map[session.Hash][]byte{}); (err == nil) != (c.words == "") || err != nil && !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s: %v, want %q", name, err, c.words)
		}
	}
}

// packed is a tar of some entries.
func packed(t *testing.T, list ...tar.Header) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, h := range list {
		h.Mode = 0o600
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		w.Write(make([]byte, h.Size))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// What a tar has that is no file of a bundle is refused; files come under the name of one folder, and stay in theirs.
func TestTarsOfOthers(t *testing.T) {
	for name, h := range map[string]tar.Header{
		"a folder": {Name: "shop/states/", Typeflag: tar.TypeDir}, "a link": {Name: "shop/a", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"}, "out": {Name: "shop/../../../a", Typeflag: tar.TypeReg},
		"in no folder": {Name: "a", Typeflag: tar.TypeReg}, "the folder": {Name: "shop/.", Typeflag: tar.TypeReg},
	} {
		if err := Unpack(bytes.NewReader(packed(t, h)), t.TempDir()); err == nil || !strings.Contains(err.Error(), "is no file of a bundle") {
			t.Errorf("%s: %v", name, err)
		}
	}
	one := tar.Header{Name: "shop/states/a", Typeflag: tar.TypeReg, Size: 3}
	dir := filepath.Join(t.TempDir(), "new")
	if err := Unpack(bytes.NewReader(packed(t, one)), dir); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Join(dir, "states", "a")); err != nil || info.Size() != 3 {
		t.Errorf("%v, %v", info, err)
	}
	long := func(size int64) []byte { // only its header
		var b bytes.Buffer
		if err := tar.NewWriter(&b).WriteHeader(&tar.Header{Name: "shop/a", Typeflag: tar.TypeReg, Size: size, Mode: 0o600}); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	if err := Unpack(bytes.NewReader(long(mostOfBundle+1)), t.TempDir()); err == nil || !strings.Contains(err.Error(), "is no file of a bundle") {
		t.Errorf("too long: %v", err)
	}
	for name, c := range map[string]struct {
		text []byte
		want error
	}{
		"twice":               {packed(t, one, one), fs.ErrExist},
		"half":                {packed(t, tar.Header{Name: "shop/a", Typeflag: tar.TypeReg, Size: 3000})[:1000], io.ErrUnexpectedEOF},
		"as long as may be":   {long(mostOfBundle), io.ErrUnexpectedEOF},
		"a file for a folder": {packed(t, tar.Header{Name: "shop/states", Typeflag: tar.TypeReg}, one), fs.ErrExist}, // the folder cannot be made: of the file in it nobody asked
	} {
		if err := Unpack(bytes.NewReader(c.text), t.TempDir()); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	if err := Unpack(bytes.NewReader(nil), filepath.Join(dir, "states", "a")); err == nil {
		t.Error("a file is a folder")
	}
	if _, _, err := ReadTar(t.Context(), strings.NewReader("nothing at all")); err == nil || !strings.Contains(err.Error(), "cannot be unpacked") {
		t.Errorf("%v", err)
	}
	if _, _, err := ReadBundle(t.Context(), filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

// What a path holds is told by what is in it, and what it is not cannot be verified, read or repaired.
func TestWhatPathsHold(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	bundle, m := exported(t)
	data := lived(t, 2)
	file := func(name string, text []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	s := opened(t, data)
	backup := filepath.Join(dir, "copy")
	if _, err := s.Backup(ctx, backup); err != nil {
		t.Fatal(err)
	}
	s.Close()
	var asTar bytes.Buffer
	if err := ExportTar(ctx, m, "shop", &asTar); err != nil {
		t.Fatal(err)
	}
	empty := t.TempDir()
	for path, want := range map[string]Holding{
		data: DataFolder, bundle: Bundle, backup: BackupFile, file("some", asTar.Bytes()): Bundle, empty: Other, filepath.Join(dir, "none"): Other,
		file("words", []byte("nothing")): Other, file("words.tar", []byte("nothing")): Bundle, file("words.kedge", []byte("nothing")): BackupFile, file("ustar", append(make([]byte, 257), "ustar"...)): Other, file("ustar1", append(make([]byte, 257), "ustar\x00"...)): Bundle,
	} {
		if got := WhatIs(path); got != want {
			t.Errorf("%s is %q, want %q", filepath.Base(path), got, want)
		}
		sound := path == data || path == bundle || path == backup || strings.HasSuffix(path, "some")
		audit, err := Verify(ctx, path)
		if (err == nil) != sound || sound && (audit.Loops != 1 || audit.Blobs < 2) {
			t.Errorf("%s: %+v, %v", filepath.Base(path), audit, err)
		}
		j, loop, done, err := Reading(ctx, path)
		if (err == nil) != sound || sound && (loop == "shop") != (want == Bundle) {
			t.Errorf("%s is read: %q, %v", filepath.Base(path), loop, err)
		}
		if sound {
			if tips, err := j.Loops(ctx); err != nil || len(tips) != 1 {
				t.Errorf("%s: %v, %v", filepath.Base(path), tips, err)
			}
		}
		if err := done(); err != nil {
			t.Error(err)
		}
		text, err := Packed(path)
		if (err == nil) != (want == Bundle) {
			t.Errorf("%s is packed: %v", filepath.Base(path), err)
		}
		if path == bundle {
			if again, _, err := ReadTar(ctx, bytes.NewReader(text)); err != nil || len(again.of("shop").events) != len(m.of("shop").events) {
				t.Errorf("as a tar: %v", err)
			}
		}
		if _, err := Repair(ctx, path, false, wall{}, session.Standard); (err == nil) != (path == data) {
			t.Errorf("%s is repaired: %v", filepath.Base(path), err)
		}
	}
}

// A repair works states and series out anew, and removes files that nobody has.
func TestRepairs(t *testing.T) {
	dir := lived(t, 3)
	orphan := filepath.Join(dir, blobFolder, "orphan")
	if err := os.WriteFile(orphan, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := opened(t, dir)
	c := &chain{loop: session.OfServer}
	if err := errors.Join(s.Append(session.OfServer, 0, []session.Event{c.next(0, "", nil)}, nil)(), s.Append("shop", 13, nil, []byte("damaged"))()); err != nil {
		t.Fatal(err)
	}
	s.Close()
	r, err := Repair(t.Context(), dir, false, wall{}, session.Standard)
	if _, left := os.Stat(orphan); err != nil || r.States != 1 || r.Orphans != 1 || r.Lost != 0 || r.Events != 14 || r.Blobs != 3 || !errors.Is(left, fs.ErrNotExist) {
		t.Errorf("%+v, %v, %v", r, err, left)
	}
	if state, err := opened(t, dir).State("shop"); err != nil || len(state) < 100 {
		t.Errorf("the state is %q, %v", state, err)
	}
	if _, err := Repair(t.Context(), dir, false, wall{}, session.Standard); err == nil {
		t.Error("a folder in use is repaired")
	}
}

// A backup has large blobs inside; restored or filled into another journal, every loop begins another epoch, and nothing takes the place of loops.
func TestBackupsHoldEverything(t *testing.T) {
	ctx, dir := t.Context(), lived(t, 3)
	s := opened(t, dir)
	blob := noise(3, 60_001)
	h := session.NewFleet(s, wall{}, session.Standard, nil)
	a, err := h.Do(ctx, "shop", "test", session.Ask{})
	if err != nil {
		t.Fatal(err)
	}
	b := session.Batch{P: make([]float64, 60_000), D: make([]float64, 60_000)}
	for i := range b.P {
		b.P[i], b.D[i] = float64(blob[i])*float64(i), float64(blob[i+1])/float64(i+1)
	}
	for _, c := range []session.Command{session.Deploy{K: 4, U: a.(session.Offer).U}, session.Tell{K: 4, ID: "big", Batch: b}} {
		if _, err := h.Do(ctx, "shop", "test", c); err != nil {
			t.Fatal(err)
		}
	}
	files, err := s.dir.List(blobFolder)
	if err != nil || len(files) != 1 {
		t.Fatalf("%d large blobs, %v", len(files), err)
	}
	backup := filepath.Join(t.TempDir(), "all.kedge")
	if c, err := s.Backup(ctx, backup); err != nil || c.Blobs != 4 {
		t.Fatalf("%+v, %v", c, err)
	}
	if _, err := s.Backup(ctx, filepath.Join(t.TempDir(), "none", "a.kedge")); err == nil {
		t.Error("a backup into no folder")
	}
	ended, end := context.WithCancel(ctx)
	end()
	other := filepath.Join(t.TempDir(), "b.kedge")
	if _, err := s.Backup(ended, other); err == nil {
		t.Error("a backup that nobody waits for")
	}
	os.Remove(s.dir.Path(blobFolder + "/" + files[0].Name()))
	if _, err := s.Backup(ctx, other); err == nil {
		t.Error("a backup without its people")
	}
	if _, err := os.Stat(other); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a backup that failed is left: %v", err)
	}
	into := filepath.Join(t.TempDir(), "data")
	if _, err := Restore(ctx, backup, into, wall{}, session.Standard); err != nil {
		t.Fatal(err)
	}
	m := NewMemory()
	if c, err := Fill(ctx, backup, m, wall{}, session.Standard); err != nil || c.Blobs != 4 {
		t.Fatalf("%+v, %v", c, err)
	}
	for _, j := range []session.Journal{opened(t, into), m} {
		var kinds []session.Kind
		if err := j.Read(ctx, "shop", 16, func(e session.Event) error { kinds = append(kinds, e.Kind); return nil }); err != nil || !slices.Equal(kinds, []session.Kind{session.Superseded, session.Restored}) {
			t.Errorf("%v, %v", kinds, err)
		}
		if c, err := Check(ctx, j); err != nil || c.Blobs != 4 {
			t.Errorf("%+v, %v", c, err)
		}
	}
	if _, err := Fill(ctx, backup, m, wall{}, session.Standard); err == nil || !strings.Contains(err.Error(), "has loops already") {
		t.Errorf("over others: %v", err)
	}
	text, _ := os.ReadFile(backup)
	broken := filepath.Join(t.TempDir(), "broken.kedge")
	if err := os.WriteFile(broken, bytes.ReplaceAll(text, []byte(`"off":0`), []byte(`"off":1`)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Fill(ctx, broken, NewMemory(), wall{}, session.Standard); err == nil || !strings.Contains(err.Error(), "is not sound") {
		t.Errorf("of a broken one: %v", err)
	}
	if _, err := Restore(ctx, broken, filepath.Join(t.TempDir(), "x"), wall{}, session.Standard); err == nil || !strings.Contains(err.Error(), "is not sound") {
		t.Errorf("of a broken one: %v", err)
	}
	if _, err := Restore(ctx, backup, broken, wall{}, session.Standard); err == nil {
		t.Error("into a file")
	}
}

// A loop that was removed need not be there, but must have been as far as the server had seen it.
func TestAnchorsOfRemovedLoops(t *testing.T) {
	other := session.Hash{9}
	for name, c := range map[string]struct {
		anchors []session.Tip
		removed string
		words   string
	}{
		"just there":    {[]session.Tip{{Loop: "shop", Seq: 2, Hash: other}, {Loop: "shop", Seq: 1}}, `{"loop":"shop","seq":2,"hash":"` + other.String() + `"}`, ""},
		"further":       {[]session.Tip{{Loop: "shop", Seq: 2, Hash: other}}, `{"loop":"shop","seq":3,"hash":"` + other.String() + `"}`, ""},
		"not so far":    {[]session.Tip{{Loop: "shop", Seq: 2, Hash: other}}, `{"loop":"shop","seq":1,"hash":"` + other.String() + `"}`, "removed at event 1"},
		"another":       {[]session.Tip{{Loop: "shop", Seq: 2, Hash: other}}, `{"loop":"shop","seq":2,"hash":"` + (session.Hash{}).String() + `"}`, "removed at event 2"},
		"another loop":  {[]session.Tip{{Loop: "store", Seq: 2, Hash: other}}, `{"loop":"shop","seq":2,"hash":"` + other.String() + `"}`, "the loop is gone"},
		"no removal":    {nil, `[]`, "event 2 of loop _server"},
		"never removed": {[]session.Tip{{Loop: "shop", Seq: 2, Hash: other}}, "", "the loop is gone"},
	} {
		m, seq, hash := NewMemory(), 0, session.Hash{}
		add := func(kind session.Kind, body string) {
			seq++
			e := session.Event{Seq: seq, At: time.Unix(0, 0).UTC(), Kind: kind, Actor: "server", Body: []byte(body)}
			e.Hash = e.Chained(session.OfServer, hash)
			if hash = e.Hash; m.Append(session.OfServer, seq-1, []session.Event{e}, nil)() != nil {
				t.Fatal(name)
			}
		}
		text, _ := json.Marshal(chronicle.Anchors{Heads: c.anchors})
		add(chronicle.Anchored, string(text))
		if c.removed != "" {
			add(chronicle.LoopRemoved, c.removed)
		}
		if _, err := Check(t.Context(), m); (err == nil) != (c.words == "") || err != nil && !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s: %v, want %q", name, err, c.words)
		}
	}
}

// leaving is a journal whose next append is the last that somebody waits for.
type leaving struct {
	session.Journal
	leave func()
}

func (l leaving) Append(loop string, after int, events []session.Event, state []byte) func() error {
	wait := l.Journal.Append(loop, after, events, state)
	return func() error { defer l.leave(); return wait() }
}

// Whoever hangs up while a bundle is taken in leaves no loop that goes on in the epoch of the old one: decisions of both would be taken for each other's.
func TestWhoeverHangsUpLeavesNoLoopInTheOldEpoch(t *testing.T) {
	_, m := exported(t)
	epoch := func(j session.Journal) (is string) {
		err := session.NewFleet(j, wall{}, session.Standard, nil).Look(t.Context(), "shop", func(l *session.Loop) error { is = l.Status().Epoch; return nil })
		if err != nil {
			t.Fatal(err)
		}
		return is
	}
	old, to := epoch(m), opened(t, t.TempDir())
	ctx, hangUp := context.WithCancel(t.Context())
	if err := Import(ctx, leaving{to, hangUp}, wall{}, session.Standard, m, "shop"); err != nil {
		t.Error(err)
	}
	if is := epoch(to); is == old {
		t.Errorf("the loop goes on in epoch %s", is)
	}
}

// A file of a bundle that is as long as it may be is read, and one that is a byte longer is not.
func TestFilesOfBundlesThatAreAsLongAsTheyMayBe(t *testing.T) {
	dir := fstest.MapFS{"ten": {Data: []byte("0123456789")}}
	if text, err := readSome(dir, "ten", 10); err != nil || string(text) != "0123456789" {
		t.Errorf("of ten: %q, %v", text, err)
	}
	if _, err := readSome(dir, "ten", 9); err == nil || err.Error() != "ten has more than 9 bytes" {
		t.Errorf("of nine: %v", err)
	}
}
