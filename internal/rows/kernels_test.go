package rows

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge/internal/evidence"
)

// hostile are entries that a kernel must treat as its twin does.
var hostile = []float64{0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), 5e-324, -5e-324, 1e308, -1e308, 1e-160, 1e160, 1, -1}

func random(r *rand.Rand, n int, odd bool) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = r.NormFloat64()
		if odd && r.IntN(20) == 0 {
			x[i] = hostile[r.IntN(len(hostile))]
		}
	}
	return x
}

// sameBits compares two results; any two NaNs count as equal.
func sameBits(t *testing.T, what string, got, want []float64) {
	t.Helper()
	for i := range want {
		if math.Float64bits(got[i]) != math.Float64bits(want[i]) && !(math.IsNaN(got[i]) && math.IsNaN(want[i])) {
			t.Fatalf("%s: entry %d is %x with vectors, %x without", what, i, got[i], want[i])
		}
	}
}

func clone(x []float64) []float64 { return append([]float64(nil), x...) }

var sizes = []int{0, 1, 2, 3, 4, 5, 7, 8, 9, 11, 12, 16, 19, 20, 21, 33, 100}

// Vector kernels give the bits of their plain twins, on ordinary and on hostile numbers.
func TestVectorsGiveTheBitsOfPlainCode(t *testing.T) {
	same := evidence.For(t, evidence.Promise{Name: "vectors", Text: "vector kernels, by size and entries, ordinary and hostile: not the bits of plain code"})
	levels(func(level string) { t.Run(level, func(t *testing.T) { vectorBits(t, same) }) })
}

func vectorBits(t *testing.T, same *evidence.Witness) {
	r := rand.New(rand.NewPCG(1, 0))
	for _, m := range sizes {
		for _, odd := range []bool{false, true} {
			vectors(t, r, m, odd)
			reductions(t, r, m, odd)
			for _, n := range []int{0, 1, 3, 4, 6, 9, 16, 29} {
				blocks(t, r, n, m, odd)
			}
			same.Case(!t.Failed(), "size %d, hostile %v", m, odd)
		}
	}
}

func vectors(t *testing.T, r *rand.Rand, m int, odd bool) {
	x, y := random(r, m, odd), random(r, m, odd)
	got := []float64{Dot(x, y)}
	sum := clone(y)
	AddScaled(sum, 0.7, x)
	sameBits(t, "Dot", got, []float64{dotPlain(x, y)})
	plain := clone(y)
	addScaledPlain(plain, 0.7, x)
	sameBits(t, "AddScaled", sum, plain)
	if Finite(x) != finitePlain(x) {
		t.Fatalf("Finite of %v is %v with vectors", x, Finite(x))
	}
	e := clone(x)
	for i := range e {
		e[i] = -math.Abs(e[i]) * 30
	}
	want := clone(e)
	Exp(e)
	expPlain(want)
	sameBits(t, "Exp", e, want)
	l := clone(x)
	for i := range l {
		l[i] *= l[i]
	}
	want = clone(l)
	Log(l)
	logPlain(want)
	sameBits(t, "Log", l, want)
	logs, plainLogs := make([]float64, m), make([]float64, m)
	sameBits(t, "Entropy", []float64{Entropy(logs, x)}, []float64{entropyPlain(plainLogs, x)})
	sameBits(t, "logarithms of Entropy", logs, plainLogs)
}

