package columns

import (
	"io"

	"github.com/kedge-opt/kedge/internal/intake"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"
)

// page is the header of a page.
type page struct {
	kind             int64 // a format.PageType
	unpacked, packed int64 // bytes
	values           int64 // nulls among them
	encoding         int64
	levels, repeats  int64 // of version 2: bytes of definition and repetition levels, which are never compressed
	compressed       int64 // of version 2: 0 if the values are not compressed either
}

// fields says where the fields of a header go: those of a data page, a dictionary or a data page of version 2 stand under 5, 7 and 8.
func (p *page) fields() fields {
	first := fields{1: &p.values, 2: &p.encoding}
	second := fields{1: &p.values, 4: &p.encoding, 5: &p.levels, 6: &p.repeats, 7: &p.compressed}
	return fields{1: &p.kind, 2: &p.unpacked, 3: &p.packed, 5: first, 7: first, 8: second}
}

func (p *page) is(kind format.PageType) bool { return p.kind == int64(kind) }

const longestHeader = 64 << 10

// pages calls visit for every page of a chunk, with the offset of its body.
func (r *reader) pages(c chunk, visit func(p page, body int64)) {
	at := c.data
	if 0 < c.dictionary && c.dictionary < c.data {
		at = c.dictionary
	}
	if at < int64(len(magic)) || c.size < 0 || c.size > r.size-at {
		refuse("metadata: a column lies outside the file")
	}
	values := int64(0)
	for end := at + c.size; at < end; {
		p, n := r.pageAt(at, end)
		r.checkPage(c, p, end-at-n)
		if !p.is(format.DictionaryPage) {
			values += p.values
		}
		if values > c.values {
			break
		}
		visit(p, at+n)
		at += n + p.packed
	}
	if values != c.values {
		refuse("the pages have other numbers of values than the metadata")
	}
}

// checkPage demands sizes that the file can hold and memory may be taken for.
func (r *reader) checkPage(c chunk, p page, left int64) {
	switch {
	case !p.is(format.DataPage) && !p.is(format.DictionaryPage) && !p.is(format.DataPageV2):
		refuse("page of the unknown kind %d", p.kind)
	case p.packed < 0 || p.packed > left || p.values < 0 || p.values > max(c.values, p.unpacked):
		refuse("page of %d values in %d bytes, where %d are left", p.values, p.packed, left)
	case p.unpacked < 0 || p.unpacked > r.largestPage():
		refuse("page of %d bytes, at most %d are unpacked", p.unpacked, r.largestPage())
	case p.repeats != 0 || p.levels < 0 || p.levels > min(p.packed, p.unpacked):
		refuse("page with %d bytes of levels and %d of repetitions", p.levels, p.repeats)
	case c.codec == 0 && p.packed != p.unpacked:
		refuse("page of %d bytes that says it unpacks to %d without a codec", p.packed, p.unpacked)
	}
}

// largestPage is how much memory a page and a dictionary may take.
func (r *reader) largestPage() int64 { return max(8<<20, 2*r.size) }

// pageAt reads the header of the page at an offset and returns its length.
func (r *reader) pageAt(at, end int64) (p page, n int64) {
	var err error
	for _, most := range []int64{512, longestHeader} {
		window := r.window(min(most, end-at))
		readAt(r.src, window, at, "a page")
		r.message.size = len(window)
		r.message.ResetBytes(window)
		r.at = page{compressed: 1}
		if err = try(func() { r.message.read(r.header, 0) }); err == nil {
			return r.at, int64(r.message.BytesRead())
		}
	}
	panic(err)
}

// try reads what may turn out to be wrong.
func try(read func()) (err error) {
	defer intake.Catch(&err)
	read()
	return nil
}

// window is room for n bytes.
func (r *reader) window(n int64) []byte {
	if int64(len(r.head)) < n {
		r.head = make([]byte, n)
	}
	return r.head[:n]
}

// unpack reads the body of a page into dst, which is as long as the page unpacks to.
func (r *reader) unpack(dst []byte, c chunk, p page, at int64) {
	plain := p.levels
	if c.codec == 0 || p.compressed == 0 {
		plain = p.packed
	}
	if plain > p.unpacked {
		refuse("page of %d bytes that says it unpacks to %d", p.packed, p.unpacked)
	}
	readAt(r.src, dst[:plain], at, "a page")
	if plain < p.packed || plain < p.unpacked {
		raw := r.packed[:p.packed-plain]
		readAt(r.src, raw, at+plain, "a page")
		r.decompress(dst[plain:], raw, format.CompressionCodec(c.codec))
	}
}

// decompress fills dst exactly.
func (r *reader) decompress(dst, src []byte, codec format.CompressionCodec) {
	var got []byte
	var err error
	switch codec {
	case format.Snappy:
		if n, e := snappy.DecodedLen(src); e != nil || n != len(dst) {
			panic(because("a page is no Snappy of the length it says", e))
		}
		got, err = snappy.Decode(dst, src)
	case format.Gzip:
		r.source.Reset(src)
		if err = r.gzip.Reset(&r.source); err == nil {
			_, err = io.ReadFull(&r.gzip, dst)
		}
		got = dst
	case format.Zstd:
		if r.zstd == nil {
			r.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecodeAllCapLimit(true))
		}
		if err == nil {
			got, err = r.zstd.DecodeAll(src, dst[:0:len(dst)])
		}
	default:
		refuse("pages are compressed by codec %d; want none, Snappy, gzip or Zstandard", codec)
	}
	if err != nil || len(got) != len(dst) {
		panic(because("a page does not unpack to the length it says", err))
	}
	copy(dst, got)
}
