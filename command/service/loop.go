package service

import (
	"context"
	"strconv"

	"github.com/kedge-opt/kedge/client"
	"github.com/kedge-opt/kedge/internal/plain"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/session/chronicle"
	"github.com/spf13/cobra"
)

func newLoop(kinds *kind.Catalogue) *cobra.Command {
	c := &cobra.Command{Use: "loop", Short: "Make, look at and switch loops", Long: `A loop is one rule against one live population: it has a name, a spec, a mode and a log. In the shadow it answers what is live and learns
what it would have done; promoted it answers what its rule proposes, within the caps of its spec; paused it keeps what is live; killed
it answers the safe decision. Loops are those of a service, or of a data folder that no service has open.`, Example: `  kedge loop create shop shop.yaml
  kedge loop list
  kedge loop promote shop --reason "a week in the shadow"`}
	c.AddCommand(newLoopCreate(kinds), newLoopList(kinds), newLoopShow(kinds), newLoopPin(kinds), newLoopRollback(kinds), newLoopRemove(kinds))
	for _, one := range [][3]string{
		{"promote", "Let a loop decide", "From now on the loop answers what its rule proposes, within the caps of its spec, which must name live.safe and live.cap.norm."},
		{"pause", "Keep live what is live", "From now on the loop answers what is live. What people do is written down, and nothing is learned from it."},
		{"resume", "Let a loop decide again", "Let a paused or killed loop decide again. After a kill its rule begins at what is live, and a reason is wanted."},
		{"kill", "Answer the safe decision", "From now on the loop answers live.safe of its spec, until somebody resumes it. The current decision is superseded."},
		{"shadow", "Only watch", "From now on the loop answers what is live and learns what its rule would have done, one step from what is live."},
	} {
		word := one[0]
		c.AddCommand(reasoned(kinds, talk{use: word + " NAME", short: one[1], long: one[2], example: "  kedge loop " + word + " shop --reason \"as agreed\"", args: cobra.ExactArgs(1)},
			func(ctx context.Context, c *client.Client, args []string, reason string) (any, error) {
				return c.Loop(args[0]).Switch(ctx, word, reason)
			}))
	}
	for _, one := range []struct {
		word, short, long string
		do                func(l *client.Remote, ctx context.Context, k int, reason string) (session.Reached, error)
	}{
		{"approve", "Let a proposal be deployed", "Let decision K, which waits for approval by live.approval of the spec, be deployed: the next ask answers it.", (*client.Remote).Approve},
		{"reject", "Refuse a proposal", "Refuse decision K, which waits for approval. The rule goes back to what is live, so that the next proposal is another.", (*client.Remote).Reject},
	} {
		c.AddCommand(reasoned(kinds, talk{use: one.word + " NAME K", short: one.short, long: one.long, example: "  kedge loop " + one.word + " shop 12 --reason \"seen by Ada\"", args: cobra.ExactArgs(2)},
			func(ctx context.Context, c *client.Client, args []string, reason string) (any, error) {
				k, err := decisionOf(args[1])
				if err != nil {
					return nil, err
				}
				return one.do(c.Loop(args[0]), ctx, k, reason)
			}))
	}
	c.AddCommand(
		talk{use: "health NAME", short: "Show how a loop is, and what to do", long: "Show how a loop is: its mode, what is live, the decision on its way, who has answered, its caps and its alarms, each with what to do about it.", example: "  kedge loop health shop", args: cobra.ExactArgs(1),
			do: func(ctx context.Context, c *client.Client, args []string) (any, error) {
				return c.Loop(args[0]).Health(ctx)
			}}.command(kinds),
		newGuardrails(kinds),
		talk{use: "explain NAME K", short: "Say why a decision is what it is", long: "Say why a decision is what it is, in words; with --json also in numbers: where the step began, what it was taken on, what the set and the caps left of it.", example: "  kedge loop explain shop 12", args: cobra.ExactArgs(2),
			do: func(ctx context.Context, c *client.Client, args []string) (any, error) {
				k, err := decisionOf(args[1])
				if err != nil {
					return nil, err
				}
				return c.Loop(args[0]).Explain(ctx, k)
			}}.command(kinds),
		talk{use: "unpin NAME", short: "Let the rule decide again after a pin", long: "Take a pin away: the loop answers what its rule proposes again, within the caps of what is live.", example: "  kedge loop unpin shop", args: cobra.ExactArgs(1),
			do: func(ctx context.Context, c *client.Client, args []string) (any, error) {
				return c.Loop(args[0]).Unpin(ctx)
			}}.command(kinds),
		talk{use: "archive NAME", short: "End a loop", long: "End a loop. It answers nothing any more; its log stays and can be read, verified and replayed.", example: "  kedge loop archive shop", args: cobra.ExactArgs(1),
			do: func(ctx context.Context, c *client.Client, args []string) (any, error) {
				return c.Loop(args[0]).Archive(ctx)
			}}.command(kinds))
	return c
}