// reductions compares kernels that make numbers of vectors, and those that mix vectors.
func reductions(t *testing.T, r *rand.Rand, m int, odd bool) {
	x, y, z := random(r, m, odd), random(r, m, odd), random(r, m, odd)
	sameBits(t, "MaxAbs", []float64{MaxAbs(x)}, []float64{maxAbsPlain(x)})
	sameBits(t, "Distance", []float64{distance2(x, y)}, []float64{distance2Plain(x, y)})
	sum, least, most := Extent(x)
	plainSum, plainLeast, plainMost := extentPlain(x)
	sameBits(t, "Extent", []float64{sum, least, most}, []float64{plainSum, plainLeast, plainMost})
	got, want := clone(x), clone(x)
	Scale(got, -0.3)
	scalePlain(want, -0.3)
	sameBits(t, "Scale", got, want)
	Cut(got, -0.5, 0.25, 1)
	cutPlain(want, -0.5, 0.25, 1)
	sameBits(t, "Cut", got, want)
	high, lost := Above(x, -0.5, 4)
	plainHigh, plainLost := abovePlain(x, -0.5, 4)
	sameBits(t, "Above", append(high[:], lost[:]...), append(plainHigh[:], plainLost[:]...))
	Mix(got, 0.2, x, 0.5, y, 0.3, z)
	mixPlain(want, 0.2, x, 0.5, y, 0.3, z)
	sameBits(t, "Mix", got, want)
	miss, size := Rest(got, 0.5, x, 0.3, y, 0.2)
	plainMiss, plainSize := restPlain(want, 0.5, x, 0.3, y, 0.2)
	sameBits(t, "Rest", got, want)
	sameBits(t, "what Rest measures", []float64{miss, size}, []float64{plainMiss, plainSize})
	Softmax(got, x, 0.5)
	softmaxPlain(want, x, 0.5)
	sameBits(t, "Softmax", got, want)
}

func blocks(t *testing.T, r *rand.Rand, n, m int, odd bool) {
	p, d, u := random(r, n*m, odd), random(r, n*m, odd), random(r, m, odd)
	dst, norm2 := make([]float64, n*m), make([]float64, n)
	Blend(dst, norm2, p, d, u, 0.4, 0.6, 0.5)
	along, own := make([]float64, n), make([]float64, n)
	Products(along, own, d, u)
	plain, plain2 := make([]float64, n*m), make([]float64, n)
	blendPlain(plain, plain2, p, d, u, 0.4, 0.6, 0.5)
	sameBits(t, "Blend", dst, plain)
	sameBits(t, "Blend norms", norm2, plain2)
	a, b := make([]float64, n), make([]float64, n)
	productsPlain(a, b, d, u)
	sameBits(t, "Products along", along, a)
	sameBits(t, "Products own", own, b)
	off, least := Cosines(along, d, u, 0.7)
	plainOff, plainLeast := cosinesPlain(a, d, u, 0.7)
	sameBits(t, "Cosines", along, a)
	sameBits(t, "what Cosines measures", []float64{off, least}, []float64{plainOff, plainLeast})
}

// By hand, for u = (3, −4, 0, 0) and half of products with it: of rows (0, 1, 0, 0) and (1, 0, 0, 0) in turn these are −2 and 1.5, and squares are 1 to the bit; with (0, −2, 0, 0) for the last they are 4, and its square is 3 off. Of nobody nothing is off, or near.
func TestWhatCosinesMeasures(t *testing.T) {
	levels(func(level string) {
		u := []float64{3, -4, 0, 0}
		for n := range 10 {
			d, want := make([]float64, 4*n), make([]float64, n)
			for i := range n {
				d[4*i+1-i%2], want[i] = 1, []float64{-2, 1.5}[i%2]
			}
			got := make([]float64, n)
			if off, least := Cosines(got, d, u, 0.5); off != 0 || least != []float64{math.Inf(1), 2, 1.5}[min(n, 2)] {
				t.Errorf("%s: %d rows are %v off, the nearest is %v", level, n, off, least)
			}
			sameBits(t, level+" Cosines", got, want)
			if n == 0 {
				continue
			}
			d[4*n-4], d[4*n-3], want[n-1] = 0, -2, 4
			if off, least := Cosines(got, d, u, 0.5); off != 3 || least != []float64{math.Inf(1), 4, 2, 1.5}[min(n, 3)] {
				t.Errorf("%s: %d rows, the last of length 2, are %v off, the nearest is %v", level, n, off, least)
			}
			sameBits(t, level+" Cosines", got, want)
		}
	})
}

