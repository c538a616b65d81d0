package columns

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"
)

// took is what reading came to: what is wrong, or what was read.
func took(read func() string) (said string) {
	if err := try(func() { said = read() }); err != nil {
		return err.Error()
	}
	return said
}

// all reads up to 40 values.
func all(v values) (said string) {
	for range 40 {
		b, ok := v.next()
		if !ok {
			return said + " end"
		}
		said += fmt.Sprintf(" %x", b)
	}
	return said
}

// Bytes at random are numbers, texts and references as when this was recorded.
func TestValuesAsRecorded(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var got []string
	for n := range 600 {
		body := make([]byte, rng.IntN(24))
		for i := range body {
			body[i] = byte(rng.Uint32() >> (24 + rng.IntN(8)))
		}
		line := fmt.Sprintf("%x", body)
		switch width := []int{0, 4, 8}[n%3]; n % 4 {
		case 0:
			h, bits := hybrid{rest: body, width: uint(rng.IntN(33))}, ""
			for range 40 {
				v, ok := h.next()
				if !ok {
					bits += " end"
					break
				}
				bits += fmt.Sprint(" ", v)
			}
			line += fmt.Sprintf(" by %d bits:%s", h.width, bits)
		case 1:
			line += fmt.Sprintf(" of %d bytes:%s", width, all(&plain{body, width}))
		case 2:
			if width > 0 {
				line += fmt.Sprintf(" split:%s", all(&split{all: body, width: width, count: len(body) / width}))
			}
		case 3:
			count := rng.IntN(5)
			line += fmt.Sprintf(" dictionary of %d:", count) + took(func() (said string) {
				d := dictionary{}
				d.open(body, count, width)
				for i := range uint32(count + 1) {
					b, ok := d.at(i)
					said += fmt.Sprintf(" %x %t", b, ok)
				}
				x := scan{reader: &reader{dictionary: d}, leaf: &leaf{physical: format.Double}, ready: true}
				return said + ", refers:" + all(x.refer(body))
			})
		}
		got = append(got, line)
	}
	evidence.AsRecorded(t, "testdata/values.txt", got)
}

// Numbers without bits are zeros, eight a group, and no more than 2³¹ − 1 groups; runs end where they say.
func TestRunsAndGroups(t *testing.T) {
	groups := func(n uint64) []byte { return binary.AppendUvarint(nil, n<<1|1) }
	for _, c := range []struct {
		of   hybrid
		want int
		last uint32
	}{
		{hybrid{rest: groups(1)}, 8, 0}, {hybrid{rest: groups(3)}, 24, 0}, {hybrid{rest: groups(math.MaxInt32 + 1)}, 0, 0}, {hybrid{rest: groups(math.MaxInt32)}, 100, 0},
		{hybrid{rest: []byte{6, 9}, width: 5}, 3, 9}, {hybrid{rest: []byte{3, 0xff, 0xff, 0x0f}, width: 1}, 8, 1}, {hybrid{rest: []byte{5, 1, 2}, width: 1}, 16, 0}, {hybrid{rest: []byte{3}, width: 1}, 0, 0},
		{hybrid{rest: []byte{2, 1, 2, 3, 4}, width: 32}, 1, 0x04030201}, {hybrid{rest: []byte{2, 1, 2, 3}, width: 32}, 0, 0}, {hybrid{rest: []byte{2, 1, 2}, width: 9}, 1, 0x201},
	} {
		n, last := 0, uint32(0)
		for h := c.of; n < 100; n++ {
			v, ok := h.next()
			if !ok {
				break
			}
			last = v
		}
		if n != c.want || last != c.last {
			t.Errorf("%x: %d numbers, the last %d, want %d and %d", c.of.rest, n, last, c.want, c.last)
		}
	}
}

// references beyond 32 bits are refused, and a page of nothing but nulls refers to nothing.
func TestReferences(t *testing.T) {
	x := scan{reader: &reader{dictionary: dictionary{all: []byte("abcd"), width: 4, count: 1}}, leaf: &leaf{physical: format.Float}, ready: true}
	for body, want := range map[string]string{"": " end", "\x20": " end", "\x00\x04": " 61626364 61626364 end", "\x21": "table: page that refers to a dictionary by numbers of 33 bits"} {
		if got := took(func() string { return all(x.refer([]byte(body))) }); got != want {
			t.Errorf("%x: %s, want %s", body, got, want)
		}
	}
	x.ready = false
	if got := took(func() string { return all(x.refer(nil)) }); got != "table: page that refers to a dictionary that is not there" {
		t.Error(got)
	}
}

// thriftNumber is a field so much further, of 32 bits.
func thriftNumber(further byte, v int64) string {
	return string(binary.AppendVarint([]byte{further<<4 | 5}, v))
}

func thriftText(further byte, text string) string {
	return string(binary.AppendUvarint([]byte{further<<4 | 8}, uint64(len(text)))) + text
}

