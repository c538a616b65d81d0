package columns

import (
	"testing"

	"github.com/parquet-go/parquet-go/format"
)

// Texts have no width by which they could be split.
func TestTextsAreNotSplit(t *testing.T) {
	for physical, want := range map[format.Type]string{format.ByteArray: "table: values of encoding 9; want plain, dictionary or byte-split ones", format.Float: " 61626364 end"} {
		x := scan{reader: &reader{}, leaf: &leaf{physical: physical}}
		if got := took(func() string { return all(x.values(format.ByteStreamSplit, []byte("abcd"))) }); got != want {
			t.Errorf("%v: %s, want %s", physical, got, want)
		}
	}
}
