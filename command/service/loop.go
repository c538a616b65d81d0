package service

import (
	"context"
	"encoding/json"
	"strconv"

	"github.com/goccy/go-yaml"
	"github.com/kedge-opt/kedge/internal/phrase"
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
	c.AddCommand(commands(kinds, toCreate(), toPin(), toRollBack(), toRemove(), toGuard())...)
	c.AddCommand(commands(kinds, looks()...)...)
	c.AddCommand(commands(kinds, switches()...)...)
	return c
}

// looks are what shows a loop, and what ends one or a pin.
func looks() []talk {
	return []talk{
		{use: "list", short: "List the loops", args: cobra.NoArgs, example: "  kedge loop list",
			long: "List the loops: name, mode, the number of the newest decision, and alarms. As JSON it is how every loop stands, as kedge loop show has it.",
			do: func(ctx context.Context, o order) (any, error) {
				tips, err := o.Loops(ctx)
				if err != nil {
					return nil, err
				}
				list := make([]session.Status, len(tips))
				for i, t := range tips {
					if list[i], err = o.Loop(t.Loop).Status(ctx); err != nil {
						return nil, err
					}
				}
				return list, nil
			}},
		{use: "show NAME", short: "Show how a loop stands", args: cobra.ExactArgs(1), example: "  kedge loop show shop",
			long: "Show how a loop stands: its mode, what is live and since when, the state of its current decision, its alarms and the head of its log.",
			do:   func(ctx context.Context, o order) (any, error) { return o.loop().Status(ctx) }},
		{use: "health NAME", short: "Show how a loop is, and what to do", args: cobra.ExactArgs(1), example: "  kedge loop health shop",
			long: "Show how a loop is: its mode, what is live, the decision on its way, who has answered, its caps and its alarms, each with what to do about it.",
			do:   func(ctx context.Context, o order) (any, error) { return o.loop().Health(ctx) }},
		{use: "explain NAME K", short: "Say why a decision is what it is", args: cobra.ExactArgs(2), ofDecision: true, example: "  kedge loop explain shop 12",
			long: "Say why a decision is what it is, in words; with --json also in numbers: where the step began, what it was taken on, what the set and the caps left of it.",
			do:   func(ctx context.Context, o order) (any, error) { return o.loop().Explain(ctx, o.k) }},
		{use: "unpin NAME", short: "Let the rule decide again after a pin", args: cobra.ExactArgs(1), example: "  kedge loop unpin shop",
			long: "Take a pin away: the loop answers what its rule proposes again, within the caps of what is live.",
			do:   func(ctx context.Context, o order) (any, error) { return o.loop().Unpin(ctx) }},
		{use: "archive NAME", short: "End a loop", args: cobra.ExactArgs(1), example: "  kedge loop archive shop",
			long: "End a loop. It answers nothing any more; its log stays and can be read, verified and replayed.",
			do:   func(ctx context.Context, o order) (any, error) { return o.loop().Archive(ctx) }},
	}
}

// switches are what changes the mode of a loop, and what comes of a proposal that waits for approval.
func switches() (list []talk) {
	for _, one := range [][3]string{
		{"promote", "Let a loop decide", "From now on the loop answers what its rule proposes, within the caps of its spec, which must name live.safe and live.cap.norm."},
		{"pause", "Keep live what is live", "From now on the loop answers what is live. What people do is written down, and nothing is learned from it."},
		{"resume", "Let a loop decide again", "Let a paused or killed loop decide again. After a kill its rule begins at what is live, and a reason is wanted."},
		{"kill", "Answer the safe decision", "From now on the loop answers live.safe of its spec, until somebody resumes it. The current decision is superseded."},
		{"shadow", "Only watch", "From now on the loop answers what is live and learns what its rule would have done, one step from what is live."},
	} {
		list = append(list, talk{
			use: one[0] + " NAME", short: one[1], long: one[2], example: "  kedge loop " + one[0] + " shop --reason \"as agreed\"", args: cobra.ExactArgs(1), reasoned: true,
			do: func(ctx context.Context, o order) (any, error) { return o.loop().Switch(ctx, one[0], o.reason) },
		})
	}
	return append(list,
		talk{
			use: "approve NAME K", short: "Let a proposal be deployed", args: cobra.ExactArgs(2), ofDecision: true, reasoned: true,
			long:    "Let decision K, which waits for approval by live.approval of the spec, be deployed: the next ask answers it.",
			example: "  kedge loop approve shop 12 --reason \"seen by Ada\"",
			do:      func(ctx context.Context, o order) (any, error) { return o.loop().Approve(ctx, o.k, o.reason) }},
		talk{
			use: "reject NAME K", short: "Refuse a proposal", args: cobra.ExactArgs(2), ofDecision: true, reasoned: true,
			long:    "Refuse decision K, which waits for approval. The rule goes back to what is live, so that the next proposal is another.",
			example: "  kedge loop reject shop 12 --reason \"seen by Ada\"",
			do:      func(ctx context.Context, o order) (any, error) { return o.loop().Reject(ctx, o.k, o.reason) },
		})
}

func toCreate() talk {
	var mode string
	return talk{
		use: "create NAME SPEC", short: "Make a loop of a spec, in the shadow", args: cobra.ExactArgs(2), makes: true,
		long: "Make a loop of a spec. It begins in the shadow: it answers what is live and learns what it would have done.",
		example: `  kedge loop create shop shop.yaml
  kedge loop create shop shop.yaml --mode live
  kedge loop create shop shop.yaml --data shop-data`,
		flags: func(c *cobra.Command) { c.Flags().StringVar(&mode, "mode", string(session.Shadow), "shadow or live") },
		do: func(ctx context.Context, o order) (any, error) {
			spec, err := plain.ReadFile(o.args[1], problem.MaxSize)
			if err != nil {
				return nil, &usage{err.Error()}
			}
			return o.Create(ctx, o.args[0], string(spec), session.Mode(mode))
		},
	}
}

