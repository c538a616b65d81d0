// Package service is the commands of the decision service: kedge serve, and those that ask it and tell it.
package service

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"time"

	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/server"
	"github.com/kedge-opt/kedge/store"
	"github.com/spf13/cobra"
)

// Commands are those of the service.
func Commands(kinds *kind.Catalogue) []*cobra.Command {
	return []*cobra.Command{
		newServe(kinds), newLoop(kinds), newKey(kinds), newAsk(kinds), newDeploy(kinds), newTell(kinds), newClose(kinds), newAbandon(kinds),
		newConverse(kinds),
	}
}

// DefaultAddress is where the service listens unless it is told otherwise.
const DefaultAddress = "127.0.0.1:7070"

func newServe(kinds *kind.Catalogue) *cobra.Command {
	var data, listen string
	c := &cobra.Command{
		Use:   "serve",
		Short: "Decide for people who are elsewhere: ask, deploy, tell, over HTTP",
		Long: `Decide for people who are elsewhere. A system asks for the decision, deploys it, says what it deployed and tells what people did;
the rule of a spec takes one step at every close. What is acknowledged is on the disk and outlives a power cut.

The service keeps its loops in one folder, which no other process may have open, and listens on the loopback alone.`,
		Example: `  kedge serve --data shop-data
  kedge loop create shop examples/shop.yaml
  curl -s -X POST localhost:7070/v1/loops/shop/ask`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return serve(c.Context(), c, data, listen, kinds)
		},
	}
	c.Flags().StringVar(&data, "data", "kedge-data", "the folder of the loops")
	c.Flags().StringVar(&listen, "listen", DefaultAddress, "the address, of the loopback")
	return c
}

// housekeeping is how often deadlines are looked at although nobody asks.
const housekeeping = 10 * time.Second

// farewell is how long requests have to end.
const farewell = 5 * time.Second

func serve(ctx context.Context, c *cobra.Command, data, listen string, kinds *kind.Catalogue) (err error) {
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return fmt.Errorf("--listen %s: %w", listen, err)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return fmt.Errorf("--listen %s: whoever reaches that address could decide; kedge serve listens on the loopback alone, behind a proxy if others must reach it", listen)
	}
	journal, err := store.Open(data)
	if err != nil {
		return fmt.Errorf("--data %s: %w", data, err)
	}
	defer func() { err = errors.Join(err, journal.Close()) }()
	log := slog.New(slog.NewTextHandler(c.ErrOrStderr(), nil))
	setup := setupOf(journal, kinds)
	setup.Log = log
	s := server.New(setup)
	ear, err := net.Listen("tcp", listen)
	if err != nil {
		return err
	}
	web := s.Web()
	web.ErrorLog = slog.NewLogLogger(log.Handler(), slog.LevelWarn)
	fmt.Fprintf(c.OutOrStdout(), "kedge serves %s on http://%s\n", data, ear.Addr())
	notify("READY=1")
	ended := make(chan error, 1)
	go func() { ended <- web.Serve(ear) }()
	tick := time.NewTicker(housekeeping)
	defer tick.Stop()
	for {
		select {
		case err := <-ended:
			return err
		case <-journal.Failed():
			notify("STOPPING=1")
			s.Stop()
			web.Close()
			return journal.Health()
		case <-tick.C:
			if err := s.Pass(ctx); err != nil && ctx.Err() == nil {
				log.Error("deadlines could not be looked at", "why", err)
			}
		case <-ctx.Done():
			notify("STOPPING=1")
			s.Stop()
			rest, cancel := context.WithTimeout(context.WithoutCancel(ctx), farewell)
			defer cancel()
			if err := web.Shutdown(rest); err != nil {
				web.Close()
			}
			return nil
		}
	}
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
