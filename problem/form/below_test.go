package form

import (
	"slices"
	"testing"

	"github.com/kedge-opt/kedge/internal/lists"
)

// A mapping that has other keys under another kind has all of them in the vocabulary, each with the kinds that have it.
func TestKeysOfAMappingUnderEveryKind(t *testing.T) {
	v := NewVocabulary(func(f *Form) {
		kind := ""
		f.Choose("kind", &kind, OneOf(Choice("slow", "", ""), Choice("fast", "", ""), Choice("still", "", "")), Says("Which.", "", ""))
		var size, speed float64
		f.Section("own", Says("Of everybody's own.", "", ""), func(f *Form) {
			Field(f, "size", &size, Positive(), Says("How large.", "", ""))
			if kind == "fast" {
				Field(f, "speed", &speed, Positive(), Says("How fast.", "", ""))
			}
		})
	})
	keys := v.Keys()
	paths := lists.Of(keys, func(k Key) string { return k.Path })
	if want := []string{"kind", "own", "own.size", "own.speed"}; !slices.Equal(paths, want) {
		t.Fatalf("keys %q, want %q", paths, want)
	}
	if got := keys[1].Keys; !slices.Equal(got, []string{"size", "speed"}) {
		t.Errorf("own has %q", got)
	}
	if everywhere, fast := keys[2].Uses[0].Of, keys[3].Uses[0].Of; everywhere != "" || fast != "kind fast" {
		t.Errorf("size is of %q, speed of %q", everywhere, fast)
	}
}
