package service

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/kedge-opt/kedge/client"
	"github.com/kedge-opt/kedge/session"
	"github.com/spf13/cobra"
)

// patience is how long a command waits for a service that does not answer.
const patience = 10 * time.Second

// talk is a command about a loop of a service.
func talk(use, short, long, example string, args cobra.PositionalArgs, do func(ctx context.Context, c *client.Client, args []string) (any, error)) *cobra.Command {
	var address string
	c := &cobra.Command{
		Use: use, Short: short, Long: long, Example: example, Args: args,
		RunE: func(c *cobra.Command, args []string) error {
			ctx, cancel := context.WithTimeout(c.Context(), patience)
			defer cancel()
			reply, err := do(ctx, client.Open(address), args)
			if err != nil {
				return err
			}
			text, err := json.MarshalIndent(reply, "", "  ")
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(c.OutOrStdout(), "%s\n", text)
			return err
		},
	}
	c.Flags().StringVar(&address, "server", "http://"+DefaultAddress, "the address of the service")
	return c
}

func newLoop() *cobra.Command {
	c := &cobra.Command{Use: "loop", Short: "Make, look at and switch the loops of a service", Long: `A loop is one rule against one live population: it has a name, a spec, a mode and a log. In the shadow it answers what is live and learns
what it would have done; promoted it answers what its rule proposes, within the caps of its spec; paused it keeps what is live; killed
it answers the safe decision.`, Example: `  kedge loop create shop shop.yaml
  kedge loop list
  kedge loop promote shop --reason "a week in the shadow"`}
	var mode string
	create := talk("create NAME SPEC", "Make a loop of a spec, in the shadow", "Make a loop of a spec. It begins in the shadow: it answers what is live and learns what it would have done.",
		`  kedge loop create shop shop.yaml
  kedge loop create shop shop.yaml --mode live`, cobra.ExactArgs(2), func(ctx context.Context, c *client.Client, args []string) (any, error) {
			spec, err := os.ReadFile(args[1])
			if err != nil {
				return nil, err
			}
			return c.Create(ctx, args[0], string(spec), session.Mode(mode))
		})
	create.Flags().StringVar(&mode, "mode", string(session.Shadow), "shadow or live")
	c.AddCommand(create,
		talk("list", "List the loops", "List the loops of the service as JSON: the name of each, the number of its newest event, and the hash of all of its events.", "  kedge loop list", cobra.NoArgs, func(ctx context.Context, c *client.Client, _ []string) (any, error) { return c.Loops(ctx) }),
		talk("show NAME", "Show how a loop stands", "Show as JSON how a loop stands: its mode, what is live and since when, the state of its current decision, its alarms and the head of its log.", "  kedge loop show shop", cobra.ExactArgs(1), func(ctx context.Context, c *client.Client, args []string) (any, error) {
			return c.Loop(args[0]).Status(ctx)
		}))
	for _, one := range [][3]string{
		{"promote", "Let a loop decide", "From now on the loop answers what its rule proposes, within the caps of its spec, which must name live.safe and live.cap.norm."},
		{"pause", "Keep live what is live", "From now on the loop answers what is live. What people do is written down, and nothing is learned from it."},
		{"resume", "Let a loop decide again", "Let a paused or killed loop decide again. After a kill its rule begins at what is live, and a reason is wanted."},
		{"kill", "Answer the safe decision", "From now on the loop answers live.safe of its spec, until somebody resumes it. The current decision is superseded."},
		{"shadow", "Only watch", "From now on the loop answers what is live and learns what its rule would have done, one step from what is live."},
	} {
		var reason string
		word := one[0]
		sub := talk(word+" NAME", one[1], one[2], "  kedge loop "+word+" shop --reason \"as agreed\"", cobra.ExactArgs(1), func(ctx context.Context, c *client.Client, args []string) (any, error) {
			return c.Loop(args[0]).Switch(ctx, word, reason)
		})
		sub.Flags().StringVar(&reason, "reason", "", "why, for the log")
		c.AddCommand(sub)
	}
	return c
}