func toPin() talk {
	var until int
	return talk{
		use: "pin NAME U...", short: "Answer a decision of your own", args: cobra.MinimumNArgs(2), reasoned: true, example: "  kedge loop pin shop 5 5 8 --until 230 --reason \"a sale\"",
		long: "Answer a decision of your own, number by number, whatever the rule says. It must be feasible; a rule that learns goes on learning.",
		flags: func(c *cobra.Command) {
			c.Flags().IntVar(&until, "until", 0, "the last decision that it is for (default: until somebody unpins)")
		},
		do: func(ctx context.Context, o order) (any, error) {
			u, err := numbersOf(o.args[1:])
			if err != nil {
				return nil, err
			}
			return o.loop().Pin(ctx, session.SetPin{U: u, UntilK: until, Reason: o.reason})
		},
	}
}

func toRollBack() talk {
	var ramp bool
	return talk{
		use: "rollback NAME K|safe|baseline", short: "Go back to what was deployed once", args: cobra.ExactArgs(2), reasoned: true,
		long:    "Go back to what was deployed at a closed decision, to live.safe of the spec or to the first decision. The rule goes on from there.",
		example: "  kedge loop rollback shop 198 --reason complaints\n  kedge loop rollback shop safe",
		flags:   func(c *cobra.Command) { c.Flags().BoolVar(&ramp, "ramp", false, "under the caps instead of at once") },
		do: func(ctx context.Context, o order) (any, error) {
			b := session.RollBack{To: o.args[1], Ramp: ramp, Reason: o.reason}
			if k, err := strconv.Atoi(o.args[1]); err == nil {
				b.K, b.To = k, ""
			}
			return o.loop().RollBack(ctx, b)
		},
	}
}

func toRemove() talk {
	var dry bool
	return talk{
		use: "remove NAME", short: "Remove an archived loop, for good", args: cobra.ExactArgs(1), reasoned: true, slow: true,
		long: `Remove an archived loop for good, with its events and the people who answered it; kedge export keeps them in a bundle first, which kedge import takes
in again. The server writes down who removed it and why, and its anchor: the number and the hash of its newest event, so that kedge verify
knows why it is gone. A loop that is not archived, and a removal without a reason, are refused. With --dry-run nothing happens.`,
		example: "  kedge export shop shop.tar\n  kedge loop remove shop --reason \"closed in May\" --dry-run\n  kedge loop remove shop --reason \"closed in May\"",
		flags: func(c *cobra.Command) {
			c.Flags().BoolVar(&dry, "dry-run", false, "say what would go, and remove nothing")
		},
		do: func(ctx context.Context, o order) (any, error) {
			if o.reason == "" {
				return nil, wrong("kedge loop remove wants --reason: why the loop may go for good")
			}
			r, err := o.loop().Remove(ctx, o.reason, dry)
			return removal{r, dry}, err
		},
	}
}

func toKill() talk {
	var all bool
	return talk{
		use: "kill [LOOP]", short: "Answer the safe decision, of one loop or of all", args: cobra.MaximumNArgs(1), reasoned: true,
		long: `From now on the loop answers live.safe of its spec, until somebody resumes it. With --all every loop of the key does; those that could not be
killed, because their spec names no safe decision, are listed.`,
		example: "  kedge kill shop --reason \"prices are wrong\"\n  kedge kill --all --reason \"prices are wrong\"",
		flags:   func(c *cobra.Command) { c.Flags().BoolVar(&all, "all", false, "every loop of the key") },
		do: func(ctx context.Context, o order) (any, error) {
			switch {
			case all && len(o.args) == 0:
				return o.KillAll(ctx, o.reason)
			case !all && len(o.args) == 1:
				return o.loop().Switch(ctx, "kill", o.reason)
			}
			return nil, wrong("kedge kill wants the name of a loop, or --all")
		},
	}
}

func toGuard() talk {
	last := 0
	return talk{
		use: "guardrails NAME FILE", short: "Try guardrails on closes of the past", args: cobra.ExactArgs(2),
		long: `Try guardrails on the last closes of a loop, and say what they would have done. FILE is YAML: a list of guardrails as live.guardrails of
a spec has it. Nothing changes; to have them, write them into the spec and revise the loop.`,
		example: "  kedge loop guardrails shop guardrails.yaml --last 50",
		flags:   func(c *cobra.Command) { c.Flags().IntVar(&last, "last", 50, "how many closes") },
		do: func(ctx context.Context, o order) (any, error) {
			data, err := plain.ReadFile(o.args[1], problem.MaxSize)
			if err != nil {
				return nil, &usage{err.Error()}
			}
			text, err := yaml.YAMLToJSON(data)
			var list []json.RawMessage
			if err != nil || json.Unmarshal(text, &list) != nil || len(list) == 0 {
				return nil, wrong("%s is no list of guardrails in YAML", phrase.Safe(o.args[1]))
			}
			return o.loop().TryGuardrails(ctx, text, last)
		},
	}
}

// removal is what is left of a loop, or would be.
type removal struct {
	chronicle.Removal
	DryRun bool `json:"dry_run"`
}