func TestRootsGiveTheBitsOfPlainCode(t *testing.T) {
	same := evidence.For(t, evidence.Promise{Name: "roots", Text: "the same of settled cosines"})
	levels(func(level string) { t.Run(level, func(t *testing.T) { rootBits(t, same) }) })
}

func rootBits(t *testing.T, same *evidence.Witness) {
	r := rand.New(rand.NewPCG(2, 0))
	for range 2000 {
		x := make([]float64, 35)
		for i := range x {
			x[i] = 2*r.Float64() - 1
			if r.IntN(4) == 0 {
				x[i] = math.Copysign(math.Pow(10, -300*r.Float64()), x[i])
			}
		}
		x[r.IntN(35)] = []float64{0, 1, -1, 0.5}[r.IntN(4)]
		k, s := r.Float64(), 2*r.Float64()
		want := clone(x)
		failed := SettleCosines(x, k, s)
		if plain := settleCosinesPlain(want, k, s); failed != plain {
			t.Fatalf("%d roots not found with vectors, %d without", failed, plain)
		}
		sameBits(t, "SettleCosines", x, want)
		same.Case(!t.Failed(), "SettleCosines of %v", x)
	}
}

// The settled cosine solves its equation: with y = √(1−x²) and e from kc = e·x, k√(1−c²) = (e+s)y. The residual is scaled by
// the terms it is a difference of.
func TestSettledCosinesSolveTheirEquation(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 0))
	for range 20000 {
		c, k, s := 2*r.Float64()-1, 0.01+r.Float64(), 1.5*r.Float64()
		x := []float64{c}
		if SettleCosines(x, k, s) != 0 {
			t.Fatalf("no root for c = %v, k = %v, s = %v", c, k, s)
		}
		e := k * c / x[0]
		left, right := k*math.Sqrt((1-c)*(1+c)), (e+s)*math.Sqrt((1-x[0])*(1+x[0]))
		// The sine of a cosine near 1 is known to ε/sine only.
		if bar := 1e-15 * (left + right + (e+s)/math.Sqrt((1-x[0])*(1+x[0]))); math.Abs(left-right) > bar {
			t.Errorf("c = %v, k = %v, s = %v: x = %v misses by %.1e", c, k, s, x[0], left-right)
		}
	}
}

// Of what would be below 1e-307 nothing is left, from the first number below −708 on.
func TestExpAtItsEdges(t *testing.T) {
	levels(func(level string) {
		edge := []float64{0, math.Copysign(0, -1), -708, math.Nextafter(-708, -709), -708.5, -709, -1e9, math.Inf(-1)}
		Exp(edge)
		if edge[0] != 1 || edge[1] != 1 || edge[2] < 3e-308 || slices.Max(edge[3:]) != 0 || slices.Min(edge[3:]) != 0 {
			t.Errorf("%s: edges become %v", level, edge)
		}
	})
}

// Source: the standard library's logarithm, itself within 1 unit in the last place.
func TestLogIsAccurate(t *testing.T) {
	off := evidence.For(t, evidence.Promise{Name: "log", Text: "`rows.Log`, units in the last place"})
	r := rand.New(rand.NewPCG(5, 0))
	worst := 0.0
	for range 200_000 {
		v := math.Exp(1400 * math.Pow(r.Float64()-0.5, 3) * 4)
		x := []float64{v}
		Log(x)
		want := math.Log(v)
		worst = max(worst, math.Abs(x[0]-want)/max(math.Abs(want)*0x1p-52, 5e-324))
	}
	off.AtMost("", worst, 2)
}

// What is a positive normal number has a logarithm, the largest and the smallest included, and nothing else has.
func TestLogAtItsEdges(t *testing.T) {
	levels(func(level string) {
		edge := []float64{1, 0x1p-1022, math.MaxFloat64, 0, -1, math.Inf(1), math.NaN(), 5e-324, math.Nextafter(0x1p-1022, 0)}
		Log(edge)
		if edge[0] != 0 || edge[1] != math.Log(0x1p-1022) || edge[2] != math.Log(math.MaxFloat64) {
			t.Errorf("%s: edges become %v", level, edge)
		}
		for i, v := range edge[3:] {
			if !math.IsNaN(v) {
				t.Errorf("%s: entry %d without a logarithm becomes %v", level, i+3, v)
			}
		}
	})
}

