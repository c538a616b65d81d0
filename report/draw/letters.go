package draw

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kedge-opt/kedge/internal/phrase"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/vg"
)

// typeface measures and sets Liberation Sans, whose widths are those of Arial and Helvetica.
type typeface struct{ cache *font.Cache }

func newTypeface() typeface { return typeface{font.NewCache(liberation.Collection())} }

func (t typeface) face(size vg.Length) font.Face {
	return t.cache.Lookup(font.Font{Typeface: "Liberation", Variant: "Sans"}, size)
}

// run is a part of a text in one size at one height. The typeface lacks exponents, above all their minus, so they are ordinary letters,
// smaller and raised.
type run struct {
	text             string
	size, rise, from vg.Length // from is how far it begins behind the text's beginning
	wide             vg.Length
}

// runs splits a text by height.
func (t typeface) runs(s string, size vg.Length) (list []run) {
	const small, raised, lowered, gap = 0.8, 0.36, -0.16, 0.05
	last := 0
	for _, r := range s {
		letter, rise := phrase.Script(r)
		if len(list) == 0 || rise != last {
			part := [...]run{{size: small * size, rise: lowered * size}, {size: size}, {size: small * size, rise: raised * size}}[rise+1]
			list, last = append(list, part), rise
		}
		list[len(list)-1].text += string(letter)
	}
	at := vg.Length(0)
	for i := range list {
		if i > 0 {
			at += vg.Length(gap * size)
		}
		face := t.face(list[i].size)
		list[i].from, list[i].wide = at, face.Width(t.boxed(list[i].text))
		at += list[i].wide
	}
	return list
}

func (t typeface) width(s string, size vg.Length) vg.Length {
	list := t.runs(s, size)
	if len(list) == 0 {
		return 0
	}
	last := list[len(list)-1]
	return last.from + last.wide
}

// widest is the width of the widest of some texts.
func (t typeface) widest(texts []string, size vg.Length) (wide vg.Length) {
	for _, s := range texts {
		wide = max(wide, t.width(s, size))
	}
	return wide
}

// has tells whether the typeface has a letter.
func (t typeface) has(letter rune) bool {
	i, err := t.face(textSize).Face.GlyphIndex(nil, letter)
	return err == nil && i != 0
}

// boxed puts a box for every letter that the typeface lacks, so that nothing goes unseen.
func (t typeface) boxed(s string) string {
	return strings.Map(func(r rune) rune {
		if r < unicode.MaxASCII || t.has(r) {
			return r
		}
		return '□'
	}, s)
}

// fit cuts s to a width, ending in an ellipsis when something was cut.
func (t typeface) fit(s string, size, room vg.Length) string {
	s = printable(s)
	wide := t.width("…", size)
	end := 0 // of what fits together with an ellipsis
	for i, r := range s {
		if wide += t.width(string(r), size); wide > room {
			break
		}
		end = i + utf8.RuneLen(r)
	}
	if end == len(s) || t.width(s, size) <= room {
		return s
	}
	return s[:end] + "…"
}

// printable replaces what XML cannot hold, or what would break a line.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) || r == '\u202f' || r == '\u00a0' {
			return r
		}
		return '□'
	}, s)
}
