package store

import (
	"archive/tar"
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/disk"
	"github.com/kedge-opt/kedge/internal/intake"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/session/replay"
)

// Files of a bundle; docs/formats/log.md describes them.
const (
	eventsFile   = "events.ndjson"
	samplesFile  = "samples.parquet"
	specFile     = "spec.yaml"
	manifestFile = "manifest.json"
	statesFolder = "states"
)

const bundleKind = "bundle"

// contents is the manifest of a bundle.
type contents struct {
	Format int                     `json:"format"`
	Kind   string                  `json:"kind"`
	Loop   string                  `json:"loop"`
	Seq    int                     `json:"seq"`
	Hash   session.Hash            `json:"hash"`
	Build  folder.Build            `json:"build"`
	Files  map[string]session.Hash `json:"files"` // SHA-256
}

func (c *contents) write(w io.Writer) error {
	to := json.NewEncoder(w)
	to.SetIndent("", "  ")
	return to.Encode(c)
}

// line is an event in a bundle.
type line struct {
	Loop string `json:"loop"`
	session.Event
}

// Export writes all of a loop to a folder that is not there yet, or is empty.
func Export(ctx context.Context, j session.Journal, loop, dir string) error {
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return fmt.Errorf("%s is not empty: %w", dir, os.ErrExist)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	out, err := ground().Open(dir)
	if err != nil {
		return err
	}
	defer out.Close()
	w := &packing{dir: out, journal: j, manifest: contents{Format: 1, Kind: bundleKind, Loop: loop, Build: folder.CurrentBuild(), Files: map[string]session.Hash{}}}
	if err := w.events(ctx); err != nil {
		return err
	}
	if w.manifest.Seq == 0 {
		return &session.Refusal{Type: session.NotFound, Detail: "there is no loop " + loop}
	}
	if err := w.fill(samplesFile, w.samples.write); err != nil {
		return err
	}
	if err := w.fill(specFile, func(w2 io.Writer) error { _, err := io.WriteString(w2, w.spec); return err }); err != nil {
		return err
	}
	if err := out.Replace(manifestFile, w.manifest.write); err != nil {
		return err
	}
	return out.Sync(".")
}

// packing is an export under way.
type packing struct {
	dir      *disk.Dir
	journal  session.Journal
	manifest contents
	samples  samples
	spec     string
}

// fill writes a file and notes its sum.
func (p *packing) fill(name string, write func(io.Writer) error) error {
	sum := sha256.New()
	err := p.dir.Fill(name, func(w io.Writer) error { return write(io.MultiWriter(w, sum)) })
	p.manifest.Files[name] = session.Hash(sum.Sum(nil))
	return err
}

func (p *packing) events(ctx context.Context) error {
	return p.fill(eventsFile, func(w io.Writer) error {
		to := json.NewEncoder(w)
		return p.journal.Read(ctx, p.manifest.Loop, 0, func(e session.Event) error {
			if err := to.Encode(line{p.manifest.Loop, e}); err != nil {
				return err
			}
			p.manifest.Seq, p.manifest.Hash = e.Seq, e.Hash
			return p.blobs(&e)
		})
	})
}

// blobs takes what an event names, unless it was dropped.
func (p *packing) blobs(e *session.Event) error {
	if spec := session.SpecOf(e); spec != "" {
		p.spec = spec
	}
	names, _, err := e.Blobs()
	for _, sum := range names {
		data, err := p.journal.Blob(p.manifest.Loop, sum)
		if errors.Is(err, session.ErrDropped) {
			continue
		}
		if err != nil {
			return err
		}
		if e.Kind == session.Compacted {
			if err := p.state(sum, data); err != nil {
				return err
			}
		} else if err := p.samples.add(e, data); err != nil {
			return err
		}
	}
	return err
}

func (p *packing) state(sum session.Hash, data []byte) error {
	if err := p.dir.Make(statesFolder); err != nil {
		return err
	}
	return p.fill(path.Join(statesFolder, sum.String()), func(w io.Writer) error { _, err := w.Write(data); return err })
}

// ExportTar writes all of a loop as a tar of the folder that Export makes.
func ExportTar(ctx context.Context, j session.Journal, loop string, w io.Writer) error {
	dir, err := os.MkdirTemp("", "kedge-export-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := Export(ctx, j, loop, dir); err != nil {
		return err
	}
	return tarFolder(w, os.DirFS(dir), loop)
}

