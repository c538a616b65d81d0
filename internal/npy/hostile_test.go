package npy_test

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/internal/heap"
	"github.com/kedge-opt/kedge/internal/intake"
	"github.com/kedge-opt/kedge/internal/npy"
)

// file is a version 2.0 file of a header and entries.
func file(header, entries string) []byte {
	b := binary.LittleEndian.AppendUint32([]byte("\x93NUMPY\x02\x00"), uint32(len(header)))
	return append(append(b, header...), entries...)
}

func dict(descr, shape string) string {
	return "{'descr': " + descr + ", 'fortran_order': False, 'shape': " + shape + "}"
}

func TestReadRefuses(t *testing.T) {
	long := strings.Repeat("1, ", 33)
	for _, c := range []struct {
		what string
		in   []byte
	}{
		{"read magic", nil},
		{"magic string", []byte("\x93NUMPI\x01\x00")},
		{"version 4.0", []byte("\x93NUMPY\x04\x00")},
		{"version 1.1", []byte("\x93NUMPY\x01\x01")},
		{"read header length", []byte("\x93NUMPY\x01\x00")},
		{"header of 65537", append([]byte("\x93NUMPY\x02\x00\x01\x00\x01\x00"), make([]byte, 1<<17)...)},
		{"want \"{\"", append([]byte("\x93NUMPY\x02\x00\x00\x00\x01\x00"), make([]byte, 1<<16)...)}, // as long as a header may be
		{"header of 4294967295", []byte("\x93NUMPY\x02\x00\xff\xff\xff\xff")},
		{"read header:", []byte("\x93NUMPY\x01\x00\xff\xff{")},
		{"want \"{\"", file("", "")},
		{"want 'descr'", file("{}", "")},
		{"unknown key \"spam\"", file("{'spam': 1}", "")},
		{"twice", file("{'descr': '<f8', 'descr': '<f8'}", "")},
		{"want a string", file("{1: 2}", "")},
		{"without an end", file("{'descr", "")},
		{"after the dictionary", file(dict("'<f8'", "()")+"}", "")},
		{"structured", file(dict("[('a', '<f8')]", "()"), "")},
		{"object arrays", file(dict("'|O'", "()"), "")},
		{"big-endian", file(dict("'>f8'", "()"), "")},
		{"type \"<f2\"", file(dict("'<f2'", "()"), "")},
		{"want a tuple", file(dict("'<f8'", "(3)"), "")},
		{"want a size", file(dict("'<f8'", "(-3,)"), "")},
		{"want a size", file(dict("'<f8'", "(99999999999999999999,)"), "")},
		{"want \"False\"", file("{'fortran_order': 1}", "")},
		{"33 dimensions", file(dict("'<f8'", "("+long+")"), "12345678")},
		{"has more than", file(dict("'<f8'", "(4294967296, 4294967296)"), "")},
		{"has more than", file(dict("'<f8'", "(1000000000000,)"), "")},
		{"read entries", file(dict("'<f8'", "(2,)"), "123456781234567")},
		{"type \"|b1\"", file(dict("'|b1'", "(2,)"), "\x01\x00")},
		{"no float64 holds", file(dict("'<i8'", "()"), "\x01\x00\x00\x00\x00\x00\x20\x00")}, // 2⁵³ + 1
	} {
		var fe *intake.FormatError
		_, err := npy.Read(bytes.NewReader(c.in), intake.Limits{})
		if !errors.As(err, &fe) || !strings.Contains(err.Error(), c.what) {
			t.Errorf("want an error with %q, got %v", c.what, err)
		}
	}
}

func TestReadKeepsExactIntegers(t *testing.T) {
	in := file(dict("'<i8'", "()"), "\x00\x00\x00\x00\x00\x00\x20\x00")
	if a, err := npy.Read(bytes.NewReader(in), intake.Limits{}); err != nil || a.Data[0] != 1<<53 {
		t.Error(a, err)
	}
}

