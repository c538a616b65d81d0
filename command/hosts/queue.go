package hosts

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/kedge-opt/kedge/command/exit"
	"github.com/kedge-opt/kedge/farm"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/report/page"
	"github.com/spf13/cobra"
)

// queueVariable is where the address of a queue comes from if no flag has it: arguments are seen by everybody on the machine.
const queueVariable = "KEDGE_QUEUE"

// where is the flag that says where a queue is.
type where struct{ text string }

func (w *where) offer(c *cobra.Command) {
	c.Flags().StringVar(&w.text, "queue", "", "the address of the queue, or @FILE that holds it (default the variable "+queueVariable+")")
}

func (w *where) address() (farm.Address, error) {
	text := cmp.Or(w.text, os.Getenv(queueVariable))
	if text == "" {
		return farm.Address{}, &farm.AddressError{Why: "no address is given, by --queue or by the variable " + queueVariable}
	}
	return farm.ParseAddress(text)
}

// controlFlags are those of kedge queue.
type controlFlags struct {
	where
	json bool
}

func (f *controlFlags) offer(c *cobra.Command) {
	f.where.offer(c)
	c.Flags().BoolVar(&f.json, "json", false, "print JSON")
}

// control does something with the queue, and prints the reply as JSON or in words.
func (f *controlFlags) control(c *cobra.Command, do func(*farm.Control) (reply any, words func(io.Writer) error, err error)) error {
	at, err := f.address()
	if err != nil {
		return err
	}
	q, err := farm.OpenControl(c.Context(), at)
	if err != nil {
		return exit.Failure(err)
	}
	defer q.Close()
	reply, words, err := do(q)
	if err == nil && f.json {
		err = folder.WriteJSON(c.OutOrStdout(), reply)
	} else if err == nil {
		err = words(c.OutOrStdout())
	}
	return exit.Failure(err)
}

func newQueue() *cobra.Command {
	c := &cobra.Command{
		Use:   "queue",
		Short: "See, cancel and retry the sweeps of a queue",
		Long: `Sweeps that kedge sweep --serve or --queue hands out to workers on other hosts wait in a queue. These commands say how they stand, and interfere. The
queue holds nothing that cannot be made again: finished cells are in the folder of the sweep.`,
		Example: `  kedge queue status --queue @runs/grid/.kedge/queue/url
  kedge queue cancel grid --queue nats://127.0.0.1:4222`,
	}
	c.AddCommand(newStatus(), newCancel(), newRetry())
	return c
}

func newStatus() *cobra.Command {
	var f controlFlags
	c := &cobra.Command{
		Use:   "status",
		Short: "Sweeps with their cells, and workers with what they do",
		Long: `List the sweeps of a queue: cells that are done and that failed, as the collector knows them (a dash while none runs), cells that wait, that workers
have, and that were handed out again because a worker was lost. Then the workers that answer: their host, build and cells, with turns.`,
		Example: `  kedge queue status --queue nats://127.0.0.1:4222
  kedge queue status --queue @runs/grid/.kedge/queue/url --json`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return f.control(c, func(q *farm.Control) (any, func(io.Writer) error, error) {
				s, err := q.State(c.Context())
				return s, func(w io.Writer) error { return tell(w, s) }, err
			})
		},
	}
	f.offer(c)
	return c
}