func newAsk() *cobra.Command {
	return talk("ask LOOP", "Ask a loop for the decision to deploy", "Ask a loop for the decision to deploy. Until it comes to something the answer is the same.", "  kedge ask shop", cobra.ExactArgs(1), func(ctx context.Context, c *client.Client, args []string) (any, error) {
		return c.Loop(args[0]).Ask(ctx)
	})
}

// decisionOf reads the number of a decision.
func decisionOf(text string) (int, error) {
	k, err := strconv.Atoi(text)
	if err != nil || k < 1 {
		return 0, fmt.Errorf("%s is no number of a decision; kedge ask has it as k", text)
	}
	return k, nil
}

func newDeploy() *cobra.Command {
	return talk("deploy LOOP K U...", "Say what was deployed", "Say what was deployed for decision K, number by number. It may differ from what was decided.", "  kedge deploy shop 1 5.1 4.9 7.8", cobra.MinimumNArgs(3), func(ctx context.Context, c *client.Client, args []string) (any, error) {
		k, err := decisionOf(args[1])
		if err != nil {
			return nil, err
		}
		var u []float64
		for _, text := range args[2:] {
			v, err := strconv.ParseFloat(text, 64)
			if err != nil {
				return nil, fmt.Errorf("%s is no number", text)
			}
			u = append(u, v)
		}
		return c.Loop(args[0]).Deploy(ctx, k, u)
	})
}

func newTell() *cobra.Command {
	return talk("tell LOOP K BATCH [FILE]", "Tell what people did", `Tell people who answered decision K, under a name of the batch: one a line as JSON, {"p": [...], "d": [...], "w": 1, "id": "..."},
from a file or from standard input. The same batch again changes nothing.`, "  kedge tell shop 1 morning morning.ndjson", cobra.RangeArgs(3, 4), func(ctx context.Context, c *client.Client, args []string) (any, error) {
		k, err := decisionOf(args[1])
		if err != nil {
			return nil, err
		}
		in := io.Reader(os.Stdin)
		if len(args) == 4 {
			f, err := os.Open(args[3])
			if err != nil {
				return nil, err
			}
			defer f.Close()
			in = f
		}
		b, err := readPeople(in)
		if err != nil {
			return nil, err
		}
		return c.Loop(args[0]).Tell(ctx, k, args[2], b)
	})
}

// readPeople reads one person a line.
func readPeople(in io.Reader) (b client.Answers, err error) {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		if strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		var one struct {
			P, D []float64
			W    *float64
			ID   *string
		}
		d := json.NewDecoder(strings.NewReader(lines.Text()))
		d.DisallowUnknownFields()
		if err := d.Decode(&one); err != nil {
			return b, fmt.Errorf("line %d: %w", n, err)
		}
		b.P, b.D = append(b.P, one.P), append(b.D, one.D)
		if one.W != nil {
			b.W = append(b.W, *one.W)
		}
		if one.ID != nil {
			b.ID = append(b.ID, *one.ID)
		}
	}
	return b, lines.Err()
}

func newClose() *cobra.Command {
	return talk("close LOOP K", "Have a loop learn from a decision", "Have a loop learn from decision K: one step of its rule, or the reason why there is none.", "  kedge close shop 1", cobra.ExactArgs(2), func(ctx context.Context, c *client.Client, args []string) (any, error) {
		k, err := decisionOf(args[1])
		if err != nil {
			return nil, err
		}
		return c.Loop(args[0]).Close(ctx, k)
	})
}

func newAbandon() *cobra.Command {
	var reason string
	c := talk("abandon LOOP K", "Give a decision up without learning from it", "Give decision K up without learning from it; the next ask offers the same again.", "  kedge abandon shop 1 --reason \"store closed\"", cobra.ExactArgs(2), func(ctx context.Context, c *client.Client, args []string) (any, error) {
		k, err := decisionOf(args[1])
		if err != nil {
			return nil, err
		}
		return c.Loop(args[0]).Abandon(ctx, k, reason)
	})
	c.Flags().StringVar(&reason, "reason", "", "why, for the log")
	return c
}
