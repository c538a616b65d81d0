package draw

import (
	"bytes"
	"image"
	"image/png"
	"math"
	"strings"
	"testing"
)

// picture is the PNG of a panel that says something.
func picture(t *testing.T, words string) image.Image {
	t.Helper()
	panel := Panel{Note: words, Layers: []Layer{Lines{}}, X: Axis{Ruler: Ruler{Max: 1}, Marks: []Tick{}}, Y: Axis{Ruler: Ruler{Max: 1}, Marks: []Tick{}}}
	data, err := Grid{Columns: 1, Panels: []Panel{panel}, Width: 200, Height: 80}.Sketch("words", "", "", false).PNG()
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// inked counts the pixels that are not white.
func inked(img image.Image) (n int) {
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			if r, g, b, _ := img.At(x, y).RGBA(); min(r, g, b) < 0xe000 {
				n++
			}
		}
	}
	return n
}

// Every sign of a number leaves ink on a PNG, the minus of an exponent among them.
func TestSignsAreSeenOnAPNG(t *testing.T) {
	blank := inked(picture(t, "\u202f"))
	for _, sign := range "⁻⁺⁰¹²³⁴⁵⁶⁷⁸⁹ᵀ₀₁₂ₖ−×·∞–‖°…%名" {
		if got := inked(picture(t, string(sign))); got < blank+5 {
			t.Errorf("%q leaves %d pixels of ink, nothing %d", sign, got, blank)
		}
	}
	less, more := inked(picture(t, "3.45\u202f×\u202f10⁴")), inked(picture(t, "3.45\u202f×\u202f10⁻⁴"))
	if more < less+10 {
		t.Errorf("10⁻⁴ has %d pixels of ink, 10⁴ %d: the minus sign is not there", more, less)
	}
}

// An exponent is smaller and above the line, a subscript below it; a text is as wide as its parts.
func TestScriptsAreRaised(t *testing.T) {
	letters := newTypeface()
	parts := letters.runs("10⁻⁴, W₁", 10)
	want := []run{{text: "10", size: 10}, {text: "−4", size: 8, rise: 3.6}, {text: ", W", size: 10}, {text: "1", size: 8, rise: -1.6}}
	if len(parts) != len(want) {
		t.Fatalf("%+v", parts)
	}
	for i, p := range parts {
		if p.text != want[i].text || p.size != want[i].size || math.Abs(float64(p.rise-want[i].rise)) > 1e-9 || p.wide != letters.width(p.text, p.size) {
			t.Errorf("part %d is %+v, want %+v", i, p, want[i])
		}
	}
	if wide := letters.width("10⁻⁴", 10); wide != parts[1].from+parts[1].wide || wide <= letters.width("10⁴", 10) {
		t.Errorf("10⁻⁴ is %v wide", wide)
	}
}

// A text stays whole where it has just the room, and is cut where it has a little less.
func TestTextsThatJustFit(t *testing.T) {
	letters := newTypeface()
	for _, s := range []string{"abc", "10⁻⁴ W₁"} {
		room := letters.width(s, 10)
		if got := letters.fit(s, 10, room); got != s {
			t.Errorf("%q in its own width is %q", s, got)
		}
		if got := letters.fit(s, 10, room-0.01); got == s || !strings.HasSuffix(got, "…") {
			t.Errorf("%q in less than its own width is %q", s, got)
		}
	}
}
