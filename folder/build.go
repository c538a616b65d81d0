package folder

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
)

// Version is the version of kedge.
const Version = "0.1.0"

// Numeric is the number of the arithmetic: it grows with every change of kedge that changes bits of a result, and with none that does not.
const Numeric = 5

// Build says what decides on the bits of a result. They are promised for equal builds.
type Build struct {
	Version string `json:"version"`
	Numeric int    `json:"numeric,omitempty"`
	GOARCH  string `json:"goarch"`
	GOAMD64 string `json:"goamd64"`
	FMA     bool   `json:"fma"`
}

// Code says which program it was. Results of different programs are not mixed, since nobody can know that their bits are the same.
type Code struct {
	Module   string `json:"module"`             // the version of the module that it was built from
	Revision string `json:"revision,omitempty"` // of its repository
	Modified bool   `json:"modified,omitempty"` // the repository had changes that no revision has
	Go       string `json:"go"`
	System   string `json:"system"`
	Program  string `json:"program,omitempty"` // its build ID or SHA-256, where no revision tells what it was built from
}

// CurrentBuild describes the running program.
func CurrentBuild() Build {
	b := Build{Version: Version, Numeric: Numeric, GOARCH: runtime.GOARCH, FMA: fusesProducts(runtime.GOARCH)}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "GOAMD64" {
				b.GOAMD64 = s.Value
			}
		}
	}
	return b
}

// CurrentCode identifies the running program. It does so once: a program may be replaced while it runs.
var CurrentCode = sync.OnceValue(func() Code {
	info, _ := debug.ReadBuildInfo()
	c, isAll := codeOf(info)
	if !isAll {
		path, _ := os.Executable() // "", which cannot be read, where nobody knows
		c.Program = sumAt(path)
	}
	return c
})

// codeOf is the code that a program was built from, and whether that is all there is to know: a revision without changes, built without
// flags that change code and without modules that were replaced by folders.
func codeOf(info *debug.BuildInfo) (c Code, isAll bool) {
	c = Code{Go: runtime.Version(), System: runtime.GOOS}
	if info == nil {
		return c, false
	}
	c.Module, isAll = info.Main.Version, true
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			c.Revision = s.Value
		case "vcs.modified":
			c.Modified = s.Value == "true"
		case "-tags", "-ldflags", "-gcflags", "-asmflags", "GOEXPERIMENT":
			isAll = false
		}
	}
	for _, m := range info.Deps {
		if m.Replace != nil && m.Replace.Version == "" {
			isAll = false
		}
	}
	return c, isAll && c.Revision != "" && !c.Modified
}

// The go command gives programs an ID of hashes: of what went in, first, and of what came out, last. It stands within the first pages on every system.
const (
	buildID    = `[\w-]{20}(?:/[\w-]{20}){3}`
	firstPages = 32 << 10 // bytes
)

// sumAt identifies the program of a file by its build ID, which takes no time, or else by the hash of all of it; "unknown" where it cannot be read.
func sumAt(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return "unknown"
	}
	defer f.Close()
	sum, err := sumOfProgram(f)
	if err != nil {
		return "unknown"
	}
	return sum
}

// sumOfProgram reads a program from its beginning.
func sumOfProgram(r io.Reader) (string, error) {
	first, err := io.ReadAll(io.LimitReader(r, firstPages))
	if err != nil {
		return "", err
	}
	if id := regexp.MustCompile(buildID).Find(first); id != nil {
		return string(id), nil
	}
	h := sha256.New()
	h.Write(first)
	if _, err := io.Copy(h, r); err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", h.Sum(nil)), nil
}

// fusesProducts tells whether math.Exp rounds once where it could round twice. On amd64 the standard library decides that
// when the program starts, by the CPU, so the only sure sign is a value on which the two ways differ.
func fusesProducts(arch string) bool {
	if arch != "amd64" {
		return arch != "386" && arch != "arm"
	}
	return math.Float64bits(math.Exp(3.8000000000000003)) == 0x404659c069d9983f
}

// String writes a program as kedge version does.
func (c Code) String() string {
	return fmt.Sprintf("code: %s, module %s, %s, %s", c.source(), cmp.Or(c.Module, "unknown"), c.Go, c.System)
}

// source says which code a program was built from.
func (c Code) source() string {
	switch {
	case c.Program == "":
		return short(c.Revision)
	case c.Revision == "":
		return "that of the program " + short(c.Program)
	}
	return short(c.Revision) + " with changes, in the program " + short(c.Program)
}

func short(sum string) string { return sum[:min(12, len(sum))] }

// String writes a build as kedge version does.
func (b Build) String() string {
	return fmt.Sprintf("%s %s %s fma=%t", b.Version, b.GOARCH, b.GOAMD64, b.FMA)
}

// Target is the part of a build that decides on bits.
func (b Build) Target() string {
	return strings.Join(strings.Fields(fmt.Sprintf("%s %s fma=%v", b.GOARCH, b.GOAMD64, b.FMA)), " ")
}
