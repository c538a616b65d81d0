package folder

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"iter"
	"maps"
	"slices"

	"github.com/kedge-opt/kedge/internal/disk"
)

// Contents are files of a folder: by name, what writes each.
type Contents map[string]func(io.Writer) error

// With returns the contents and files whose bytes are known.
func (c Contents) With(files map[string][]byte) Contents {
	all := maps.Clone(c)
	for name, data := range files {
		all[name] = asBytes(data)
	}
	return all
}

// names are the names of the files, sorted.
func (c Contents) names() []string { return slices.Sorted(maps.Keys(c)) }

// AsJSON is the content of a file that holds a value as WriteJSON writes it.
func AsJSON(v any) func(io.Writer) error {
	return func(w io.Writer) error { return WriteJSON(w, v) }
}

// AsTimes is the content of times.json, which, since the manifest cannot, has its own checksum.
func AsTimes(v any) func(io.Writer) error { return asSummed(v) }

// asSummed is the content of a file that holds an object with its own checksum.
func asSummed(v any) func(io.Writer) error {
	return func(w io.Writer) error {
		var b bytes.Buffer
		if err := WriteJSON(&b, v); err != nil {
			return err
		}
		_, err := w.Write(withSum(b.Bytes()))
		return err
	}
}

func asText(text string) func(io.Writer) error { return asBytes([]byte(text)) }

func asBytes(data []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}
}

// WriteFile writes a file so that it is there whole or not at all.
func WriteFile(path string, write func(io.Writer) error) error {
	return disk.Disk{}.WriteFile(path, write)
}

// WriteJSON writes a value as the files of folders have it.
func WriteJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// writeList writes a list that is not empty as WriteJSON does within a value, without the end of its line. However long it is, an entry is in memory at a time.
func writeList[T any](w io.Writer, prefix string, list iter.Seq[T]) error {
	var b bytes.Buffer
	e, out, between := json.NewEncoder(&b), bufio.NewWriter(w), "[\n"
	e.SetIndent(prefix+"  ", "  ")
	for one := range list {
		b.Reset()
		b.WriteString(between + prefix + "  ")
		if err := e.Encode(one); err != nil {
			return err
		}
		out.Write(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
		between = ",\n"
	}
	out.WriteString("\n" + prefix + "]")
	return out.Flush()
}

// sumKey begins the last line of an object that has its own checksum.
const sumKey = ",\n  \"sha256\": \""

// withSum adds to an object, as WriteJSON writes it, the SHA-256 of its text as the last field.
func withSum(text []byte) []byte {
	h := sha256.Sum256(text)
	return fmt.Appendf(bytes.TrimSuffix(text, []byte("\n}\n")), "%s%x\"\n}\n", sumKey, h)
}

// checkSum returns the text to which withSum has added its checksum; false if it is not that text any more.
func checkSum(text []byte) (bare []byte, ok bool) {
	at := bytes.LastIndex(text, []byte(sumKey))
	if at < 0 {
		return nil, false
	}
	bare = append(bytes.Clone(text[:at]), "\n}\n"...)
	return bare, bytes.Equal(withSum(bytes.Clone(bare)), text)
}

// summer hashes and counts what is written to it.
type summer struct {
	hash.Hash
	bytes int64
}

func newSummer() *summer { return &summer{Hash: sha256.New()} }

func (s *summer) Write(p []byte) (int, error) {
	s.bytes += int64(len(p))
	return s.Hash.Write(p)
}

func (s *summer) file() File { return File{s.bytes, hex.EncodeToString(s.Sum(nil))} }

func sumOfText(text []byte) File {
	return File{int64(len(text)), fmt.Sprintf("%x", sha256.Sum256(text))}
}

// sumOf hashes what is left of a file.
func sumOf(f io.Reader) (File, error) {
	s := newSummer()
	_, err := io.Copy(s, f)
	return s.file(), err
}

// readAll reads a file of a folder, of at most so many bytes.
func readAll(dir *disk.Dir, name string, most int64) ([]byte, error) {
	f, err := dir.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := within(f, most)
	if err != nil {
		err = fmt.Errorf("%s: %w", dir.Path(name), err)
	}
	return text, err
}

// within reads what is left of a file, which must not be more than so many bytes.
func within(f io.Reader, most int64) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("more than %d bytes, which is all that is read", most)
	}
	return text, err
}