// tell prints how a queue stands.
func tell(w io.Writer, s *farm.QueueState) error {
	sweeps := page.TextTable{Columns: []page.Head{{Name: "sweep", Wide: -20}, {Name: "key", Wide: -12}, {Name: "cells", Wide: 7}, {Name: "done", Wide: 7}, {Name: "failed", Wide: 7}, {Name: "waiting", Wide: 7}, {Name: "leased", Wide: 7}, {Name: "again", Wide: 7}}, Brief: []int{0, 1, 2, 3, 4, 5, 6, 7}}
	for _, q := range s.Sweeps {
		row := []page.TextCell{page.Words(phrase.Safe(q.Name)), page.Words(q.Key)}
		for _, n := range []*int{&q.Cells, q.Done, q.Failed, &q.Waiting, &q.Leased, &q.Redelivered} {
			text := "–"
			if n != nil {
				text = strconv.Itoa(*n)
			}
			row = append(row, page.Words(text))
		}
		sweeps.Rows = append(sweeps.Rows, row)
	}
	hosts := page.TextTable{Columns: []page.Head{{Name: "worker", Wide: -24}, {Name: "build", Wide: -28}, {Name: "done", Wide: 7}, {Name: "at work", Wide: -40}}, Brief: []int{0, 1, 2, 3}}
	for _, one := range s.Workers {
		var at []string
		for _, c := range one.At {
			text := c.Cell[:min(8, len(c.Cell))] + " " + c.Phase
			if c.Of > 0 {
				text += fmt.Sprintf(" %d of %d turns", c.Turns, c.Of)
			}
			at = append(at, text)
		}
		if len(one.Refused) > 0 {
			at = append(at, "another build than "+strings.Join(one.Refused, ", "))
		}
		hosts.Rows = append(hosts.Rows, []page.TextCell{page.Words(fmt.Sprintf("%s, process %d", phrase.Safe(one.Host), one.Process)), page.Words(phrase.Safe(one.Build)), page.Words(strconv.Itoa(one.Done)), page.Words(phrase.Safe(strings.Join(at, "; ")))})
	}
	pieces := []page.Piece{page.Plainly{phrase.Count(len(s.Sweeps), "sweep") + ", " + phrase.Count(len(s.Workers), "worker")}}
	if len(s.Sweeps) > 0 {
		pieces = append(pieces, sweeps)
	}
	if len(s.Workers) > 0 {
		pieces = append(pieces, hosts)
	}
	_, err := io.WriteString(w, page.TerminalOf(w).Render(pieces...))
	return err
}

func newCancel() *cobra.Command {
	var f controlFlags
	c := &cobra.Command{
		Use:   "cancel [NAME]",
		Short: "End a sweep, or all, and take its cells from the queue",
		Long: `End the sweep of a name or key, or all sweeps of a queue: workers drop its cells, the command that collects it ends with code 1, and nothing of it stays in
the queue. Finished cells are kept in its folder, and the same kedge sweep goes on from there.`,
		Example: `  kedge queue cancel grid --queue nats://127.0.0.1:4222`,
		Args:    cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return f.control(c, func(q *farm.Control) (any, func(io.Writer) error, error) {
				names, err := q.Cancel(c.Context(), strings.Join(args, ""))
				return map[string]any{"cancelled": names}, func(w io.Writer) error { return say(w, "cancelled: "+strings.Join(names, ", ")) }, err
			})
		},
	}
	f.offer(c)
	return c
}

func newRetry() *cobra.Command {
	var f controlFlags
	c := &cobra.Command{
		Use:   "retry [NAME]",
		Short: "Try cells again that were given up with their workers",
		Long: `Cells whose workers were lost again and again are given up. This has a sweep that still runs, of a name or key, or all, try them once more: when the
cause was the hosts and not the cells. One that has ended tries them again when the same kedge sweep is given.`,
		Example: `  kedge queue retry grid --queue nats://127.0.0.1:4222`,
		Args:    cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return f.control(c, func(q *farm.Control) (any, func(io.Writer) error, error) {
				cells, unasked, err := q.Retry(c.Context(), strings.Join(args, ""))
				if err == nil && len(unasked) > 0 {
					err = fmt.Errorf("nobody collects %s: give its kedge sweep again, which tries all cells that are not finished", strings.Join(unasked, ", "))
				}
				return map[string]any{"cells": cells}, func(w io.Writer) error { return say(w, phrase.CountGrouped(cells, "cell")+" to be tried again") }, err
			})
		},
	}
	f.offer(c)
	return c
}

// say prints a line.
func say(w io.Writer, line string) error {
	_, err := fmt.Fprintln(w, phrase.Safe(line))
	return err
}
