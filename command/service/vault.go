package service

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/kedge-opt/kedge/internal/disk"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/server"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/session/replay"
	"github.com/kedge-opt/kedge/store"
	"github.com/kedge-opt/kedge/store/postgres"
	"github.com/spf13/cobra"
)

// vault copies the loops of a data folder.
type vault struct {
	journal session.Journal
	data    string // where copies go; empty: nowhere
	clock   session.Clock
	plan    session.Planner
}

var _ server.Vault = vault{}

// backupFolder is where a service keeps its backups, in its data folder.
const backupFolder = "backups"

// Backup makes one, under the time it is made at.
func (v vault) Backup(ctx context.Context) (made session.BackupMade, err error) {
	j, own := v.journal.(*store.SQLite)
	if !own {
		return made, dumpInstead()
	}
	name := filepath.Join(backupFolder, "backup-"+v.clock.Now().UTC().Format("2006-01-02T15-04-05.000000")+store.BackupEnding)
	if err := os.MkdirAll(filepath.Join(v.data, backupFolder), 0o700); err != nil {
		return made, err
	}
	c, err := j.Backup(ctx, filepath.Join(v.data, name))
	return session.BackupMade{File: name, Loops: c.Loops, Events: c.Events, Checked: err == nil}, err
}

// dumpInstead says how a database is copied.
func dumpInstead() error {
	return &session.Refusal{Type: server.Elsewhere, Detail: "the loops are in PostgreSQL: copy them with pg_dump -Fc, read that back with pg_restore into an empty database, then kedge restore --db; kedge export writes one loop"}
}

// Export writes a loop as a tar.
func (v vault) Export(ctx context.Context, loop string, w io.Writer) error {
	return store.ExportTar(ctx, v.journal, loop, w)
}

// Import takes in the loop of a tar.
func (v vault) Import(ctx context.Context, r io.Reader, allowed func(string) error) (string, error) {
	m, loop, err := store.ReadTar(ctx, r)
	if err != nil {
		return loop, &session.Refusal{Type: session.Malformed, Detail: err.Error()}
	}
	if err := allowed(loop); err != nil {
		return loop, err
	}
	return loop, store.Import(ctx, v.journal, v.clock, v.plan, m, loop)
}

func newBackup(kinds *kind.Catalogue) *cobra.Command {
	r := &reach{kinds: kinds}
	c := &cobra.Command{
		Use: "backup [OUT]", Short: "Copy all loops to one file, and check it",
		Long: `Copy all loops of a data folder to one file, as they are at one moment, open the copy and check every event and every batch in it. A service
that runs copies into the folder backups of its data folder, and says how the file is called.`,
		Example: "  kedge backup --data shop-data monday.kedge\n  kedge backup --server http://127.0.0.1:7070",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if r.db != "" {
				return told(dumpInstead())
			}
			if (r.data == "") == (len(args) == 1) {
				return errors.New("name a file with --data, and none with --server: a service copies into its data folder")
			}
			if r.data == "" {
				remote, err := r.Dial.Open()
				if err != nil {
					return err
				}
				made, err := remote.Backup(c.Context())
				return r.print(c, made, err)
			}
			if store.WhatIs(r.data) != store.DataFolder {
				return fmt.Errorf("--data %s: no data folder is there", r.data)
			}
			journal, err := openFolder(r.data)
			if err != nil {
				return err
			}
			defer journal.Close()
			found, err := journal.Backup(c.Context(), args[0])
			return r.print(c, session.BackupMade{File: args[0], Loops: found.Loops, Events: found.Events, Checked: true}, err)
		},
	}
	r.offer(c)
	return c
}

func newRestore(kinds *kind.Catalogue) *cobra.Command {
	r := &reach{kinds: kinds}
	c := &cobra.Command{
		Use: "restore BACKUP", Short: "Make a data folder of a backup",
		Long: `Make a data folder of a backup, which is checked first. Every loop begins another epoch: what was decided after the backup was made is refused
as stale-epoch, so that it is not mistaken for what is decided again. The folder must be empty, or not there.

With --db the loops of a backup are copied into an empty PostgreSQL database: that is how a service moves there. Without a backup the database is one that
pg_restore has filled: it is checked, and its loops begin another epoch.`,
		Example: "  kedge restore monday.kedge --data shop-again\n  kedge restore monday.kedge --db postgres://kedge@db/kedge",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if r.db != "" {
				found, err := r.refill(c.Context(), args)
				return r.print(c, found, err)
			}
			if len(args) == 0 {
				return wrong("kedge restore wants the file of a backup")
			}
			found, err := store.Restore(c.Context(), args[0], r.data, server.Wall(), r.plan)
			return r.print(c, found, err)
		},
	}
	r.source.offer(c, "kedge-data", "the data folder to make")
	r.offerJSON(c)
	return c
}

