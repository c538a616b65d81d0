package command

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/kedge-opt/kedge/internal/room"
)

// memoryFlag is --memory: how much may be taken. It sets the limit as soon as it is read.
type memoryFlag struct{ text string }

// String returns what was typed.
func (m *memoryFlag) String() string { return m.text }

// Type is the word for the value in help.
func (*memoryFlag) Type() string { return "size" }

// Set reads a size such as 500MB, 30GB or 2GiB.
func (m *memoryFlag) Set(text string) error {
	bytes, err := parseSize(text)
	if err != nil {
		return err
	}
	room.SetMemory(bytes)
	m.text = text
	return nil
}

func parseSize(text string) (int64, error) {
	units := []struct {
		name  string
		bytes float64
	}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"B", 1}}
	for _, u := range units {
		number, found := strings.CutSuffix(text, u.name)
		v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if found && err == nil && v*u.bytes >= 1 && v*u.bytes < 1<<62 {
			return int64(v * u.bytes), nil
		}
	}
	return 0, fmt.Errorf("want a number with a unit, as in 500MB, 30GB or 2GiB")
}

// fitsDisk tells whether there is room for so many bytes where a folder will be. Where nobody knows, there is.
func fitsDisk(dir string, need float64) error {
	have := room.Disk(dir)
	if !have.Known() || need <= float64(have.Bytes) {
		return nil
	}
	return &DiskError{dir, need, float64(have.Bytes)}
}

// bytesBelow adds up the files below folders, as far as they can be seen.
func bytesBelow(dirs []string) (sum float64) {
	for _, dir := range dirs {
		_ = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
			if err != nil {
				return nil // whoever reads the folder says what is wrong with it
			}
			if info, err := e.Info(); err == nil && e.Type().IsRegular() {
				sum += float64(info.Size())
			}
			return nil
		})
	}
	return sum
}

// DiskError says that a folder would not fit.
type DiskError struct {
	Dir        string
	Need, Have float64 // bytes; what is needed is estimated
}

func (e *DiskError) Error() string {
	return fmt.Sprintf("%s would take about %s, and %s are free on that disk; measure fewer turns (record.every) or trials, or choose another folder with --out",
		e.Dir, room.Size(e.Need), room.Size(e.Have))
}
