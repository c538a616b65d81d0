package release

import (
	"bytes"
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/kedge-opt/kedge/folder"
)

// Making is what is to be made.
type Making struct {
	Root      string     // of kedge's tree
	Out       string     // the folder for what is made; what it holds under other names stays
	Platforms []Platform // that archives and wheels are made for
	Modified  bool       // also of a tree that no revision has
	Key       string     // the file of the ed25519 key that signs the checksums; empty: nobody does
	Log       io.Writer

	flags []string // of go build; for users those that make programs independent of where they were built
}

// Make builds the command for every target, starts it where that can be done, and writes archives, wheels, bills of materials and
// SHA256SUMS, signed if there is a key. Nothing is written unless all was made.
func Make(ctx context.Context, o Making) error {
	o.flags = []string{"-trimpath"}
	return o.make(ctx)
}

func (o Making) make(ctx context.Context) error {
	python, err := readClient(o.Root)
	if err != nil {
		return err
	}
	if python.version != folder.Version {
		return fmt.Errorf("clients/python/pyproject.toml has version %s and folder.Version is %s: make them agree", python.version, folder.Version)
	}
	work, err := os.MkdirTemp("", "kedge-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	host, err := compile(ctx, o.Root, work, Host(), o.flags...)
	if err != nil {
		return err
	}
	if (host.revision == "" || host.modified) && !o.Modified {
		return errChanged
	}
	shared, err := papers(ctx, o.Root, host)
	if err != nil {
		return err
	}
	made := map[string][]byte{}
	for _, t := range o.Platforms {
		p := host
		if t != Host() {
			if p, err = compile(ctx, o.Root, work, t, o.flags...); err != nil {
				return err
			}
		}
		if err := o.add(ctx, made, p, shared, python); err != nil {
			return err
		}
	}
	made[sumsFile] = sums(made)
	if o.Key != "" {
		if made[signFile], err = sign(o.Key, made[sumsFile]); err != nil {
			return err
		}
	}
	return o.write(made)
}

// add makes what one target gets.
func (o Making) add(ctx context.Context, made map[string][]byte, p program, shared []entry, python *client) error {
	skipped, err := p.start(ctx)
	if err != nil {
		return err
	}
	command, err := os.ReadFile(p.path)
	if err != nil {
		return err
	}
	put := func(name string, packed []byte, err error) error {
		if err == nil {
			made[name] = packed
		}
		return err
	}
	err = put(archive(p.Platform, command, shared, p.at))
	if err == nil && p.tags() != nil {
		err = put(python.wheel(p.Platform, command, p.at))
	}
	if err == nil {
		err = put(o.bill(ctx, p))
	}
	if err != nil {
		return err
	}
	started := "started"
	if skipped != "" {
		started = "not started: " + skipped
	}
	_, err = fmt.Fprintf(o.Log, "%v: %.12s, %s\n", p.Platform, p.revision, started)
	return err
}

// bill lists what a program is made of.
func (o Making) bill(ctx context.Context, p program) (name string, text []byte, err error) {
	info, err := buildinfo.ReadFile(p.path)
	if err != nil {
		return "", nil, err
	}
	parts, err := Materials(ctx, o.Root, p.Platform, "./cmd/kedge")
	if err != nil {
		return "", nil, err
	}
	return billOf(p, info, parts)
}

// papers are the files that every archive has: licence, documents, and completions as the command writes them.
func papers(ctx context.Context, root string, host program) (list []entry, err error) {
	for to, from := range map[string]string{"LICENSE": "LICENSE", "README.md": "README.md", "CHANGELOG.md": "CHANGELOG.md", "CITATION.cff": "CITATION.cff", "command.md": "docs/command.md"} {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(from)))
		if err != nil {
			return nil, err
		}
		list = append(list, entry{to, plainMode, text})
	}
	for shell, file := range map[string]string{"bash": "kedge.bash", "zsh": "_kedge", "fish": "kedge.fish", "powershell": "kedge.ps1"} {
		text, err := host.output(ctx, "completion", shell)
		if err != nil {
			return nil, err
		}
		list = append(list, entry{"completions/" + file, plainMode, text})
	}
	return list, nil
}

// archive packs the command and the papers into one folder: a zip where that is usual.
func archive(t Platform, command []byte, shared []entry, at time.Time) (name string, packed []byte, err error) {
	stem := t.stem(folder.Version)
	files := append(slices.Clone(shared), entry{t.program(), programMode, command})
	for i := range files {
		files[i].name = stem + "/" + files[i].name
	}
	if t.OS == "windows" {
		packed, err = zipped(sorted(files), at)
		return stem + ".zip", packed, err
	}
	packed, err = tarball(files, at)
	return stem + ".tar.gz", packed, err
}

// sums is the file that sha256sum -c reads.
func sums(made map[string][]byte) []byte {
	var b bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(made)) {
		fmt.Fprintf(&b, "%x  %s\n", sha256.Sum256(made[name]), name)
	}
	return b.Bytes()
}

// write puts everything into the folder, the checksums last.
func (o Making) write(made map[string][]byte) error {
	if err := os.MkdirAll(o.Out, 0o755); err != nil {
		return err
	}
	for _, name := range slices.Backward(slices.Sorted(maps.Keys(made))) { // capitals sort before small letters
		path := filepath.Join(o.Out, name)
		if err := folder.WriteFile(path, func(w io.Writer) error { _, err := w.Write(made[name]); return err }); err != nil {
			return err
		}
		if _, err := fmt.Fprintf(o.Log, "%9d  %s\n", len(made[name]), path); err != nil {
			return err
		}
	}
	return nil
}
