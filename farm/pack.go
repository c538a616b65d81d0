package farm

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/kedge-opt/kedge/folder"
)

// mostResult is how many bytes the files of a cell may have together.
const mostResult = 1 << 30

// pack writes the files of a cell as one archive: names in order, no times, no owners.
func pack(files map[string][]byte) ([]byte, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, name := range folder.CellNames() {
		text, ok := files[name]
		if !ok {
			continue
		}
		if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o644, Size: int64(len(text)), Format: tar.FormatUSTAR}); err != nil {
			return nil, err
		}
		if _, err := w.Write(text); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}

// unpack reads an archive that pack wrote: every file that a cell has, once, in order, and nothing else, down to the last byte. Files are parts of the
// archive's memory, so that no more is taken than has come.
func unpack(archive []byte) (map[string][]byte, error) {
	from := bytes.NewReader(archive)
	r, files := tar.NewReader(from), map[string][]byte{}
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		at := len(archive) - from.Len()
		switch _, twice := files[h.Name]; {
		case !slices.Contains(folder.CellNames(), h.Name) || h.Typeflag != tar.TypeReg:
			return nil, fmt.Errorf("a result holds %.100q, want %q", h.Name, folder.CellNames())
		case twice:
			return nil, fmt.Errorf("a result holds %s twice", h.Name)
		case h.Size < 0 || h.Size > int64(len(archive)-at):
			return nil, fmt.Errorf("a result holds %d bytes of %s, which says that it has %d", len(archive)-at, h.Name, h.Size)
		}
		files[h.Name] = archive[at : at+int(h.Size)]
	}
	if len(files) != len(folder.CellNames()) {
		return nil, fmt.Errorf("a result of %d files, want %q", len(files), folder.CellNames())
	}
	again, err := pack(files)
	if err == nil && !bytes.Equal(again, archive) {
		err = errors.New("a result is packed otherwise than kedge does")
	}
	return files, err
}
