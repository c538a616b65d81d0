package site

import (
	"net/url"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/yuin/goldmark/ast"
)

// The documents of this repository make a site: every page is there, and every link in it leads to a file and an anchor of the site,
// looked for in the finished HTML and not in the documents. Nothing is fetched and nothing runs.
func TestSiteOfThisRepository(t *testing.T) {
	files, err := Make(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range []string{"index.html", "docs/command.html", "docs/tutorial/first-figure.html", "clients/python/index.html", "CHANGELOG.html"} {
		if files[page] == nil {
			t.Errorf("%s is missing", page)
		}
	}
	link := regexp.MustCompile(`(?:href|src)="([^"]*)"`)
	links := 0
	for name, text := range files {
		if path.Ext(name) != ".html" {
			continue
		}
		for _, hit := range link.FindAllStringSubmatch(string(text), -1) {
			links++
			if wrong := follow(files, name, strings.ReplaceAll(hit[1], "&amp;", "&")); wrong != "" {
				t.Errorf("%s: %s: %s", name, hit[1], wrong)
			}
		}
		if fetched := regexp.MustCompile(`<script|<iframe|(src|stylesheet" href)="http|@import`).Find(text); fetched != nil {
			t.Errorf("%s has %s", name, fetched)
		}
	}
	if links < 1000 {
		t.Errorf("only %d links were looked at", links)
	}
}

// follow says what is wrong with a link of a page.
func follow(files Files, page, to string) string {
	u, err := url.Parse(to)
	switch {
	case err != nil:
		return err.Error()
	case u.Scheme != "":
		return ""
	}
	target := page
	if u.Path != "" {
		target = path.Join(path.Dir(page), u.Path)
	}
	text, ok := files[target]
	switch {
	case !ok:
		return "no such file"
	case u.Fragment != "" && !strings.Contains(string(text), `id="`+u.Fragment+`"`):
		return "no such anchor"
	}
	return ""
}

// A link that leads nowhere is named with file and line, all of them at once.
func TestLinksThatLeadNowhere(t *testing.T) {
	good := fstest.MapFS{
		"README.md":     {Data: []byte("# Home\n\n[there](docs/a.md#two-words) [file](LICENSE) [folder](examples) ![drawn](b.svg) [far](https://example.org/x.md) [here](#home)\n")},
		"docs/a.md":     {Data: []byte("# A\n\n## Two words\n\n[back](..)\n")},
		"LICENSE":       {Data: []byte("free")},
		"b.svg":         {Data: []byte("<svg/>")},
		"examples/x.go": {Data: []byte("package x")},
	}
	files, err := Make(good)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"index.html":          `<a href="docs/a.html#two-words">`,
		"docs/a.html":         `<a href="../index.html">back</a>`,
		"examples/index.html": `<a href="x.go">x.go</a>`,
		"examples/x.go":       "package x",
		"LICENSE":             "free",
		"b.svg":               "<svg/>",
	} {
		if !strings.Contains(string(files[name]), want) {
			t.Errorf("%s has no %s:\n%s", name, want, files[name])
		}
	}
	for text, want := range map[string]string{
		"# Home\n\ntext\n\n[x](nosuch.md)\n":    `README.md:5: the link "nosuch.md" leads nowhere`,
		"# Home\n\n[x](docs/a.md#three)\n":      "README.md:3: the link \"docs/a.md#three\": docs/a.md has no heading #three",
		"# Home\n\n- a\n- [x](/etc/passwd)\n":   `README.md:4: the link "/etc/passwd" is absolute`,
		"# Home\n\n![x](c.svg)\n":               `README.md:3: the link "c.svg" leads nowhere`,
		"# Home\n\n[x](../outside.md)\n":        `README.md:3: the link "../outside.md" leads nowhere`,
		"# Home\n\n| a |\n|---|\n| [x](no) |\n": `the link "no" leads nowhere`,
		"no heading\n":                          "README.md has no heading",
	} {
		bad := fstest.MapFS{"README.md": {Data: []byte(text)}, "docs/a.md": good["docs/a.md"]}
		if _, err := Make(bad); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// Documents cannot bring scripts.
func TestRawHTMLIsLeftOut(t *testing.T) {
	files, err := Make(fstest.MapFS{"README.md": {Data: []byte("# A <script>alert(1)</script>\n\n<script>alert(2)</script>\n\n[x](javascript:alert)\n")}})
	if text := string(files["index.html"]); err != nil || strings.Contains(text, "<script") || strings.Contains(text, "javascript:") {
		t.Errorf("%v\n%s", err, text)
	}
}

// Anchors are those that hosts of repositories make, so that links work there and here.
func TestAnchors(t *testing.T) {
	a := &anchors{used: map[string]bool{}}
	for _, c := range [][2]string{
		{"Without Go", "without-go"}, {"Adding a set", "adding-a-set"}, {"`kedge run` & co.", "kedge-run--co"}, {"Dörfler's Φ̃", "dörflers-φ"},
		{"A_b-c 2.0", "a_b-c-20"}, {"Without Go", "without-go-1"}, {"Without Go", "without-go-2"},
	} {
		if got := string(a.Generate([]byte(c[0]), ast.KindHeading)); got != c[1] {
			t.Errorf("%q has the anchor %q, want %q", c[0], got, c[1])
		}
	}
}

func TestLinksFromPageToPage(t *testing.T) {
	for _, c := range [][3]string{
		{"index.html", "docs/a.html", "docs/a.html"}, {"docs/a.html", "index.html", "../index.html"}, {"docs/a.html", "docs/b.html", "b.html"},
		{"docs/t/a.html", "docs/f/b.html", "../f/b.html"}, {"a/b/c.html", "x.css", "../../x.css"},
	} {
		if got := from(c[0], c[1]); got != c[2] {
			t.Errorf("from %s to %s: %s, want %s", c[0], c[1], got, c[2])
		}
	}
}
