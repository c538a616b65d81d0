package server_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/internal/heap"
	"github.com/kedge-opt/kedge/server"
	"github.com/kedge-opt/kedge/store"
)

// TestMain holds every reply of all tests against the description of the server, and lets the test be the service, in a process of its own
// whose memory can be measured.
func TestMain(m *testing.M) {
	if dir := os.Getenv("KEDGE_TEST_SERVES"); dir != "" {
		serveAlone(dir)
		return
	}
	j := &judge{RoundTripper: http.DefaultTransport, schemas: map[string]*described{}, texts: map[string]*described{}}
	http.DefaultClient.Transport = j
	code := m.Run()
	for _, fault := range j.faults[:min(20, len(j.faults))] {
		fmt.Println("a reply is not as /openapi.json describes it:", fault)
		code = 1
	}
	os.Exit(code)
}

// hurried are limits whose times are short.
func hurried() server.Allowance {
	l := server.DefaultLimits()
	l.Header, l.Reply = time.Second, time.Second
	return l
}

func serveAlone(dir string) {
	debug.SetGCPercent(50)
	go tellUse()
	j, err := store.Open(dir)
	if err == nil {
		var ear net.Listener
		if ear, err = net.Listen("tcp", "127.0.0.1:0"); err == nil {
			fmt.Println("http://" + ear.Addr().String())
			err = server.New(server.Setup{Journal: j, Clock: server.Wall(), Limits: hurried(), Build: "test"}).Web().Serve(ear)
		}
	}
	fmt.Println(err)
	os.Exit(1)
}

// tellUse answers every line of the standard input with the bytes of the heap and of stacks that are in use, garbage left out.
func tellUse() {
	for asked := bufio.NewScanner(os.Stdin); asked.Scan(); {
		live := heap.Live()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		fmt.Println(live + int64(m.StackInuse))
	}
}

// process is a service in a process of its own.
type process struct {
	*site
	pid int
	dir string // that it runs in

	ask  io.Writer      // its standard input
	said *bufio.Scanner // its standard output
}

func newProcess(t *testing.T) *process {
	t.Helper()
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), "KEDGE_TEST_SERVES="+t.TempDir())
	c.Stderr, c.Dir = os.Stderr, t.TempDir()
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	in, err := c.StdinPipe()
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
	return &process{&site{T: t, url: lines.Text()}, c.Process.Pid, c.Dir, in, lines}
}

// use is how much memory the process keeps in use, in MB. Unlike what the kernel counts, it does not depend on when garbage was collected.
func (p *process) use() (mb float64) {
	p.Helper()
	if _, err := fmt.Fprintln(p.ask); err != nil || !p.said.Scan() {
		p.Fatalf("the service does not tell its use: %v, %v", err, p.said.Err())
	}
	if _, err := fmt.Sscan(p.said.Text(), &mb); err != nil {
		p.Fatalf("the service's use is %q", p.said.Text())
	}
	return mb / (1 << 20)
}

// memory reads a line of what the kernel knows of the process, in MB: VmRSS now, VmHWM at most so far.
func (p *process) memory(line string) float64 {
	p.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.pid))
	if err != nil {
		p.Skip("the memory of a process is not to be had here: ", err)
	}
	_, rest, _ := strings.Cut(string(text), line+":")
	var kb float64
	fmt.Sscan(rest, &kb)
	return kb / 1024
}

// worked is how long processors have worked for the process.
func (p *process) worked() time.Duration {
	p.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.pid))
	if err != nil {
		p.Skip("the work of a process is not to be had here: ", err)
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(rest) // from the third on
	var user, system time.Duration
	fmt.Sscan(fields[11], &user)
	fmt.Sscan(fields[12], &system)
	return (user + system) * 10 * time.Millisecond // ticks of Linux
}

// dial opens a connection and sends the beginning of a request.
func (p *process) dial(text string) net.Conn {
	p.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(p.url, "http://"))
	if err == nil {
		_, err = c.Write([]byte(text))
	}
	if err != nil {
		p.Fatal(err)
	}
	p.Cleanup(func() { c.Close() })
	return c
}
