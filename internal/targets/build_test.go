package targets

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

const (
	module = "github.com/kedge-opt/kedge"
	root   = "../.."
)

// target is what a program is built for.
type target struct {
	name string
	env  []string
}

func v1() target    { return target{"v1", []string{"GOARCH=amd64", "GOAMD64=v1"}} }
func v3() target    { return target{"v3", []string{"GOARCH=amd64", "GOAMD64=v3"}} }
func arm64() target { return target{"arm64", []string{"GOARCH=arm64"}} }

// build builds packages of the module in a folder and returns what the compiler says of every product that it fuses: with this setting, meant
// for those who search its faults, it fuses all that it would fuse, and says so. What is in the cache is said again, also to another clone
// where GOFLAGS trims paths.
func (x target) build(t *testing.T, dir, own string, args ...string) string {
	t.Helper()
	if x.name != v1().name { // which has nothing to fuse, and is in the cache as it is
		args = append([]string{"-gcflags=" + own + "/...=-d=fmahash=vy"}, args...)
	}
	if strings.Contains(os.Getenv("GOFLAGS"), "-trimpath") {
		args = append([]string{"-trimpath"}, args...)
	}
	cmd := exec.CommandContext(t.Context(), "go", append([]string{"build"}, args...)...)
	cmd.Dir, cmd.Env = dir, append(append(os.Environ(), "GOOS=linux", "CGO_ENABLED=0", "GOFLAGS="), x.env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		for line := range strings.Lines(string(out)) {
			if !strings.Contains(line, "bisect-match") && !strings.HasPrefix(line, "fmahash") {
				t.Log(strings.TrimSpace(line))
			}
		}
		t.Fatalf("go build for %s: %v", x.name, err)
	}
	return string(out)
}
