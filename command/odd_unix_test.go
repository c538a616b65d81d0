//go:build unix

package command

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Whatever a user may name as a file can be a named pipe without a writer, a device or a folder: every command says so instead of waiting.
// Before, each of these hung.
func TestOddFilesAreNamed(t *testing.T) {
	t.Chdir(t.TempDir())
	lines := func(text ...string) []byte { return []byte(strings.Join(text, "\n") + "\n") }
	if err := errors.Join(syscall.Mkfifo("pipe.yaml", 0o644), syscall.Mkfifo("pipe.csv", 0o644), os.Mkdir("folder.yaml", 0o755), os.Symlink("/dev/zero", "zero.yaml"),
		os.Symlink("pipe.yaml", "link.yaml"), os.WriteFile("sweep.yaml", lines("kedge: 1", "base: pipe.yaml", "over:", "  seed: [1, 2]"), 0o644)); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		"run mixture --set model.let.eps={file:pipe.csv}": "pipe.csv is a named pipe",
		"run pipe.yaml":     "pipe.yaml is a named pipe",
		"run link.yaml":     "link.yaml is a named pipe",
		"run zero.yaml":     "zero.yaml is a device",
		"run folder.yaml":   "folder.yaml is a folder",
		"check pipe.yaml":   "pipe.yaml is a named pipe",
		"certify pipe.yaml": "pipe.yaml is a named pipe",
		"compare pipe.yaml": "pipe.yaml is a named pipe",
		"sweep pipe.yaml":   "pipe.yaml is a named pipe",
		"sweep sweep.yaml":  "pipe.yaml is a named pipe",
		"run lq2 --set population={size:4,dim:2,law:file,file:pipe.csv}":     "pipe.csv is a named pipe",
		"compare lq2 --set population={size:4,dim:2,law:file,file:pipe.csv}": "pipe.csv is a named pipe",
	} {
		out, code := command(t, strings.Fields(args)...)
		if code != exitUsage || !strings.Contains(out, want) {
			t.Errorf("kedge %s: exit code %d, %q; want %d and %q", args, code, out, exitUsage, want)
		}
	}
	if made, _ := filepath.Glob("runs*"); len(made) > 0 {
		t.Errorf("left behind: %v", made)
	}
}
