package draw

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"testing"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/stream"
	"gonum.org/v1/plot/vg"
)

// Scales over round extents of all sizes, whose ends and labels lie on the edges of how they are chosen, are those that were last looked at.
func TestRoundScalesAreAsRecorded(t *testing.T) {
	var lines []string
	for _, e := range []int{-20, -6, -5, -4, -3, -2, -1, 0, 1, 4, 5, 6, 7, 20} {
		for _, span := range [][2]float64{{0, 1}, {1, 2}, {1, 10}, {1, 100}, {2, 500}, {3, 10}, {-5, 0}, {-1, 1}, {-10, -3}, {5, 5.1}, {0, 6}, {0, 12}} {
			of := Extent{ten(span[0], e), ten(span[1], e)}
			r := NewRuler(of, false)
			lines = append(lines, fmt.Sprintf("%g … %g: %.9g … %.9g %s", of.Low, of.High, r.Min, r.Max, marks(r.ticks(MostLabels))))
			if of.Low > 0 {
				r = NewRuler(of, true)
				lines = append(lines, fmt.Sprintf("  logarithmic %.9g … %.9g %s; of four %d", r.Min, r.Max, marks(r.ticks(MostLabels)), len(labels(r.ticks(4)))))
				raw := Ruler{Min: of.Low, Max: of.High, Log: true}
				lines = append(lines, fmt.Sprintf("  from end to end %s; of three %d", marks(raw.ticks(MostLabels)), len(raw.ticks(3))))
			}
		}
	}
	for decades := 1; decades <= 40; decades += 3 {
		r := Ruler{Min: 1e-15, Max: math.Pow10(decades - 15), Log: true}
		lines = append(lines, fmt.Sprintf("%d powers of ten: %s, of two %d, of ten %d", decades, marks(r.ticks(MostLabels)), len(labels(r.ticks(2))), len(r.ticks(10))))
	}
	evidence.AsRecorded(t, "testdata/round.txt", lines)
}

// The least 1, 2 or 5 times a power of ten that is not below a number, up to rounding, is what trying them all in turn finds.
func TestNiceStepsAreTheLeast(t *testing.T) {
	s := stream.New(8)
	least := func(v float64) float64 {
		for e := -13; ; e++ {
			for _, m := range []int{1, 2, 5} {
				if x, _ := strconv.ParseFloat(fmt.Sprintf("%de%d", m, e), 64); x*1.000000001 >= v {
					return x
				}
			}
		}
	}
	var list []float64
	for e := -12; e <= 12; e++ {
		for _, m := range []float64{1, 2, 5} {
			x := ten(m, e)
			list = append(list, x, x*(1+1e-8), x*(1-1e-8), x*(1+1e-10))
		}
		list = append(list, math.Pow(10, float64(e)+s.Float64()))
	}
	for _, v := range list {
		if got, want := NiceStep(v), least(v); got != want {
			t.Errorf("of %.12g: %g, want %g", v, got, want)
		}
	}
}

// Of numbers with many ties what is kept of every bucket is where its least and greatest mean, its lowest and its highest are first.
func TestThinningKeepsTheFirstOfEquals(t *testing.T) {
	s := stream.New(12)
	for _, n := range []int{11, 12, 30, 57} {
		for _, limit := range []int{5, 6, 9, 10, 14, 30} {
			var list []LinePoint
			for i := range n {
				list = append(list, LinePoint{float64(i), float64(s.Intn(4)), float64(s.Intn(4)), float64(s.Intn(4))})
			}
			buckets := (limit - 2) / 4
			keep := map[int]bool{0: true, n - 1: true}
			for b := range buckets {
				from, to := 1+b*(n-2)/buckets, 1+(b+1)*(n-2)/buckets
				for _, of := range []func(p LinePoint) float64{func(p LinePoint) float64 { return p.Mean }, func(p LinePoint) float64 { return -p.Mean }, func(p LinePoint) float64 { return p.Low }, func(p LinePoint) float64 { return -p.High }} {
					var values []float64
					for _, p := range list[from:to] {
						values = append(values, of(p))
					}
					keep[from+slices.Index(values, slices.Min(values))] = true
				}
			}
			var want []float64
			for i := range n {
				if keep[i] || n <= limit || buckets < 1 {
					want = append(want, float64(i))
				}
			}
			var got []float64
			for _, p := range Thin(list, limit) {
				got = append(got, p.X)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%d points thinned to %d: %v, want %v", n, limit, got, want)
			}
		}
	}
}

