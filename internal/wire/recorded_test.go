package wire_test

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/internal/wire"
)

// Contents with one byte changed, or cut, under a checksum that is right, are read or refused in words as when this was recorded.
func TestChangedContentsAsRecorded(t *testing.T) {
	frame := every(t)[len("before"):]
	content := frame[1+len("every/2")+8 : len(frame)-4]
	var got []string
	last := ""
	see := func(what string, content []byte) {
		e, err := read(seal(content))
		said := fmt.Sprint(err)
		if err == nil {
			b, _ := wire.Append(nil, "every/2", e.fields)
			said = fmt.Sprint("read, and written the same: ", bytes.Equal(b, seal(content)))
		}
		if said != last {
			got, last = append(got, what+": "+said), said
		}
	}
	for i := range content {
		for _, add := range []byte{1, 0x80} {
			changed := bytes.Clone(content)
			changed[i] += add
			see(fmt.Sprintf("from byte %d by %d", i, add), changed)
		}
	}
	for n := range content {
		see(fmt.Sprintf("from %d bytes", n), content[:n])
	}
	evidence.AsRecorded(t, "testdata/changed.txt", got)
}

// Nothing is no frame, one byte is none, and who finds another kind says which.
func TestWordsOfFrames(t *testing.T) {
	for _, data := range [][]byte{nil, {}, {0}, {1}, {0, 0, 0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0, 0, 0, 0}} {
		var e *wire.Error
		if _, _, _, err := wire.Split(data); !errors.As(err, &e) || !e.Torn {
			t.Errorf("%x: %v", data, err)
		}
	}
	other, _ := (&list{1}).AppendBinary(nil)
	if _, err := read(other); err == nil || err.Error() != `read every/2: found "list/1" instead` {
		t.Error(err)
	}
	if _, err := read(append(every(t)[len("before"):], "xyz"...)); err == nil || err.Error() != "read every/2: 3 bytes follow" {
		t.Error(err)
	}
}
