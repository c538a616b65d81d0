package room

import (
	"os"
	"testing"
)

// Nobody sees how it is tried: a second process that looks at that moment would take the file for one of the user's, and one that is left
// by a process that died stays. Before, both were so.
func TestWritableIsUnseen(t *testing.T) {
	dir := t.TempDir()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 2000 {
			if err := Writable(dir); err != nil {
				t.Error(err)
			}
		}
	}()
	for {
		select {
		case <-done:
			return
		default:
		}
		if names, err := os.ReadDir(dir); err != nil || len(names) > 0 {
			t.Errorf("seen: %v, %v", names, err)
			<-done
			return
		}
	}
}
