package batch_test

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/batch"
	"github.com/kedge-opt/kedge/internal/columns"
	"github.com/kedge-opt/kedge/internal/heap"
	"github.com/kedge-opt/kedge/internal/npy"
)

var dims = kedge.Dims{Decision: 2, State: 3, Trait: 2}

// crowd is people as a test has them.
type crowd struct {
	p, d [][]float64 // a nil row of d: no trait
	w    []float64
	id   []string
}

func drawn(r *rand.Rand, n int, dim kedge.Dims, traits, weights, ids bool) (c crowd) {
	row := func(width int) []float64 {
		x := make([]float64, width)
		for i := range x {
			x[i] = math.Float64frombits(r.Uint64()&^(0x7ff<<52) | (1023-40+r.Uint64N(80))<<52)
		}
		return x
	}
	for i := range n {
		c.p = append(c.p, row(dim.State))
		if traits {
			d := row(dim.Trait)
			if r.IntN(4) == 0 && i > 0 {
				d = nil
			}
			c.d = append(c.d, d)
		}
		if weights {
			c.w = append(c.w, float64(1+r.IntN(9))/8)
		}
		if ids {
			c.id = append(c.id, []string{"ä", "007", "c", "x y"}[r.IntN(4)]+fmt.Sprint(i))
		}
	}
	return c
}

