package npy

import (
	"archive/zip"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"strings"

	"github.com/kedge-opt/kedge/internal/intake"
)

// ReadZip reads every array of an archive, in the archive's order.
func ReadZip(r io.ReaderAt, size int64, lim intake.Limits) (list []Named, err error) {
	defer intake.Catch(&err)
	return readMembers(members(r, size), lim.Unpacked(size), kindOf), nil
}

// ReadMixed is ReadZip for archives that may hold lists of texts too.
func ReadMixed(r io.ReaderAt, size int64, lim intake.Limits) (list []Named, err error) {
	defer intake.Catch(&err)
	return readMembers(members(r, size), lim.Unpacked(size), kindOrText), nil
}

// ReadMember reads one array of an archive; name is without ".npy", and empty for the only one.
func ReadMember(r io.ReaderAt, size int64, name string, lim intake.Limits) (a Array, err error) {
	defer intake.Catch(&err)
	files := members(r, size)
	var names []string
	for i, f := range files {
		if memberName(f) == name || name == "" && len(files) == 1 {
			return readMembers(files[i:i+1], lim.Unpacked(size), kindOf)[0].Array, nil
		}
		names = append(names, memberName(f))
	}
	return Array{}, &intake.FormatError{Of: "npy", Member: name, What: "not in the archive, which holds " + strings.Join(names, ", ")}
}

// readMembers unpacks every member twice: to check it, and once all are known to be sound, to keep it.
func readMembers(files []*zip.File, most int64, known func(descr string) kind) []Named {
	list := make([]Named, len(files))
	u := unpacker{known: known}
	for _, keep := range []bool{false, true} {
		u.left = most
		for i, f := range files {
			a, err := u.member(f, keep)
			if err != nil {
				panic(err)
			}
			list[i] = Named{memberName(f), a}
		}
	}
	return list
}

// largestDirectory is how many bytes are read to list an archive: room for more than a thousand arrays.
const largestDirectory = 192 << 10

// directory lets so many bytes be read.
type directory struct {
	io.ReaderAt
	left int64
}

func (d *directory) ReadAt(p []byte, at int64) (int, error) {
	if d.left -= int64(len(p)); d.left < 0 {
		return 0, wrong("directory of more than %d bytes", largestDirectory)
	}
	return d.ReaderAt.ReadAt(p, at)
}

// members lists the archive's files after checking their names.
func members(r io.ReaderAt, size int64) []*zip.File {
	d := &directory{r, largestDirectory}
	z, err := zip.NewReader(d, size)
	if err != nil {
		panic(because("open archive", err))
	}
	d.left = math.MaxInt64
	seen := map[string]bool{}
	for _, f := range z.File {
		stem, ok := strings.CutSuffix(f.Name, ".npy")
		if err := checkName(stem); err != nil || !ok {
			refuse("archive holds %q, want plain names that end in .npy", f.Name)
		}
		if seen[stem] {
			refuse("archive holds %q twice", f.Name)
		}
		seen[stem] = true
	}
	return z.File
}

func memberName(f *zip.File) string { return strings.TrimSuffix(f.Name, ".npy") }

// checkName refuses what could be taken for a path.
func checkName(name string) error {
	if name == "" || name == "." || name == ".." || strings.ContainsAny(name, "/\\:\x00") {
		return wrong("%q is no plain name", name)
	}
	return nil
}

// unpacker reads members as long as bytes are left to unpack.
type unpacker struct {
	left  int64
	room  []byte
	known func(descr string) kind
}

// member reads f to its end, which also checks its checksum. What is wrong with it has its name.
func (u *unpacker) member(f *zip.File, keep bool) (a Array, err error) {
	defer func() {
		if wrong := (*intake.FormatError)(nil); errors.As(err, &wrong) {
			wrong.Member = memberName(f)
		}
	}()
	defer intake.Catch(&err)
	rc, err := f.Open()
	if err != nil {
		panic(because("open", err))
	}
	defer rc.Close()
	if u.left < 1 {
		refuse("the archive unpacks to more than the limit")
	}
	r := &io.LimitedReader{R: rc, N: u.left}
	e := begin(r, intake.Limits{Bytes: u.left}, u.known)
	if keep {
		e.keep()
	}
	u.pour(e, r)
	u.left = r.N
	atEnd(rc)
	return e.array(), nil
}

// pour gives the bytes of the entries to e, a roomful at a time.
func (u *unpacker) pour(e *entries, r io.Reader) {
	for n := e.size(); n > 0; {
		if want := min(n, chunkSize); len(u.room) < want {
			u.room = make([]byte, max(want+7, 2*len(u.room))/8*8)
		}
		c := u.room[:min(n, len(u.room))]
		fill(r, c, "entries")
		e.add(c)
		n -= len(c)
	}
}

// atEnd refuses what follows.
func atEnd(r io.Reader) {
	var one [1]byte
	switch _, err := io.ReadFull(r, one[:]); err {
	case io.EOF:
	case nil:
		refuse("bytes after the array")
	default:
		panic(because("read to the end", err))
	}
}

// WriteZip writes an archive that numpy.load opens: the arrays in the given order, not compressed, dated 1980-01-01, so that
// equal arrays make equal bytes. Nothing is written when a name or a shape is wrong.
func WriteZip(w io.Writer, list ...Named) error {
	seen := map[string]bool{}
	for _, n := range list {
		if err := checkName(n.Name); err != nil {
			return err
		}
		if err := n.check(); err != nil {
			return fmt.Errorf("array %q: %w", n.Name, err)
		}
		if seen[n.Name] {
			return wrong("array %q appears twice", n.Name)
		}
		seen[n.Name] = true
	}
	z := zip.NewWriter(w)
	for _, n := range list {
		if err := writeMember(z, n); err != nil {
			return fmt.Errorf("array %q: %w", n.Name, err)
		}
	}
	return z.Close()
}

// writeMember goes over the array twice, so that size and checksum stand before the data and any unpacker can stream it.
func writeMember(z *zip.Writer, n Named) error {
	sum := crc32.NewIEEE()
	if err := Write(sum, n.Array); err != nil {
		return err
	}
	size := uint64(len(preamble(n.Shape)) + 8*len(n.Data))
	h := &zip.FileHeader{
		Name: n.Name + ".npy", Method: zip.Store,
		CRC32: sum.Sum32(), CompressedSize64: size, UncompressedSize64: size,
	}
	const newYear1980 = 1<<5 | 1 // MS-DOS: the year since 1980, the month, the day
	//lint:ignore SA1019 the field that replaces it would add an extra record, and differently by time zone
	h.ModifiedDate = newYear1980
	w, err := z.CreateRaw(h)
	if err != nil {
		return err
	}
	return Write(w, n.Array)
}
