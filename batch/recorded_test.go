package batch_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/batch"
	"github.com/kedge-opt/kedge/internal/columns"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/internal/npy"
	"github.com/kedge-opt/kedge/problem/live"
)

// smallDims are of few numbers.
func smallDims() []kedge.Dims {
	return []kedge.Dims{{Decision: 1, State: 1, Trait: 0}, {Decision: 1, State: 1, Trait: 1}, {Decision: 1, State: 2, Trait: 2}}
}

// objects are batches as JSON, right and wrong.
func objects() []string {
	list := []string{
		`{"p":[[1]]}`, `{"p":[[1],[2]],"d":[[3],[4]]}`, `{"p":[[1],[2]],"d":[null,[4]]}`, `{"p":[[1],[2]],"d":[null,null]}`, `{"p":[[1],[2]],"d":null,"w":null,"id":null}`, `{"p":[[1,2],[3,4]],"d":[[5,6],[7,8]],"w":[1,0.5],"id":["a",7]}`,
		`{"p":[[1],[2]],"w":[1]}`, `{"p":[[1],[2]],"id":["a"]}`, `{"p":[[1],[2]],"d":[[1]]}`, `{"p":[[1],[2],[3],[4]]}`, `{"p":[[1],[2],[3]],"d":[[1],[2],[3],[4]]}`, `{"p":[[1]],"w":[1,2,3,4]}`, `{"p":[[1]],"id":[1,2,3,4]}`, `{"p":[]}`, `{}`, `[]`, ``, `{`, `{"p"`, `{"p":`, `{"p":[`, `{"p":[[`, `{"p":[[1`, `{"p":[[1]`, `{"p":[[1]]`,
		`{"p":[[1]]}x`, ` { "p" : [ [ 1 ] ] } ` + "\n\t\r", `{"p":[[1]],}`, `{,"p":[[1]]}`, `{"p":[[1]] "w":[1]}`, `{"p":[[1],]}`, `{"p":[[1,]]}`, `{"p":[[1 2]]}`, `{"p":[[1][2]]}`, `{"p":[[1]],"p":[[2]]}`, `{"q":1}`, `{"p":1}`, `{"p":[1]}`, `{"p":[[]]}`, `{"p":[["1"]]}`, `{"p":[[null]]}`, `{"p":[[NaN]]}`, `{"p":[[-Infinity]]}`, `{"p":[[Infinity]]}`, `{"p":[[nul]]}`, `{"p":[[1e400]]}`,
		`{"p":[[1]],"d":nil}`, `{"p":[[1]],"id":[""]}`, `{"p":[[1]],"id":[1.5]}`, `{"p":[[1]],"id":[01]}`, `{"p":[[1]],"id":["a\u00e4\n"]}`, `{"p":[[1]],"id":["\"q\\"]}`, `{"p":[[1]],"id":["a` + "\x01" + `"]}`, `{"p":[[1]],"id":["` + "\xff" + `"]}`, `{"p":[[1]],"id":["\x"]}`, `{"p":[[1]],"id":["open`, `{"p":[[1]],"id":[true]}`, `{"p":[[1]],"epoch":"e","observed_at":"2026-01-02T03:04:05Z"}`, `{"p":[[1]],"observed_at":"today"}`, `{"p":[[1]],"epoch":7}`,
		"{\"p\":[[1\x00]]}", "\x00", `{"p":[[` + strings.Repeat("1", 1024) + `]]}`, `{"p":[[` + strings.Repeat("1", 1025) + `]]}`, `{"p":[[0.` + strings.Repeat("1", 1022) + `]]}`, `{"p":[[0.` + strings.Repeat("1", 1023) + `]]}`, `{"p":[[1]],"id":["` + strings.Repeat("x", 1022) + `"]}`, `{"p":[[1]],"id":["` + strings.Repeat("x", 1023) + `"]}`, `{"p":[[@]]}`, `{"p":[[` + "@" + strings.Repeat("x", 30) + `]]}`, `{"p":[[[1]]]}`, `{"p":[[1]],"w":[-1]}`, `{"p":[[1]],"w":["x"]}`, `{"p":[[1]],"w":[[1]]}`,
	}
	for _, n := range []string{"0", "-0", "1.5", "-1.5e3", "1E+2", "1e-2", "01", "1.", ".5", "-", "+1", "1e", "1e+", "0x1", "--1", "1.5.5", "00", "0.0", "10", "-10", "1a", "9", "1e5e5"} {
		list = append(list, `{"p":[[`+n+`]]}`)
	}
	return list
}

