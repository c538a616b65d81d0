package service

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kedge-opt/kedge/client"
	"github.com/kedge-opt/kedge/command/exit"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/server"
	"github.com/kedge-opt/kedge/server/keyring"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/store"
)

// gone waits until nobody listens at an address any more.
func gone(t *testing.T, address string) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(2 * time.Millisecond) {
		c, err := net.Dial("tcp", strings.TrimPrefix(address, "http://"))
		if err != nil {
			return
		}
		c.Close()
		if time.Now().After(deadline) {
			t.Fatalf("%s is served still", address)
		}
	}
}

// emptyTemp is a folder for what is temporary, and looks whether it is empty.
func emptyTemp(t *testing.T) (isEmpty func()) {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	return func() {
		t.Helper()
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	}
}

// A loop that is archived is left alone, which ends nothing; a terminal that is closed ends a demonstration as somebody who stops it would.
func TestDemonstrationsOutliveALoop(t *testing.T) {
	isEmpty := emptyTemp(t)
	address, stop := started(t, "demo --no-browser --speed 200")
	c := client.Open(address)
	if _, err := c.Loop("ride-prices").Archive(t.Context()); err != nil {
		t.Fatal(err)
	}
	before, err := c.Loop("shop-prices").Status(t.Context())
	for deadline := time.Now().Add(20 * time.Second); err == nil; time.Sleep(2 * time.Millisecond) {
		s, failed := c.Loop("shop-prices").Status(t.Context())
		if failed == nil && s.Turns >= before.Turns+3 {
			break
		}
		if failed != nil || time.Now().After(deadline) {
			t.Fatalf("%+v, %v", s, failed)
		}
	}
	if err := syscall.Kill(os.Getpid(), syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	gone(t, address)
	said, err := stop()
	if err != nil || !strings.Contains(said, "ride-prices is archived; its people are left alone\n") || !strings.HasSuffix(said, "stopped; nothing is left behind\n") {
		t.Errorf("%s, %v", said, err)
	}
	isEmpty()
}

// Whoever makes the first key of a demonstration takes it over: its people have none, they are left alone, and the service goes on for those who have it.
func TestDemonstrationsOutliveAKey(t *testing.T) {
	isEmpty := emptyTemp(t)
	address, stop := started(t, "demo --no-browser --speed 200")
	made, err := client.Open(address).CreateKey(t.Context(), client.KeyWanted{Rights: []keyring.Right{"read"}, Loops: []string{"*"}})
	if err != nil {
		t.Fatal(err)
	}
	c := client.Open(address, client.Key(made.Key))
	for last, quiet := 0, 0; quiet < 20; time.Sleep(10 * time.Millisecond) { // at 200 turns a second nobody lives who decides nothing for so long
		turns := 0
		for _, w := range worlds() {
			s, err := c.Loop(w.name).Status(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			turns += s.Turns
		}
		if quiet++; turns != last {
			last, quiet = turns, 0
		}
	}
	if err := syscall.Kill(os.Getpid(), syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	gone(t, address)
	said, err := stop()
	if err != nil || strings.Count(said, " wants a key from now on; its people have none and are left alone\n") != len(worlds()) || !strings.HasSuffix(said, "stopped; nothing is left behind\n") {
		t.Errorf("%s, %v", said, err)
	}
	isEmpty()
}

// A demonstration whose loops cannot be made says which, and welcomes nobody.
func TestDemonstrationsThatCannotBegin(t *testing.T) {
	lost := httptest.NewServer(http.NotFoundHandler())
	defer lost.Close()
	var said strings.Builder
	var living sync.WaitGroup
	d := &demo{out: &said, noBrowser: true, speed: 1}
	err := d.begin(t.Context(), &living, func(error) { t.Error("somebody lives") }, lost.URL, worlds())
	living.Wait()
	if err == nil || !strings.HasPrefix(err.Error(), "loop party-position: ") || said.Len() > 0 {
		t.Errorf("%v, %s", err, &said)
	}
}

// A demonstration that cannot begin ends by itself, as failed: here what it sends to its own service comes to another, by a proxy.
func TestDemonstrationsEndWithoutTheirLoops(t *testing.T) {
	isEmpty := emptyTemp(t)
	lost := httptest.NewServer(http.NotFoundHandler())
	defer lost.Close()
	elsewhere, err := url.Parse(lost.URL)
	if err != nil {
		t.Fatal(err)
	}
	usual := http.DefaultTransport
	defer func() { http.DefaultTransport = usual }()
	http.DefaultTransport = &http.Transport{Proxy: http.ProxyURL(elsewhere)}
	var said strings.Builder
	d := &demo{kinds: kind.Standard(), front: front{listen: "127.0.0.1:0"}, out: &said, noBrowser: true, speed: 1, span: 20 * time.Second}
	if err := d.run(t.Context(), slog.New(slog.DiscardHandler)); err == nil || exit.CodeOf(err) != exit.Failed || !strings.HasPrefix(err.Error(), "loop party-position: ") || said.Len() > 0 {
		t.Errorf("%v, %s", err, &said)
	}
	isEmpty()
}

// Of ten messages, of which the half arrives twice, those do that seed 1 draws: a network is as bad for everybody.
func TestFaultsAreThoseOfASeed(t *testing.T) {
	arrived := map[string]int{}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		arrived[r.URL.Path]++
		io.WriteString(w, "{}")
	}))
	defer web.Close()
	s := &Simulation{reach: reach{Dial: Dial{address: web.URL}}, faults: "repeat=0.5"}
	release, err := s.Connect()
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, name := range strings.Split("abcdefghij", "") {
		if _, err := s.remote.Loop(name).Status(t.Context()); err != nil {
			t.Fatal(err)
		}
		got += string(rune('0' + arrived["/v1/loops/"+name]))
	}
	if want := "2122212111"; got != want || release() != nil {
		t.Errorf("arrived %s times, want %s", got, want)
	}
}

