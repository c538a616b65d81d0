package problem

import (
	"embed"
	"io/fs"
	"path"
	"strings"
)

//go:embed cases/*.yaml
var cases embed.FS

// Cases lists the names of the embedded specs.
func Cases() []string {
	files, _ := fs.Glob(cases, "cases/*.yaml") // only a bad pattern is an error
	var names []string
	for _, file := range files {
		if name := strings.TrimSuffix(path.Base(file), ".yaml"); !strings.Contains(name, ".") {
			names = append(names, name)
		}
	}
	return names
}

// Case returns the text of an embedded spec. Case(name + ".published") is the overlay, where there is one, that turns the
// case into the run that was published.
func Case(name string) (src []byte, ok bool) {
	src, err := cases.ReadFile("cases/" + name + ".yaml")
	return src, err == nil
}