// schemaOfOne is metadata of one column with these fields after its name.
func schemaOfOne(physical int64, name, rest string, repetition int64) string {
	return "\x29\x2c" + "\x48\x01r" + thriftNumber(1, 1) + "\x00" + thriftNumber(1, physical) + thriftNumber(2, repetition) + thriftText(1, name) + rest + "\x00" + "\x16\x00\x00"
}

// What columns of all types mean, by the older and the newer way to say so, is as when this was recorded.
func TestColumnsAsRecorded(t *testing.T) {
	var got []string
	see := func(what, metadata string) {
		got = append(got, what+": "+took(func() string {
			f := footer{text: []byte(metadata)}
			f.schema()
			return fmt.Sprintf("%.20q, %d letters, optional %t, unsigned %t, of %d bytes, text %t", f.leaves[0].name, len(f.leaves[0].name), f.leaves[0].optional, f.leaves[0].unsigned, f.leaves[0].width(), f.leaves[0].isText())
		}))
	}
	for physical := int64(0); physical < 9; physical++ {
		see(fmt.Sprint("type ", physical), schemaOfOne(physical, "x", "", 0))
		for _, repetition := range []int64{1, 2} {
			see(fmt.Sprint("type ", physical, " repetition ", repetition), schemaOfOne(physical, "x", "", repetition))
		}
		for converted := int64(-1); converted < 23; converted++ {
			see(fmt.Sprint("type ", physical, " converted ", converted), schemaOfOne(physical, "x", thriftNumber(2, converted), 0))
		}
		for logical := byte(1); logical < 16; logical++ {
			see(fmt.Sprint("type ", physical, " logical ", logical), schemaOfOne(physical, "x", "\x6c"+string([]byte{logical<<4 | 0xc})+"\x00\x00", 0))
		}
		see(fmt.Sprint("type ", physical, " with a sign"), schemaOfOne(physical, "x", "\x6c\xac\x13\x08\x11\x00\x00", 0))
	}
	see("children", schemaOfOne(5, "x", thriftNumber(1, 1), 0))
	see("257 letters", schemaOfOne(5, strings.Repeat("y", 257), "", 0))
	see("two columns for one", strings.Replace(schemaOfOne(5, "x", "", 0), "r"+thriftNumber(1, 1), "r"+thriftNumber(1, 2), 1))
	for _, n := range []int{mostColumns, mostColumns + 1} {
		head := string(binary.AppendUvarint([]byte("\x29\xfc"), uint64(n+1))) + "\x48\x01r" + thriftNumber(1, int64(n)) + "\x00"
		see(fmt.Sprint(n, " columns"), head+strings.Repeat(thriftNumber(1, 5)+thriftText(3, "x")+"\x00", n)+"\x16\x00\x00")
	}
	evidence.AsRecorded(t, "testdata/types.txt", got)
}

// Structures, lists and maps lie at most 24 within each other, wherever they are passed over.
func TestDepths(t *testing.T) {
	list := func(n int) string { return "\x19" + strings.Repeat("\x19", n-1) + "\x15\x00" + "\x00" }
	maps := func(n int) string { return "\x1b" + strings.Repeat("\x01\x5b\x00", n-1) + "\x01\x55\x00\x00" + "\x00" }
	structures := func(n int) string { return strings.Repeat("\x1c", n) + strings.Repeat("\x00", n+1) }
	for name, of := range map[string]func(n int) string{"lists": list, "maps": maps, "structures": structures} {
		for n, want := range map[int]string{deepest: "", deepest + 1: "too deep within each other"} {
			got := took(func() string { newMessage([]byte(of(n))).read(nil, 0); return "" })
			if want == "" && got != "" || !strings.HasSuffix(got, want) {
				t.Errorf("%d %s: %q", n, name, got)
			}
		}
	}
}

// Messages at random, in Thrift's compact form, are read or refused as when this was recorded.
func TestMessagesAsRecorded(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	var got []string
	for range 500 {
		body := structure(rng, 0)
		if rng.IntN(4) == 0 {
			body[rng.IntN(len(body))] = byte(rng.Uint32())
		}
		if rng.IntN(6) == 0 {
			body = body[:rng.IntN(len(body))]
		}
		got = append(got, fmt.Sprintf("%x: ", body)+took(func() string {
			var number, inner, last, entry, visits int64
			var text []byte
			m := newMessage(body)
			m.read(fields{0: &last, 1: &number, 2: &text, 3: fields{1: &inner}, 4: list{fields{1: &entry}, func() { visits = 10*visits + entry + 1 }}}, 0)
			return fmt.Sprintf("%d %q %d %d, last %d, %d bytes", number, text, inner, visits, last, m.BytesRead())
		}))
	}
	evidence.AsRecorded(t, "testdata/messages.txt", got)
}

// structure is one of few fields.
func structure(rng *rand.Rand, depth int) []byte {
	var b []byte
	for id := 1; id < 6; id++ {
		further, kind := byte(1), byte([]int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}[rng.IntN(12)])
		if rng.IntN(3) > 0 {
			kind = []byte{5, 8, 12, 9, 6}[id-1]
		}
		if rng.IntN(5) == 0 {
			further++
			id++
		}
		b = value(rng, append(b, further<<4|kind), kind, depth)
	}
	return append(b, 0)
}

