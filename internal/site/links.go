package site

import (
	"errors"
	"io/fs"
	"net/url"
	"path"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// linker follows the links of documents into the repository.
type linker struct {
	repository fs.FS
	all        map[string]*document
	files      map[string]bool // that are linked to and no documents
	folders    map[string]bool // that are linked to and have no README.md
}

// follow checks the links of a document and turns them into those of the site.
func (l *linker) follow(d *document) error {
	var errs []error
	each(d.tree, func(n ast.Node) {
		var to *[]byte
		switch n := n.(type) {
		case *ast.Link:
			to = &n.Destination
		case *ast.Image:
			to = &n.Destination
		default:
			return
		}
		there, err := l.resolve(d, n, string(*to))
		errs = append(errs, err)
		*to = []byte(there)
	})
	return errors.Join(errs...)
}

// resolve is where a link of a document leads on the site. Links to other hosts stay as they are.
func (l *linker) resolve(d *document, n ast.Node, to string) (string, error) {
	u, err := url.Parse(to)
	switch {
	case err != nil:
		return "", d.fault(n, "the link %q: %w", to, err)
	case u.Scheme != "" || u.Host != "":
		return to, nil
	case strings.HasPrefix(u.Path, "/"):
		return "", d.fault(n, "the link %q is absolute; write it from the document on", to)
	}
	file := d.file
	if u.Path != "" {
		file = path.Join(path.Dir(d.file), u.Path)
	}
	file, err = l.find(file)
	if err != nil {
		return "", d.fault(n, "the link %q leads nowhere: %w", to, err)
	}
	there := from(address(d.file), address(file))
	if u.Fragment == "" {
		return there, nil
	}
	if target := l.all[file]; target == nil || !target.anchors[u.Fragment] {
		return "", d.fault(n, "the link %q: %s has no heading #%s", to, file, u.Fragment)
	}
	if file == d.file {
		there = ""
	}
	return there + "#" + u.EscapedFragment(), nil
}

// find is the file that a link means: of a folder its README.md, or else a page that lists its files.
func (l *linker) find(file string) (string, error) {
	info, err := fs.Stat(l.repository, file)
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		if l.all[file] == nil {
			l.files[file] = true
		}
		return file, nil
	}
	readme := path.Join(file, "README.md")
	if l.all[readme] == nil {
		l.folders[file] = true
	}
	return readme, nil
}
