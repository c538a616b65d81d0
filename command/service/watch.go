package service

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/kedge-opt/kedge/client"
	"github.com/kedge-opt/kedge/command/exit"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/session"
	"github.com/spf13/cobra"
)

func newWatch(kinds *kind.Catalogue) *cobra.Command {
	r := &reach{kinds: kinds}
	var after int
	c := &cobra.Command{
		Use: "watch [LOOP]", Short: "Show what happens to loops, a line an event", Args: cobra.MaximumNArgs(1),
		Long: `Show what happens to a loop, or to all loops of a service, as it happens: a line an event with its time, loop, number, kind, decision and what it
says. A service that is started again is watched on, without a gap. With --json a line is the event as the log has it. Ctrl-C ends it.`,
		Example: "  kedge watch shop\n  kedge watch shop --after 0 --json",
		RunE: func(c *cobra.Command, args []string) error {
			remote, err := r.Dial.Open()
			if err != nil {
				return err
			}
			if err := watch(c.Context(), remote, args, after, r.asJSON, c.OutOrStdout()); err != nil && !errors.Is(err, context.Canceled) {
				return exit.Failure(err)
			}
			return nil
		},
	}
	r.Dial.Offer(c)
	c.Flags().BoolVar(&r.asJSON, "json", false, "print events as JSON")
	c.Flags().IntVar(&after, "after", -1, "begin after this event (default with the next to come)")
	return c
}

// watch watches one loop, or all that there are when it begins.
func watch(ctx context.Context, c *client.Client, names []string, after int, asJSON bool, out io.Writer) error {
	if len(names) == 0 {
		tips, err := c.Loops(ctx)
		if err != nil {
			return err
		}
		if names = lists.Of(tips, func(t session.Tip) string { return t.Loop }); len(names) == 0 {
			return errors.New("there are no loops yet; kedge loop create makes one")
		}
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var printing sync.Mutex
	var all sync.WaitGroup
	for _, name := range names {
		all.Go(func() {
			l := c.Loop(name)
			from := after
			if from < 0 {
				s, err := l.Status(ctx)
				if err != nil {
					stop(err)
					return
				}
				from = s.Seq
			}
			stop(l.Watch(ctx, from, func(e session.Event) error {
				printing.Lock()
				defer printing.Unlock()
				_, err := fmt.Fprintln(out, eventLine(name, e, asJSON))
				return err
			}))
		})
	}
	all.Wait()
	return context.Cause(ctx)
}

// eventLine is an event on a line.
func eventLine(loop string, e session.Event, asJSON bool) string {
	if asJSON {
		text, err := json.Marshal(struct {
			Loop string `json:"loop"`
			session.Event
		}{loop, e})
		if err == nil {
			return string(text)
		}
	}
	text := fmt.Sprintf("%s  %s #%d  %s", e.At.UTC().Format("2006-01-02 15:04:05"), loop, e.Seq, e.Kind)
	if e.K > 0 {
		text += fmt.Sprintf(" %d", e.K)
	}
	return text + phrase.Safe(then(": ", gist(e)))
}

// gist is what an event says, in a few words.
func gist(e session.Event) string {
	var b struct {
		U       []float64
		Basis   string
		Outcome string
		Reasons []string
		Value   *session.SampleValue
		Batch   string
		Rows    int
		Mode    string
		Name    string
		Words   string
		Reason  string
	}
	if err := json.Unmarshal(e.Body, &b); err != nil {
		return "a body that this version cannot read: " + err.Error()
	}
	var parts []string
	switch {
	case b.Outcome != "":
		parts = append(parts, b.Outcome)
		if b.Value != nil {
			parts = append(parts, "value "+phrase.Digits(b.Value.Mean, 4))
		}
	case b.Batch != "":
		parts = append(parts, b.Batch+", "+phrase.People(b.Rows))
	case b.U != nil:
		parts = append(parts, strings.TrimSpace(b.Basis+" "+numbers(b.U)))
	default:
		parts = append(parts, cmp.Or(b.Words, b.Mode, b.Name))
	}
	parts = slices.DeleteFunc(append(parts, b.Reason), func(text string) bool { return text == "" })
	return strings.Join(append(parts, b.Reasons...), "; ")
}
