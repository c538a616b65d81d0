package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/kedge-opt/kedge/client"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/server"
	"github.com/kedge-opt/kedge/session"
	"github.com/spf13/cobra"
)

// patience is how long a command waits for a service that does not answer.
const patience = 10 * time.Second

// Exit codes of commands that talk with loops.
const (
	codeFailed = 1
	CodeHolds  = 3 // the loop keeps what is live
)

// Exit is an error that ends the process with a code of its own.
type Exit struct {
	error
	Code int
}

// Unwrap is what it ends for.
func (e Exit) Unwrap() error { return e.error }

// reach is how a command gets at loops: through a service, in a data folder that no service has open, or in a database.
type reach struct {
	kinds *kind.Catalogue
	Dial
	source
	asJSON bool
}

func (r *reach) offer(c *cobra.Command) {
	r.Dial.Offer(c)
	r.source.offer(c, "", "a data folder to work on without a service")
	c.Flags().BoolVar(&r.asJSON, "json", false, "print the reply as JSON")
	c.MarkFlagsMutuallyExclusive("server", "data")
	c.MarkFlagsMutuallyExclusive("server", "db")
}

// open connects. Only a command that makes loops makes a folder.
func (r *reach) open(makes bool) (*client.Client, func() error, error) {
	if r.data == "" && r.db == "" {
		c, err := r.Dial.Open()
		return c, func() error { return nil }, err
	}
	journal, err := r.source.open(context.Background(), makes)
	if err != nil {
		return nil, nil, err
	}
	setup := setupOf(journal, &r.source, r.kinds)
	setup.Owner = "command" // whoever can open the folder or the database needs no key
	return client.Inside(server.New(setup)), journal.Close, nil
}

// setupOf is what the service of a journal is made of.
func setupOf(journal ledger, at *source, kinds *kind.Catalogue) server.Setup {
	clock, plan := server.Wall(), func(spec string) (*session.Brief, error) { return session.PlanOf(kinds, spec) }
	return server.Setup{
		Journal: journal, Clock: clock, Limits: server.DefaultLimits(), Build: folder.CurrentBuild().Version, Ready: readiness(journal),
		Free: at.free(), Plan: plan, Kinds: kinds, Vault: vault{journal, at.folder(), clock, plan},
	}
}

// readiness is the health of a journal as anybody may know it: where a database is concerns its operators alone.
func readiness(j ledger) func() error {
	return func() error {
		err := j.Health()
		if errors.Is(err, session.ErrLost) {
			return session.ErrLost
		}
		return err
	}
}

// plan makes plans of specs that name the command's kinds.
func (r *reach) plan(spec string) (*session.Brief, error) { return session.PlanOf(r.kinds, spec) }

// talk is a command about loops.
type talk struct {
	use, short, long, example string
	args                      cobra.PositionalArgs
	makes                     bool // loops
	slow                      bool // it may take an hour
	do                        func(ctx context.Context, c *client.Client, args []string) (any, error)
}

// command makes the command. What it prints are words, or JSON; a loop that holds ends it with a code of its own.
func (t talk) command(kinds *kind.Catalogue) *cobra.Command {
	r := &reach{kinds: kinds}
	c := &cobra.Command{
		Use: t.use, Short: t.short, Long: t.long, Example: t.example, Args: t.args,
		RunE: func(c *cobra.Command, args []string) (err error) {
			remote, release, err := r.open(t.makes)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, release()) }()
			most := patience
			if t.slow {
				most = patienceOfSlow
			}
			ctx, cancel := context.WithTimeout(c.Context(), most)
			defer cancel()
			reply, err := t.do(ctx, remote, args)
			if err != nil {
				return told(err)
			}
			return r.print(c, reply)
		},
	}
	r.offer(c)
	return c
}

// told gives an error that a service answered, or did not, the code of what went wrong while running.
func told(err error) error {
	var mistake *usage
	if errors.As(err, &mistake) {
		return err
	}
	return Exit{err, codeFailed}
}

// print shows a reply.
func (r *reach) print(c *cobra.Command, reply any) error {
	text := words(reply)
	if r.asJSON {
		indented, err := json.MarshalIndent(reply, "", "  ")
		if err != nil {
			return err
		}
		text = string(indented) + "\n"
	}
	if _, err := fmt.Fprint(c.OutOrStdout(), text); err != nil {
		return Exit{err, codeFailed}
	}
	if why := holds(reply); why != "" {
		return Exit{errors.New(why), CodeHolds}
	}
	return nil
}
