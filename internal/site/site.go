package site

import (
	"bytes"
	_ "embed"
	"errors"
	"html/template"
	"io/fs"
	"maps"
	"path"
	"slices"
)

//go:embed page.html
var pageText string

//go:embed site.css
var styleText string

const styleFile = "site.css"

// Files are the files of a site, by name.
type Files map[string][]byte

// Make makes the site of a repository: a page for every document, the files that they link to, and a style. The error lists every link that
// leads nowhere.
func Make(repository fs.FS) (Files, error) {
	all, err := readDocuments(repository)
	if err != nil {
		return nil, err
	}
	l := &linker{repository, all, map[string]bool{}, map[string]bool{}}
	var errs []error
	for _, file := range slices.Sorted(maps.Keys(all)) {
		errs = append(errs, l.follow(all[file]))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	made := Files{styleFile: []byte(styleText)}
	list := chapters(all)
	if err := l.listFolders(list, made); err != nil {
		return nil, err
	}
	for file := range l.files {
		if made[file], err = fs.ReadFile(repository, file); err != nil {
			return nil, err
		}
	}
	return made, l.render(list, made)
}

// view is what a page is filled with.
type view struct {
	Title, Style string
	Home         bool
	Chapters     []viewChapter
	Body         template.HTML
}

type viewChapter struct {
	Title string
	Pages []viewPage
}

type viewPage struct {
	Title, Link string
	Here        bool
}

// render adds the pages of all documents.
func (l *linker) render(list []chapter, made Files) error {
	for file, d := range l.all {
		body, err := d.html()
		if err == nil {
			made[address(file)], err = fill(list, d.title, address(file), body)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// listFolders adds a page for every folder that is linked to and has no document of its own, and the files in it.
func (l *linker) listFolders(list []chapter, made Files) error {
	for folder := range l.folders {
		entries, err := fs.ReadDir(l.repository, folder)
		if err != nil {
			return err
		}
		var b bytes.Buffer
		b.WriteString("<h1>" + template.HTMLEscapeString(folder) + "</h1>\n<ul>\n")
		for _, e := range entries {
			if !e.Type().IsRegular() {
				continue
			}
			l.files[path.Join(folder, e.Name())] = true
			b.WriteString(`<li><a href="` + template.HTMLEscapeString(e.Name()) + `">` + template.HTMLEscapeString(e.Name()) + "</a></li>\n")
		}
		b.WriteString("</ul>\n")
		place := path.Join(folder, "index.html")
		if made[place], err = fill(list, folder, place, b.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// fill makes a page at an address.
func fill(list []chapter, title, place string, body []byte) ([]byte, error) {
	v := view{Title: title, Style: from(place, styleFile), Home: place == "index.html", Body: template.HTML(body)}
	for _, c := range list {
		shown := viewChapter{Title: c.title}
		for _, d := range c.pages {
			shown.Pages = append(shown.Pages, viewPage{d.title, from(place, address(d.file)), address(d.file) == place})
		}
		v.Chapters = append(v.Chapters, shown)
	}
	t, err := template.New("page").Parse(pageText)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = t.Execute(&b, v)
	return b.Bytes(), err
}
