package release

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/flate"
	"compress/gzip"
	"io"
	"io/fs"
	"slices"
	"time"
)

// entry is a file of an archive.
type entry struct {
	name  string // with slashes
	mode  int64  // its permissions
	bytes []byte
}

const (
	plainMode   = 0o644
	programMode = 0o755
)

// sorted puts entries in the order of their names, so that it does not depend on who made them.
func sorted(list []entry) []entry {
	return slices.SortedFunc(slices.Values(list), func(a, b entry) int { return cmp.Compare(a.name, b.name) })
}

// tarball packs entries, all of one time and nobody's.
func tarball(list []entry, at time.Time) ([]byte, error) {
	var b bytes.Buffer
	g := gzip.NewWriter(&b)
	w := tar.NewWriter(g)
	for _, e := range sorted(list) {
		head := &tar.Header{Typeflag: tar.TypeReg, Name: e.name, Mode: e.mode, Size: int64(len(e.bytes)), ModTime: at, Format: tar.FormatUSTAR}
		if err := w.WriteHeader(head); err != nil {
			return nil, err
		}
		if _, err := w.Write(e.bytes); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	err := g.Close()
	return b.Bytes(), err
}

// zipped packs entries in their order, all of one time.
func zipped(list []entry, at time.Time) ([]byte, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	w.RegisterCompressor(zip.Deflate, func(out io.Writer) (io.WriteCloser, error) { return flate.NewWriter(out, flate.DefaultCompression) })
	for _, e := range list {
		head := &zip.FileHeader{Name: e.name, Method: zip.Deflate, Modified: at}
		head.SetMode(fs.FileMode(e.mode))
		f, err := w.CreateHeader(head)
		if err != nil {
			return nil, err
		}
		if _, err := f.Write(e.bytes); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}
