//go:build unix

package command

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// demonstration is the program kedge demo.
type demonstration struct {
	*testing.T
	cmd       *exec.Cmd
	address   string
	temporary string        // where it puts what it removes
	lines     *bytes.Buffer // what it says; read it when it has ended
	complaint *bytes.Buffer
	said      chan struct{}
}

// newDemo starts one in a folder for temporary files of its own.
func newDemo(t *testing.T, args ...string) *demonstration {
	t.Helper()
	d := &demonstration{T: t, temporary: t.TempDir(), lines: new(bytes.Buffer), said: make(chan struct{})}
	d.cmd, d.complaint = process(t, append([]string{"demo", "--no-browser"}, args...)...)
	d.cmd.Env = append(os.Environ(), "TMPDIR="+d.temporary)
	out, err := d.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := d.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.cmd.Process.Kill(); d.cmd.Wait() })
	lines := bufio.NewReader(io.TeeReader(out, d.lines))
	for d.address == "" {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatalf("kedge demo says no address: %v; %s; %s", err, d.lines, d.complaint)
		}
		d.address = strings.TrimSuffix(regexp.MustCompile(`http://127\.0\.0\.1:\d+/`).FindString(line), "/")
	}
	go func() { io.Copy(io.Discard, lines); close(d.said) }()
	return d
}

// lookedAt is what the overview says of a loop.
type lookedAt struct {
	Loop, Mode, Level, Words string
	K                        int
}

// overview asks for all loops.
func (d *demonstration) overview() map[string]lookedAt {
	d.Helper()
	reply, err := http.Get(d.address + "/v1/overview")
	if err != nil {
		d.Fatal(err)
	}
	defer reply.Body.Close()
	var page struct{ Loops []lookedAt }
	if err := json.NewDecoder(reply.Body).Decode(&page); err != nil {
		d.Fatal(err)
	}
	all := map[string]lookedAt{}
	for _, g := range page.Loops {
		all[g.Loop] = g
	}
	return all
}

// held waits until a guardrail holds the shop.
func (d *demonstration) held() map[string]lookedAt {
	d.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		all := d.overview()
		if g := all["shop-prices"]; g.Level == "alarm" {
			return all
		}
		if time.Now().After(end) {
			d.Fatalf("nothing holds the shop: %+v", all)
		}
	}
}

// stop presses Ctrl-C, and wants that nothing is left.
func (d *demonstration) stop() {
	d.Helper()
	d.cmd.Process.Signal(os.Interrupt)
	<-d.said
	if err := d.cmd.Wait(); err != nil {
		d.Errorf("kedge demo ended with %v: %s", err, d.complaint)
	}
	if left, err := os.ReadDir(d.temporary); err != nil || len(left) > 0 {
		d.Errorf("kedge demo left %v, %v", left, err)
	}
}

// A demonstration shows three loops of which one is held, by its guardrail, with the reason in words. Whoever steps in meets people who live on: a rollback to
// the safe decision passes the guardrail, an end of one loop ends no other. Ctrl-C leaves nothing behind.
func TestDemo(t *testing.T) {
	d := newDemo(t, "--speed", "1000")
	all := d.held()
	if len(all) != 3 {
		t.Errorf("there are %+v, want three loops", all)
	}
	for name, g := range all {
		held := name == "shop-prices"
		if g.Mode != "live" || held != (g.Level == "alarm") || held != strings.HasPrefix(g.Words, "Holding: basket is ") || held != strings.Contains(g.Words, "wanted at least 12") {
			t.Errorf("%s: %+v", name, g)
		}
	}
	d.stepIn()
	d.stop()
	said := d.lines.String()
	for _, words := range []string{`shop-prices holds at decision \d+: basket is .*, wanted at least 12`, `shop-prices steps again at decision`, `ride-prices is archived`, `nothing is left behind\n$`} {
		if !regexp.MustCompile(words).MatchString(said) {
			t.Errorf("no %q in %q", words, said)
		}
	}
	if d.complaint.Len() > 0 {
		t.Errorf("it complained: %s", d.complaint)
	}
}

// stepIn rolls a loop back, pauses another, ends the third, and waits until people have lived on for a while.
func (d *demonstration) stepIn() {
	d.Helper()
	for _, args := range [][]string{{"loop", "rollback", "shop-prices", "safe"}, {"loop", "pause", "party-position"}, {"loop", "archive", "ride-prices"}} {
		if got := typed(d.T, "", append(args, "--server", d.address)...); got.code != 0 {
			d.Fatalf("%v: %+v", args, got)
		}
	}
	before := d.overview()
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		all := d.overview()
		if all["party-position"].K > before["party-position"].K+5 && all["shop-prices"].K > before["shop-prices"].K+30 {
			return
		}
		if time.Now().After(end) {
			d.Fatalf("they do not live on: %+v, then %+v", before, all)
		}
	}
}

// A demonstration ends by itself, and keeps what it is asked to: a data folder like any other.
func TestDemoIsKept(t *testing.T) {
	kept := filepath.Join(t.TempDir(), "kept")
	d := newDemo(t, "--for", "1s", "--keep", kept, "--speed", "50")
	<-d.said
	if err := d.cmd.Wait(); err != nil {
		t.Errorf("it ended with %v: %s", err, d.complaint)
	}
	if got := typed(t, "", "loop", "list", "--data", kept); got.code != 0 || strings.Count(got.out, "\n") != 3 {
		t.Errorf("loops of what was kept: %+v", got)
	}
	if got := typed(t, "", "verify", kept); got.code != 0 {
		t.Errorf("kedge verify: %+v", got)
	}
	if got := typed(t, "", "demo", "--no-browser", "--keep", kept); got.code != exitUsage || !strings.Contains(got.complaint, "not empty; kedge serve --data") {
		t.Errorf("a folder that holds something: %+v", got)
	}
}

// What cannot be meant is refused, with a remedy, before anything is there.
func TestDemoRefuses(t *testing.T) {
	for args, want := range map[string]string{
		"--speed 0": "want rounds a second", "--speed nan": "want rounds a second", "--for -1s": "want a time", "--port 70000": "want 0 to 65535", "--listen 0.0.0.0:7070": "an address of the loopback",
		"--listen unix:x": "an address of the loopback", "--listen here": "HOST:PORT", "--listen 127.0.0.1:0 --port 1": "none of the others can be",
	} {
		if got := typed(t, "", append([]string{"demo", "--no-browser"}, strings.Fields(args)...)...); got.code != exitUsage || !strings.Contains(got.complaint, want) {
			t.Errorf("kedge demo %s: %+v; want %q", args, got, want)
		}
	}
	d := newDemo(t, "--for", "20s")
	taken := strings.TrimPrefix(d.address, "http://")
	if got := typed(t, "", "demo", "--no-browser", "--listen", taken); got.code == 0 || !strings.Contains(got.complaint, "address already in use") {
		t.Errorf("a port that is taken: %+v", got)
	}
	d.cmd.Process.Signal(syscall.SIGHUP) // the terminal is closed
	<-d.said
	if err := d.cmd.Wait(); err != nil {
		t.Errorf("it ended with %v: %s", err, d.complaint)
	}
	if left, _ := os.ReadDir(d.temporary); len(left) > 0 {
		t.Errorf("it left %v", left)
	}
}
