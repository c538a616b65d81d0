package room

import (
	"errors"
	"testing"
	"testing/fstest"
)

// halved are files of which the beginning alone can be read.
type halved struct{ fstest.MapFS }

func (f halved) ReadFile(name string) ([]byte, error) {
	return f.MapFS[name].Data[:2], errors.New("the rest cannot be read")
}

// A number of which only the first digits were read is none.
func TestNumbersThatAreCut(t *testing.T) {
	files := fstest.MapFS{"now": file("123\n")}
	if whole, half := entry(files, "now", ""), entry(halved{files}, "now", ""); whole != 123 || half != -1 {
		t.Errorf("%d, and %d of what cannot be read", whole, half)
	}
}
