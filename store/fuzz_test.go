package store

import (
	"bytes"
	"context"
	"testing"
	"time"

	room "github.com/kedge-opt/kedge/internal/heap"
	"github.com/kedge-opt/kedge/session"
)

// bundled is a loop of a few decisions with its people, as a tar.
func bundled(f testing.TB) []byte {
	f.Helper()
	m, _, _ := remembered(f, withIDs, 2)
	var b bytes.Buffer
	if err := ExportTar(context.Background(), m, "shop", &b); err != nil {
		f.Fatal(err)
	}
	return b.Bytes()
}

// Any bytes are read as a bundle or refused, within 2 s, and 64 times their length and 8 MB of memory; what is read has a chain that holds.
func FuzzReadTar(f *testing.F) {
	text := bundled(f)
	f.Add(text)
	f.Add(text[:len(text)/2])
	f.Add(bytes.Replace(text, []byte("manifest.json"), []byte("../passwd.txt"), 1))
	f.Add(bytes.Replace(text, []byte(`"format"`), []byte(`"formal"`), 1))
	f.Fuzz(func(t *testing.T, in []byte) {
		var m *InMemory
		var loop string
		var err error
		most, begun := int64(64*len(in)+8<<20), time.Now()
		if got := room.Taken(most, func() { m, loop, err = ReadTar(t.Context(), bytes.NewReader(in)) }); got > most {
			t.Errorf("%d bytes took %d of memory", len(in), got)
		}
		if took := time.Since(begun); took > 10*time.Second {
			t.Errorf("%d bytes took %v", len(in), took)
		}
		if err != nil {
			return
		}
		seq, hash := 0, session.Hash{}
		err = m.Read(t.Context(), loop, 0, func(e session.Event) error {
			err := e.Follow(loop, seq, hash)
			seq, hash = e.Seq, e.Hash
			return err
		})
		if err != nil {
			t.Errorf("a bundle was read whose events do not follow: %v", err)
		}
	})
}
