package rows

import (
	"math"
	"slices"
	"testing"
)

// refused tells whether something panics.
func refused(do func()) (is bool) {
	defer func() { is = recover() != nil }()
	do()
	return false
}

// What has too little room is refused before anything is written behind it, and so is what has too few numbers.
func TestTooLittleRoomIsRefused(t *testing.T) {
	levels(func(level string) {
		x := slices.Repeat([]float64{0.5}, 32)
		for name, do := range map[string]func(dst []float64){
			"Widen":    func(dst []float64) { Widen(dst, make([]float32, 32)) },
			"Gauss":    func(dst []float64) { Gauss(dst, make([]uint64, 32)) },
			"Blend":    func(dst []float64) { Blend(dst, make([]float64, 8), x, x, x[:4], 1, 1, 1) },
			"Products": func(own []float64) { Products(make([]float64, 8), own[:7:7], x, x[:4]) },
			"AddMulT":  func(a []float64) { AddMulT(make([]float64, 4), a, make([]float64, 8)) },
			"Cosines":  func(d []float64) { Cosines(make([]float64, 8), d, x[:4], 1) },
			"Mix":      func(y []float64) { Mix(make([]float64, 32), 1, x, 1, y, 1, x) },
			"Rest":     func(y []float64) { Rest(make([]float64, 32), 1, x, 1, y, 0.5) },
			"tiles":    func(tiles []float64) { Tile(tiles, x, 1) },
		} {
			lent, behind := within(31)
			if !refused(func() { do(lent) }) {
				t.Errorf("%s: %s takes 31 numbers for 32", level, name)
			}
			if !whole(behind) {
				t.Errorf("%s: %s writes behind what it was lent", level, name)
			}
		}
		short := make([]float32, 64)
		if !refused(func() { Narrow(short[:31:31], x) }) || slices.Max(short) != 0 {
			t.Errorf("%s: Narrow writes to %v", level, short)
		}
	})
}

// Tiles that have fewer states or traits than there are people are refused, and so are walks beyond the end.
func TestShortTilesAndWalks(t *testing.T) {
	levels(func(level string) {
		x, u := slices.Repeat([]float64{1}, 32), []float64{1, 1}
		for name, do := range map[string]func(){
			"states": func() { StepTiles(make([]float64, 32), x[:31], x, u, 1, 1, 1) }, "traits": func() { StepTiles(make([]float64, 32), x, x[:31], u, 1, 1, 1) },
			"states of both": func() { AlignTiles(make([]float64, 32), make([]float64, 16), x[:31], x, u, 1, 1, 1, 1) }, "traits of both": func() { AlignTiles(make([]float64, 32), make([]float64, 16), x, x[:31], u, 1, 1, 1, 1) },
			"half a tile": func() { StepTiles(make([]float64, 24), x, x, u, 1, 1, 1) },
			"a walk":      func() { g := NewGaps(); g.Walk(x, x, x, 33) },
		} {
			if !refused(do) {
				t.Errorf("%s: %s: too few are taken", level, name)
			}
		}
		g := NewGaps()
		if g.Walk(x, x, x, 32); g.A != filled(33) {
			t.Errorf("%s: from either end to the other there are %v", level, g.A)
		}
		if least, most := StepTiles(make([]float64, 32), x, x, u, 0.5, 0.5, 0); math.Abs(least-2) > 1e-15 || least != most {
			t.Errorf("%s: of whole tiles lengths are from %v to %v", level, least, most)
		}
	})
}
