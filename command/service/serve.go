package service

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/kedge-opt/kedge/command/exit"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/server"
	"github.com/kedge-opt/kedge/store"
	"github.com/spf13/cobra"
)

// DefaultAddress is where the service listens unless it is told otherwise.
const DefaultAddress = "127.0.0.1:7070"

func newServe(kinds *kind.Catalogue) *cobra.Command {
	var otlp, form string
	var at source
	var f front
	limits := server.DefaultLimits()
	c := &cobra.Command{
		Use:   "serve",
		Short: "Decide for people who are elsewhere: ask, deploy, tell, over HTTP",
		Long: `Decide for people who are elsewhere. A system asks for the decision, deploys it, says what it deployed and tells what people did;
the rule of a spec takes one step at every close. What is acknowledged is on the disk and outlives a power cut.

The service keeps its loops in one folder, which no other process may have open. On the loopback, or a socket, it needs no key while there is
none; at any other address it wants a key (kedge key create --data) and TLS, its own or that of a proxy in front of it.

With --db the loops are in a PostgreSQL database, which any number of services share, on as many machines: a balancer may send any request to any
of them. While the database cannot be reached asks get the current decision from memory, with "durable": false, and all else waits.

A first signal stops it: requests end, states are saved, and the exit code is 0. A second one ends it at once, which loses nothing.`,
		Example: `  kedge serve --data shop-data
  kedge loop create shop examples/shop.yaml
  curl -s -X POST localhost:7070/v1/loops/shop/ask

  kedge serve --listen 0.0.0.0:7070 --tls-cert cert.pem --tls-key key.pem
  kedge serve --db postgres://kedge@db/kedge --listen 0.0.0.0:7070 \
    --tls-cert cert.pem --tls-key key.pem`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			log, err := logger(c.ErrOrStderr(), form)
			if err != nil {
				return err
			}
			ready := func(address string) { fmt.Fprintf(c.OutOrStdout(), "kedge serves %s on %s\n", at.shown(), address) }
			return serve(c.Context(), ready, &at, otlp, log, &f, limits, kinds)
		},
	}
	at.offer(c, "kedge-data", "the folder of the loops")
	c.Flags().StringVar(&at.keep, "state-dir", "", "a folder for the server's own files where loops are in a database: backups, and the marks of kills while it cannot be reached")
	c.Flags().StringVar(&otlp, "otlp", "", "send spans of requests to this collector, by OTLP over HTTP, as http://127.0.0.1:4318")
	c.Flags().StringVar(&form, "log", "text", "the form of the log on standard error: text or json")
	c.Flags().Float64Var(&limits.KeyRate, "key-rate", limits.KeyRate, "requests a second that a key may send")
	c.Flags().Float64Var(&limits.KeyBytes, "key-bytes", limits.KeyBytes, "bytes a second that a key may send")
	f.offer(c)
	return c
}

// logger writes a log in a form.
func logger(w io.Writer, form string) (*slog.Logger, error) {
	switch form {
	case "text":
		return slog.New(slog.NewTextHandler(w, nil)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(w, nil)), nil
	}
	return nil, fmt.Errorf("--log %s: want text or json", form)
}

// openMarks opens the marks of kills in a folder, which is made if there is none.
func openMarks(dir string) (*store.KillMarks, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return store.OpenKillMarks(filepath.Join(dir, "kill.map"))
}

// housekeeping is how often deadlines are looked at although nobody asks.
const housekeeping = 10 * time.Second

// When the service stops.
const (
	farewell = 5 * time.Second // that requests have to end
	hint     = time.Second     // at most, in which replies tell clients to use their connections no more, before idle ones are closed
)

// visitors counts connections.
type visitors struct{ now atomic.Int64 }

func (v *visitors) note(_ net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		v.now.Add(1)
	case http.StateClosed, http.StateHijacked:
		v.now.Add(-1)
	}
}

// leave waits until all connections are gone, for some time. Whoever sends a request on one that is just being closed gets no answer to it.
func (v *visitors) leave(most time.Duration) {
	for begun := time.Now(); v.now.Load() > 0 && time.Since(begun) < most; {
		time.Sleep(5 * time.Millisecond)
	}
}

