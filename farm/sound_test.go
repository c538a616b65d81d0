package farm

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/lab"
	"github.com/kedge-opt/kedge/problem/family"
)

// computed is a cell as a worker sends it.
func computed(t testing.TB, w *family.Sweep, place int) []byte {
	t.Helper()
	c := w.Cells[place]
	r, err := lab.RunCell(t.Context(), lab.CellJob{Sweep: w.Name, Cell: c, Spec: w.Spec(c), Workers: 1, Progress: new(lab.Progress)})
	if err != nil {
		t.Fatal(err)
	}
	files, err := r.CellFiles()
	if err != nil {
		t.Fatal(err)
	}
	archive, err := pack(files)
	if err != nil {
		t.Fatal(err)
	}
	return archive
}

// receiving is a sweep that takes cells in.
func receiving(t testing.TB, w *family.Sweep) (*lab.SweepRun, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "grid")
	c, err := folder.KindSweep.Take(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Release)
	r, err := lab.BeginSweep(t.Context(), w, c, lab.SweepOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return r, dir
}

// mutate changes an archive in one of the ways in which a network, a disk or somebody malicious could.
func mutate(random *rand.Rand, archive, other []byte) []byte {
	b := bytes.Clone(archive)
	at := random.IntN(len(b))
	switch random.IntN(9) {
	case 0: // a bit
		b[at] ^= 1 << random.IntN(8)
	case 1: // cut short
		b = b[:at]
	case 2: // too long
		b = append(b, make([]byte, 1+random.IntN(2048))...)
	case 3: // another name
		names := []string{"../manifest.json", "/etc/passwd", "..", "cells/../../x", "manifest.json/..", "spec.yaml\x00x", "Manifest.json", "extra"}
		b = renamed(b, 512*random.IntN(len(b)/512), names[random.IntN(len(names))])
	case 4: // another size, up to 8 GiB
		b = resized(b, 512*random.IntN(len(b)/512), random.Uint64N(1<<33))
	case 5: // a piece twice, or left out
		to := min(len(b), at+1+random.IntN(1024))
		if random.IntN(2) == 0 {
			b = append(b[:at:at], b[to:]...)
		} else {
			b = append(append(bytes.Clone(b[:to]), b[at:to]...), b[to:]...)
		}
	case 6: // that of another cell, or a part of it
		if copy(b[at:], other[min(at, len(other)):]); random.IntN(2) == 0 {
			b = bytes.Clone(other)
		}
	case 7: // other kinds of entries: links, folders, devices
		b[512*random.IntN(len(b)/512)+156] = "12345678xgLKS"[random.IntN(13)]
	case 8: // some bytes
		binary.LittleEndian.PutUint64(b[min(at, len(b)-8):], random.Uint64())
	}
	return b
}

// renamed writes a name into what may be the head of a file, with its checksum.
func renamed(b []byte, at int, name string) []byte {
	if copy(b[at:at+100], append([]byte(name), make([]byte, 100)...)); at+512 <= len(b) {
		summed(b[at : at+512])
	}
	return b
}

func resized(b []byte, at int, size uint64) []byte {
	copy(b[at+124:at+136], fmt.Sprintf("%011o\x00", size))
	summed(b[at : at+512])
	return b
}

// summed writes the checksum of a head.
func summed(head []byte) {
	copy(head[148:156], "        ")
	sum := 0
	for _, x := range head {
		sum += int(x)
	}
	copy(head[148:156], fmt.Sprintf("%06o\x00 ", sum))
}

// No mutation of a result is taken, and nothing is written, in the folder or outside.
func TestMutatedResultsAreRefused(t *testing.T) {
	many := 2_000
	if evidence.Whole() {
		many = 1_000_000
	}
	row := evidence.For(t, evidence.Promise{Name: "hosts-mutations", Text: "mutations of a result from a worker (bits, names with .., other sizes, ends, kinds of entries, pieces of another cell) that are taken, or write anything; MB of the process", Short: "2,000 instead of 1,000,000"})
	w := grid(t, 2)
	archive, other := computed(t, w, 0), computed(t, w, 1)
	run, dir := receiving(t, w)
	before, random, taken := sums(t, filepath.Dir(dir)), rand.New(rand.NewPCG(1, 0)), 0
	for range many {
		m := mutate(random, archive, other)
		if bytes.Equal(m, archive) {
			continue
		}
		files, err := unpack(m)
		if err == nil {
			err = run.Receive(0, files)
		}
		if err == nil {
			taken++
		}
	}
	row.AtMost("MB", float64(mostMemory()>>10), 1000) // some claim to have 8 GiB
	row.Cases(taken+differing(before, sums(t, filepath.Dir(dir))), many)
	files, err := unpack(archive)
	if err == nil {
		err = run.Receive(0, files)
	}
	if err != nil {
		t.Errorf("the result itself is refused: %v", err)
	}
}