// refill copies a backup into a database, or begins anew with what pg_restore has put there.
func (r *reach) refill(ctx context.Context, args []string) (found store.Audit, err error) {
	j, err := r.source.open(ctx, true)
	if err != nil {
		return found, err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	if len(args) > 0 {
		return store.Fill(ctx, args[0], j, server.Wall(), r.plan)
	}
	if found, err = store.Check(ctx, j); err != nil {
		return found, err
	}
	return found, store.Renew(ctx, j, server.Wall(), r.plan, "restored by pg_restore")
}

func newRepair(kinds *kind.Catalogue) *cobra.Command {
	r := &reach{kinds: kinds}
	var accept bool
	c := &cobra.Command{
		Use: "repair", Short: "Make anew what a data folder derives from its log",
		Long: `Check the log of every loop, and make anew what is derived from it: saved states, series, and files that are left over. The log itself cannot
be repaired: where it is damaged the loop and the event are named, and a backup helps.

Where acknowledged events are gone, since the database or its WAL was damaged or an older one was put in its place, --accept-loss goes on with what is there.`,
		Example: "  kedge repair --data shop-data\n  kedge repair --data shop-data --accept-loss",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			done, err := store.Repair(c.Context(), r.data, accept, server.Wall(), r.plan)
			return r.print(c, done, err)
		},
	}
	c.Flags().StringVar(&r.data, "data", "kedge-data", "the data folder")
	r.offerJSON(c)
	c.Flags().BoolVar(&accept, "accept-loss", false, "go on although acknowledged events are gone")
	return c
}

// bundles are what writes all of a loop to a bundle, and what takes one in.
func bundles() []talk {
	return []talk{
		{use: "export LOOP OUT", short: "Write all of a loop to a bundle", args: cobra.ExactArgs(2), slow: true,
			long: `Write all of a loop to a bundle: its events, the people who answered, its spec and a manifest. OUT is a tar if its name ends in .tar, else a
folder. kedge verify, kedge replay and kedge import read both; docs/formats/log.md says what is in it.`,
			example: "  kedge export shop shop.tar\n  kedge export shop shop-bundle --data shop-data",
			do: func(ctx context.Context, o order) (any, error) {
				if _, err := os.Lstat(o.args[1]); err == nil {
					return nil, fmt.Errorf("%s: %w", o.args[1], os.ErrExist)
				}
				var b bytes.Buffer
				if err := o.loop().Export(ctx, &b); err != nil {
					return nil, err
				}
				if strings.HasSuffix(o.args[1], ".tar") {
					return exported{o.args[0], o.args[1]}, disk.Disk{}.WriteFile(o.args[1], func(w io.Writer) error { _, err := w.Write(b.Bytes()); return err })
				}
				return exported{o.args[0], o.args[1]}, store.Unpack(&b, o.args[1])
			}},
		{use: "import BUNDLE", short: "Take in the loop of a bundle", args: cobra.ExactArgs(1), slow: true, makes: true,
			long: `Take in the loop of a bundle, a tar or a folder. Its chain is checked and everything is decided again before anything is written; then it begins
another epoch. It keeps its name, which is part of its hashes.`,
			example: "  kedge import shop.tar\n  kedge import shop-bundle --data other-data",
			do: func(ctx context.Context, o order) (any, error) {
				text, err := store.Packed(o.args[0])
				if err != nil {
					return nil, err
				}
				return o.Import(ctx, text)
			}},
	}
}

// exported says where a loop was written.
type exported struct {
	Loop string `json:"loop"`
	File string `json:"file"`
}

