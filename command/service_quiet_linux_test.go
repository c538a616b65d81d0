package command

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/kedge-opt/kedge/internal/evidence"
)

// The service and those who talk with it call nobody but each other.
func TestServiceCallsNobody(t *testing.T) {
	w := evidence.For(t, evidence.Promise{Name: "service-quiet", Text: "a round of the service and of the commands that talk with it, watched by strace: connections to others than this machine", Needs: "Linux and strace"})
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("strace is not here")
	}
	path, err := program.Path()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	address := freeAddress(t)
	traced := func(n int, args ...string) *exec.Cmd {
		return exec.Command(strace, append([]string{"-f", "-qq", "-e", "trace=connect,execve", "-o", filepath.Join(dir, fmt.Sprint("trace-", n)), path}, args...)...)
	}
	serve := traced(0, "serve", "--data", filepath.Join(dir, "data"), "--listen", address)
	listening(t, serve)
	oneRound(t, w, address, traced)
	syscall.Kill(-serve.Process.Pid, syscall.SIGTERM)
	serve.Wait()
	traces, _ := filepath.Glob(filepath.Join(dir, "trace-*"))
	execs := 0
	for _, name := range traces {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(string(text), "\n") {
			switch {
			case strings.Contains(line, "execve("):
				execs++
			case strings.Contains(line, "connect("):
				near := strings.Contains(line, "AF_UNIX") || strings.Contains(line, `inet_addr("127.`) || strings.Contains(line, `"::1"`)
				w.Case(near, "%s: %s", filepath.Base(name), line)
			}
		}
	}
	w.Case(len(traces) == 9 && execs == 9, "%d programs were started, %d of them watched, want 9", execs, len(traces))
}

// freeAddress is one of this machine at which nobody listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	ear, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ear.Close()
	return ear.Addr().String()
}

// listening starts a service, with everything that it starts, until the test is over.
func listening(t *testing.T, serve *exec.Cmd) {
	t.Helper()
	serve.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := serve.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Kill(-serve.Process.Pid, syscall.SIGKILL); serve.Wait() })
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatalf("%v said %q, %v", serve.Args, line, err)
	}
}

// oneRound goes one round with a service, by commands that are numbered from 1.
func oneRound(t *testing.T, w *evidence.Witness, address string, kedge func(n int, args ...string) *exec.Cmd) {
	t.Helper()
	dir := t.TempDir()
	spec, people := filepath.Join(dir, "shop.yaml"), filepath.Join(dir, "am.ndjson")
	os.WriteFile(spec, []byte(shopSpec), 0o600)
	os.WriteFile(people, []byte(`{"p":[7,5],"d":[10,8]}`+"\n"+`{"p":[6,5],"d":[9,8]}`+"\n"), 0o600)
	for n, args := range [][]string{
		{"loop", "create", "shop", spec, "--mode", "live"}, {"ask", "shop"}, {"deploy", "shop", "1", "3", "3"}, {"tell", "shop", "1", "am", people}, {"close", "shop", "1"},
		{"loop", "list"}, {"loop", "kill", "shop"}, {"key", "create", "--rights", "read"},
	} {
		said, err := kedge(n+1, append(args, "--server", "http://"+address)...).CombinedOutput()
		w.Case(err == nil, "kedge %v: %v: %s", args, err, said)
	}
}
