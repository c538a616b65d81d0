package server_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/internal/evidence"
)

// serving is a service on a folder, in a process of its own.
func serving(t *testing.T, dir string) (*site, *exec.Cmd) {
	t.Helper()
	c := exec.Command(os.Args[0])
	c.Env, c.Stderr = append(os.Environ(), "KEDGE_TEST_SERVES="+dir), os.Stderr
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Process.Kill(); c.Wait() })
	lines := bufio.NewScanner(out)
	if !lines.Scan() || !strings.HasPrefix(lines.Text(), "http") {
		t.Fatalf("the service says %q", lines.Text())
	}
	return &site{T: t, url: lines.Text()}, c
}

// fillDisk writes to a file until the disk has no room.
func fillDisk(t *testing.T, path string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for size := 64 << 10; size > 0; {
		if _, err := f.Write(make([]byte, size)); err != nil {
			size /= 2
		}
	}
}

// On a disk without room a kill is marked: the loop answers its safe decision at once and after kill −9, and the event appears when there is room.
func TestKillOnAFullDisk(t *testing.T) {
	row := evidence.For(t, evidence.Promise{Name: "service-kill-full", Text: "a kill on a disk of 3 MB without room: asks that do not answer the safe decision, before and after kill −9, or kills whose event is not there once there is room", Needs: "root, to mount"})
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=3m"); err != nil {
		t.Skipf("skipped: no disk of its own here: %v", err)
	}
	t.Cleanup(func() { syscall.Unmount(disk, syscall.MNT_DETACH) })
	dir := filepath.Join(disk, "data")
	s, c := serving(t, dir)
	s.want(201, "POST", "/v1/loops", fmt.Sprintf(`{"name":"shop","spec":%s,"mode":"live"}`, quoted(shop)))
	s.want(200, "POST", "/v1/loops/shop/ask", "")
	os.Remove(filepath.Join(dir, "reserve")) // as if it had been given up
	fillDisk(t, filepath.Join(disk, "filler"))
	asks := func(s *site, when string) {
		t.Helper()
		a := s.want(200, "POST", "/v1/loops/shop/ask", "")
		row.Case(a["basis"] == "safe" && fmt.Sprint(a["u"]) == "[4 4]", "%s: %v", when, a)
	}
	k := s.want(200, "POST", "/v1/loops/shop/kill", `{"reason":"wrong"}`)
	row.Case(k["durable"] == "marker" && fmt.Sprint(k["answers"]) == "[4 4]", "the kill: %v", k)
	asks(s, "after the kill")
	shows := func(s *site, when string) {
		t.Helper()
		status, list, health := s.want(200, "GET", "/v1/loops/shop", ""), s.want(200, "GET", "/v1/overview", ""), s.want(200, "GET", "/v1/loops/shop/health", "")
		row.Case(status["mode"] == "killed" && strings.Contains(fmt.Sprint(list["loops"]), "mode:killed") && strings.Contains(fmt.Sprint(health["cards"]), "The loop was killed: it answers the safe decision, 4 4."), "%s: %v, %v, %v", when, status, list, health)
	}
	shows(s, "after the kill")
	c.Process.Signal(syscall.SIGKILL)
	c.Wait()
	s, c = serving(t, dir)
	shows(s, "after kill −9")
	asks(s, "after kill −9")
	if err := os.Remove(filepath.Join(disk, "filler")); err != nil {
		t.Fatal(err)
	}
	asks(s, "with room")
	status := s.want(200, "GET", "/v1/loops/shop", "")
	row.Case(status["mode"] == "killed", "with room: %v", status)
	c.Process.Signal(syscall.SIGKILL)
	c.Wait()
	s, _ = serving(t, dir)
	asks(s, "from the event alone")
	s.want(200, "POST", "/v1/loops/shop/resume", `{"reason":"mended"}`)
	row.Case(s.want(200, "POST", "/v1/loops/shop/ask", "")["basis"] == "step", "resumed, it is killed again")
}

// One call kills a thousand loops within a second.
func TestKillOfAThousand(t *testing.T) {
	row := evidence.For(t, evidence.Promise{Name: "service-kill-thousand", Text: "POST /v1/kill of 1,000 loops: seconds until all are killed", Short: "100 loops"})
	n := 100
	if evidence.Whole() {
		n = 1000
	}
	s := newScript(t, "")
	for i := range n - 1 {
		s.want(201, "POST", "/v1/loops", fmt.Sprintf(`{"name":"l%d","spec":%s,"mode":"live"}`, i, quoted(shop)))
	}
	begun := time.Now()
	if reply := s.want(200, "POST", "/v1/kill", `{"reason":"all"}`); fmt.Sprint(reply["killed"]) != fmt.Sprint(n) {
		t.Errorf("killed: %v", reply)
	}
	row.AtMost("seconds", time.Since(begun).Seconds(), 1)
}
