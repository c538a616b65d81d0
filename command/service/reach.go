package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/kedge-opt/kedge/client"
	"github.com/kedge-opt/kedge/command/exit"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/server"
	"github.com/kedge-opt/kedge/session"
	"github.com/spf13/cobra"
)

// patience is how long a command waits for a service that does not answer.
const patience = 10 * time.Second

// reach is how a command gets at loops: through a service, in a data folder that no service has open, or in a database.
type reach struct {
	kinds *kind.Catalogue
	Dial
	source
	asJSON bool
}

func (r *reach) offer(c *cobra.Command) {
	r.offerPlace(c, "a data folder to work on without a service")
	r.offerJSON(c)
}

// offerPlace offers the flags that say where loops are.
func (r *reach) offerPlace(c *cobra.Command, folder string) {
	r.Dial.Offer(c)
	r.source.offer(c, "", folder)
	c.MarkFlagsMutuallyExclusive("server", "data")
	c.MarkFlagsMutuallyExclusive("server", "db")
}

func (r *reach) offerJSON(c *cobra.Command) {
	c.Flags().BoolVar(&r.asJSON, "json", false, "print the reply as JSON")
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
	flags                     func(c *cobra.Command) // of its own; nil: none
	ofDecision                bool                   // its second argument is the number of a decision
	reasoned                  bool                   // it has a reason for the log
	makes                     bool                   // loops
	slow                      bool                   // it may take an hour
	do                        func(ctx context.Context, o order) (any, error)
}

// order is what somebody wants of a service.
type order struct {
	*client.Client
	args   []string
	k      int    // the decision that it is about
	reason string // for the log
	in     io.Reader
}

// loop is the one that is named first.
func (o order) loop() *client.Remote { return o.Loop(o.args[0]) }

// commands makes commands.
func commands(kinds *kind.Catalogue, list ...talk) []*cobra.Command {
	return lists.Of(list, func(t talk) *cobra.Command { return t.command(kinds) })
}

// command makes the command. What it prints are words, or JSON; a loop that holds ends it with a code of its own.
func (t talk) command(kinds *kind.Catalogue) *cobra.Command {
	r, o := &reach{kinds: kinds}, order{}
	c := &cobra.Command{
		Use: t.use, Short: t.short, Long: t.long, Example: t.example, Args: t.args,
		RunE: func(c *cobra.Command, args []string) (err error) {
			var release func() error
			if o.Client, release, err = r.open(t.makes); err != nil {
				return err
			}
			defer func() { err = errors.Join(err, release()) }()
			if o.args, o.in = args, c.InOrStdin(); t.ofDecision {
				if o.k, err = decisionOf(args[1]); err != nil {
					return err
				}
			}
			most := patience
			if t.slow {
				most = patienceOfSlow
			}
			ctx, cancel := context.WithTimeout(c.Context(), most)
			defer cancel()
			reply, err := t.do(ctx, o)
			return r.print(c, reply, err)
		},
	}
	r.offer(c)
	if t.flags != nil {
		t.flags(c)
	}
	if t.reasoned {
		c.Flags().StringVar(&o.reason, "reason", "", "why, for the log")
	}
	return c
}

// decisionOf reads the number of a decision.
func decisionOf(text string) (int, error) {
	k, err := strconv.Atoi(text)
	if err != nil || k < 1 {
		return 0, wrong("%s is no number of a decision; kedge ask has it as k", phrase.Safe(text))
	}
	return k, nil
}

// told gives an error that a service answered, or did not, the code of what went wrong while running.
func told(err error) error {
	if errors.As(err, new(*usage)) {
		return err
	}
	return exit.Failure(err)
}

// print shows a reply, unless there is an error instead.
func (r *reach) print(c *cobra.Command, reply any, err error) error {
	if err != nil {
		return told(err)
	}
	text := words(reply)
	if r.asJSON {
		indented, err := json.MarshalIndent(reply, "", "  ")
		if err != nil {
			return err
		}
		text = string(indented) + "\n"
	}
	if _, err := fmt.Fprint(c.OutOrStdout(), text); err != nil {
		return exit.Failure(err)
	}
	if why := holds(reply); why != "" {
		return exit.With(exit.Holds, errors.New(why))
	}
	return nil
}
