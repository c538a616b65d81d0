//go:build !unix

package plain

import "os"

// openAtOnce looks before it opens, for here opening may wait.
func openAtOnce(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err == nil {
		err = checkMode(path, info)
	}
	if err != nil {
		return nil, err
	}
	return os.Open(path)
}
