package rows

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Tiles give the bits of rows: of Blend for states and of Cosines for products with the decision, on every level and for ordinary and hostile numbers.
func TestTilesGiveTheBitsOfRows(t *testing.T) {
	levels(func(level string) {
		t.Run(level, func(t *testing.T) {
			r := rand.New(rand.NewPCG(11, 0))
			for _, m := range sizes[1:] {
				for _, n := range []int{1, 7, 8, 9, 40} {
					tilesAgree(t, r, n, m, false)
					tilesAgree(t, r, n, m, true)
				}
			}
		})
	})
}

func tilesAgree(t *testing.T, r *rand.Rand, n, m int, odd bool) {
	p, d, u := random(r, n*m, odd), random(r, n*m, odd), random(r, m, odd)
	dst, norm2, cosines := make([]float64, n*m), make([]float64, n), make([]float64, n)
	blendPlain(dst, norm2, p, d, u, 0.4, 0.6, 0.5)
	_, nearest := cosinesPlain(cosines, d, u, 0.7)
	size := TileSize(n, m)
	tp, td, tdst, along := make([]float64, size), make([]float64, size), make([]float64, size), make([]float64, size/m)
	Tile(tp, p, m)
	Tile(td, d, m)
	got := make([]float64, n*m)
	what := fmt.Sprintf("%d people of %d entries: ", n, m)
	check := func(name string, least, most float64) {
		Untile(got, tdst, 0, m)
		sameBits(t, what+name, got, dst)
		low, high := lowest2(math.Inf(1), lowest(norm2)), highest(norm2)
		if math.IsNaN(high) != math.IsNaN(most) || !math.IsNaN(high) && high != most || low != least {
			t.Fatalf("%s%s: lengths from %v to %v, want %v to %v", what, name, least, most, low, high)
		}
	}
	least, most := StepTiles(tdst, tp, td, u, 0.4, 0.6, 0.5)
	check("StepTiles", least, most)
	clear(tdst)
	least, most, near := AlignTiles(tdst, along, tp, td, u, 0.4, 0.6, 0.5, 0.7)
	check("AlignTiles", least, most)
	sameBits(t, what+"products", along, cosines)
	if near != nearest && !math.IsNaN(near) {
		t.Fatalf("%snearest %v, want %v", what, near, nearest)
	}
}

// What is left of the last tile are copies of the last row, what is behind it stays as it is, and a part of the tiles can be read.
func TestTilesHoldRows(t *testing.T) {
	x := []float64{1, 2, 3, 4, 5, 6}
	behind := slices.Repeat([]float64{7}, TileSize(3, 2))
	tiles := slices.Repeat([]float64{7}, 2*TileSize(3, 2))
	Tile(tiles, x, 2)
	if !slices.Equal(tiles, append([]float64{1, 3, 5, 5, 5, 5, 5, 5, 2, 4, 6, 6, 6, 6, 6, 6}, behind...)) {
		t.Fatalf("tiles are %v", tiles)
	}
	back := make([]float64, 4)
	if Untile(back, tiles, 1, 2); back[0] != 3 || back[1] != 4 || back[2] != 5 || back[3] != 6 {
		t.Errorf("the last two rows are %v", back)
	}
	if TileSize(8, 2) != 16 || TileSize(9, 2) != 32 || TileSize(0, 2) != 0 {
		t.Error("tiles of 8, 9 and 0 people are not 1, 2 and 0")
	}
	Tile(nil, nil, 0)
}

func TestBrokenTilesPanic(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a broken tile is taken")
		}
	}()
	StepTiles(make([]float64, 12), make([]float64, 12), make([]float64, 12), []float64{1}, 1, 0, 0)
}
