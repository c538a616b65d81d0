package rows

import "math"

// TileRows is how many people make a tile. In tiles entry j of individual i stands at i/8·8m + 8j + i%8, for m entries each.
const TileRows = 8

// HasTiles tells whether this processor moves people faster in tiles than in rows.
func HasTiles() bool { return hasAVX2() }

// TileSize is how many numbers the tiles of n people of m entries take.
func TileSize(n, m int) int { return (n + TileRows - 1) / TileRows * TileRows * m }

// Tile writes rows of m entries to tiles. What is left of the last tile are copies of the last row.
func Tile(tiles, x []float64, m int) {
	if len(x) == 0 {
		return
	}
	n := len(x) / m
	tiles = tiles[:TileSize(n, m)]
	for i := range len(tiles) / m {
		row := x[min(i, n-1)*m:][:m]
		to := tiles[i/TileRows*TileRows*m+i%TileRows:]
		for j, v := range row {
			to[TileRows*j] = v
		}
	}
}

// Untile writes individuals from number first on to the rows of dst.
func Untile(dst, tiles []float64, first, m int) {
	for i := range len(dst) / max(1, m) {
		from := tiles[(first+i)/TileRows*TileRows*m+(first+i)%TileRows:]
		row := dst[i*m:][:m]
		for j := range row {
			row[j] = from[TileRows*j]
		}
	}
}

// StepTiles is Blend for tiles: it writes x/‖x‖ for x = stay·p + home·d + pull·(pᵀu)·u to the tiles of dst and returns the least and the largest
// ‖x‖²; the largest is NaN if one is. Every individual gets the bits of Blend.
func StepTiles(dst, p, d, u []float64, stay, home, pull float64) (least, most float64) {
	n := tileCount(dst, p, d, u)
	if n == 0 {
		return math.Inf(1), 0
	}
	var extent [3 * TileRows]float64
	switch {
	case hasAVX512():
		stepTilesAVX512(&dst[0], &p[0], &d[0], &u[0], &extent[0], n, len(u), stay, home, pull)
	case hasAVX2():
		stepTilesAVX2(&dst[0], &p[0], &d[0], &u[0], &extent[0], n, len(u), stay, home, pull)
	default:
		stepTilesPlain(dst, nil, p, d, u, &extent, stay, home, pull, 0)
	}
	return lowest(extent[:8]), highest(extent[8:16])
}

// AlignTiles is StepTiles and, in the same pass, Cosines: it writes dᵀu·inverse to along and returns the smallest without its sign as nearest.
func AlignTiles(dst, along, p, d, u []float64, stay, home, pull, inverse float64) (least, most, nearest float64) {
	n := tileCount(dst, p, d, u)
	if n == 0 {
		return math.Inf(1), 0, math.Inf(1)
	}
	along = along[:n*TileRows]
	var extent [3 * TileRows]float64
	switch {
	case hasAVX512():
		alignTilesAVX512(&dst[0], &along[0], &p[0], &d[0], &u[0], &extent[0], n, len(u), stay, home, pull, inverse)
	case hasAVX2():
		alignTilesAVX2(&dst[0], &along[0], &p[0], &d[0], &u[0], &extent[0], n, len(u), stay, home, pull, inverse)
	default:
		stepTilesPlain(dst, along, p, d, u, &extent, stay, home, pull, inverse)
	}
	return lowest(extent[:8]), highest(extent[8:16]), lowest(extent[16:])
}

// tileCount returns how many tiles there are.
func tileCount(dst, p, d, u []float64) int {
	if len(u) == 0 {
		return 0
	}
	n := len(dst) / (TileRows * len(u))
	step(dst, n, TileRows*len(u)) // no tile is broken
	mustCover(p, dst)
	mustCover(d, dst)
	return n
}

// stepTilesPlain does one individual after the other.
func stepTilesPlain(dst, along, p, d, u []float64, extent *[3 * TileRows]float64, stay, home, pull, inverse float64) {
	m := len(u)
	for lane := range TileRows {
		extent[lane], extent[TileRows+lane], extent[2*TileRows+lane] = math.Inf(1), 0, math.Inf(1)
	}
	for i := range len(dst) / m {
		from, lane := i/TileRows*TileRows*m+i%TileRows, i%TileRows
		x, p, d := dst[from:], p[from:], d[from:]
		pulled := pull * tileDot(p, u, m, 1)
		for j, v := range u {
			x[8*j] = float64(stay*p[8*j]) + float64(home*d[8*j]) + float64(pulled*v)
		}
		norm2 := tileDot(x, x, m, TileRows)
		extent[lane], extent[TileRows+lane] = lowest2(extent[lane], norm2), highest2(extent[TileRows+lane], norm2)
		by := 1 / math.Sqrt(norm2)
		for j := range m {
			x[8*j] *= by
		}
		if along != nil {
			along[i] = tileDot(d, u, m, 1) * inverse
			extent[2*TileRows+lane] = lowest2(extent[2*TileRows+lane], math.Abs(along[i]))
		}
	}
}

// tileDot is Dot of an individual of a tile and of y, whose entries are so far apart.
func tileDot(x, y []float64, m, apart int) float64 {
	var s [4]float64
	for j := range m {
		s[j%4] += float64(x[TileRows*j] * y[apart*j])
	}
	return (s[0] + s[2]) + (s[1] + s[3])
}

// lowest and highest compare numbers by their bits: of what is not negative that is their order, and what is not a number comes above all.
func lowest(x []float64) float64 {
	low := x[0]
	for _, v := range x[1:] {
		low = lowest2(low, v)
	}
	return low
}

func highest(x []float64) float64 {
	high := x[0]
	for _, v := range x[1:] {
		high = highest2(high, v)
	}
	return high
}

func lowest2(x, y float64) float64 {
	return math.Float64frombits(min(math.Float64bits(x), math.Float64bits(y)))
}

func highest2(x, y float64) float64 {
	return math.Float64frombits(max(math.Float64bits(x), math.Float64bits(y)))
}