// Numbers beside √½ times a power of two, where another power is taken out, give the bits of plain code, and plain code takes √½ itself as 1 − 0.29: its logarithm is
// that of 2 halved, to within a rounding.
func TestLogBesideRoots(t *testing.T) {
	const root = 0x3fe6a09e667f3bcd // bits of √½, rounded up
	var x, want []float64
	for power := range 60 {
		for _, beside := range []uint64{root - 2, root - 1, root, root + 1, root + 2} {
			x = append(x, math.Ldexp(math.Float64frombits(beside), power-30))
		}
	}
	want = clone(x)
	logPlain(want)
	levels(func(level string) {
		got := clone(x)
		Log(got)
		sameBits(t, level+" Log", got, want)
	})
	if got := log(math.Float64frombits(root)); math.Abs(got+math.Ln2/2) > 0x1p-53 {
		t.Errorf("the logarithm of √½ is %v", got)
	}
}

func TestGaussGivesTheBitsOfPlainCode(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 0))
	words := make([]uint64, 20_000)
	for i := range words {
		words[i] = r.Uint64() << (8 * r.IntN(8)) // small sizes and angles, too
		if r.IntN(10) == 0 {
			words[i] = []uint64{0, 1, 2, 3, 1<<64 - 1, 1 << 63, 1<<63 - 1, 1 << 12}[r.IntN(8)]
		}
	}
	want := make([]float64, len(words))
	gaussPlain(want, words)
	levels(func(level string) {
		for from := 0; from < len(words); { // of all lengths
			to, got := min(from+2*r.IntN(60), len(words)), make([]float64, 122)
			Gauss(got, words[from:to])
			sameBits(t, level+" Gauss", got, append(clone(want[from:to]), 0, 0)) // and nothing behind
			from = to
		}
	})
}

// Source: the standard library's logarithm, sine and cosine.
func TestGaussIsAccurate(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 0))
	worst := 0.0
	for range 200_000 {
		size, turn := r.Uint64(), r.Uint64()
		x, y := gaussPair(size, turn)
		v := (float64(size>>12) + 0.5) * 0x1p-52
		sin, cos := math.Sincos((float64(turn>>12)*0x1p-52 - 0.5) * math.Pi / 2)
		if turn&1 == 1 {
			sin, cos = cos, sin
		}
		radius := math.Sqrt(-2 * math.Log(v))
		if turn&2 == 2 {
			radius = -radius
		}
		worst = max(worst, math.Abs(x-radius*cos)/math.Abs(radius*0x1p-53), math.Abs(y-radius*sin)/math.Abs(radius*0x1p-53))
	}
	t.Logf("at most %.2f roundings of the radius", worst)
	if worst > 6 {
		t.Errorf("Gauss is %.2f roundings of the radius off, want 6", worst)
	}
}

func TestGapsGiveTheBitsOfPlainCode(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 0))
	for _, n := range sizes {
		for _, odd := range []bool{false, true} {
			a, b, c := random(r, n, odd), random(r, n, odd), random(r, n, odd)
			want := NewGaps()
			want.walkPlain(a, b, c, n/2)
			levels(func(level string) {
				got := NewGaps()
				got.Walk(a, b, c, n/2)
				for i, x := range got.vectors() {
					sameBits(t, level+" Gaps", x[:], want.vectors()[i][:])
				}
			})
		}
	}
}

func (g *Gaps) vectors() []*[4]float64 {
	return []*[4]float64{&g.A, &g.LostA, &g.B, &g.LostB, &g.Area, &g.LostArea, &g.Tilt, &g.Least}
}