// shutEar is an ear that tells when it is closed.
type shutEar struct {
	net.Listener
	closed func()
}

func (c *shutEar) Close() error { defer c.closed(); return c.Listener.Close() }

// Idle connections are not cut before those who have them were told to use them no more: the server is shut down once they are gone.
func TestStoppingWaitsForVisitors(t *testing.T) {
	journal, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer journal.Close()
	ear, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := server.New(setupOf(journal, &source{data: t.TempDir()}, kind.Standard()))
	var inside visitors
	inside.note(nil, http.StateNew)
	left := make(chan struct{})
	watched := &shutEar{ear, func() {
		go func() {
			time.Sleep(30 * time.Millisecond) // that a visitor takes to hear of it
			inside.note(nil, http.StateClosed)
			close(left)
		}()
	}}
	web := &http.Server{}
	var early atomic.Bool
	down := make(chan struct{})
	web.RegisterOnShutdown(func() { early.Store(inside.now.Load() > 0); close(down) })
	if err := stop(t.Context(), s, web, watched, &inside, slog.New(slog.DiscardHandler)); err != nil {
		t.Error(err)
	}
	<-down
	<-left
	if early.Load() {
		t.Error("a visitor was still inside")
	}
}

// A loop whose period has not come when it is called off ends with that, and asks for nothing more.
func TestPeriodsEndWithTheirContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := &remote{ctx: ctx, period: time.Hour}
	if err := r.next(); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := r.advise(&client.Error{Type: "/problems/" + session.StaleEpoch}); !strings.HasSuffix(err.Error(), "; the same command with --resume goes on") {
		t.Error(err)
	}
	if err := r.advise(io.EOF); err != io.EOF {
		t.Error(err)
	}
}

// apart is a journal that another host looks after, and that cannot be reached from the second time on that somebody asks; the fourth is the last.
type apart struct {
	ailing
	asked int
	last  func()
}

func (*apart) Tip(string) func() (session.Tip, error)                          { return nil }
func (*apart) Keeper(context.Context) bool                                     { return false }
func (*apart) Follow(context.Context, func() []string, func(session.Tip) bool) {}
func (a *apart) Health() error {
	switch a.asked++; a.asked {
	case 1:
		return nil
	case 4:
		a.last()
	}
	return io.ErrUnexpectedEOF
}

// failing is a journal that may say that it cannot be written any more.
type failing struct {
	ailing
	failed chan struct{}
}

func (f failing) Failed() <-chan struct{} { return f.failed }

// Deadlines are looked at every ten seconds; those that cannot be are told of, unless the service is to stop.
func TestDeadlinesThatCannotBeLookedAt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		j := &apart{last: stop}
		var said strings.Builder
		begun := time.Now()
		err := keepHouse(ctx, server.New(setupOf(j, &source{data: t.TempDir()}, kind.Standard())), slog.New(slog.NewTextHandler(&said, nil)), nil, j)
		if took := time.Since(begun); err != nil || took != 4*housekeeping || strings.Count(said.String(), "\n") != 2 || strings.Count(said.String(), `msg="deadlines could not be looked at" why="unexpected EOF"`) != 2 {
			t.Errorf("after %v: %v, said %s", took, err, &said)
		}
	})
}

// Requests that do not end in time are cut, and that is told.
func TestRequestsThatDoNotEnd(t *testing.T) {
	journal, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer journal.Close()
	ear, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	begun := make(chan struct{})
	web := &http.Server{Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(begun)
		<-r.Context().Done()
	})}
	defer web.Close()
	go web.Serve(ear)
	answered := make(chan error, 1)
	go func() {
		_, err := (&http.Client{Transport: new(http.Transport)}).Get("http://" + ear.Addr().String())
		answered <- err
	}()
	<-begun
	late, cancel := context.WithCancel(t.Context())
	cancel()
	var said strings.Builder
	stop(late, server.New(setupOf(journal, &source{data: t.TempDir()}, kind.Standard())), web, ear, new(visitors), slog.New(slog.NewTextHandler(&said, nil)))
	if err := <-answered; err == nil || !strings.Contains(said.String(), `msg="some requests did not end in time" why="context canceled"`) {
		t.Errorf("answered with %v, said %s", err, &said)
	}
}

// A service ends with the fault of its listener, or with that of a journal that cannot be written any more, which is one of what was running.
func TestWhatEndsAService(t *testing.T) {
	ended, failed := make(chan error, 1), make(chan struct{})
	ended <- io.EOF
	close(failed)
	for _, c := range []struct {
		ended   chan error
		journal ledger
		want    error
		code    int
	}{
		{ended, ailing{err: io.ErrClosedPipe}, io.EOF, exit.Usage},
		{make(chan error), failing{ailing{err: io.ErrClosedPipe}, failed}, io.ErrClosedPipe, exit.Failed},
	} {
		if err := keepHouse(t.Context(), nil, slog.New(slog.DiscardHandler), c.ended, c.journal); !errors.Is(err, c.want) || exit.CodeOf(err) != c.code {
			t.Errorf("%v, want %v", err, c.want)
		}
	}
}

// A file of a key that cannot be read is not taken for an empty one.
func TestKeyFilesThatCannotBeRead(t *testing.T) {
	d := Dial{"http://127.0.0.1:1", "/proc/self/mem"} // nothing is there at its beginning
	if _, err := d.Open(); !errors.Is(err, syscall.EIO) || !strings.HasPrefix(err.Error(), "--key-file /proc/self/mem: ") {
		t.Errorf("%v", err)
	}
}