// frame is what the crowd must become, put together without any of the readers.
func (c crowd) frame(t *testing.T) []byte {
	var b batch.Batch
	for i, p := range c.p {
		b.P = append(b.P, p...)
		if c.d != nil {
			if c.d[i] == nil {
				b.Missing, b.D = append(b.Missing, i), append(b.D, make([]float64, dims.Trait)...)
			}
			b.D = append(b.D, c.d[i]...)
		}
		if c.id != nil {
			b.Who = append(b.Who, batch.WhoIs(c.id[i]))
		}
	}
	b.W = c.w
	data, err := b.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func (c crowd) json() []byte {
	v := map[string]any{"p": c.p}
	if c.d != nil {
		v["d"] = c.d
	}
	if c.w != nil {
		v["w"] = c.w
	}
	if c.id != nil {
		v["id"] = c.id
	}
	text, _ := json.Marshal(v)
	return text
}

func (c crowd) lines() []byte {
	var b bytes.Buffer
	for i, p := range c.p {
		v := map[string]any{"p": p}
		if c.d != nil {
			v["d"] = c.d[i]
		}
		if c.w != nil {
			v["w"] = c.w[i]
		}
		if c.id != nil {
			v["id"] = c.id[i]
		}
		json.NewEncoder(&b).Encode(v)
	}
	return b.Bytes()
}

func (c crowd) table() (t columns.Table) {
	add := func(name string, rows [][]float64) {
		for j := range rows[0] {
			one := columns.Column{Name: fmt.Sprintf("%s.%d", name, j)}
			for _, row := range rows {
				v := math.NaN()
				if row != nil {
					v = row[j]
				}
				one.Numbers = append(one.Numbers, v)
			}
			t.Columns = append(t.Columns, one)
		}
	}
	add("p", c.p)
	if c.d != nil {
		add("d", c.d)
	}
	if c.id != nil {
		t.Columns = append(t.Columns, columns.Column{Name: "id", Text: c.id})
	}
	if c.w != nil {
		t.Columns = append(t.Columns, columns.Column{Name: "w", Numbers: c.w})
	}
	return t
}

// npz writes texts as numpy.savez does, which npy does not.
func (c crowd) npz(t testing.TB) []byte {
	flat := func(rows [][]float64, width int) (a npy.Array) {
		a.Shape = []int{len(rows), width}
		for _, row := range rows {
			for j := range width {
				v := math.NaN()
				if row != nil {
					v = row[j]
				}
				a.Data = append(a.Data, v)
			}
		}
		return a
	}
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	put := func(name string, data []byte) {
		w, err := z.Create(name + ".npy")
		if err == nil {
			_, err = w.Write(data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	numbers := func(name string, a npy.Array) {
		var b bytes.Buffer
		if err := npy.Write(&b, a); err != nil {
			t.Fatal(err)
		}
		put(name, b.Bytes())
	}
	if c.d != nil {
		numbers("d", flat(c.d, dims.Trait))
	}
	numbers("p", flat(c.p, dims.State))
	if c.w != nil {
		numbers("w", npy.Array{Shape: []int{len(c.w)}, Data: c.w})
	}
	if c.id != nil {
		put("id", words(c.id))
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// words is an array of texts in UTF-32, filled up with zeros.
func words(list []string) []byte {
	width := 1
	for _, s := range list {
		width = max(width, utf8.RuneCountInString(s))
	}
	head := fmt.Sprintf("{'descr': '<U%d', 'fortran_order': False, 'shape': (%d,), }\n", width, len(list))
	b := append([]byte("\x93NUMPY\x01\x00"), byte(len(head)), byte(len(head)>>8))
	b = append(b, head...)
	for _, s := range list {
		n := 0
		for _, r := range s {
			b, n = binary.LittleEndian.AppendUint32(b, uint32(r)), n+1
		}
		b = append(b, make([]byte, 4*(width-n))...)
	}
	return b
}

func read(f batch.Format, data []byte) (batch.Told, error) {
	return batch.Read(bytes.NewReader(data), f, dims, batch.DefaultMost(f))
}

// A batch is one frame in whatever format it came.
func TestOneFrameInEveryFormat(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 60 {
		c := drawn(r, 1+r.IntN(40), dims, n%2 == 0, n%3 == 0, n%5 < 2)
		want := c.frame(t)
		var parquet, csv bytes.Buffer
		if err := errors.Join(c.table().WriteParquet(&parquet), c.table().WriteCSV(&csv)); err != nil {
			t.Fatal(err)
		}
		for f, data := range map[batch.Format][]byte{batch.JSON: c.json(), batch.Lines: c.lines(), batch.Parquet: parquet.Bytes(), batch.CSV: csv.Bytes(), batch.NPZ: c.npz(t)} {
			told, err := read(f, data)
			if err != nil {
				t.Fatalf("%s: %v", f, err)
			}
			if got, err := told.Encode(); err != nil || !bytes.Equal(got, want) {
				t.Errorf("crowd %d as %s becomes another frame: %v", n, f, err)
			}
		}
	}
}

// What is wrong is named by its place in the batch, in every format.
func TestFlaws(t *testing.T) {
	rows := func(n int) string { return strings.TrimSuffix(strings.Repeat("[1,2,3],", n), ",") }
	for _, c := range []struct {
		format        batch.Format
		kind, pointer string
		text          string
	}{
		{batch.JSON, batch.NotFinite, "/p/17/2", `{"p":[` + rows(17) + `,[1,2,NaN]]}`},
		{batch.JSON, batch.NotFinite, "/p/0/0", `{"p":[[-Infinity,2,3]]}`},
		{batch.JSON, batch.NotFinite, "/p/0/1", `{"p":[[1,1e999,3]]}`},
		{batch.JSON, batch.NotFinite, "/d/1/0", `{"d":[null,[null,1]],"p":[` + rows(2) + `]}`},
		{batch.JSON, batch.DimensionMismatch, "/p/1", `{"p":[[1,2,3],[1,2]]}`},
		{batch.JSON, batch.DimensionMismatch, "/p/1", `{"p":[[1,2,3],[1,2,3,4]]}`},
		{batch.JSON, batch.DimensionMismatch, "/d", `{"p":[` + rows(2) + `],"d":[[1,2]]}`},
		{batch.JSON, batch.DimensionMismatch, "/w", `{"p":[` + rows(2) + `],"w":[1]}`},
		{batch.JSON, batch.DimensionMismatch, "/id", `{"p":[` + rows(2) + `],"id":[]}`},
		{batch.JSON, batch.DimensionMismatch, "/p", `{}`},
		{batch.JSON, batch.DimensionMismatch, "/p", `{"p":[]}`},
		{batch.JSON, batch.Malformed, "/p/0/0", `{"p":[["1",2,3]]}`},
		{batch.JSON, batch.Malformed, "/p/0/0", `{"p":[[0x1,2,3]]}`},
		{batch.JSON, batch.Malformed, "/p/0/0", `{"p":[[.5,2,3]]}`},
		{batch.JSON, batch.Malformed, "/p/0/0", `{"p":[[[[[[[[[[`},
		{batch.JSON, batch.Malformed, "/p/0/0", `{"p":[[` + strings.Repeat("1", 2000)},
		{batch.JSON, batch.Malformed, "/p/0", `{"p":[{}]}`},
		{batch.JSON, batch.Malformed, "/x", `{"x":1}`},
		{batch.JSON, batch.Malformed, "", `{"p":[` + rows(1) + `],"p":[` + rows(1) + `]}`},
		{batch.JSON, batch.Malformed, "", `{"p":[` + rows(1) + `]} {}`},
		{batch.JSON, batch.Malformed, "", `{"p":[` + rows(1) + "]}\x00 and more"},
		{batch.Lines, batch.Malformed, "", `{"p":[1,2,3]}` + "\n\x00\n" + `{"p":[4,5,6]}`},
		{batch.JSON, batch.Malformed, "", ``},
		{batch.JSON, batch.Malformed, "", `[]`},
		{batch.JSON, batch.Malformed, "/id/0", `{"p":[` + rows(1) + `],"id":[1.5]}`},
		{batch.JSON, batch.Malformed, "/id/0", `{"p":[` + rows(1) + `],"id":[""]}`},
		{batch.JSON, batch.Malformed, "/id/0", `{"p":[` + rows(1) + `],"id":["` + strings.Repeat("x", 2000) + `"]}`},
		{batch.JSON, batch.Malformed, "/id/0", "{\"p\":[" + rows(1) + "],\"id\":[\"\xff\"]}"},
		{batch.JSON, batch.Malformed, "/observed_at", `{"observed_at":"yesterday"}`},
		{batch.JSON, batch.TooLarge, "/p", `{"p":[` + rows(100_001) + `]}`},
		{batch.Lines, batch.NotFinite, "/p/1/2", `{"p":[1,2,3]}` + "\n" + `{"p":[1,2,NaN]}`},
		{batch.Lines, batch.DimensionMismatch, "/p/0", `{"p":[1,2]}`},
		{batch.Lines, batch.DimensionMismatch, "/p/0", `{"d":[1,2]}`},
		{batch.Lines, batch.DimensionMismatch, "/w/1", `{"p":[1,2,3],"w":1}{"p":[1,2,3]}`},
		{batch.Lines, batch.DimensionMismatch, "/w/1", `{"p":[1,2,3]}{"p":[1,2,3],"w":1}`},
		{batch.Lines, batch.DimensionMismatch, "/id/1", `{"p":[1,2,3]}{"p":[1,2,3],"id":1}`},
		{batch.Lines, batch.DimensionMismatch, "/p", ``},
		{batch.Lines, batch.Malformed, "/q/0", `{"q":1}`},
		{batch.CSV, batch.DimensionMismatch, "/p", "p.0,p.1\n1,2\n"},
		{batch.CSV, batch.DimensionMismatch, "", "p.0,p.1,p.2,age\n1,2,3,4\n"},
		{batch.CSV, batch.Malformed, "/p/1/1", "p.0,p.1,p.2\n1,2,3\n1,x,3\n"},
		{batch.CSV, batch.Malformed, "", "p.0,p.1,p.2\n1,2\n"},
		{batch.CSV, batch.Malformed, "", ""},
		{batch.Parquet, batch.Malformed, "", "PAR1"},
		{batch.NPZ, batch.Malformed, "", "PK"},
	} {
		var f *batch.Flaw
		if _, err := read(c.format, []byte(c.text)); !errors.As(err, &f) || f.Kind != c.kind || f.Pointer != c.pointer {
			t.Errorf("%s %.60q: %#v, want %s at %q", c.format, c.text, err, c.kind, c.pointer)
		}
		if c.format != batch.JSON {
			continue
		}
		if _, err := batch.Parse([]byte(c.text), dims, batch.DefaultMost(c.format)); !errors.As(err, &f) || f.Kind != c.kind || f.Pointer != c.pointer {
			t.Errorf("%.60q at hand: %#v, want %s at %q", c.text, err, c.kind, c.pointer)
		}
	}
}

// Numbers are those of JSON: every short word is taken if and only if encoding/json takes it, as the same number.
func TestNumbersAreThoseOfJSON(t *testing.T) {
	const signs = "-+.01eEx"
	for length := 1; length <= 5; length++ {
		for n := range int(math.Pow(float64(len(signs)), float64(length))) {
			word := make([]byte, length)
			for i := range word {
				word[i], n = signs[n%len(signs)], n/len(signs)
			}
			var want float64
			refused := json.Unmarshal(word, &want)
			told, err := read(batch.Lines, fmt.Appendf(nil, `{"p":[2,%s,3]}`, word))
			if (err == nil) != (refused == nil) {
				t.Fatalf("%s: %v, by encoding/json %v", word, err, refused)
			}
			if err == nil && math.Float64bits(told.P[1]) != math.Float64bits(want) {
				t.Fatalf("%s is %v, want %v", word, told.P[1], want)
			}
		}
	}
}

// Wherever a message is cut into pieces on its way, it says the same.
func TestPiecesMakeTheWhole(t *testing.T) {
	c := drawn(rand.New(rand.NewPCG(5, 6)), 2000, dims, true, true, true)
	want := c.frame(t)
	for name, cut := range map[string]func(io.Reader) io.Reader{"bytes": iotest.OneByteReader, "halves": iotest.HalfReader, "with its end": iotest.DataErrReader} {
		for f, data := range map[batch.Format][]byte{batch.JSON: c.json(), batch.Lines: c.lines()} {
			told, err := batch.Read(cut(bytes.NewReader(data)), f, dims, batch.DefaultMost(f))
			if err != nil {
				t.Fatalf("%s in %s: %v", f, name, err)
			}
			if got, _ := told.Encode(); !bytes.Equal(got, want) {
				t.Errorf("%s in %s is another batch", f, name)
			}
		}
	}
	told, err := batch.Parse(c.json(), dims, batch.DefaultMost(batch.JSON))
	if got, _ := told.Encode(); err != nil || !bytes.Equal(got, want) {
		t.Errorf("at hand it is another batch: %v", err)
	}
	var f *batch.Flaw
	if _, err := batch.Parse(c.json(), dims, batch.Most{Rows: 2000, Bytes: int64(len(c.json())) - 1}); !errors.As(err, &f) || f.Kind != batch.TooLarge {
		t.Errorf("more bytes than may be: %v", err)
	}
	broken := errors.New("broken")
	if _, err := batch.Read(io.MultiReader(strings.NewReader(`{"p":[[1,2`), iotest.ErrReader(broken)), batch.JSON, dims, batch.DefaultMost(batch.JSON)); !errors.Is(err, broken) {
		t.Errorf("a reader that breaks: %v", err)
	}
}

// Messages that are refused take little memory, however much they promise.
func TestRefusedMessagesAreCheap(t *testing.T) {
	var wide columns.Table
	for j := range 3 {
		wide.Columns = append(wide.Columns, columns.Column{Name: fmt.Sprintf("p.%d", j), Numbers: make([]float64, 400_000)})
	}
	var parquet bytes.Buffer
	if err := wide.WriteParquet(&parquet); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		format batch.Format
		data   []byte
		most   int64
	}{
		"rows without numbers": {batch.JSON, []byte(`{"p":[` + strings.Repeat("[],", 3<<20)), 1 << 20},
		"rows beyond the most": {batch.JSON, []byte(`{"p":[` + strings.Repeat("[1,2,3],", 1<<20)), 16 << 20},
		"a list that is deep":  {batch.JSON, []byte(`{"p":` + strings.Repeat("[", 8<<20)), 1 << 20},
		"a text without end":   {batch.JSON, []byte(`{"` + strings.Repeat("x", 8<<20)), 1 << 20},
		"lines beyond":         {batch.Lines, []byte(strings.Repeat(`{"p":[1,2,3]}`, 200_000)), 24 << 20},
		"parquet beyond":       {batch.Parquet, parquet.Bytes(), 8 << 20},
	} {
		var err error
		got := heap.Taken(c.most, func() { _, err = read(c.format, c.data) })
		if err == nil || got > c.most {
			t.Errorf("%s: %d bytes took %d, want at most %d: %v", name, len(c.data), got, c.most, err)
		}
	}
}

// Gzip may unpack to a hundred times its size, and no further.
func TestUnpack(t *testing.T) {
	pack := func(text string) []byte {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		io.WriteString(w, text)
		w.Close()
		return b.Bytes()
	}
	for name, c := range map[string]struct {
		data []byte
		kind string
	}{
		"small": {pack(strings.Repeat("a", 1<<20)), ""},
		"bomb":  {pack(strings.Repeat("a", 32<<20)), batch.TooLarge},
		"cut":   {pack(strings.Repeat("abc", 1000))[:20], batch.Malformed},
		"text":  {[]byte("p.0,p.1"), batch.Malformed},
		"empty": {nil, batch.Malformed},
	} {
		n, err := io.Copy(io.Discard, batch.Unpack(bytes.NewReader(c.data), batch.DefaultMost(batch.JSON)))
		var f *batch.Flaw
		if errors.As(err, &f) != (c.kind != "") || f != nil && f.Kind != c.kind || n > 8<<20 {
			t.Errorf("%s: %d bytes, %v, want %q", name, n, err, c.kind)
		}
	}
}

// Whatever bytes come, a batch that survives its own frame or a flaw comes out.
func FuzzRead(f *testing.F) {
	c := drawn(rand.New(rand.NewPCG(3, 4)), 5, dims, true, true, true)
	var parquet bytes.Buffer
	if err := c.table().WriteParquet(&parquet); err != nil {
		f.Fatal(err)
	}
	for kind, data := range [][]byte{c.json(), c.lines(), parquet.Bytes(), c.npz(f), []byte("p.0,p.1,p.2\n1,2,3\n")} {
		f.Add(kind, data)
	}
	formats := []batch.Format{batch.JSON, batch.Lines, batch.Parquet, batch.NPZ, batch.CSV}
	f.Fuzz(func(t *testing.T, kind int, data []byte) {
		told, err := read(formats[uint(kind)%5], data)
		var flaw *batch.Flaw
		if err != nil {
			if !errors.As(err, &flaw) || flaw.Kind == "" {
				t.Errorf("untyped error %v", err)
			}
			return
		}
		var again batch.Batch
		text, err := told.Encode()
		if err == nil {
			err = again.Decode(text)
		}
		if second, _ := again.Encode(); err != nil || !bytes.Equal(second, text) {
			t.Errorf("the frame does not read back: %v", err)
		}
	})
}
