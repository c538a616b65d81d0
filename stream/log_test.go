package stream

import (
	"math"
	"testing"

	"github.com/kedge-opt/kedge/internal/portable"
)

// Logarithms from pairs of numbers are the correctly rounded ones of another implementation, at 20,000 arguments between 0 and 1. Those of which the 73 bits are too few come to one in a million.
func TestLogsAreRoundedCorrectly(t *testing.T) {
	s := New(5, "arguments")
	wrong := 0
	for range 20_000 {
		x := s.Float64()
		if x == 0 {
			continue
		}
		if got, want := roundedLog(x), portable.Log(x); got != want {
			if wrong++; wrong < 5 {
				t.Logf("log %v is %v, want %v", x, got, want)
			}
		}
	}
	if wrong > 0 {
		t.Errorf("%d of 20,000 logarithms are wrong", wrong)
	}
}

// Source: log of glibc 2.36 on x86-64 with fused products, as Python calls it: at these arguments it is the neighbour of the correctly rounded one.
func TestLogsOfTheCLibrary(t *testing.T) {
	for _, c := range [][2]uint64{
		{0x3fd33c28ee622688, 0xbff33c0348e0b438}, {0x3fd5fdcb640ca908, 0xbff1177ac3007398}, {0x3fe2d8d3cf7ba678, 0xbfe0f0b4d8b572eb},
		{0x3fe33c4818048991, 0xbfe0498fbb13fd94}, {0x3fe7421392ffc92a, 0xbfd46bd6c1b57b80}, {0x3fe7dd1010e95d6a, 0xbfd2c6d0a0aa9f50},
		{0x3fe86beb753f305a, 0xbfd14c1867aa2142}, {0x3fe8bbacc26ee836, 0xbfd07c68856e1ddf}, {0x3fe93b241dc8bc72, 0xbfce6bb2ffb02bed},
		{0x3fe93b6584004ec9, 0xbfce6a673a15f3b8}, {0x3fe9d951a2e7a26a, 0xbfcb52e98a598517}, {0x3fec2c28752ccdc0, 0xbfc04e4f83cd7e86},
		{0x3fec5d76cfc0ac72, 0xbfbede1b87aba804}, {0x3fed1ecece05ac85, 0xbfb823f8f931d636}, {0x3fed1ef74c1e7ace, 0xbfb8229500b683ab},
		{0x3fedc4d3c78daac8, 0xbfb2807e136676be}, {0x3fedfe95849538cc, 0xbfb091ae2cd96831}, {0x3feeb1854d21c2aa, 0xbfa557fdb2f0a256},
		{0x3feec397765fda86, 0xbfa42ae4e5c5a288}, {0x3fc5b8de45d5cb90, 0xbffc611155ccb4d2}, {0x3fc7a36a04bffa30, 0xbffb06cd19df7585},
		{0x3fe21d17e21c8d04, 0xbfe235d302606d7f}, {0x3fe4c883c94380f8, 0xbfdb9f234b4df992}, {0x3fe63d0af2d59d1e, 0xbfd74a5a9d95e00b},
		{0x3fe898be58039781, 0xbfd0d70c34723f0e}, {0x3fe9ef1819feb3cb, 0xbfcae742eb0c2571}, {0x3fea0490dd2bafcb, 0xbfca7d74cd5aa2f0},
		{0x3feb13b1f9be53b9, 0xbfc56203b5d02e09}, {0x3feb87757d110321, 0xbfc3434997763eea}, {0x3fecbffae96c13dd, 0xbfbb6af5dc4c8015},
		{0x3fece038f3f3b38a, 0xbfba4c7d53b04fc4}, {0x3fed5a94e13c0fd0, 0xbfb6189743de3a2f}, {0x3fed7a89938cd629, 0xbfb5027d3a4dd890},
		{0x3fedbc14e3b9a1bb, 0xbfb2cbbeaba8d6d2}, {0x3fede272ed14814e, 0xbfb18240862a4fd3}, {0x3fee69246437db83, 0xbfaa14f06d3ac5bd},
		{0x3fef0fcb2b3537b6, 0xbf9e798ccd625b5c},
	} {
		x, want := math.Float64frombits(c[0]), math.Float64frombits(c[1])
		if got := recordedLog(x); got != want {
			t.Errorf("log %v is %v, want %v", x, got, want)
		}
		if next, got := math.Nextafter(x, 0), recordedLog(math.Nextafter(x, 0)); got != portable.Log(next) {
			t.Errorf("log %v, beside it, is %v, want %v", next, got, portable.Log(next))
		}
		if next, got := math.Nextafter(x, 1), recordedLog(math.Nextafter(x, 1)); got != portable.Log(next) {
			t.Errorf("log %v, beside it, is %v, want %v", next, got, portable.Log(next))
		}
	}
}