// serve serves until the context ends. It says where once it can be reached.
func serve(ctx context.Context, ready func(address string), at *source, otlp string, log *slog.Logger, f *front, limits server.Allowance, kinds *kind.Catalogue) (err error) {
	if !(limits.KeyRate >= 1) || !(limits.KeyBytes >= 1) {
		return errors.New("--key-rate and --key-bytes are at least 1")
	}
	if err := f.read(); err != nil { // before the folder is touched
		return err
	}
	journal, err := at.open(ctx, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, journal.Close()) }()
	setup := setupOf(journal, at, kinds)
	if at.db != "" && at.keep != "" {
		marks, err := openMarks(at.keep)
		if err != nil {
			return fmt.Errorf("--state-dir %s: %w", at.keep, err)
		}
		defer marks.Close()
		setup.Marks = marks
	}
	setup.Log, setup.Limits = log, limits
	if otlp != "" {
		sent, err := openTraces(ctx, otlp, setup.Build, log)
		if err != nil {
			return err
		}
		defer sent.close(ctx)
		setup.Tracer = sent.Tracer("kedge")
	}
	cert, err := f.furnish(&setup)
	if err != nil {
		return err
	}
	ballast := server.Ballast()
	defer runtime.KeepAlive(ballast)
	s := server.New(setup)
	keys, err := s.Keys()
	if err != nil {
		return fmt.Errorf("%s: %w", at.flag(), err)
	}
	if err := f.check(at.flag(), len(keys.List()) > 0); err != nil {
		return err
	}
	ear, err := f.open()
	if err != nil {
		return fmt.Errorf("--listen %s: %w", f.listen, err)
	}
	web := s.Web()
	web.ErrorLog = slog.NewLogLogger(log.Handler(), slog.LevelWarn)
	var inside visitors
	web.ConnState = inside.note
	ended := make(chan error, 1)
	scheme := "http"
	if cert != nil {
		scheme, web.TLSConfig = "https", cert.config()
		go func() { ended <- web.ServeTLS(ear, "", "") }()
	} else {
		go func() { ended <- web.Serve(ear) }()
	}
	ready(f.shown(scheme, ear))
	notify("READY=1")
	following, leave := context.WithCancel(ctx)
	defer leave()
	go s.Follow(following)
	err = keepHouse(ctx, s, log, ended, journal)
	notify("STOPPING=1")
	if err != nil {
		s.Stop()
		web.Close()
		return err
	}
	return stop(context.WithoutCancel(ctx), s, web, ear, &inside, log)
}

// keepHouse looks after deadlines until the service is to stop, or its journal cannot be written any more.
func keepHouse(ctx context.Context, s *server.Server, log *slog.Logger, ended <-chan error, journal ledger) error {
	var failed <-chan struct{} // never, of a journal that recovers by itself
	if j, fails := journal.(interface{ Failed() <-chan struct{} }); fails {
		failed = j.Failed()
	}
	tick := time.NewTicker(housekeeping)
	defer tick.Stop()
	for {
		select {
		case err := <-ended:
			return err
		case <-failed:
			return exit.Failure(journal.Health())
		case <-tick.C:
			if err := s.Pass(ctx); err != nil && ctx.Err() == nil {
				log.Error("deadlines could not be looked at", "why", err)
			}
		case <-ctx.Done():
			return nil
		}
	}
}

// stop ends a service so that nobody who was let in goes without an answer. What is left to the journal is done when it is closed.
func stop(ctx context.Context, s *server.Server, web *http.Server, ear net.Listener, inside *visitors, log *slog.Logger) error {
	s.Leave()
	ear.Close()
	s.Stop()
	inside.leave(hint)
	rest, cancel := context.WithTimeout(ctx, farewell)
	defer cancel()
	if err := web.Shutdown(rest); err != nil {
		log.Warn("some requests did not end in time", "why", err)
		web.Close()
	}
	return s.Finish(ctx)
}

// notify tells systemd how the service is, where it wants to know.
func notify(state string) {
	path := os.Getenv("NOTIFY_SOCKET")
	if path == "" {
		return
	}
	if c, err := net.Dial("unixgram", path); err == nil {
		c.Write([]byte(state))
		c.Close()
	}
}
