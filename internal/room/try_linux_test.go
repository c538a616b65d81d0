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

// Who tries keeps no file open.
func TestTriesAreClosed(t *testing.T) {
	dir := t.TempDir()
	open := func() int {
		list, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	before := open()
	for range 20 {
		if err := tryNamed(dir); err != nil {
			t.Fatal(err)
		}
		if err := try(dir); err != nil {
			t.Fatal(err)
		}
	}
	if after := open(); after > before+5 {
		t.Errorf("%d files are open, %d were", after, before)
	}
}
