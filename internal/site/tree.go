// Package site makes static pages of the documents of a repository: Markdown as HTML with a navigation, without scripts and without a
// network. A link or an anchor that leads nowhere is an error.
package site

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// document is a Markdown file that becomes a page.
type document struct {
	file    string // with slashes, from the root of the repository
	text    []byte
	tree    ast.Node
	title   string          // the first heading
	anchors map[string]bool // of its headings
}

// section is a part of the navigation.
type section struct {
	title string
	takes func(file string) bool
	first []string // files that come before the others, which are sorted by title
}

// sections are the parts of the navigation, in its order. A document belongs to the first that takes it.
func sections() []section {
	in := func(dir string) func(string) bool { return func(file string) bool { return path.Dir(file) == dir } }
	return []section{
		{"Start", func(file string) bool {
			return slices.Contains([]string{"README.md", "docs/tutorial/first-figure.md", "docs/command.md", "clients/python/README.md"}, file)
		}, []string{"README.md", "docs/tutorial/first-figure.md", "docs/command.md"}},
		{"Tutorials", in("docs/tutorial"), []string{"docs/tutorial/pricing.md"}},
		{"Reference", func(file string) bool {
			return slices.Contains([]string{"docs/methods.md", "docs/formula.md", "docs/NOTATION.md", "docs/GLOSSARY.md", "docs/REFERENCES.md"}, file)
		}, []string{"docs/formula.md", "docs/methods.md"}},
		{"Formats", in("docs/formats"), []string{"docs/formats/run.md"}},
		{"The project", func(string) bool { return true }, []string{"docs/ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"}},
	}
}

// chapter is a section with its documents.
type chapter struct {
	title string
	pages []*document
}

// chapters puts documents into sections; sections without any are left out.
func chapters(all map[string]*document) (list []chapter) {
	taken := map[string]bool{}
	for _, s := range sections() {
		c := chapter{title: s.title}
		for file, d := range all {
			if !taken[file] && s.takes(file) {
				taken[file] = true
				c.pages = append(c.pages, d)
			}
		}
		slices.SortFunc(c.pages, s.compare)
		if len(c.pages) > 0 {
			list = append(list, c)
		}
	}
	return list
}

func (s section) compare(a, b *document) int {
	place := func(d *document) int {
		if i := slices.Index(s.first, d.file); i >= 0 {
			return i
		}
		return len(s.first)
	}
	if order := place(a) - place(b); order != 0 {
		return order
	}
	return strings.Compare(strings.ToLower(a.title)+"\x00"+a.file, strings.ToLower(b.title)+"\x00"+b.file)
}

// isDocument tells whether a file of the repository becomes a page: all Markdown but what hidden folders and test data hold.
func isDocument(file string) bool {
	hidden := func(name string) bool { return strings.HasPrefix(name, ".") || name == "testdata" }
	return path.Ext(file) == ".md" && !slices.ContainsFunc(strings.Split(file, "/"), hidden)
}

// readDocuments reads all documents of a repository.
func readDocuments(repository fs.FS) (map[string]*document, error) {
	all := map[string]*document{}
	err := fs.WalkDir(repository, ".", func(file string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && file != "." && (strings.HasPrefix(e.Name(), ".") || slices.Contains([]string{"testdata", "dist", "runs", "site"}, file)):
			return fs.SkipDir
		case !e.Type().IsRegular() || !isDocument(file):
			return nil
		}
		text, err := fs.ReadFile(repository, file)
		if err != nil {
			return err
		}
		all[file] = parse(file, text)
		if all[file].title == "" {
			return fmt.Errorf("%s has no heading to be its title", file)
		}
		return nil
	})
	return all, err
}

// address is where a file of the repository is on the site.
func address(file string) string {
	switch dir, base := path.Split(file); {
	case base == "README.md":
		return dir + "index.html"
	case path.Ext(base) == ".md":
		return strings.TrimSuffix(file, ".md") + ".html"
	}
	return file
}

// from is an address as a page at another address links to it.
func from(here, there string) string {
	up := strings.Repeat("../", strings.Count(here, "/"))
	a, b := strings.Split(here, "/"), strings.Split(there, "/")
	for len(a) > 1 && len(b) > 1 && a[0] == b[0] {
		a, b = a[1:], b[1:]
		up = strings.TrimPrefix(up, "../")
	}
	return up + strings.Join(b, "/")
}
