package service

import (
	"context"
	"encoding/json"

	"github.com/goccy/go-yaml"
	"github.com/kedge-opt/kedge/client"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/internal/plain"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/spf13/cobra"
)

func newGuardrails(kinds *kind.Catalogue) *cobra.Command {
	last := 0
	c := talk{
		use: "guardrails NAME FILE", short: "Try guardrails on closes of the past", args: cobra.ExactArgs(2),
		long: `Try guardrails on the last closes of a loop, and say what they would have done. FILE is YAML: a list of guardrails as live.guardrails of
a spec has it. Nothing changes; to have them, write them into the spec and revise the loop.`,
		example: "  kedge loop guardrails shop guardrails.yaml --last 50",
		do: func(ctx context.Context, c *client.Client, args []string) (any, error) {
			data, err := plain.ReadFile(args[1], problem.MaxSize)
			if err != nil {
				return nil, &usage{err.Error()}
			}
			text, err := yaml.YAMLToJSON(data)
			var list []json.RawMessage
			if err != nil || json.Unmarshal(text, &list) != nil || len(list) == 0 {
				return nil, wrong("%s is no list of guardrails in YAML", phrase.Safe(args[1]))
			}
			return c.Loop(args[0]).TryGuardrails(ctx, text, last)
		},
	}.command(kinds)
	c.Flags().IntVar(&last, "last", 50, "how many closes")
	return c
}
