package command

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/kedge-opt/kedge/internal/evidence"
)

// confine runs a program as nobody, who can gain no rights, in a namespace in which everything can only be read but the folders data and trace. Strace
// writes down what is started and which files are changed.
const confine = `
set -e
mount --make-rprivate /
mount --bind "$1" "$1"
mount --bind "$2" "$2"
awk '{ print $5 }' /proc/self/mountinfo | sort -ru | while read -r at; do
  case $at in "$1" | "$2" | /proc* | /sys* | /dev | /dev/pts) ;; *) mount -o remount,bind,ro "$at" 2>/dev/null || true ;; esac
done
if touch "$3" 2>/dev/null; then echo 'the rest of the disk can be written'; exit 3; fi
cd /
umask 0
shift 3
exec setpriv --reuid 65534 --regid 65534 --clear-groups --no-new-privs "$@"`

// changes are calls that change files, by the path that they name; those that only read are none.
var changes = regexp.MustCompile(`^\d+ +(\w+)\(.*?"([^"]*)"`)

// A service needs no rights: it runs as nobody where everything but its folder can only be read, starts no program, and neither writes nor tries to write anything
// elsewhere. What it writes is its own alone, even where everybody's files would be for all.
func TestServiceNeedsFewRights(t *testing.T) {
	w := evidence.For(t, evidence.Promise{Name: "service-confined", Text: "a round of `kedge serve` as nobody, who can gain no rights, on a disk of which all but its folder can only be read, without a umask, watched by strace: calls that fail, programs that it starts, files that it changes elsewhere or tries to, files that others may read", Needs: "root, strace, unshare and setpriv"})
	for _, name := range []string{"strace", "unshare", "setpriv"} {
		if _, err := exec.LookPath(name); err != nil || os.Getuid() != 0 {
			t.Skipf("skipped: root with %s is needed: %v", name, err)
		}
	}
	path, err := program.Path()
	if err != nil {
		t.Fatal(err)
	}
	base, err := os.MkdirTemp("", "kedge-confined-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(base) })
	data, trace, own := filepath.Join(base, "data"), filepath.Join(base, "trace"), filepath.Join(base, "kedge")
	binary, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(own, binary, 0o755)
	}
	for _, dir := range []string{data, trace} {
		if err == nil {
			err = os.Mkdir(dir, 0o700)
		}
		if err == nil {
			err = os.Chown(dir, 65534, 65534)
		}
	}
	if err == nil {
		err = os.Chmod(base, 0o755) // nobody comes by
	}
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("unshare", "--mount", "sh", "-c", confine, "sh", data, trace, filepath.Join(base, "probe"), "true").CombinedOutput(); err != nil {
		t.Skipf("skipped: no namespace to be had here: %v: %s", err, out)
	}
	address := freeAddress(t)
	log := filepath.Join(trace, "calls")
	c := exec.Command("unshare", "--mount", "sh", "-c", confine, "sh", data, trace, filepath.Join(base, "probe"), "strace", "-f", "-qq", "-e", "signal=none",
		"-e", "trace=execve,execveat,open,openat,openat2,creat,mkdir,mkdirat,mknod,mknodat,rename,renameat,renameat2,link,linkat,symlink,symlinkat,unlink,unlinkat,truncate,chmod,fchmodat,chown,fchownat",
		"-o", log, own, "serve", "--data", filepath.Join(data, "loops"), "--listen", address)
	c.Stderr = os.Stderr
	c.Env = []string{"PATH=" + os.Getenv("PATH")}
	listening(t, c)
	oneRound(t, w, address, func(_ int, args ...string) *exec.Cmd { return exec.Command(path, args...) })
	syscall.Kill(-c.Process.Pid, syscall.SIGTERM)
	err = c.Wait()
	w.Case(err == nil, "it ended with %v", err)
	calls, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	confined(w, string(calls), data)
	private(w, data)
}

// confined reads what a program did: it is started once, and changes nothing outside of a folder.
func confined(w *evidence.Witness, calls, data string) {
	started, changed := 0, 0
	for line := range strings.Lines(calls) {
		m := changes.FindStringSubmatch(line)
		switch {
		case m == nil:
		case strings.HasPrefix(m[1], "exec"):
			started++
		case strings.HasPrefix(m[1], "open") && !strings.Contains(line, "O_WRONLY") && !strings.Contains(line, "O_RDWR") && !strings.Contains(line, "O_CREAT"):
		default:
			changed++
			inside := strings.HasPrefix(m[2], data+"/") || m[2] == "/dev/null" || !strings.HasPrefix(m[2], "/") && strings.Contains(line, "at(") && !strings.Contains(line, "AT_FDCWD")
			w.Case(inside, "outside of its folder: %s", line)
		}
	}
	w.Case(started == 1 && changed > 10, "%d programs were started, want 1; %d changes were seen, want some", started, changed)
}

// private sees to it that nobody else may read or change anything in a folder.
func private(w *evidence.Witness, dir string) {
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		var mode fs.FileMode
		if err == nil {
			var info fs.FileInfo
			if info, err = d.Info(); err == nil {
				mode = info.Mode()
			}
		}
		w.Case(err == nil && mode.Perm()&0o077 == 0, "%s", fmt.Sprint(path, " ", mode, " ", err))
		return nil
	})
}
