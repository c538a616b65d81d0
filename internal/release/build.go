package release

import (
	"context"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/kedge-opt/kedge/folder"
)

// program is the command, built for a target.
type program struct {
	Platform
	path     string
	revision string
	modified bool
	at       time.Time // of the revision; the earliest that a zip can hold where there is none
}

// compile builds the command of the tree at root into a folder. What the environment says of Go is left out, and so are flags of linker
// and compiler: a program without them is known by its revision alone.
func compile(ctx context.Context, root, into string, t Platform, flags ...string) (program, error) {
	path := filepath.Join(into, t.OS+"-"+t.Arch+"-"+t.program())
	args := append([]string{"build", "-buildvcs=auto", "-o", path}, flags...)
	c := exec.CommandContext(ctx, "go", append(args, "./cmd/kedge")...)
	c.Dir = root
	c.Env = append(os.Environ(), "GOOS="+t.OS, "GOARCH="+t.Arch, "CGO_ENABLED=0", "GOFLAGS=", "GOAMD64=v1", "GOARM64=v8.0", "GOEXPERIMENT=", "GOWORK=off")
	if out, err := c.CombinedOutput(); err != nil {
		return program{}, fmt.Errorf("build kedge for %v: %w\n%s", t, err, out)
	}
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return program{}, fmt.Errorf("build kedge for %v: %w", t, err)
	}
	return described(program{Platform: t, path: path}, info)
}

// described adds what a program says of its origin, which must be what was asked for.
func described(p program, info *debug.BuildInfo) (program, error) {
	p.at = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)
	asked := map[string]string{"GOOS": p.OS, "GOARCH": p.Arch, "CGO_ENABLED": "0"}
	for _, s := range info.Settings {
		if want, is := asked[s.Key]; is && s.Value != want {
			return p, fmt.Errorf("kedge for %v was built with %s=%s", p.Platform, s.Key, s.Value)
		}
		switch s.Key {
		case "vcs.revision":
			p.revision = s.Value
		case "vcs.modified":
			p.modified = s.Value == "true"
		case "vcs.time":
			at, err := time.Parse(time.RFC3339, s.Value)
			if err != nil {
				return p, err
			}
			p.at = at.UTC()
		}
	}
	return p, nil
}

// errChanged says that nobody could find out later what a program was built from.
var errChanged = errors.New("the programs do not know their revision: commit all changes and build in a clone with git, or say -modified")

// start runs a program and compares what it says of itself with what it was built from. A program that cannot be started here is skipped
// with the reason.
func (p program) start(ctx context.Context) (skipped string, err error) {
	command, reason := p.starter()
	if reason != "" {
		return reason, nil
	}
	out, err := exec.CommandContext(ctx, command[0], append(command[1:], "version", "--json")...).Output()
	if err != nil {
		return "", fmt.Errorf("start kedge for %v: %w", p.Platform, err)
	}
	var said struct {
		folder.Build
		Code folder.Code `json:"code"`
	}
	if err := json.Unmarshal(out, &said); err != nil {
		return "", fmt.Errorf("kedge for %v: %w", p.Platform, err)
	}
	if said.Version != folder.Version || said.GOARCH != p.Arch || said.Code.System != p.OS || said.Code.Revision != p.revision {
		return "", fmt.Errorf("kedge for %v says that it is %v, %v", p.Platform, said.Build, said.Code)
	}
	return "", nil
}

// starter is how a program is started here, or why it cannot be.
func (p program) starter() (command []string, reason string) {
	switch {
	case p.Platform == Host():
		return []string{p.path}, ""
	case p.OS != Host().OS:
		return nil, "this is no " + p.OS
	}
	emulator := map[string]string{"amd64": "qemu-x86_64-static", "arm64": "qemu-aarch64-static"}[p.Arch]
	found, err := exec.LookPath(emulator)
	if err != nil {
		return nil, "no " + emulator
	}
	return []string{found, p.path}, ""
}

// output is what the program prints, which must run here.
func (p program) output(ctx context.Context, args ...string) ([]byte, error) {
	out, err := exec.CommandContext(ctx, p.path, args...).Output()
	if err != nil {
		return nil, fmt.Errorf("kedge %s: %w", strings.Join(args, " "), err)
	}
	return out, nil
}
