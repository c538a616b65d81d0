package npy

import (
	"archive/zip"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strings"
)

// ReadZip reads every array of an archive, in the archive's order.
func ReadZip(r io.ReaderAt, size int64, lim Limits) ([]Named, error) {
	files, err := members(r, size)
	if err != nil {
		return nil, err
	}
	left := lim.unpacked(size)
	var list []Named
	for _, f := range files {
		a, used, err := readMember(f, left)
		if err != nil {
			return nil, err
		}
		left -= used
		list = append(list, Named{memberName(f), a})
	}
	return list, nil
}

// ReadMember reads one array of an archive; name is without ".npy".
func ReadMember(r io.ReaderAt, size int64, name string, lim Limits) (Array, error) {
	files, err := members(r, size)
	if err != nil {
		return Array{}, err
	}
	var names []string
	for _, f := range files {
		if memberName(f) == name {
			a, _, err := readMember(f, lim.unpacked(size))
			return a, err
		}
		names = append(names, memberName(f))
	}
	return Array{}, &FormatError{Member: name, What: "not in the archive, which holds " + strings.Join(names, ", ")}
}

// members lists the archive's files after checking their names.
func members(r io.ReaderAt, size int64) ([]*zip.File, error) {
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, &FormatError{What: "open archive", Err: err}
	}
	seen := map[string]bool{}
	for _, f := range z.File {
		stem, ok := strings.CutSuffix(f.Name, ".npy")
		if err := checkName(stem); err != nil || !ok {
			return nil, wrong("archive holds %q, want plain names that end in .npy", f.Name)
		}
		if seen[stem] {
			return nil, wrong("archive holds %q twice", f.Name)
		}
		seen[stem] = true
	}
	return z.File, nil
}

func memberName(f *zip.File) string { return strings.TrimSuffix(f.Name, ".npy") }

// checkName refuses what could be taken for a path.
func checkName(name string) error {
	if name == "" || name == "." || name == ".." || strings.ContainsAny(name, "/\\:\x00") {
		return wrong("%q is no plain name", name)
	}
	return nil
}

// readMember reads f to its end, which also checks its checksum, and tells how many bytes it unpacked.
func readMember(f *zip.File, left int64) (a Array, used int64, err error) {
	rc, err := f.Open()
	if err != nil {
		return a, 0, inMember(f, &FormatError{What: "open", Err: err})
	}
	defer rc.Close()
	if left < 1 {
		return a, 0, inMember(f, wrong("the archive unpacks to more than the limit"))
	}
	lr := &io.LimitedReader{R: rc, N: left}
	if a, err = Read(lr, Limits{Bytes: left}); err != nil {
		return Array{}, 0, inMember(f, err)
	}
	var one [1]byte
	switch _, err := io.ReadFull(rc, one[:]); err {
	case io.EOF:
		return a, left - lr.N, nil
	case nil:
		return Array{}, 0, inMember(f, wrong("bytes after the array"))
	default:
		return Array{}, 0, inMember(f, &FormatError{What: "read to the end", Err: err})
	}
}

// inMember adds the member's name to an error of its array.
func inMember(f *zip.File, err error) error {
	var fe *FormatError
	if errors.As(err, &fe) {
		fe.Member = memberName(f)
	}
	return err
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
