package npy_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/internal/intake"
	"github.com/kedge-opt/kedge/internal/npy"
)

// said is what reading an array came to.
func said(a npy.Array, err error) string {
	if err != nil {
		return err.Error()
	}
	text := fmt.Sprint(a.Shape, a.Data)
	for i := 0; a.Texts != nil && i < a.Shape[0]; i++ {
		one, ok := a.Texts.At(i)
		text += fmt.Sprintf(" %q %t", one, ok)
	}
	return text
}

// Headers of all types, shapes and orders, and files with a byte changed, are read or refused in words as when this was recorded.
func TestFilesAsRecorded(t *testing.T) {
	entries := strings.Repeat("\x01\x00\x00\x00\x00\x00\x00\x40abc\x00\x00\x00\x00\x00", 4)
	var got []string
	see := func(what string, in []byte) {
		got = append(got, fmt.Sprintf("%s: %s", what, said(npy.Read(bytes.NewReader(in), intake.Limits{}))))
		archive := pack(t, "x.npy", string(in))
		list, err := npy.ReadMixed(bytes.NewReader(archive), int64(len(archive)), intake.Limits{})
		if err != nil {
			got = append(got, "  mixed: "+err.Error())
		}
		for _, one := range list {
			got = append(got, "  mixed: "+said(one.Array, nil))
		}
	}
	for _, descr := range []string{"<f8", "<f4", "<i8", "<i4", "<i2", "|i1", "<u8", "<u4", "<u2", "|u1", "|b1", "<c8", "=f8", "f8", "|S3", "<U2", "|S1024", "|S1025", "<U1025", "<U0", "|S", ">U2", "<M8[s]"} {
		see(descr, file(dict("'"+descr+"'", "(2,)"), entries))
		see(descr+" and no more", file(dict("'"+descr+"'", "(2,)"), entries[:map[string]int{"<f4": 8, "<i4": 8, "|S3": 6}[descr]]))
	}
	for _, one := range []struct {
		shape string
		count int
	}{{"()", 1}, {"(0,)", 0}, {"(0, 3)", 0}, {"(3, 0, 2)", 0}, {"(2, 2)", 4}, {"(1,)", 1}, {"(2, 1, 3)", 6}, {"(2, 3)", 6}, {"(4294967296, 0)", 0}, {"(4294967296, 4294967296, 0)", 0}, {"(" + strings.Repeat("1, ", 32) + ")", 1}, {"(1 ,2 , )", 2}, {"[2]", 2}, {"(2", 2}, {"2", 2}} {
		for _, order := range []string{"False", "True"} {
			text := "{'descr': '<i4', 'fortran_order': " + order + ", 'shape': " + one.shape + ", }"
			see(one.shape+" "+order, file(text, entries[:4*one.count]))
			see(one.shape+" "+order+" and less", file(text, entries[:max(0, 4*one.count-1)]))
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	sound := file("{'descr': '<i4', 'fortran_order': True, 'shape': (2, 3), }\n", entries[:24])
	for range 250 {
		in, i := bytes.Clone(sound), rng.IntN(len(sound))
		in[i] = []byte{' ', '\'', ',', '(', '1', 0, in[i] + 1}[rng.IntN(7)]
		see(fmt.Sprintf("%d is %q", i, in[i]), in)
	}
	evidence.AsRecorded(t, "testdata/files.txt", got)
}

// Archives with a byte changed are read or refused; those that are refused never give a list.
func TestArchivesAsRecorded(t *testing.T) {
	var b bytes.Buffer
	if err := npy.WriteZip(&b, npy.Named{Name: "a", Array: npy.Array{Shape: []int{2}, Data: []float64{1, 2}}}, npy.Named{Name: "b/c", Array: npy.Array{Shape: []int{1, 2}, Data: []float64{3, 4}}}); err == nil {
		t.Error("a name that is a path is written")
	}
	b.Reset()
	if err := npy.WriteZip(&b, npy.Named{Name: "a", Array: npy.Array{Shape: []int{2}, Data: []float64{1, 2}}}, npy.Named{Name: "c", Array: npy.Array{Shape: []int{1, 2}, Data: []float64{3, 4}}}); err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range b.Bytes() {
		in := bytes.Clone(b.Bytes())
		in[i] ^= 4
		list, err := npy.ReadZip(bytes.NewReader(in), int64(len(in)), intake.Limits{})
		line := fmt.Sprint(err)
		for _, one := range list {
			line += fmt.Sprintf(" %q %v", one.Name, one.Array)
		}
		if err != nil && list != nil {
			t.Errorf("byte %d: %v and %v", i, err, list)
		}
		one, err := npy.ReadMember(bytes.NewReader(in), int64(len(in)), "c", intake.Limits{})
		if line += "; " + said(one, err); len(got) == 0 || !strings.HasSuffix(got[len(got)-1], line) {
			got = append(got, fmt.Sprintf("from %d: %s", i, line))
		}
	}
	evidence.AsRecorded(t, "testdata/archives.txt", got)
}

var errTight = errors.New("no room")

// tight fails once, at a write.
type tight struct{ left int }

func (w *tight) Write(p []byte) (int, error) {
	if w.left--; w.left == -1 {
		return 0, errTight
	}
	return len(p), nil
}

// A disk that is full at any write of an archive is told of, also if it has room again afterwards.
func TestWriteZipTellsErrors(t *testing.T) {
	long := make([]float64, 1<<15)
	var small []npy.Named // so many that waiting bytes are written at any place of one of them
	for i := range 1000 {
		small = append(small, npy.Named{Name: fmt.Sprint("small", i), Array: npy.Array{Shape: []int{i % 7}, Data: long[:i%7]}})
	}
	for _, list := range [][]npy.Named{{{Name: "a", Array: npy.Array{Shape: []int{len(long)}, Data: long}}, {Name: "b", Array: npy.Array{Shape: []int{1}, Data: long[:1]}}}, small} {
		whole := &tight{left: 1 << 20}
		if err := npy.WriteZip(whole, list...); err != nil {
			t.Fatal(err)
		}
		for n := range 1<<20 - whole.left {
			if err := npy.WriteZip(&tight{left: n}, list...); !errors.Is(err, errTight) || n == 0 && !strings.HasPrefix(err.Error(), "array ") {
				t.Errorf("full after %d writes: %v", n, err)
			}
		}
	}
}
