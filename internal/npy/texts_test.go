package npy_test

import (
	"bytes"
	"testing"

	"github.com/kedge-opt/kedge/internal/intake"
	"github.com/kedge-opt/kedge/internal/npy"
)

// Texts are read as NumPy writes them: bytes or four bytes a letter, filled up with zeros. A letter that is none, and bytes that are no UTF-8, are told.
func TestTexts(t *testing.T) {
	zero := "\x00\x00\x00\x00"
	wide := "a\x00\x00\x00\xe9\x00\x00\x00" + zero + zero + zero + zero + "\x00\xd8\x00\x00x\x00\x00\x00" + zero // aé, nothing, half a surrogate
	archive := pack(t, "narrow.npy", string(file(dict("'|S3'", "(3,)"), "ab\x00cde\xff\x00\x00")), "wide.npy", string(file(dict("'<U3'", "(3,)"), wide)), "numbers.npy", string(file(dict("'<i4'", "(1,)"), "\x07\x00\x00\x00")))
	list, err := npy.ReadMixed(bytes.NewReader(archive), int64(len(archive)), intake.Limits{})
	if err != nil || len(list) != 3 {
		t.Fatal(len(list), err)
	}
	type text struct {
		text string
		ok   bool
	}
	for name, want := range map[string][]text{"narrow": {{"ab", true}, {"cde", true}, {"", false}}, "wide": {{"aé", true}, {"", true}, {"", false}}, "numbers": nil} {
		for _, a := range list {
			if a.Name != name {
				continue
			}
			if (a.Texts != nil) != (want != nil) || want == nil && (len(a.Data) != 1 || a.Data[0] != 7) {
				t.Fatalf("%s: texts %v, numbers %v", name, a.Texts, a.Data)
			}
			for i, one := range want {
				if got, ok := a.Texts.At(i); ok != one.ok || ok && got != one.text {
					t.Errorf("%s, entry %d: %q, %v, want %q, %v", name, i, got, ok, one.text, one.ok)
				}
			}
		}
	}
	if _, err := npy.ReadZip(bytes.NewReader(archive), int64(len(archive)), intake.Limits{}); err == nil {
		t.Error("texts were read for numbers")
	}
}
