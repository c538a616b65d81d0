package folder_test

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/heap"
)

// Any bytes are read as a manifest or refused, within 64 times their length and 4 MB of memory. What is read names no file outside of its folder.
func FuzzReadManifest(f *testing.F) {
	f.Add([]byte(`{"format":1,"kind":"run","case":"c","seed":1,"files":{"series.csv":{"bytes":3,"sha256":"00"}}}`))
	f.Add([]byte(`{"format":1,"kind":"run","files":{"../x":{"bytes":3}}}`))
	f.Add([]byte(`{"format":2,"kind":"sweep","files":{},"manifest":"00"}`))
	f.Add([]byte(`{`))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, in []byte) {
		if err := os.WriteFile(filepath.Join(dir, "manifest.json"), in, 0o600); err != nil {
			t.Fatal(err)
		}
		var m *folder.Manifest
		var err error
		most := int64(64*len(in) + 4<<20)
		if got := heap.Taken(most, func() { m, err = folder.ReadManifest(dir) }); got > most {
			t.Errorf("%d bytes took %d of memory", len(in), got)
		}
		if err != nil {
			return
		}
		for name := range m.Files {
			if !filepath.IsLocal(name) {
				t.Errorf("the manifest names %q", name)
			}
		}
	})
}

// Any bytes are read as a saved trial or refused, which leaves it as it was; what is read is written as it was read.
func FuzzUnmarshalTrial(f *testing.F) {
	seed, err := (&folder.Trial{Index: 1, Decision: []float64{1, 2}, Seconds: 0.5, Finished: true}).AppendBinary(nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(seed)
	f.Add(seed[:10])
	f.Fuzz(func(t *testing.T, in []byte) {
		trial, was := folder.Trial{Index: 3}, folder.Trial{Index: 3}
		var err error
		most := int64(16*len(in) + 1<<20)
		if got := heap.Taken(most, func() { err = trial.UnmarshalBinary(in) }); got > most {
			t.Errorf("%d bytes took %d of memory", len(in), got)
		}
		if err != nil {
			if !reflect.DeepEqual(trial, was) {
				t.Errorf("refused, and changed: %+v", trial)
			}
			return
		}
		if again, err := trial.AppendBinary(nil); err != nil || !bytes.Equal(again, in) {
			t.Errorf("%x was read and is written as %x, %v", in, again, err)
		}
	})
}