func newLoopCreate(kinds *kind.Catalogue) *cobra.Command {
	var mode string
	c := talk{
		use: "create NAME SPEC", short: "Make a loop of a spec, in the shadow", args: cobra.ExactArgs(2), makes: true,
		long: "Make a loop of a spec. It begins in the shadow: it answers what is live and learns what it would have done.",
		example: `  kedge loop create shop shop.yaml
  kedge loop create shop shop.yaml --mode live
  kedge loop create shop shop.yaml --data shop-data`,
		do: func(ctx context.Context, c *client.Client, args []string) (any, error) {
			spec, err := plain.ReadFile(args[1], problem.MaxSize)
			if err != nil {
				return nil, &usage{err.Error()}
			}
			return c.Create(ctx, args[0], string(spec), session.Mode(mode))
		},
	}.command(kinds)
	c.Flags().StringVar(&mode, "mode", string(session.Shadow), "shadow or live")
	return c
}

func newLoopList(kinds *kind.Catalogue) *cobra.Command {
	return talk{
		use: "list", short: "List the loops", args: cobra.NoArgs, example: "  kedge loop list",
		long: "List the loops: name, mode, the number of the newest decision, and alarms. As JSON it is how every loop stands, as kedge loop show has it.",
		do: func(ctx context.Context, c *client.Client, _ []string) (any, error) {
			tips, err := c.Loops(ctx)
			if err != nil {
				return nil, err
			}
			list := make([]session.Status, len(tips))
			for i, t := range tips {
				if list[i], err = c.Loop(t.Loop).Status(ctx); err != nil {
					return nil, err
				}
			}
			return list, nil
		},
	}.command(kinds)
}

func newLoopShow(kinds *kind.Catalogue) *cobra.Command {
	return talk{
		use: "show NAME", short: "Show how a loop stands", args: cobra.ExactArgs(1), example: "  kedge loop show shop",
		long: "Show how a loop stands: its mode, what is live and since when, the state of its current decision, its alarms and the head of its log.",
		do: func(ctx context.Context, c *client.Client, args []string) (any, error) {
			return c.Loop(args[0]).Status(ctx)
		},
	}.command(kinds)
}

func newLoopPin(kinds *kind.Catalogue) *cobra.Command {
	var until int
	c := reasoned(kinds, talk{
		use: "pin NAME U...", short: "Answer a decision of your own", args: cobra.MinimumNArgs(2), example: "  kedge loop pin shop 5 5 8 --until 230 --reason \"a sale\"",
		long: "Answer a decision of your own, number by number, whatever the rule says. It must be feasible; a rule that learns goes on learning.",
	}, func(ctx context.Context, c *client.Client, args []string, reason string) (any, error) {
		u, err := numbersOf(args[1:])
		if err != nil {
			return nil, err
		}
		return c.Loop(args[0]).Pin(ctx, session.SetPin{U: u, UntilK: until, Reason: reason})
	})
	c.Flags().IntVar(&until, "until", 0, "the last decision that it is for (default: until somebody unpins)")
	return c
}

func newLoopRollback(kinds *kind.Catalogue) *cobra.Command {
	var ramp bool
	c := reasoned(kinds, talk{
		use: "rollback NAME K|safe|baseline", short: "Go back to what was deployed once", args: cobra.ExactArgs(2), example: "  kedge loop rollback shop 198 --reason complaints\n  kedge loop rollback shop safe",
		long: "Go back to what was deployed at a closed decision, to live.safe of the spec or to the first decision. The rule goes on from there.",
	}, func(ctx context.Context, c *client.Client, args []string, reason string) (any, error) {
		b := session.RollBack{To: args[1], Ramp: ramp, Reason: reason}
		if k, err := strconv.Atoi(args[1]); err == nil {
			b.K, b.To = k, ""
		}
		return c.Loop(args[0]).RollBack(ctx, b)
	})
	c.Flags().BoolVar(&ramp, "ramp", false, "under the caps instead of at once")
	return c
}

func newLoopRemove(kinds *kind.Catalogue) *cobra.Command {
	var dry bool
	c := reasoned(kinds, talk{
		use: "remove NAME", short: "Remove an archived loop, for good", args: cobra.ExactArgs(1), slow: true,
		long: `Remove an archived loop for good, with its events and the people who answered it; kedge export keeps them in a bundle first, which kedge import takes
in again. The server writes down who removed it and why, and its anchor: the number and the hash of its newest event, so that kedge verify
knows why it is gone. A loop that is not archived, and a removal without a reason, are refused. With --dry-run nothing happens.`,
		example: "  kedge export shop shop.tar\n  kedge loop remove shop --reason \"closed in May\" --dry-run\n  kedge loop remove shop --reason \"closed in May\"",
	}, func(ctx context.Context, c *client.Client, args []string, reason string) (any, error) {
		if reason == "" {
			return nil, wrong("kedge loop remove wants --reason: why the loop may go for good")
		}
		r, err := c.Loop(args[0]).Remove(ctx, reason, dry)
		return removal{r, dry}, err
	})
	c.Flags().BoolVar(&dry, "dry-run", false, "say what would go, and remove nothing")
	return c
}

// removal is what is left of a loop, or would be.
type removal struct {
	chronicle.Removal
	DryRun bool `json:"dry_run"`
}
