package gpu

import (
	"errors"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/kedge-opt/kedge/device/emulated"
	"github.com/kedge-opt/kedge/ptx"
)

// Rows that go up through a window of two tiles, or of one, come to their places, each tile once, and stop at the first that cannot go.
func TestTilesThroughASmallWindow(t *testing.T) {
	d := emulated.New()
	p := bare(t, d)
	const n, width = 4*ptx.Tile + 3, 2
	x := draw(t, n, width).Data
	for _, format := range []ptx.Precision{ptx.Float64, ptx.Float32} {
		for room := 1; room <= 6; room++ {
			up, err := newTiles(p.dev, format, n, width)
			if err != nil {
				t.Fatal(err)
			}
			w, err := p.dev.Lock(room*up.tileBytes() + 8)
			if err != nil {
				t.Fatal(err)
			}
			var looks atomic.Int32
			view := func(room []float64, first, last int) ([]float64, error) {
				looks.Add(1)
				return x[first*width : first*width+len(room)], nil
			}
			if err := up.fill(p.dev, w, 2, view); err != nil || looks.Load() != 5 {
				t.Errorf("%d tiles at a time: %v after %d looks", room, err, looks.Load())
			}
			p.dev.Unlock(w)
			tilesAre(t, p, up, x)
			p.dev.Free(up.Slab)
		}
	}
	if d.Taken() != 0 {
		t.Errorf("%d bytes were not given back", d.Taken())
	}
}

// tilesAre compares what lies in tiles with rows.
func tilesAre(t *testing.T, p *Board, tiles *tiles, x []float64) {
	t.Helper()
	w, err := p.dev.Lock(tiles.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	defer p.dev.Unlock(w)
	if err := errors.Join(p.dev.Fetch(w, 0, tiles.Slab, 0, tiles.Bytes), p.dev.Wait()); err != nil {
		t.Fatal(err)
	}
	for k, want := range x {
		i, j := k/tiles.width, k%tiles.width
		at := i/ptx.Tile*ptx.Tile*tiles.width + j*ptx.Tile + i%ptx.Tile
		got := 0.0
		if tiles.format == ptx.Float32 {
			got, want = float64(w.Singles(4*at, 1)[0]), float64(float32(want))
		} else {
			got = w.Doubles(8*at, 1)[0]
		}
		if got != want {
			t.Fatalf("number %d of individual %d is %v, want %v", j, i, got, want)
		}
	}
}

// Any number of people is fetched: nobody, one, and as many as have one number more than blocks of threads.
func TestAnyNumberIsFetched(t *testing.T) {
	p := bare(t, emulated.New())
	c, _ := smallCrowd(t)
	crowd, err := p.Gather(c, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer crowd.Leave()
	all := everybody(t, crowd.Look())
	for _, people := range []int{0, 1, 42, 43, 44, 128, 171} { // 43 people have 129 numbers
		index, got, want := make([]int, people), make([]float64, 3*people), []float64(nil)
		for k := range index {
			index[k] = (7*k + 264) % crowd.Size()
			want = append(want, all[3*index[k]:3*index[k]+3]...)
		}
		if err := crowd.fetch(got, index); err != nil || !slices.Equal(got, want) {
			t.Errorf("%d people: %v, or others", people, err)
		}
	}
	if n, err := crowd.Sample(nil, nil); n != 0 || err != nil || crowd.retired {
		t.Errorf("a sample of nobody: %d, %v, retired %t", n, err, crowd.retired)
	}
}
