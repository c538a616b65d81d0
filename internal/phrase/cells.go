package phrase

import "unicode"

// Cells counts the places that a text takes on a terminal: two for the letters of East Asia and for emoji, none for marks that stand above
// other letters, as the tilde of Φ̃.
func Cells(text string) (n int) {
	for _, r := range text {
		switch {
		case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		case isWide(r):
			n += 2
		default:
			n++
		}
	}
	return n
}

// Cut is the longest beginning of a text that takes at most so many places.
func Cut(text string, cells int) string {
	for i, r := range text {
		if cells -= Cells(string(r)); cells < 0 {
			return text[:i]
		}
	}
	return text
}

// isWide tells what Unicode calls wide or fullwidth (EastAsianWidth.txt), by whole blocks where almost all of one is.
func isWide(r rune) bool {
	return r >= 0x1100 && unicode.Is(&unicode.RangeTable{
		R16: []unicode.Range16{
			{0x1100, 0x115f, 1}, {0x231a, 0x231b, 1}, {0x23e9, 0x23ec, 1}, {0x23f0, 0x23f3, 3}, {0x2614, 0x2615, 1}, {0x2648, 0x2653, 1}, {0x26a1, 0x26a1, 1},
			{0x26bd, 0x26be, 1}, {0x26d4, 0x26d4, 1}, {0x2705, 0x2705, 1}, {0x2728, 0x2728, 1}, {0x274c, 0x274e, 2}, {0x2753, 0x2755, 1}, {0x2757, 0x2757, 1},
			{0x2795, 0x2797, 1}, {0x2b1b, 0x2b1c, 1}, {0x2b50, 0x2b55, 5}, {0x2e80, 0x303e, 1}, {0x3041, 0x4dbf, 1}, {0x4e00, 0xa4cf, 1}, {0xa960, 0xa97c, 1},
			{0xac00, 0xd7a3, 1}, {0xf900, 0xfaff, 1}, {0xfe10, 0xfe19, 1}, {0xfe30, 0xfe6b, 1}, {0xff01, 0xff60, 1}, {0xffe0, 0xffe6, 1},
		},
		R32: []unicode.Range32{
			{0x17000, 0x18cff, 1}, {0x1b000, 0x1b2ff, 1}, {0x1f300, 0x1f320, 1}, {0x1f32d, 0x1f335, 1}, {0x1f337, 0x1f37c, 1}, {0x1f37e, 0x1f393, 1},
			{0x1f3a0, 0x1f3ca, 1}, {0x1f3e0, 0x1f3f0, 1}, {0x1f3f8, 0x1f43e, 1}, {0x1f440, 0x1f440, 1}, {0x1f442, 0x1f4fc, 1}, {0x1f4ff, 0x1f53d, 1},
			{0x1f550, 0x1f567, 1}, {0x1f5fb, 0x1f64f, 1}, {0x1f680, 0x1f6c5, 1}, {0x1f900, 0x1f9ff, 1}, {0x1fa70, 0x1faff, 1}, {0x20000, 0x3fffd, 1},
		},
	}, r)
}
