package npy_test

import (
	"archive/zip"
	"bytes"
	"cmp"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/internal/intake"
	"github.com/kedge-opt/kedge/internal/npy"
)

func readZip(b []byte, lim intake.Limits) ([]npy.Named, error) {
	return npy.ReadZip(bytes.NewReader(b), int64(len(b)), lim)
}

// pack makes an archive of members as they are, compressed.
func pack(t testing.TB, members ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(members); i += 2 {
		w, err := z.Create(members[i])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(members[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestReadsNumPyArchive(t *testing.T) {
	b := read(t, "testdata/two.npz")
	list, err := readZip(b, intake.Limits{})
	if err != nil || len(list) != 2 || list[0].Name != "first" || list[1].Name != "second" {
		t.Fatal(list, err)
	}
	if !same(list[0].Array, quarters) || !same(list[1].Array, npy.Array{Shape: []int{5}, Data: upTo(5)}) {
		t.Error("other arrays than NumPy wrote:", list)
	}
	a, err := npy.ReadMember(bytes.NewReader(b), int64(len(b)), "second", intake.Limits{})
	if err != nil || !same(a, list[1].Array) {
		t.Error(a, err)
	}
	_, err = npy.ReadMember(bytes.NewReader(b), int64(len(b)), "third", intake.Limits{})
	if err == nil || !strings.Contains(err.Error(), `"third": not in the archive, which holds first, second`) {
		t.Error(err)
	}
}

func TestZipBytesAreDeterministic(t *testing.T) {
	list := []npy.Named{{Name: "b", Array: quarters}, {Name: "a", Array: integers}}
	var first, second bytes.Buffer
	if err := errors.Join(npy.WriteZip(&first, list...), npy.WriteZip(&second, list...)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("two archives of the same arrays differ")
	}
	z, err := zip.NewReader(bytes.NewReader(first.Bytes()), int64(first.Len()))
	if err != nil || len(z.File) != 2 || z.File[0].Name != "b.npy" {
		t.Fatal(err)
	}
	for _, f := range z.File {
		if f.Modified.Format("2006-01-02 15:04:05") != "1980-01-01 00:00:00" || f.Method != zip.Store || f.Flags&8 != 0 {
			t.Errorf("%s: dated %v, method %d, flags %x", f.Name, f.Modified, f.Method, f.Flags)
		}
	}
}

func TestWriteZipRefuses(t *testing.T) {
	ok := npy.Named{Name: "a", Array: npy.Array{Shape: []int{20_000}, Data: upTo(20_000)}} // more than waits in any writer
	for _, list := range [][]npy.Named{
		{ok, ok},
		{ok, {Name: "", Array: quarters}},
		{ok, {Name: "../b", Array: quarters}},
		{ok, {Name: "b", Array: npy.Array{Shape: []int{7}}}},
	} {
		var b bytes.Buffer
		var fe *intake.FormatError
		if err := npy.WriteZip(&b, list...); !errors.As(err, &fe) || b.Len() != 0 {
			t.Errorf("a and %q: %v, %d bytes written", list[1].Name, err, b.Len())
		}
	}
}

func TestReadZipRefuses(t *testing.T) {
	good := string(read(t, "testdata/f8.npy"))
	flipped := pack(t, "a.npy", good)
	flipped[bytes.Index(flipped, []byte("PK\x01\x02"))+16] ^= 1 // the directory's checksum
	for what, b := range map[string][]byte{
		"not a valid zip":       []byte("PK"),
		"plain names":           pack(t, "../a.npy", good),
		"end in .npy":           pack(t, "a.txt", good),
		"twice":                 pack(t, "a.npy", good, "a.npy", good),
		"bytes after":           pack(t, "a.npy", good+"x"),
		"checksum":              flipped,
		"unexpected EOF":        pack(t, "a.npy", good[:len(good)-1]),
		"more than 150 entries": pack(t, "a.npy", strings.Replace(good, "(2, 3), }", "(2, 300),}", 1)),
		"object arrays":         pack(t, "a.npy", string(read(t, "testdata/object.npy"))),
		"header: want \"{\"":    pack(t, "a.npy", "\x93NUMPY\x01\x00\x02\x00[]"),
	} {
		var fe *intake.FormatError
		_, err := readZip(b, intake.Limits{Bytes: 1200})
		if !errors.As(err, &fe) || !strings.Contains(err.Error(), what) {
			t.Errorf("want an error with %q, got %v", what, err)
		}
	}
}

// A megabyte is free; beyond it an archive unpacks to at most so many times its size.
func TestRatioCap(t *testing.T) {
	var b bytes.Buffer
	if err := npy.Write(&b, npy.Array{Shape: []int{1 << 18}, Data: make([]float64, 1<<18)}); err != nil {
		t.Fatal(err)
	}
	bomb := pack(t, "a.npy", b.String())
	if _, err := readZip(bomb, intake.Limits{}); err == nil || !strings.Contains(err.Error(), "more than") {
		t.Errorf("%d bytes unpacked to %d: %v", len(bomb), b.Len(), err)
	}
	if _, err := readZip(bomb, intake.Limits{Ratio: 2000}); err != nil {
		t.Error(err)
	}
	many := pack(t, "a.npy", b.String(), "b.npy", b.String())
	if _, err := readZip(many, intake.Limits{Ratio: 2000, Bytes: 3 << 20}); err == nil {
		t.Error("the limit is not one for all members together")
	}
}

// NumPy opens what WriteZip writes and finds the same numbers.
func TestNumPyOpensOurArchive(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ours.npz")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	cube := npy.Named{Name: "cube", Array: npy.Array{Shape: []int{2, 3, 4}, Data: upTo(24)}}
	if err := errors.Join(npy.WriteZip(f, cube, npy.Named{Name: "q", Array: quarters}), f.Close()); err != nil {
		t.Fatal(err)
	}
	const script = `import sys
try:
    import numpy as np
except ImportError:
    sys.exit("no numpy")
z = np.load(sys.argv[1])
print(z.files, z["cube"].shape, z["cube"][1, 2, 3], z["q"].dtype, z["q"].ravel().tolist())`
	out, err := exec.Command(cmp.Or(os.Getenv("KEDGE_PYTHON"), "python3"), "-c", script, path).CombinedOutput()
	if err != nil {
		t.Skipf("python3 with NumPy is not here: %s %v", out, err)
	}
	const want = "['cube', 'q'] (2, 3, 4) 23.0 float64 [0.25, -0.5, 0.75, 1.0, 1.25, -1.5]\n"
	if string(out) != want {
		t.Errorf("NumPy says %s, want %s", out, want)
	}
}

// One array of an archive goes by its name, the only one by none; another name is refused with those that there are. A member that is packed in a way that nobody knows is told of.
func TestMembersGoByTheirNames(t *testing.T) {
	pack := func(names ...string) []byte {
		var b bytes.Buffer
		var list []npy.Named
		for i, name := range names {
			list = append(list, npy.Named{Name: name, Array: npy.Array{Shape: []int{1}, Data: []float64{float64(i)}}})
		}
		if err := npy.WriteZip(&b, list...); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	for _, x := range []struct {
		in    []byte
		name  string
		want  float64
		wrong string
	}{{pack("a"), "a", 0, ""}, {pack("a"), "", 0, ""}, {pack("a"), "b", 0, "holds a"}, {pack("a", "b"), "b", 1, ""}, {pack("a", "b"), "", 0, "holds a, b"}} {
		a, err := npy.ReadMember(bytes.NewReader(x.in), int64(len(x.in)), x.name, intake.Limits{})
		switch {
		case x.wrong == "" && (err != nil || a.Data[0] != x.want):
			t.Errorf("%q: %v, %v", x.name, a, err)
		case x.wrong != "" && (err == nil || !strings.Contains(err.Error(), x.wrong)):
			t.Errorf("%q: %v, want %q", x.name, err, x.wrong)
		}
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	if _, err := z.CreateRaw(&zip.FileHeader{Name: "a.npy", Method: 99}); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := npy.ReadZip(bytes.NewReader(b.Bytes()), int64(b.Len()), intake.Limits{}); err == nil || !strings.Contains(err.Error(), "open") {
		t.Errorf("packed in a way that nobody knows: %v", err)
	}
}
