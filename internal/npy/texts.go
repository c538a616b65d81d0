package npy

import (
	"bytes"
	"encoding/binary"
	"regexp"
	"strconv"
	"unicode/utf8"
)

// Texts are a list of texts of one width as NumPy keeps them: <U of UTF-32, |S of bytes, filled up with zeros.
type Texts struct {
	raw    []byte
	width  int // bytes of an entry
	isWide bool
}

// At is an entry; ok is false for one that is no text in UTF-8.
func (t *Texts) At(i int) (text string, ok bool) {
	raw := t.raw[i*t.width : (i+1)*t.width]
	if !t.isWide {
		raw = bytes.TrimRight(raw, "\x00")
		return string(raw), utf8.Valid(raw)
	}
	var runes []rune
	for ; len(raw) > 0; raw = raw[4:] {
		r := rune(binary.LittleEndian.Uint32(raw))
		if !utf8.ValidRune(r) {
			return "", false
		}
		runes = append(runes, r)
	}
	for len(runes) > 0 && runes[len(runes)-1] == 0 {
		runes = runes[:len(runes)-1]
	}
	return string(runes), true
}

var textType = regexp.MustCompile(`^(<U|\|S)([1-9][0-9]{0,3})$`)

// kindOrText is kindOf for what may be texts, of up to 1,024 characters.
func kindOrText(descr string) kind {
	found := textType.FindStringSubmatch(descr)
	if found == nil {
		return kindOf(descr)
	}
	n, _ := strconv.Atoi(found[2])
	if n > 1024 {
		refuse("type %q: texts of more than 1024 characters", descr)
	}
	if found[1] == "<U" {
		n *= 4
	}
	return kind{width: n}
}
