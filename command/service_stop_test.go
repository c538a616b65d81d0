//go:build unix

package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	talker "github.com/kedge-opt/kedge/client"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/store"
)

// teller tells batches one after the other on connections of its own, until the service takes no more.
type teller struct {
	s         *serving
	name      string
	decision  string
	told, cut []string
	wrong     []string
	heard     chan<- struct{} // by whoever waits for the first batch that is taken; nil: nobody does
}

func (c *teller) run(ctx context.Context, pause time.Duration) {
	web := &http.Client{Transport: &http.Transport{}}
	defer web.CloseIdleConnections()
	for n := 0; ctx.Err() == nil; n++ {
		id := fmt.Sprintf("%s-%d", c.name, n)
		r, _ := http.NewRequest("PUT", c.decision+"/batches/"+id, strings.NewReader(`{"p":[[7,5]],"d":[[10,8]]}`))
		reply, err := web.Do(r)
		if errors.Is(err, syscall.ECONNREFUSED) {
			return
		}
		if err != nil {
			c.cut = append(c.cut, fmt.Sprintf("%s: %v", id, err))
			return
		}
		text, err := io.ReadAll(reply.Body)
		reply.Body.Close()
		switch {
		case err != nil:
			c.cut = append(c.cut, fmt.Sprintf("%s: %v", id, err))
		case reply.StatusCode == 201:
			c.told = append(c.told, id)
			select {
			case c.heard <- struct{}{}:
			default:
			}
		case reply.StatusCode != 503:
			c.wrong = append(c.wrong, fmt.Sprintf("%s: %d %s", id, reply.StatusCode, text))
		}
		time.Sleep(pause)
	}
}

// A service that is told to stop under load answers whom it has let in, loses nothing, folds its database and ends with 0.
func TestServiceStops(t *testing.T) {
	w := evidence.For(t, evidence.Promise{Name: "service-stops", Text: "SIGTERM while 16 clients tell the service: acknowledged batches lost, requests cut without an answer, exit codes but 0, files of the database left open", Short: "3 stops instead of 100"})
	stops := 3
	if evidence.Whole() {
		stops = 100
	}
	s := newServing(t)
	spec := filepath.Join(t.TempDir(), "shop.yaml")
	if err := os.WriteFile(spec, []byte(shopSpec), 0o600); err != nil {
		t.Fatal(err)
	}
	for n := range stops {
		name := fmt.Sprintf("shop-%d", n)
		for _, args := range [][]string{{"loop", "create", name, spec, "--mode", "live"}, {"ask", name}, {"deploy", name, "1", "3", "3"}} {
			if said, ok := s.kedge(nil, append(args, "--server", "http://"+s.address)...); !ok {
				t.Fatal(said)
			}
		}
		all := make([]*teller, 16)
		ctx, stop := context.WithTimeout(t.Context(), 20*time.Second)
		var working sync.WaitGroup
		for i := range all {
			all[i] = &teller{s: s, name: fmt.Sprint(i), decision: "http://" + s.address + "/v1/loops/" + name + "/decisions/1"}
			working.Go(func() { all[i].run(ctx, 20*time.Millisecond) })
		}
		time.Sleep(time.Duration(150+37*n%200) * time.Millisecond)
		begun := time.Now()
		s.cmd.Process.Signal(syscall.SIGTERM)
		err := s.cmd.Wait()
		took := time.Since(begun)
		working.Wait()
		stop()
		w.Case(err == nil, "stop %d: exit %v", n, err)
		w.AtMost("seconds to exit", took.Seconds(), 5)
		_, left := os.Stat(filepath.Join(s.data, "kedge.db-wal"))
		w.Case(left != nil, "stop %d: the WAL is there still", n)
		have := batchesIn(t, s.data, name)
		lost, cut, wrong, told := 0, 0, 0, 0
		for _, c := range all {
			told += len(c.told)
			for _, id := range c.told {
				if !have[id] {
					lost++
				}
			}
			cut, wrong = cut+len(c.cut), wrong+len(c.wrong)
			for _, what := range append(c.cut, c.wrong...) {
				t.Log(what)
			}
		}
		if told == 0 {
			t.Fatal("nothing was told before the stop")
		}
		w.Cases(lost+cut+wrong, told+cut+wrong)
		s.start()
	}
}

// batchesIn are the batches of the first decision of a loop in a folder that nobody has open.
func batchesIn(t *testing.T, data, loop string) map[string]bool {
	t.Helper()
	j, err := store.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if _, err := store.Check(t.Context(), j); err != nil {
		t.Error(err)
	}
	events, err := j.Decision(loop, 1)
	if err != nil {
		t.Fatal(err)
	}
	have := map[string]bool{}
	for _, e := range events {
		if id, ok := strings.CutPrefix(e.Ref, "b/"); ok {
			have[id] = true
		}
	}
	return have
}