// told is what was read of a message.
func told(b batch.Told, err error) string {
	if f := (*batch.Flaw)(nil); errors.As(err, &f) {
		return fmt.Sprintf("%s at %q: %.200q", f.Kind, f.Pointer, f.Detail)
	}
	if err != nil {
		return "failed: " + err.Error()
	}
	return fmt.Sprintf("p %v d %v missing %v w %v who %v epoch %q at %v", b.P, b.D, b.Missing, b.W, b.Who, b.Epoch, b.ObservedAt)
}

// Messages of text are read and refused as when this was recorded, whole and a byte at a time alike.
func TestMessagesAreReadAsRecorded(t *testing.T) {
	lines := []string{"", `{"p":[1]}`, "{\"p\":[1]}\n{\"p\":[2]}\n", "{\"p\":[1],\"d\":[3]}\n{\"p\":[2]}", "{\"p\":[1],\"d\":[3]}{\"p\":[2],\"d\":null}", "{\"p\":[1,2],\"d\":[3,4],\"w\":2,\"id\":\"a\"}\n{\"p\":[1,2],\"d\":[3,4],\"w\":1,\"id\":9}", "{\"p\":[1],\"w\":1}\n{\"p\":[1]}", "{\"p\":[1]}\n{\"p\":[1],\"w\":1}", "{\"p\":[1],\"id\":1}\n{\"p\":[1]}", "{\"p\":[1]}\n{\"p\":[1],\"id\":1}", `{"d":[1]}`, `{}`, "{\"p\":[1]}\n{}", `{"q":1}`, `{"p":[1],"p":[2]}`, strings.Repeat("{\"p\":[1]}\n", 4), `{"p":[1,2,3]}`, `{"p":[x]}`, `{"p":[1],"d":[1,2,3]}`, "{\"p\":[1]}\n[1]", `{"p":[1],"id":""}`, "{\"p\":[1]}\n{\"p\":[NaN]}"}
	tables := []string{"", "p\n", "p\n1\n2\n", "p.0,p.1\n1,2\n3,4\n", "p.0;p.1;d.0;d.1;w;id\n1;2;3;4;1;a\n1;2;;;2;b\n", "p,d\n1,2\n", "p,d,w,id\n1,2,3,4\n", "p,d,w,id\n1,,3,\n", "p,x\n1,2\n", "p\nx\n", "p.0,p.1\n1,y\n", "w\n1\n", "p.0\n1\n", "p.0,p.1,d.0\n1,2,3\n", "\ufeffp\n1\n", " p , w \n 1 , 2 \n", "p\n1\n2\n3\n4\n", "p,p\n1,2\n", "p\n\"1\n", "p,w\n1\n", "p\nNA\n", "p.0,w\n1," + strings.Repeat("z", 50) + "\n", "p\n1\n2\n3\n"}
	var got []string
	for _, of := range []struct {
		format batch.Format
		list   []string
	}{{batch.JSON, objects()}, {batch.Lines, lines}, {batch.CSV, tables}} {
		format := of.format
		for _, text := range of.list {
			for i, dim := range smallDims() {
				lim := batch.Most{Rows: 3, Bytes: 2000, Ratio: 100}
				whole := told(batch.Read(strings.NewReader(text), format, dim, lim))
				if slow := told(batch.Read(iotest.OneByteReader(strings.NewReader(text)), format, dim, lim)); slow != whole && !strings.Contains(whole, "not \\\"") {
					t.Errorf("%q a byte at a time: %s, whole: %s", text, slow, whole)
				}
				if format == batch.JSON {
					if once := told(batch.Parse([]byte(text), dim, lim)); once != whole {
						t.Errorf("%q at hand: %s, read: %s", text, once, whole)
					}
				}
				got = append(got, fmt.Sprintf("%s %.60q %d: %s", format, text, i, whole))
			}
		}
	}
	evidence.AsRecorded(t, "testdata/messages.txt", got)
}