// value adds one of a type.
func value(rng *rand.Rand, b []byte, kind byte, depth int) []byte {
	if depth > 2 && kind > 8 {
		return append(b, 0)
	}
	switch kind {
	case 1, 2:
	case 3:
		b = append(b, byte(rng.Uint32()))
	case 4, 5, 6:
		b = binary.AppendVarint(b, int64(rng.IntN(9))-4)
	case 7:
		b = append(b, make([]byte, 8)...)
	case 8:
		n := rng.IntN(4)
		b = append(append(b, byte(n)), "abc"[:n]...)
	case 9, 10:
		n, of := rng.IntN(3), []byte{12, 12, 12, 5, 8, 1, 9}[rng.IntN(7)]
		b = append(b, byte(n)<<4|of)
		for range n {
			b = inside(rng, b, of, depth)
		}
	case 11:
		n, key, of := rng.IntN(3), byte(5), []byte{12, 8, 2, 11}[rng.IntN(4)]
		if b = append(b, byte(n)); n > 0 {
			b = append(b, key<<4|of)
		}
		for range n {
			b = inside(rng, inside(rng, b, key, depth), of, depth)
		}
	case 12:
		b = append(b, structure(rng, depth+1)...)
	}
	return b
}

// inside adds an entry of a list or a map, where truth takes a byte.
func inside(rng *rand.Rand, b []byte, kind byte, depth int) []byte {
	if kind < 3 {
		return append(b, byte(1+rng.IntN(2)))
	}
	if kind == 12 && depth > 2 {
		return append(b, 0)
	}
	return value(rng, b, kind, depth+1)
}

// Pages are unpacked to just as many bytes as they say, and what their codec finds wrong is told: by hand, of "hello", with its length and its check as each codec has them.
func TestPagesUnpack(t *testing.T) {
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	io.WriteString(z, "hello")
	z.Close()
	pack, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer pack.Close()
	zst := pack.EncodeAll([]byte("hello"), nil)
	snap := snappy.Encode(nil, []byte("hello"))
	short := func(b []byte) []byte { return b[:len(b)-len(b)/2] }
	for _, c := range []struct {
		codec format.CompressionCodec
		src   []byte
		size  int
		cause error  // nil: none
		want  string // "": nothing is wrong
	}{
		{format.Snappy, snap, 5, nil, ""}, {format.Snappy, snap, 4, nil, "no Snappy of the length"}, {format.Snappy, snap, 6, nil, "no Snappy of the length"}, {format.Snappy, snap[:3], 5, snappy.ErrCorrupt, "does not unpack"}, {format.Snappy, nil, 5, snappy.ErrCorrupt, "no Snappy of the length"},
		{format.Gzip, zipped.Bytes(), 5, nil, ""}, {format.Gzip, zipped.Bytes(), 6, io.ErrUnexpectedEOF, "does not unpack"}, {format.Gzip, []byte("hello hello"), 5, gzip.ErrHeader, "does not unpack"}, {format.Gzip, short(zipped.Bytes()), 5, io.ErrUnexpectedEOF, "does not unpack"},
		{format.Zstd, zst, 5, nil, ""}, {format.Zstd, zst, 6, nil, "does not unpack"}, {format.Zstd, zst, 4, zstd.ErrDecoderSizeExceeded, "does not unpack"}, {format.Zstd, []byte("hello"), 5, zstd.ErrMagicMismatch, "does not unpack"},
		{format.Brotli, snap, 5, nil, "compressed by codec 4; want none, Snappy, gzip or Zstandard"},
	} {
		dst := make([]byte, c.size)
		err := try(func() { (&reader{}).decompress(dst, c.src, c.codec) })
		if c.want == "" && (err != nil || string(dst) != "hello") || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) || c.cause != nil && !errors.Is(err, c.cause) {
			t.Errorf("%v of %d bytes to %d: %q, %v, want %q because of %v", c.codec, len(c.src), c.size, dst, err, c.want, c.cause)
		}
	}
}

// A column lies behind the letters that a file begins with, and ends in it; one without values may have no bytes at all. By hand, in a file of 100 bytes.
func TestWhereColumnsLie(t *testing.T) {
	for of, lies := range map[chunk]bool{
		{data: 4}: true, {data: 3}: false, {data: 4, size: -1}: false, {data: 100}: true, {data: 101}: false, {data: 50, size: 51}: false, {dictionary: 1, data: 50}: false, {dictionary: 3, data: 50}: false, {dictionary: 4, data: 50}: true,
	} {
		err := try(func() { (&reader{size: 100}).pages(of, func(page, int64) { t.Errorf("%+v has a page", of) }) })
		if (err == nil) != lies || err != nil && !strings.Contains(err.Error(), "lies outside the file") {
			t.Errorf("%+v: %v", of, err)
		}
	}
}