// tarFolder writes the files of a folder under a name.
func tarFolder(w io.Writer, dir fs.FS, under string) error {
	t := tar.NewWriter(w)
	err := fs.WalkDir(dir, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		f, err := dir.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		return tarFile(t, f, under+"/"+name)
	})
	return errors.Join(err, t.Close())
}

func tarFile(t *tar.Writer, f fs.File, name string) error {
	info, err := f.Stat()
	if err == nil {
		err = t.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: info.Size(), Format: tar.FormatPAX})
	}
	if err == nil {
		_, err = io.Copy(t, f)
	}
	return err
}

// mostOfBundle bounds what a file of a bundle takes in memory.
const mostOfBundle = 4 << 30

// ReadBundle reads a bundle, a folder or a tar, into a journal in memory. All of it is checked: sums, chain and people.
func ReadBundle(ctx context.Context, file string) (_ *InMemory, loop string, err error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, "", err
	}
	if info.IsDir() {
		return unpackBundle(ctx, os.DirFS(file))
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, "", err
	}
	defer f.Close()
	return ReadTar(ctx, f)
}

// ReadTar reads a bundle that is a tar.
func ReadTar(ctx context.Context, r io.Reader) (*InMemory, string, error) {
	dir, err := os.MkdirTemp("", "kedge-bundle-")
	if err != nil {
		return nil, "", err
	}
	defer os.RemoveAll(dir)
	if err := untar(r, dir); err != nil {
		return nil, "", fmt.Errorf("the bundle cannot be unpacked: %w", err)
	}
	return unpackBundle(ctx, os.DirFS(dir))
}

func untar(r io.Reader, dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for t := tar.NewReader(r); ; {
		h, err := t.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		_, name, _ := strings.Cut(path.Clean(h.Name), "/")
		if h.Typeflag != tar.TypeReg || !fs.ValidPath(name) || h.Size > mostOfBundle {
			return fmt.Errorf("%q is no file of a bundle", h.Name)
		}
		if inside := path.Dir(name); inside != "." {
			if err := root.MkdirAll(inside, 0o700); err != nil {
				return err
			}
		}
		f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return err
		}
		_, err = io.Copy(f, t)
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
}

// isBundle tells whether a folder has the manifest of a bundle.
func isBundle(dir fs.FS) bool {
	text, err := readSome(dir, manifestFile, 1<<20)
	var m contents
	return err == nil && json.Unmarshal(text, &m) == nil && m.Kind == bundleKind
}

func readSome(dir fs.FS, name string, most int64) ([]byte, error) {
	f, err := dir.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("%s has more than %d bytes", name, most)
	}
	return text, err
}

func unpackBundle(ctx context.Context, dir fs.FS) (*InMemory, string, error) {
	text, err := readSome(dir, manifestFile, 1<<20)
	if err != nil {
		return nil, "", err
	}
	var m contents
	if err := intake.Decode(text, &m); err != nil {
		return nil, "", fmt.Errorf("%s: %w", manifestFile, err)
	}
	if m.Kind != bundleKind || m.Format != 1 {
		return nil, "", fmt.Errorf("%s is of a %s of format %d, want a bundle of format 1", manifestFile, m.Kind, m.Format)
	}
	u := unpacking{dir: dir, manifest: m, blobs: map[session.Hash][]byte{}}
	events, err := u.read()
	if err != nil {
		return nil, m.Loop, err
	}
	j := NewMemory()
	if err := j.Append(m.Loop, 0, events, nil)(); err != nil {
		return nil, m.Loop, err
	}
	if _, err := Check(ctx, j); err != nil {
		return nil, m.Loop, err
	}
	if last := events[len(events)-1]; last.Seq != m.Seq || last.Hash != m.Hash {
		return nil, m.Loop, &session.ChainError{Loop: m.Loop, Seq: last.Seq, Why: fmt.Sprintf("the manifest ends with event %d, hash %s", m.Seq, m.Hash)}
	}
	return j, m.Loop, nil
}

// unpacking is a bundle that is being read.
type unpacking struct {
	dir      fs.FS
	manifest contents
	blobs    map[session.Hash][]byte
}