// Packed tables are read and refused as when this was recorded.
func TestTablesOfPeopleAsRecorded(t *testing.T) {
	number := func(name string, v ...float64) columns.Column { return columns.Column{Name: name, Numbers: v} }
	word := func(name string, v ...string) columns.Column { return columns.Column{Name: name, Text: v} }
	array := func(name string, shape []int, v ...float64) npy.Named {
		return npy.Named{Name: name, Array: npy.Array{Shape: shape, Data: v}}
	}
	nan := math.NaN()
	var got []string
	tell := func(name string, f batch.Format, data []byte) {
		for i, dim := range smallDims() {
			b, err := batch.Read(bytes.NewReader(data), f, dim, batch.Most{Rows: 3, Bytes: 1 << 20, Ratio: 100})
			got = append(got, fmt.Sprintf("%s %d: %s", name, i, told(b, err)))
		}
	}
	for i, list := range [][]columns.Column{{number("p", 1, 2)}, {number("p.0", 1, 2), number("d.0", 3, nan)}, {number("p", 1), number("d", nan)}, {number("p.0", 1, 2), number("p.1", 3, 4), number("d.0", nan, 1), number("d.1", nan, nan), number("w", 1, 2), word("id", "a", "b")}, {number("p", 1, 2), number("id", 7, -8)}, {number("p", 1), number("id", 1.5)}, {number("p", 1), number("id", 1<<53)}, {number("p", 1), number("id", 1<<53+2)}, {word("p", "x")}, {number("p", 1), word("w", "x")}, {number("p", 1), number("q", 2)}, {number("p", 1, 2, 3)}, {number("p", 1, 2, 3, 4)}, {number("w", 1)}, {number("p.0", 1), number("p.1", 1), number("d.0", 1)}, {number("p", 1), word("id", "")}} {
		var b bytes.Buffer
		table := columns.Table{Columns: list}
		if err := table.WriteParquet(&b); err != nil {
			t.Fatal(err)
		}
		tell(fmt.Sprint("parquet ", i), batch.Parquet, b.Bytes())
	}
	for i, list := range [][]npy.Named{{array("p", []int{2, 1}, 1, 2)}, {array("p", []int{2, 1}, 1, 2), array("d", []int{2, 1}, 3, nan)}, {array("p", []int{1, 2}, 1, 2), array("d", []int{1, 2}, nan, 1), array("w", []int{1}, 2), array("id", []int{1}, 4)}, {array("p", []int{2}, 1, 2)}, {array("p", []int{4, 1}, 1, 2, 3, 4)}, {array("p", []int{3, 1}, 1, 2, 3)}, {array("p", []int{1, 1}, 1), array("w", []int{1, 1}, 1)}, {array("p", []int{1, 1}, 1), array("w", []int{4}, 1, 1, 1, 1)}, {array("p", []int{1, 1}, 1), array("id", []int{1}, 1.5)}, {array("p", []int{1, 1}, 1), array("q", []int{1}, 1)}, {array("p", []int{1, 1}, 1), array("d", []int{2, 1}, 1, 2)}, {array("w", []int{1}, 1)}} {
		var b bytes.Buffer
		if err := npy.WriteZip(&b, list...); err != nil {
			t.Fatal(err)
		}
		tell(fmt.Sprint("npz ", i), batch.NPZ, b.Bytes())
	}
	tell("no parquet", batch.Parquet, []byte("PAR1"))
	tell("no zip", batch.NPZ, []byte("PK"))
	tell("no format", "text/plain", nil)
	tell("too large", batch.NPZ, make([]byte, 1<<20+1))
	evidence.AsRecorded(t, "testdata/tables.txt", got)
}

// Batches are checked against what a spec wants of them as when this was recorded.
func TestBatchesAreCheckedAsRecorded(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	var got []string
	for _, b := range []batch.Batch{
		{}, {P: []float64{1}}, {P: []float64{1, 2}}, {P: []float64{1, 2, 3}}, {P: []float64{1, nan}}, {P: []float64{1, 2}, D: []float64{1, 2}}, {P: []float64{1, 2}, D: []float64{1}}, {P: []float64{1, 2}, D: []float64{1, -inf}}, {P: []float64{1, 2}, D: []float64{0, 2}, Missing: []int{0}}, {P: []float64{1, 2}, W: []float64{1}}, {P: []float64{1, 2}, W: []float64{1, 0}}, {P: []float64{1, 2}, W: []float64{0, 0}}, {P: []float64{1, 2}, W: []float64{0}}, {P: []float64{1, 2}, W: []float64{2, -1}}, {P: []float64{1, 2}, W: []float64{2, inf}}, {P: []float64{1, 2}, Who: []uint64{1, 2}}, {P: []float64{1, 2}, Who: []uint64{1}},
		{P: make([]float64, batch.MostRows)}, {P: make([]float64, batch.MostRows+1)}, {P: make([]float64, 2*batch.MostRows+2)},
	} {
		for i, dim := range smallDims() {
			for _, want := range []live.Arrangement{{Weights: live.Optional, Traits: live.Optional, IDs: live.Optional}, {Weights: live.Without, Traits: live.Required, IDs: live.Without}, {Weights: live.Required, Traits: live.Without, IDs: live.Required}} {
				n, wrong := b.Check(dim, &want)
				line := fmt.Sprintf("%d p %d of %v d %v w %v who %v as %s %s %s: %d rows, %d without", i, len(b.P), b.P[:min(3, len(b.P))], b.D, b.W, b.Who, want.Weights, want.Traits, want.IDs, n, b.WithoutTrait(dim))
				if wrong != nil {
					line += fmt.Sprintf("; %s at %s: %v", wrong.Kind, wrong.Pointer, wrong)
				}
				got = append(got, line)
			}
		}
	}
	evidence.AsRecorded(t, "testdata/checked.txt", got)
}

