// Package release makes what people install without Go: archives with the command, and wheels of the Python package that carry it. The
// same tree and the same Go give the same bytes.
package release

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/kedge-opt/kedge/internal/lists"
)

// Platform is a system and an architecture that kedge is built for.
type Platform struct{ OS, Arch string }

// Platforms lists all that releases are made for.
func Platforms() []Platform {
	return []Platform{{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"}}
}

// Host is the target of the running program.
func Host() Platform { return Platform{runtime.GOOS, runtime.GOARCH} }

// ParsePlatforms reads a list such as linux/amd64,darwin/arm64; "host" is the target of the running program, "all" is every one.
func ParsePlatforms(list string) (chosen []Platform, err error) {
	if list == "all" {
		return Platforms(), nil
	}
	for word := range strings.SplitSeq(list, ",") {
		t := Host()
		if word != "host" {
			t.OS, t.Arch, _ = strings.Cut(word, "/")
		}
		if !slices.Contains(Platforms(), t) {
			return nil, fmt.Errorf("there is no target %q; the targets are %s, host and all", word, strings.Join(lists.Of(Platforms(), Platform.String), ", "))
		}
		chosen = append(chosen, t)
	}
	return chosen, nil
}

func (t Platform) String() string { return t.OS + "/" + t.Arch }

// program is the name of the command's file.
func (t Platform) program() string {
	if t.OS == "windows" {
		return "kedge.exe"
	}
	return "kedge"
}

// stem is how the names of archives begin, in the words of those who look for one.
func (t Platform) stem(version string) string {
	system := strings.Replace(t.OS, "darwin", "macos", 1)
	return fmt.Sprintf("kedge-%s-%s-%s", version, system, t.Arch)
}

// platforms are the tags of wheels that can be installed on the target, none where wheels are not made. The command is linked statically,
// so any Linux will do; Go 1.26 wants macOS 12.
func (t Platform) tags() []string {
	machine := map[string]string{"linux/amd64": "x86_64", "linux/arm64": "aarch64", "darwin/amd64": "x86_64", "darwin/arm64": "arm64"}[t.String()]
	switch t.OS {
	case "linux":
		return []string{"manylinux2014_" + machine, "musllinux_1_1_" + machine}
	case "darwin":
		return []string{"macosx_12_0_" + machine}
	}
	return nil
}