func TestReadReportsTheReadersError(t *testing.T) {
	broken := errors.New("disk on fire")
	r := io.MultiReader(bytes.NewReader(file(dict("'<f8'", "(2,)"), "12345678")), failing{broken})
	if _, err := npy.Read(r, intake.Limits{}); !errors.Is(err, broken) {
		t.Error(err)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// bound is the promise of the package.
func bound(in []byte) int64 { return 4*int64(len(in)) + 1<<20 }

func TestMemoryFollowsTheData(t *testing.T) {
	for what, in := range map[string][]byte{
		"promises 1 GiB, holds nothing": file(dict("'<f8'", "(134217728,)"), ""),
		"promises 1 GiB, holds 4 MB":    file(dict("'<f8'", "(134217728,)"), strings.Repeat("12345678", 1<<19)),
		"f8":                            file(dict("'<f8'", "(524288,)"), strings.Repeat("12345678", 1<<19)),
		"f4":                            file(dict("'<f4'", "(1048576,)"), strings.Repeat("1234", 1<<20)),
		"f4, Fortran":                   file(strings.Replace(dict("'<f4'", "(1024, 1024)"), "False", "True", 1), strings.Repeat("1234", 1<<20)),
		"header of 64 KB":               file(strings.Repeat("{", 64<<10), ""),
	} {
		got := heap.Taken(0, func() { _, _ = npy.Read(bytes.NewReader(in), intake.Limits{}) })
		if got > bound(in) {
			t.Errorf("%s: %d bytes took %d of memory, want at most %d", what, len(in), got, bound(in))
		}
	}
}

// Archives that are refused, each for a reason that shows late, cost no more than that either.
func TestArchivesThatAreRefusedAreCheap(t *testing.T) {
	zeros := strings.Repeat("\x00", 1<<22)
	bomb := string(file(dict("'<f8'", "(524288,)"), zeros))
	for what, in := range map[string][]byte{
		"good, then cut":    pack(t, "a.npy", bomb, "b.npy", bomb[:len(bomb)-1]),
		"bytes after":       pack(t, "a.npy", bomb+"x"),
		"promises more":     pack(t, "a.npy", string(file(dict("'<f8'", "(524289,)"), zeros))),
		"last entry":        pack(t, "a.npy", string(file(dict("'<i8'", "(524289,)"), zeros+"\xff\xff\xff\xff\xff\xff\xff\x7f"))),
		"checksum":          broken(pack(t, "a.npy", bomb)),
		"largest directory": smallestEntries(65534),
		"wrapped directory": smallestEntries(65536 + 5),
	} {
		var err error
		got := heap.Taken(0, func() { _, err = readZip(in, intake.Limits{Ratio: 1e6}) })
		if err == nil || got > bound(in) {
			t.Errorf("%s: %d bytes took %d of memory, want at most %d: %v", what, len(in), got, bound(in), err)
		}
	}
}

// broken changes the checksum in an archive's directory.
func broken(archive []byte) []byte {
	archive[bytes.LastIndex(archive, []byte("PK\x01\x02"))+16] ^= 1
	return archive
}

// smallestEntries is a directory of the smallest entries there can be; the count it gives has 16 bits.
func smallestEntries(n int) []byte {
	entry := append([]byte("PK\x01\x02"), make([]byte, 42)...)
	in := bytes.Repeat(entry, n)
	end := append([]byte("PK\x05\x06"), make([]byte, 18)...)
	binary.LittleEndian.PutUint16(end[8:], uint16(n))
	binary.LittleEndian.PutUint16(end[10:], uint16(n))
	binary.LittleEndian.PutUint32(end[12:], uint32(len(in)))
	return append(in, end...)
}

func FuzzRead(f *testing.F) {
	for _, name := range []string{"f8", "f4", "i4-fortran", "i8", "scalar", "empty", "cube-fortran", "object", "version3"} {
		b, err := testdata.ReadFile("testdata/" + name + ".npy")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		var a npy.Array
		var err error
		if got := heap.Taken(bound(in), func() { a, err = npy.Read(bytes.NewReader(in), intake.Limits{}) }); got > bound(in) {
			t.Errorf("%d bytes took %d of memory", len(in), got)
		}
		checkOutcome(t, a, err)
	})
}

// checkOutcome demands a typed error or an array that survives a round trip bit for bit.
func checkOutcome(t *testing.T, a npy.Array, err error) {
	t.Helper()
	var fe *intake.FormatError
	if err != nil {
		if !errors.As(err, &fe) {
			t.Errorf("untyped error %v", err)
		}
		return
	}
	var b bytes.Buffer
	if err := npy.Write(&b, a); err != nil {
		t.Fatal(err)
	}
	if again, err := npy.Read(&b, intake.Limits{}); err != nil || !same(a, again) {
		t.Errorf("%v came back as %v, %v", a, again, err)
	}
}

func FuzzReadZip(f *testing.F) {
	two, err := testdata.ReadFile("testdata/two.npz")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(two)
	f.Add(pack(f, "a.npy", string(file(dict("'<i4'", "(2,)"), "12345678"))))
	var b bytes.Buffer
	if err := npy.WriteZip(&b, npy.Named{Name: "a", Array: quarters}); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Fuzz(checkArchive)
}

// Most changes to an archive break its checksums. Here the array inside is changed and the archive is sound.
func FuzzReadPacked(f *testing.F) {
	for _, name := range []string{"f8", "f4", "i4-fortran", "empty", "cube-fortran", "object"} {
		b, err := testdata.ReadFile("testdata/" + name + ".npy")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b, true)
		f.Add(b, false)
	}
	w, err := flate.NewWriter(nil, flate.BestSpeed) // made once: it takes more time to make than all else
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, in []byte, packed bool) {
		method := zip.Store
		if packed {
			method = zip.Deflate
		}
		checkArchive(t, archive(t, method, w, in))
	})
}

// archive is an archive of two members.
func archive(t testing.TB, method uint16, deflate *flate.Writer, member []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		deflate.Reset(w)
		return deflate, nil
	})
	for _, name := range []string{"a.npy", "b.npy"} {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: method})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(member); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// checkArchive demands a typed error or arrays that survive a round trip, within the bound.
func checkArchive(t *testing.T, in []byte) {
	var list []npy.Named
	var err error
	got := heap.Taken(bound(in), func() { list, err = readZip(in, intake.Limits{Bytes: 1 << 24}) })
	for _, n := range list { // what unpacks has been checked before memory was taken for it
		got -= 8 * int64(len(n.Data))
	}
	if got > bound(in) {
		t.Errorf("%d bytes took %d of memory", len(in), got)
	}
	if err != nil {
		checkOutcome(t, npy.Array{}, err)
		return
	}
	var b bytes.Buffer
	if err := npy.WriteZip(&b, list...); err != nil {
		t.Fatal(err)
	}
	again, err := readZip(b.Bytes(), intake.Limits{})
	if err != nil || len(again) != len(list) {
		t.Fatalf("%d arrays came back as %d: %v", len(list), len(again), err)
	}
	for i := range list {
		if list[i].Name != again[i].Name || !same(list[i].Array, again[i].Array) {
			t.Errorf("%v came back as %v", list[i], again[i])
		}
	}
}