func (u *unpacking) read() ([]session.Event, error) {
	for _, name := range []string{eventsFile, samplesFile, specFile} {
		if _, listed := u.manifest.Files[name]; !listed {
			return nil, fmt.Errorf("%s does not list %s", manifestFile, name)
		}
	}
	files := map[string][]byte{}
	for name, sum := range u.manifest.Files {
		if !fs.ValidPath(name) {
			return nil, fmt.Errorf("%s lists %q", manifestFile, name)
		}
		data, err := readSome(u.dir, name, mostOfBundle)
		if err != nil {
			return nil, err
		}
		files[name] = data
		if strings.HasPrefix(name, statesFolder+"/") {
			u.blobs[session.Hash(sha256.Sum256(data))] = data
		}
		if session.Hash(sha256.Sum256(data)) != sum && name != eventsFile { // of events the chain says which one
			return nil, fmt.Errorf("%s: %w", name, folder.ErrChanged)
		}
	}
	if err := readSamples(files[samplesFile], u.blobs); err != nil {
		return nil, fmt.Errorf("%s: %w", samplesFile, err)
	}
	events, err := u.events(files[eventsFile])
	if err == nil && session.Hash(sha256.Sum256(files[eventsFile])) != u.manifest.Files[eventsFile] {
		err = fmt.Errorf("%s: %w", eventsFile, folder.ErrChanged)
	}
	return events, err
}

// events are checked as they are read, so that a fault is told with its event.
func (u *unpacking) events(text []byte) (all []session.Event, err error) {
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var last session.Event
		if n := len(all); n > 0 {
			last = all[n-1]
		}
		var l line
		err := intake.Decode(lines.Bytes(), &l)
		if err == nil && l.Loop != u.manifest.Loop {
			err = fmt.Errorf("it is of loop %s", l.Loop)
		}
		if err == nil {
			err = l.Follow(u.manifest.Loop, last.Seq, last.Hash)
		}
		var broken *session.ChainError
		if err != nil && !errors.As(err, &broken) {
			err = &session.ChainError{Loop: u.manifest.Loop, Seq: last.Seq + 1, Why: err.Error()}
		}
		if err != nil {
			return nil, err
		}
		e := l.Event
		e.Body = slices.Clone(e.Body)
		names, _, err := e.Blobs()
		if err != nil {
			return nil, &session.ChainError{Loop: u.manifest.Loop, Seq: e.Seq, Why: err.Error()}
		}
		for _, sum := range names {
			e.Blob = u.blobs[sum]
		}
		all = append(all, e)
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, errors.New("the bundle has no events")
	}
	return all, nil
}

// Import takes the loop of a bundle into a journal that has none of that name, where it begins another epoch.
func Import(ctx context.Context, to session.Journal, clock session.Clock, plan session.Planner, m *InMemory, loop string) error {
	if session.IsOwn(loop) {
		return &session.Refusal{Type: session.Malformed, Detail: "no loop can be called " + loop}
	}
	all, err := whole(ctx, m, loop)
	if err != nil {
		return err
	}
	if _, err := replay.Loop(ctx, m, loop, plan); err != nil {
		return &session.Refusal{Type: session.Malformed, Detail: fmt.Sprintf("the bundle does not replay here: %v", err)}
	}
	if all, err = renewed(ctx, clock, plan, loop, all, "import", session.Renew{Epoch: session.NewEpoch(), Reason: "imported", Imported: true}); err != nil {
		return err
	}
	err = to.Append(loop, 0, all, nil)()
	if errors.Is(err, session.ErrConflict) {
		return &session.Refusal{Type: session.NameTaken, Detail: fmt.Sprintf("there is a loop %s already; its name is part of its hashes, so that it cannot be imported under another", loop)}
	}
	return err
}

// renewed is the events of a loop with those that begin another epoch, so that all of them are written at once: what is there must not go on in the old one.
func renewed(ctx context.Context, clock session.Clock, plan session.Planner, loop string, all []session.Event, actor string, renew session.Renew) ([]session.Event, error) {
	m := NewMemory()
	if err := m.Append(loop, 0, all, nil)(); err != nil {
		return nil, err
	}
	if _, err := session.NewFleet(m, clock, plan, nil).Do(ctx, loop, actor, renew); err != nil {
		return nil, err
	}
	return whole(ctx, m, loop)
}

// whole is all events of a loop, with the blobs that are there.
func whole(ctx context.Context, j session.Journal, loop string) (all []session.Event, err error) {
	err = j.Read(ctx, loop, 0, func(e session.Event) error {
		names, _, err := e.Blobs()
		for _, sum := range names {
			data, err := j.Blob(loop, sum)
			if err != nil && !errors.Is(err, session.ErrDropped) {
				return err
			}
			e.Blob = data
		}
		all = append(all, e)
		return err
	})
	return all, err
}

// Unpack makes a folder of a bundle that is a tar.
func Unpack(r io.Reader, dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return untar(r, dir)
}
