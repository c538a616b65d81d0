package npy

import (
	"encoding/binary"
	"errors"
	"io"
	"strconv"
	"strings"
)

const (
	magic     = "\x93NUMPY"
	maxHeader = 64 << 10
)

// header is what the first bytes of an array say of the rest.
type header struct {
	descr   string
	fortran bool
	shape   []int
}

// readHeader reads magic, version, length and dictionary.
func readHeader(r io.Reader) (header, error) {
	var start [12]byte
	if err := fill(r, start[:8], "magic"); err != nil {
		return header{}, err
	}
	if string(start[:6]) != magic {
		return header{}, wrong("does not start with the NumPy magic string")
	}
	major, minor := start[6], start[7]
	if major < 1 || major > 3 || minor != 0 {
		return header{}, wrong("format version %d.%d, want 1.0, 2.0 or 3.0", major, minor)
	}
	width := 4
	if major == 1 {
		width = 2
	}
	if err := fill(r, start[8:8+width], "header length"); err != nil {
		return header{}, err
	}
	size := binary.LittleEndian.Uint32(start[8:])
	if size > maxHeader {
		return header{}, wrong("header of %d bytes, at most %d are read", size, maxHeader)
	}
	text := make([]byte, size)
	if err := fill(r, text, "header"); err != nil {
		return header{}, err
	}
	return parseHeader(string(text))
}

// fill reads len(b) bytes or says what they would have been.
func fill(r io.Reader, b []byte, what string) error {
	if _, err := io.ReadFull(r, b); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return because("read "+what, err)
	}
	return nil
}

// parseHeader reads the dictionary: 'descr', 'fortran_order' and 'shape' in any order, once each, and nothing else.
func parseHeader(text string) (header, error) {
	p := parser{rest: text}
	var h header
	seen := map[string]bool{}
	p.want("{")
	for p.err == nil && !p.take("}") {
		key := p.text()
		p.want(":")
		if seen[key] {
			p.fail("key %q appears twice", key)
		}
		seen[key] = true
		p.field(&h, key)
		if !p.take(",") {
			p.want("}")
			break
		}
	}
	if p.skip(); p.err == nil && p.rest != "" {
		p.fail("bytes after the dictionary")
	}
	if p.err == nil && len(seen) != 3 {
		p.fail("want 'descr', 'fortran_order' and 'shape'")
	}
	return h, p.err
}

// parser consumes the text of a header from the left. After its first error it does nothing more.
type parser struct {
	rest string
	err  error
}

func (p *parser) fail(format string, args ...any) {
	if p.err == nil {
		p.err = wrong("header: "+format, args...)
	}
	p.rest = ""
}

func (p *parser) skip() { p.rest = strings.TrimLeft(p.rest, " \t\r\n") }

// take skips white space and then s, if it is there.
func (p *parser) take(s string) bool {
	p.skip()
	rest, ok := strings.CutPrefix(p.rest, s)
	p.rest = rest
	return ok
}

func (p *parser) want(s string) {
	if !p.take(s) {
		p.fail("want %q before %q", s, p.rest[:min(20, len(p.rest))])
	}
}

// text reads a string between single or double quotes; escapes do not occur in what is accepted.
func (p *parser) text() string {
	p.skip()
	if p.rest == "" || p.rest[0] != '\'' && p.rest[0] != '"' {
		p.fail("want a string before %q", p.rest[:min(20, len(p.rest))])
		return ""
	}
	s, rest, closed := strings.Cut(p.rest[1:], p.rest[:1])
	if !closed {
		p.fail("string without an end")
		return ""
	}
	p.rest = rest
	return s
}

func (p *parser) field(h *header, key string) {
	switch key {
	case "descr":
		h.descr = p.descr()
	case "fortran_order":
		h.fortran = p.take("True")
		if !h.fortran {
			p.want("False")
		}
	case "shape":
		h.shape = p.shape()
	default:
		p.fail("unknown key %q", key)
	}
}

func (p *parser) descr() string {
	if p.take("[") {
		p.fail("structured arrays are not read")
		return ""
	}
	return p.text()
}

// shape reads a tuple of sizes: "()", "(3,)" or "(3, 4)".
func (p *parser) shape() []int {
	var shape []int
	p.want("(")
	for p.err == nil && !p.take(")") {
		shape = append(shape, p.size())
		if !p.take(",") {
			if p.want(")"); len(shape) == 1 {
				p.fail("shape is a number, want a tuple")
			}
			break
		}
	}
	return shape
}

func (p *parser) size() int {
	p.skip()
	digits := len(p.rest) - len(strings.TrimLeft(p.rest, "0123456789"))
	n, err := strconv.Atoi(p.rest[:digits])
	if err != nil {
		p.fail("want a size before %q", p.rest[:min(20, len(p.rest))])
		return 0
	}
	p.rest = p.rest[digits:]
	return n
}
