package folder

import (
	"crypto/sha256"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"testing/iotest"

	"golang.org/x/sys/cpu"
)

// A revision tells which code it was only if nothing else has a say.
func TestRevisionsTellOnlyWhatTheyHold(t *testing.T) {
	clean := []debug.BuildSetting{{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.modified", Value: "false"}, {Key: "GOAMD64", Value: "v1"}}
	with := func(more ...debug.BuildSetting) *debug.BuildInfo {
		return &debug.BuildInfo{Settings: append(append([]debug.BuildSetting{}, clean...), more...)}
	}
	module := func(replace *debug.Module) *debug.BuildInfo {
		info := with()
		info.Deps = []*debug.Module{{Path: "x", Version: "v1", Replace: replace}}
		return info
	}
	for name, one := range map[string]struct {
		info  *debug.BuildInfo
		isAll bool
	}{
		"clean":                   {with(), true},
		"nothing known":           {nil, false},
		"no revision":             {&debug.BuildInfo{}, false},
		"changed":                 {with(debug.BuildSetting{Key: "vcs.modified", Value: "true"}), false},
		"tags":                    {with(debug.BuildSetting{Key: "-tags", Value: "noasm"}), false},
		"flags of the linker":     {with(debug.BuildSetting{Key: "-ldflags", Value: "-X a.b=c"}), false},
		"flags of the compiler":   {with(debug.BuildSetting{Key: "-gcflags", Value: "-d=fmahash=vn"}), false},
		"a module":                {module(nil), true},
		"a module of another one": {module(&debug.Module{Path: "y", Version: "v2"}), true},
		"a module in a folder":    {module(&debug.Module{Path: "../y"}), false},
	} {
		if c, isAll := codeOf(one.info); isAll != one.isAll || one.isAll && c.Revision != "abc" {
			t.Errorf("%s: %+v is all: %v", name, c, isAll)
		}
	}
}

// Two programs with one ID would be taken for one; without an ID that the go command writes, all bytes count.
func TestProgramsAreToldApart(t *testing.T) {
	id := "_1RsJ36mjop3oTXSnFmd/_Sm3rVfghMBIQERvJtHm/nb1d5k-KpHyCfUNXZvYU/xSQDBnrh5CEBmmOrAvKz"
	redacted := strings.Replace(id, id[:20], "redacted", 1)
	long := strings.Repeat("x", firstPages)
	for _, one := range []struct{ name, program, want string }{
		{"an ID", "\x7fELF\x00Go\x00" + id + "\x00code", id},
		{"one that a user chose", redacted, sum(redacted)},
		{"one further on", long + "\x00" + id, sum(long + "\x00" + id)},
		{"none", "code", sum("code")},
	} {
		if got, err := sumOfProgram(strings.NewReader(one.program)); err != nil || got != one.want {
			t.Errorf("%s: %s, want %s (%v)", one.name, got, one.want, err)
		}
	}
	if _, err := sumOfProgram(iotest.ErrReader(io.ErrUnexpectedEOF)); err == nil {
		t.Error("a program that cannot be read has a sum")
	}
	if got := CurrentCode().Program; len(got) != len(id) {
		t.Errorf("a program of the go command is identified by %q, which is no ID of a build", got)
	}
}

func sum(s string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(s))) }

// Products are fused on all processors for which Go does so, but never on the two that cannot.
func TestWhoFusesProducts(t *testing.T) {
	for arch, want := range map[string]bool{"arm64": true, "s390x": true, "ppc64le": true, "386": false, "arm": false} {
		if fusesProducts(arch) != want {
			t.Errorf("on %s: %v", arch, !want)
		}
	}
	if has := cpu.X86.HasAVX && cpu.X86.HasFMA; runtime.GOARCH == "amd64" && fusesProducts("amd64") != has { // by which the standard library decides
		t.Errorf("this processor fuses products: %t", has)
	}
}

// Code is told by its revision, by the program where there is none, and by both where it was changed.
func TestWhichCodeThatIs(t *testing.T) {
	for want, c := range map[string]Code{
		"code: 0123456789ab, module unknown, go1, amd64":                                           {Revision: "0123456789abcdef", Go: "go1", System: "amd64"},
		"code: that of the program 9876543210fe, module m, go1, amd64":                             {Program: "9876543210fedcba", Module: "m", Go: "go1", System: "amd64"},
		"code: 0123456789ab with changes, in the program 9876543210fe, module unknown, go1, amd64": {Revision: "0123456789abcdef", Program: "9876543210fedcba", Go: "go1", System: "amd64"},
	} {
		if got := c.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
