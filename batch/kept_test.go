package batch_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/batch"
	"github.com/kedge-opt/kedge/internal/npy"
	"github.com/kedge-opt/kedge/problem/live"
)

// A time that a frame does not hold is refused where a batch is told. Nanoseconds from 1970 in 64 bits reach from 1677-09-21 to 2262-04-11, and 0 of
// them say that there is no time [time.Time.UnixNano]: a batch that was written with one would be read with another, and its loop decide otherwise
// when it is replayed.
func TestTimesAreKeptOrRefused(t *testing.T) {
	for text, kept := range map[string]bool{
		"1970-01-01T00:00:00Z": false, "1970-01-01T01:00:00+01:00": false, "3000-01-01T00:00:00Z": false, "1500-01-01T00:00:00Z": false, "0000-06-01T00:00:00Z": false,
		"2262-04-11T23:47:17Z": false, "1677-09-21T00:12:43Z": false,
		"2262-04-11T23:47:16Z": true, "1677-09-21T00:12:44Z": true, "1970-01-01T00:00:00.000001Z": true, "2026-03-29T02:30:00+02:00": true, "0001-01-01T00:00:00Z": true,
	} {
		var f *batch.Flaw
		_, err := read(batch.JSON, fmt.Appendf(nil, `{"p":[[1,2,3]],"observed_at":%q}`, text))
		if kept != (err == nil) || !kept && (!errors.As(err, &f) || f.Kind != batch.Malformed || f.Pointer != "/observed_at") {
			t.Errorf("%s is read with %v", text, err)
		}
		at, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		b := batch.Batch{ObservedAt: at, P: []float64{1, 2, 3}}
		_, wrong := b.Check(dims, &live.Arrangement{})
		if kept != (wrong == nil) || !kept && (wrong.Kind != batch.Malformed || wrong.Pointer != "/observed_at") {
			t.Errorf("%s is checked with %v", text, wrong)
		}
		data, err := b.Encode()
		var again batch.Batch
		if err = errors.Join(err, again.Decode(data)); err != nil || again.ObservedAt.Equal(at) != kept {
			t.Errorf("%s is read again as %s: %v", text, again.ObservedAt, err)
		}
	}
}

// Tables are separated by commas, semicolons or tabs alike, also where somebody has no trait or no weight and fields are empty.
func TestEmptyFieldsBetweenTabs(t *testing.T) {
	table := "p.0,p.1,p.2,d.0,d.1,id\n1,2,3,,,a\n 4, 5, 6, 7, 8, b\n"
	want, err := read(batch.CSV, []byte(table))
	if err != nil || fmt.Sprint(want.P, want.D, want.Missing) != "[1 2 3 4 5 6] [0 0 7 8] [0]" {
		t.Fatalf("%+v, %v", want, err)
	}
	for _, separator := range []string{";", "\t"} {
		got, err := read(batch.CSV, []byte(strings.ReplaceAll(table, ",", separator)))
		if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("by %q: %+v, %v", separator, got, err)
		}
	}
}

// What separates a table is told by all of its first line, whatever stands before its names: a mark of the order of bytes, and space.
func TestSeparatorsBehindSpace(t *testing.T) {
	for _, begin := range []string{"", "\ufeff", strings.Repeat(" ", 5000), "\ufeff" + strings.Repeat(" ", 60_000)} {
		for _, separator := range []string{",", ";", "\t"} {
			table := begin + strings.ReplaceAll("p.0,p.1,p.2,w\n1,2,3,4\n", ",", separator)
			got, err := read(batch.CSV, []byte(table))
			if err != nil || fmt.Sprint(got.P, got.W) != "[1 2 3] [4]" {
				t.Errorf("by %q behind %d bytes: %+v, %v", separator, len(begin), got, err)
			}
		}
	}
}

// Arrays of texts are ids and nothing else.
func TestArraysOfTexts(t *testing.T) {
	for _, name := range []string{"p", "d", "w", "x"} {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		w, err := z.Create(name + ".npy")
		if err == nil {
			_, err = w.Write(words([]string{"a", "b"}))
		}
		if err = errors.Join(err, z.Close()); err != nil {
			t.Fatal(err)
		}
		var f *batch.Flaw
		if _, err := read(batch.NPZ, b.Bytes()); !errors.As(err, &f) || *f != (batch.Flaw{Kind: batch.Malformed, Pointer: "/" + name, Detail: "array " + name + " holds texts, want numbers"}) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Traits of nobody are not those of all, and traits that a spec wants nobody to have are refused, unless people have none anyhow.
func TestTraitsThatShouldNotBe(t *testing.T) {
	var b bytes.Buffer
	if err := npy.WriteZip(&b, npy.Named{Name: "d", Array: npy.Array{Shape: []int{0, 2}}}, npy.Named{Name: "p", Array: npy.Array{Shape: []int{1, 3}, Data: []float64{1, 2, 3}}}); err != nil {
		t.Fatal(err)
	}
	var f *batch.Flaw
	if _, err := read(batch.NPZ, b.Bytes()); !errors.As(err, &f) || *f != (batch.Flaw{Kind: batch.DimensionMismatch, Pointer: "/d", Detail: "/d has 0, want 1 rows, one a row of p"}) {
		t.Errorf("%v", err)
	}
	without := &live.Arrangement{Weights: live.Without, Traits: live.Without, IDs: live.Without}
	one := batch.Batch{P: []float64{1, 2, 3}, D: []float64{4, 5}}
	if _, f := one.Check(dims, without); f == nil || *f != (batch.Flaw{Kind: batch.DimensionMismatch, Pointer: "/d", Detail: "rows have traits, but by live.samples they have none"}) {
		t.Errorf("%v", f)
	}
	one.D = nil
	if n, f := one.Check(kedge.Dims{Decision: 2, State: 3}, without); n != 1 || f != nil {
		t.Errorf("%d, %v", n, f)
	}
}

// Weights and ids of nobody are not those of all.
func TestColumnsOfNobody(t *testing.T) {
	for name, want := range map[string]string{"w": "/w has 0, want 1 weights, one a row of p", "id": "/id has 0, want 1 ids, one a row of p"} {
		var b bytes.Buffer
		if err := npy.WriteZip(&b, npy.Named{Name: name, Array: npy.Array{Shape: []int{0}}}, npy.Named{Name: "p", Array: npy.Array{Shape: []int{1, 3}, Data: []float64{1, 2, 3}}}); err != nil {
			t.Fatal(err)
		}
		var f *batch.Flaw
		if _, err := read(batch.NPZ, b.Bytes()); !errors.As(err, &f) || *f != (batch.Flaw{Kind: batch.DimensionMismatch, Pointer: "/" + name, Detail: want}) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