// Sound files of another cell, of another build and of another sweep are refused; other bytes of a cell that is there are ErrDiffers.
func TestForeignCellsAreRefused(t *testing.T) {
	w := grid(t, 2)
	run, _ := receiving(t, w)
	files := func(archive []byte) map[string][]byte {
		f, err := unpack(archive)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	refused := func(what string, err error) {
		if unsound := new(folder.UnsoundError); !errors.As(err, &unsound) {
			t.Errorf("%s: %v", what, err)
		}
	}
	refused("another cell", run.Receive(0, files(computed(t, w, 1))))
	refused("another sweep", run.Receive(0, files(computed(t, mustParse(t, strings.Replace(string(w.YAML()), "name: grid", "name: other", 1)), 0))))
	result, err := lab.RunCell(t.Context(), lab.CellJob{Sweep: w.Name, Cell: w.Cells[0], Spec: w.Spec(w.Cells[0]), Workers: 1, Progress: new(lab.Progress)})
	if err != nil {
		t.Fatal(err)
	}
	result.Code.Go = "go0"
	foreign, err := result.CellFiles()
	if err != nil {
		t.Fatal(err)
	}
	refused("another build", run.Receive(0, foreign))
	result.Code = folder.CurrentCode()
	if err := run.Receive(0, files(computed(t, w, 0))); err != nil {
		t.Fatal(err)
	}
	wrongBit(result)
	wrong, err := result.CellFiles()
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Receive(0, wrong); !errors.Is(err, folder.ErrDiffers) {
		t.Errorf("a wrong bit: %v", err)
	}
	if err := run.Receive(0, files(computed(t, w, 0))); err != nil {
		t.Errorf("the same again: %v", err)
	}
	if err := run.Fail(0, "of nothing"); !errors.Is(err, folder.ErrDiffers) {
		t.Errorf("a finished cell that fails: %v", err)
	}
}

func FuzzUnpack(f *testing.F) {
	archive := computed(f, grid(f, 2), 0)
	f.Add(archive)
	f.Add(archive[:1000])
	f.Add(renamed(bytes.Clone(archive), 0, "../x"))
	f.Add(resized(bytes.Clone(archive), 0, 1<<33))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, text []byte) {
		files, err := unpack(text)
		if err != nil {
			return
		}
		again, err := pack(files)
		if err != nil || !bytes.Equal(again, text) {
			t.Errorf("an archive that is taken is packed otherwise: %v", err)
		}
	})
}

// The queue is entered with TLS and a token off the loopback, or not at all.
func TestAddresses(t *testing.T) {
	token, pin := strings.Repeat("a", 43), strings.Repeat("0f", 32)
	file := filepath.Join(t.TempDir(), "url")
	if err := os.WriteFile(file, []byte("nats://"+token+"@127.0.0.1:4222\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for text, ok := range map[string]bool{
		"nats://127.0.0.1": true, "nats://localhost:4222": true, "nats://[::1]:4222": true, "nats://" + token + "@127.0.0.1": true, "@" + file: true,
		"tls://" + token + "@example.org": true, "tls://" + token + "@example.org:4222?pin=" + pin: true, "tls://me:" + token + "@example.org": true,
		"nats://" + token + "@example.org": false, "tls://example.org": false, "tls://short@example.org": false, "tls://" + token + "@example.org?pin=12": false,
		"nats://127.0.0.1?pin=" + pin: false, "nats://127.0.0.1?x=1": false, "http://127.0.0.1": false, "127.0.0.1:4222": false, "": false, "@": false, "@missing": false, "nats://": false,
		"nats://10.0.0.1": false, "nats://0.0.0.0:4222": false,
	} {
		a, err := ParseAddress(text)
		if (err == nil) != ok {
			t.Errorf("%s: %v", text, err)
		}
		if err != nil && strings.Contains(err.Error(), token) {
			t.Errorf("%s: the message has the secret", text)
		}
		if again, err2 := ParseAddress(a.Text()); err == nil && (err2 != nil || again != a) {
			t.Errorf("%s: read back %v, %v", text, again, err2)
		}
	}
}