func toFork() talk {
	var at int
	var name string
	var sets []string
	var simulate bool
	return talk{
		use: "fork LOOP", short: "See what a loop would have proposed with another spec", args: cobra.ExactArgs(1), slow: true,
		long: `Make a loop in the shadow that is fed with all that happened to another: the same deployments, people and closes at the same times. From decision
--at on its spec has the values of --set. Its decisions are what would have been proposed at each; what people would have done nobody knows.

With --simulate the model of the spec guesses: the people who answered each decision settle under what the fork proposes, and for comparison under what was
deployed. A guess is as good as the model, is marked as one, and nothing is learned from it.`,
		example: "  kedge fork shop --at 120 --set algorithms.composite.step=0.02\n  kedge fork shop --at 120 --set algorithms.composite.step=0.02 --simulate",
		flags: func(c *cobra.Command) {
			c.Flags().BoolVar(&simulate, "simulate", false, "add what the model guesses that people would have done")
			c.Flags().IntVar(&at, "at", 1, "the decision from which on the spec is another")
			c.Flags().StringVar(&name, "name", "", "the name of the new loop (default LOOP-fork-K)")
			c.Flags().StringArrayVar(&sets, "set", nil, "a key of the spec and its value (repeatable)")
		},
		do: func(ctx context.Context, o order) (any, error) {
			set := map[string]json.RawMessage{}
			for _, one := range sets {
				key, value, ok := strings.Cut(one, "=")
				if !ok {
					return nil, wrong("--set %s: want key=value", one)
				}
				if set[key] = json.RawMessage(value); !json.Valid(set[key]) {
					text, err := json.Marshal(value)
					if err != nil {
						return nil, err
					}
					set[key] = text
				}
			}
			if name == "" {
				name = fmt.Sprintf("%s-fork-%d", o.args[0], at)
			}
			return o.loop().Fork(ctx, name, at, set, simulate)
		},
	}
}

func toErase() talk {
	var who string
	return talk{
		use: "erase LOOP", short: "Drop the batches that hold somebody", args: cobra.ExactArgs(1), slow: true,
		long: `Drop the batches that hold somebody, by the id under which they were told. No history is rewritten: events name batches by their hash, and one more
event says that they are gone. What the rule has learned stays. Backups and bundles that were made before still hold them.`,
		example: "  kedge erase shop --who c81",
		flags: func(c *cobra.Command) {
			c.Flags().StringVar(&who, "who", "", "the id of a person")
			c.MarkFlagRequired("who")
		},
		do: func(ctx context.Context, o order) (any, error) { return o.loop().Erase(ctx, who) },
	}
}

func newReplay(kinds *kind.Catalogue) *cobra.Command {
	r := &reach{kinds: kinds}
	c := &cobra.Command{
		Use: "replay LOOP|BUNDLE", Short: "Decide everything of a loop again, and compare",
		Long: `Check the chain of a loop and carry out every command again, at its time: every event must come out with the same bytes, and with that every
decision and the state of the rule after every close. The first event that differs is named. Closes whose people were dropped cannot be decided
again; they are listed.

A loop is one of the data folder --data, which may be in use; a bundle is what kedge export writes.`,
		Example: "  kedge replay shop --data shop-data\n  kedge replay shop.tar",
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) (err error) {
			j, loop, done, err := r.reading(c.Context(), args[0])
			if err != nil {
				return told(err)
			}
			defer func() { err = errors.Join(err, done()) }()
			recap, err := replay.Loop(c.Context(), j, loop, r.plan)
			return r.print(c, recap, err)
		},
	}
	r.source.offer(c, "kedge-data", "the data folder of the loop")
	c.Flags().BoolVar(&r.asJSON, "json", false, "print what was found as JSON")
	return c
}

// patienceOfSlow is how long copies may take.
const patienceOfSlow = time.Hour

// reading opens where a loop is, or a bundle of one, to read it.
func (r *reach) reading(ctx context.Context, what string) (j session.Journal, loop string, done func() error, err error) {
	from := r.data
	if store.WhatIs(what) == store.Bundle {
		from = what
	} else if r.db != "" {
		j, err := r.database(ctx, postgres.Look)
		if err != nil {
			return nil, "", nil, err
		}
		return j, what, j.Close, nil
	}
	if j, loop, done, err = store.Reading(ctx, from); loop == "" {
		loop = what
	}
	return j, loop, done, err
}
