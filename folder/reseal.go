package folder

import (
	"fmt"
	"path/filepath"
)

// Reseal renews what the manifest of a finished folder says of some of its files, which were written anew or added. The
// other files are left as the manifest has them.
func Reseal(dir string, names ...string) error {
	m, err := ReadManifest(dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		if m.Files[name], err = settled(filepath.Join(dir, filepath.FromSlash(name))); err != nil {
			return fmt.Errorf("seal %s: %w", dir, err)
		}
	}
	return Contents{manifestFile: AsJSON(m)}.Write(dir)
}