// systemd hears that the service is ready, and that it stops; those who watch hear goodbye; a second signal ends it at once.
func TestServiceSaysHowItIs(t *testing.T) {
	dir := shortDir(t)
	path := filepath.Join(dir, "notify")
	ear, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer ear.Close()
	hear := func() string {
		b := make([]byte, 256)
		ear.SetReadDeadline(time.Now().Add(10 * time.Second))
		n, err := ear.Read(b)
		if err != nil {
			t.Fatal(err)
		}
		return string(b[:n])
	}
	socket := filepath.Join(dir, "s")
	c, said := process(t, "serve", "--data", filepath.Join(dir, "data"), "--listen", "unix:"+socket)
	c.Env = append(c.Environ(), "NOTIFY_SOCKET="+path)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Process.Kill(); c.Wait() })
	if got := hear(); got != "READY=1" {
		t.Errorf("at the start: %q", got)
	}
	spec := filepath.Join(dir, "shop.yaml")
	os.WriteFile(spec, []byte(shopSpec), 0o600)
	s := &serving{T: t}
	if said, ok := s.kedge(nil, "loop", "create", "shop", spec, "--server", "unix:"+socket); !ok {
		t.Fatal(said)
	}
	web := &http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return net.Dial("unix", socket) }}}
	reply, err := web.Get("http://localhost/v1/loops/shop/events")
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	var end atomic.Pointer[[]byte]
	watched := make(chan struct{})
	go func() {
		text, _ := io.ReadAll(reply.Body)
		end.Store(&text)
		close(watched)
	}()
	c.Process.Signal(syscall.SIGTERM)
	if got := hear(); got != "STOPPING=1" {
		t.Errorf("at the end: %q", got)
	}
	<-watched
	if text := *end.Load(); !bytes.Contains(text, []byte("event: bye")) {
		t.Errorf("who watches was told %s", text)
	}
	if err := c.Wait(); err != nil {
		t.Errorf("exit %v: %s", err, said)
	}
	if _, err := os.Stat(socket); err == nil {
		t.Error("the socket is there still")
	}
}

// A second signal ends a service that stops at once, although somebody keeps it waiting; what was acknowledged is there.
func TestASecondSignalEndsTheService(t *testing.T) {
	s := newServing(t)
	service := talker.Open("http://" + s.address)
	loop := service.Loop("shop")
	_, err := service.Create(t.Context(), "shop", shopSpec, session.Live)
	if err == nil {
		_, err = loop.Ask(t.Context())
	}
	if err == nil {
		_, err = loop.Deploy(t.Context(), 1, []float64{3, 3})
	}
	if err != nil {
		t.Fatal(err)
	}
	slow, err := net.Dial("tcp", s.address) // whose body does not come, so that the service waits for it
	if err != nil {
		t.Fatal(err)
	}
	defer slow.Close()
	fmt.Fprintf(slow, "PUT /v1/loops/shop/decisions/1/batches/slow HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{")
	all := make([]*teller, 8)
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Second)
	defer stop()
	var working sync.WaitGroup
	heard := make(chan struct{}, 1)
	for i := range all {
		all[i] = &teller{s: s, name: fmt.Sprint(i), decision: "http://" + s.address + "/v1/loops/shop/decisions/1", heard: heard}
		working.Go(func() { all[i].run(ctx, time.Millisecond) })
	}
	select { // on a busy machine the first takes its time
	case <-heard:
	case <-ctx.Done():
		t.Fatal("nothing was told before the stop")
	}
	s.cmd.Process.Signal(syscall.SIGTERM)
	for n := 0; ; n++ { // until it stops: nobody new gets in
		c, err := net.Dial("tcp", s.address)
		if err != nil {
			break
		}
		c.Close()
		if n == 20_000 {
			t.Fatal("the first signal was not heard")
		}
		time.Sleep(time.Millisecond)
	}
	begun := time.Now()
	s.cmd.Process.Signal(syscall.SIGTERM)
	s.cmd.Wait()
	if took := time.Since(begun); took > 4*time.Second || s.cmd.ProcessState.Exited() { // by itself it would wait 5 s for the body, and exit
		t.Errorf("it ended %v after the second signal: %v", took, s.cmd.ProcessState)
	}
	working.Wait()
	have := batchesIn(t, s.data, "shop")
	for _, c := range all {
		for _, id := range c.told {
			if !have[id] {
				t.Errorf("batch %s was acknowledged and is lost", id)
			}
		}
	}
}

// The unit that comes with kedge is one that systemd takes, and asks for no more than it needs.
func TestUnitOfSystemd(t *testing.T) {
	text, err := os.ReadFile("../deploy/kedge.service")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"Type=notify", "DynamicUser=yes", "StateDirectory=kedge", "ProtectSystem=strict", "NoNewPrivileges=yes", "LoadCredential=", "Restart=on-failure"} {
		if !strings.Contains(string(text), line) {
			t.Errorf("%s is missing", line)
		}
	}
	tool, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("systemd-analyze is not here")
	}
	path, err := program.Path()
	if err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(t.TempDir(), "kedge.service") // with a program that is there
	if err := os.WriteFile(own, bytes.ReplaceAll(text, []byte("/usr/local/bin/kedge"), []byte(path)), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(tool, "verify", own).CombinedOutput(); err != nil || bytes.Contains(out, []byte("kedge.service:")) {
		t.Errorf("systemd-analyze verify: %v: %s", err, out)
	}
}