// What is written is read again, and nothing else passes for it.
func TestBatchesAreWrittenAndRead(t *testing.T) {
	for _, at := range []time.Time{{}, time.Unix(5, 7).UTC()} {
		b := batch.Batch{ObservedAt: at, P: []float64{1, 2}, D: []float64{0, 4}, Missing: []int{0}, W: []float64{1, 2}, Who: []uint64{8, 9}}
		data, err := b.Encode()
		var again batch.Batch
		if err := errors.Join(err, again.Decode(data)); err != nil || fmt.Sprint(again) != fmt.Sprint(b) {
			t.Errorf("%v is read as %v: %v", b, again, err)
		}
		if !b.IsWrittenAs(data) || b.IsWrittenAs(data[:len(data)-1]) || b.IsWrittenAs(append(data[:len(data):len(data)], 0)) || again.Decode(data[:len(data)-1]) == nil {
			t.Errorf("%v is taken for something else", b)
		}
	}
}

// packed is a message in gzip.
func packed(data []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write(data)
	w.Close()
	return b.Bytes()
}

// What is packed is unpacked, up to the ratio beyond the first MB, and what is not is refused.
func TestUnpackingIsBounded(t *testing.T) {
	message := packed([]byte(`{"p":[[1]]}`))
	wrong := bytes.Clone(message)
	wrong[len(wrong)-6]++
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"whole", message, ""}, {"empty", nil, "the body is empty, and not gzip"}, {"no gzip", []byte("no gzip, not even a little"), "the body is not gzip: gzip: invalid header"}, {"cut", message[:len(message)-3], "the body is not gzip: unexpected EOF"}, {"short", message[:5], "the body is not gzip: unexpected EOF"}, {"changed", wrong, "the body is not gzip: gzip: invalid checksum"},
		{"corrupt", append(bytes.Clone(message[:10]), 0xff, 0xff, 0xff, 0xff, 0xff), "the body is not gzip: flate: corrupt input before offset 1"},
		{"1 MB", packed(make([]byte, 1<<20)), ""},
		{"bomb", packed(make([]byte, 4<<20)), "bytes of gzip unpack to more than 2 times their size"},
	} {
		_, err := io.ReadAll(batch.Unpack(bytes.NewReader(c.data), batch.Most{Ratio: 2}))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	if _, err := io.ReadAll(batch.Unpack(iotest.ErrReader(io.ErrClosedPipe), batch.Most{Ratio: 2})); err != io.ErrClosedPipe {
		t.Errorf("a broken pipe is %v", err)
	}
}

// Limits are to the byte, and formats go by endings.
func TestFormatsAndLimits(t *testing.T) {
	text := `{"p":[[1]]}`
	for most, fits := range map[int64]bool{int64(len(text)) - 1: false, int64(len(text)): true} {
		lim := batch.Most{Rows: 3, Bytes: most}
		_, once := batch.Parse([]byte(text), smallDims()[0], lim)
		_, read := batch.Read(strings.NewReader(text), batch.JSON, smallDims()[0], lim)
		if (once == nil) != fits || (read == nil) != fits {
			t.Errorf("%d bytes: %v and %v", most, once, read)
		}
	}
	for name, want := range map[string]batch.Format{"a.json": batch.JSON, "a.NDJSON": batch.Lines, "a.jsonl": batch.Lines, "a.parquet": batch.Parquet, "a.npz": batch.NPZ, "a.csv": batch.CSV, "a.txt": "", "csv": ""} {
		f, ok := batch.FormatOf(name)
		if f != want || ok != (want != "") {
			t.Errorf("%s is %s, %v", name, f, ok)
		}
		if ok {
			most, bytes := batch.DefaultMost(f), int64(64<<20)
			if isText := want == batch.JSON || want == batch.Lines || want == batch.CSV; isText {
				bytes = 32 << 20
			}
			if most != (batch.Most{Rows: 100_000, Bytes: bytes, Ratio: 100}) {
				t.Errorf("%s may have %+v", f, most)
			}
		}
	}
	for _, f := range []batch.Format{batch.JSON, batch.Lines, batch.CSV, batch.Parquet} {
		if _, err := batch.Read(iotest.ErrReader(io.ErrClosedPipe), f, smallDims()[0], batch.DefaultMost(f)); err != io.ErrClosedPipe {
			t.Errorf("%s of a broken pipe is %v", f, err)
		}
	}
	if _, err := batch.Read(&still{}, batch.JSON, smallDims()[0], batch.DefaultMost(batch.JSON)); err != io.ErrNoProgress {
		t.Errorf("a reader that gives nothing is %v", err)
	}
}

// still gives nothing, and says so without end.
type still struct{}

func (*still) Read([]byte) (int, error) { return 0, nil }
