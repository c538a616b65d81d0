package folder

import (
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"strings"
)

// Version is the version of kedge.
const Version = "0.1.0"

// CurrentBuild describes the running program.
func CurrentBuild() Build {
	b := Build{Version: Version, GOARCH: runtime.GOARCH, FMA: fusesProducts()}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	for _, s := range info.Settings {
		if s.Key == "GOAMD64" {
			b.GOAMD64 = s.Value
		}
	}
	return b
}

// fusesProducts tells whether math.Exp rounds once where it could round twice. On amd64 the standard library decides that
// when the program starts, by the CPU, so the only sure sign is a value on which the two ways differ.
func fusesProducts() bool {
	if runtime.GOARCH != "amd64" {
		return runtime.GOARCH != "386" && runtime.GOARCH != "arm"
	}
	return math.Float64bits(math.Exp(3.8000000000000003)) == 0x404659c069d9983f
}

// String writes a build as kedge version does.
func (b Build) String() string {
	return fmt.Sprintf("%s %s %s fma=%t", b.Version, b.GOARCH, b.GOAMD64, b.FMA)
}

// Target is the part of a build that decides on bits.
func (b Build) Target() string {
	return strings.Join(strings.Fields(fmt.Sprintf("%s %s fma=%v", b.GOARCH, b.GOAMD64, b.FMA)), " ")
}
