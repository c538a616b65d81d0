package board

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// Planted is a fault that a test must notice: whoever broke the code like this would be told.
type Planted struct {
	Name  string
	Where string   // the file or folder that has the lines
	Lines []string // as they stand, each followed by what is planted in their place
	Pack  string   // of the test
	Test  string
	Says  string // of what is printed; empty: that the test fails
}

// Find returns the files of a fault with the fault in them. Every line must be there once.
func (p Planted) Find(module fs.FS) (planted map[string]string, err error) {
	texts := map[string]string{}
	err = fs.WalkDir(module, path.Clean(p.Where), func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return err
		}
		text, err := fs.ReadFile(module, file)
		texts[file] = string(text)
		return err
	})
	if err != nil {
		return nil, err
	}
	planted = map[string]string{}
	for i := 0; i < len(p.Lines); i += 2 {
		var file string
		times := 0
		for name, text := range texts {
			if n := strings.Count(text, p.Lines[i]); n > 0 {
				file, times = name, times+n
			}
		}
		if times != 1 {
			return nil, fmt.Errorf("%s: %s has the line %q %d times, want once: plant the fault where the code is now", p.Name, p.Where, p.Lines[i], times)
		}
		texts[file] = strings.Replace(texts[file], p.Lines[i], p.Lines[i+1], 1)
		planted[file] = texts[file]
	}
	return planted, nil
}