// A number on an edge is of the bin above it, and those beyond are of the first and the last.
func TestNumbersOnEdgesOfBins(t *testing.T) {
	edges := []float64{0, 1, 2, 3}
	for v, bin := range map[float64]int{-5: 0, 0: 0, 0.5: 0, 1: 1, 1.5: 1, 2: 2, 2.9: 2, 3: 2, 9: 2} {
		want := make([]float64, 3)
		want[bin] = 1
		if got := Bin([]float64{v, math.NaN(), math.Inf(-1)}, edges); !slices.Equal(got, want) {
			t.Errorf("%v is counted as %v", v, got)
		}
	}
	for _, c := range []struct {
		e    Extent
		step float64
		want []float64
	}{{Extent{0, 2}, 1, []float64{0, 1, 2, 3}}, {Extent{-0.5, 0.5}, 1, []float64{-1, 0, 1}}, {Extent{4, 4}, 2, []float64{4, 6}}, {Extent{10, 24}, 5, []float64{10, 15, 20, 25}}} {
		if got := EdgesOver(c.e, c.step); !slices.Equal(got, c.want) {
			t.Errorf("%v in steps of %v: %v, want %v", c.e, c.step, got, c.want)
		}
	}
}

// Up to 200 points are marks with a halo; of more one is drawn where several would lie on one spot, which is 1 wide, and 2.5 of more than 2000.
func TestDotsOnOneSpot(t *testing.T) {
	for _, c := range []struct {
		n    int
		far  float64 // between two spots
		want int
	}{{2, 0, 4}, {200, 0, 400}, {201, 0, 1}, {201, 0.02, 2}, {201, 0.005, 1}, {2000, 0.012, 2}, {2001, 0.012, 1}, {2001, 0.03, 2}} {
		d := Dots{Style: Style{Mark: Disc{}}}
		for i := range c.n {
			d.X, d.Y = append(d.X, 0.1+c.far*float64(i%2)), append(d.Y, 0)
		}
		if _, _, fills := drawn(func(p pen) { d.draw(p, box(100, 50, bare(), bare())) }); fills != c.want {
			t.Errorf("%d dots %v apart: %d are filled, want %d", c.n, c.far, fills, c.want)
		}
	}
	log := Axis{Ruler: Ruler{Min: 0.1, Max: 1, Log: true}}
	d := Dots{Style: Style{Mark: Disc{}}, X: []float64{-1, 0, 1, 1, math.NaN(), 1}, Y: []float64{1, 1, 0, 1, 1, math.Inf(1)}}
	for want, axes := range map[int][2]Axis{4: {bare(), bare()}, 2: {log, bare()}, 3: {bare(), log}, 1: {log, log}} {
		if _, _, fills := drawn(func(p pen) { d.draw(p, box(100, 50, axes[0], axes[1])) }); fills != 2*want {
			t.Errorf("logarithmic %t and %t: %d dots, want %d", axes[0].Log, axes[1].Log, fills/2, want)
		}
	}
}

// Whiskers are of points with a range whose line has no band; the band of a single point is a line, and one of several an area.
func TestRangesOfPoints(t *testing.T) {
	f := box(100, 50, bare(), bare())
	points := []LinePoint{{0.1, 0.5, 0.4, 0.6}, {0.2, 0.5, 0.5, 0.5}, {0.3, 0.5, 0.2, 0.5}}
	for banded, want := range map[bool]int{false: 2, true: 0} {
		if _, strokes, _ := drawn(func(p pen) { Whiskers{{Banded: banded, Points: points}}.draw(p, f) }); strokes != want {
			t.Errorf("banded %t: %d whiskers", banded, strokes)
		}
	}
	for n, want := range map[int]int{1: 1, 2: 0} {
		if _, strokes, fills := drawn(func(p pen) { Line{Points: points[:n]}.drawBand(p, f) }); strokes != want || fills != 1 {
			t.Errorf("the band of %d points has %d strokes and %d areas", n, strokes, fills)
		}
	}
}

// A heat map has words where it is as high as they are, 10 and 4 more, and every one of them is 4 narrower than its cell.
func TestWordsInCells(t *testing.T) {
	letters := newTypeface()
	wide := letters.width("value", 10)
	c := Cells{Columns: 2, Rows: 1, Values: []float64{1, math.NaN()}, Shade: Ruler{Max: 1}, Text: func(float64) string { return "value" }}
	for _, size := range []struct {
		x, y vg.Length
		want int
	}{{wide + 4.01, 14, 2}, {wide + 3.99, 14, 0}, {wide + 40, 13.99, 0}} {
		texts, _, fills := drawn(func(p pen) { c.draw(p, box(2*size.x, size.y, bare(), bare())) })
		if len(texts) != size.want || fills != 2 {
			t.Errorf("cells of %v by %v: %q, %d filled", size.x, size.y, texts, fills)
		}
	}
}
