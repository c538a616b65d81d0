package service

import (
	"context"
	"strings"
	"time"

	"github.com/kedge-opt/kedge/client"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/server/keyring"
	"github.com/spf13/cobra"
)

func newKey(kinds *kind.Catalogue) *cobra.Command {
	c := &cobra.Command{Use: "key", Short: "Make, list and revoke the keys of a service", Long: `A key says who may do what: rights, each by itself, on loops by name or by how their names begin. On the loopback no key is needed while
there never was one; from the first one on, every call needs one. The first is made with --data, on the folder of a service that is not
running, or over the loopback.`, Example: `  kedge key create --data shop-data --rights read,ask,tell,operate,admin
  export KEDGE_KEY=kedge_…
  kedge key create --rights ask,tell --loops 'shop-*' --expires 90d
  kedge key list
  kedge key revoke kedge_Ab --reason "left the team"`}
	c.AddCommand(newKeyCreate(kinds), newKeyList(kinds), newKeyRevoke(kinds))
	return c
}

func newKeyCreate(kinds *kind.Catalogue) *cobra.Command {
	var rights, loops []string
	var expires string
	c := talk{
		use: "create", short: "Make a key, which is shown once", args: cobra.NoArgs, makes: true,
		long: `Make a key and print it, this once: the service keeps only what it hashes to. A key has some of the rights read, ask, tell, operate and
admin, each by itself, on loops by name or by how their names begin, and may expire.`,
		example: `  kedge key create --data shop-data --rights read,ask,tell,operate,admin
  kedge key create --rights ask,tell --loops 'shop-*' --expires 90d`,
		do: func(ctx context.Context, c *client.Client, _ []string) (any, error) {
			w := client.KeyWanted{Loops: loops}
			for _, r := range rights {
				w.Rights = append(w.Rights, keyring.Right(strings.TrimSpace(r)))
			}
			if expires != "" {
				at, err := endOf(expires, time.Now())
				if err != nil {
					return nil, err
				}
				w.Expires = &at
			}
			return c.CreateKey(ctx, w)
		},
	}.command(kinds)
	c.Flags().StringSliceVar(&rights, "rights", nil, "some of read, ask, tell, operate, admin")
	c.Flags().StringSliceVar(&loops, "loops", []string{"*"}, "names of loops, or how names begin and a star")
	c.Flags().StringVar(&expires, "expires", "", "when the key ends: a time as 2027-01-31T00:00:00Z, or how long from now as 90d (default never)")
	return c
}

// endOf reads when something ends.
func endOf(text string, now time.Time) (time.Time, error) {
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at, nil
	}
	span, err := form.ParseSpan(text)
	if err != nil || span <= 0 {
		return now, wrong("--expires %s is neither a time, as 2027-01-31T00:00:00Z, nor how long from now, as 90d or 12h", text)
	}
	return now.Add(span).UTC().Truncate(time.Second), nil
}

func newKeyList(kinds *kind.Catalogue) *cobra.Command {
	return talk{
		use: "list", short: "List the keys", args: cobra.NoArgs, example: "  kedge key list --json",
		long: "List all keys there ever were, by their prefixes: their rights and loops, who made them and when, when they were last used, expire or were revoked.",
		do:   func(ctx context.Context, c *client.Client, _ []string) (any, error) { return c.Keys(ctx) },
	}.command(kinds)
}

func newKeyRevoke(kinds *kind.Catalogue) *cobra.Command {
	return reasoned(kinds, talk{
		use: "revoke PREFIX", short: "Take a key away, for good", args: cobra.ExactArgs(1), example: `  kedge key revoke kedge_Ab --reason "left the team"`,
		long: "Take a key away, for good: from now on it opens nothing, and what it streams ends.",
	}, func(ctx context.Context, c *client.Client, args []string, reason string) (any, error) {
		if keyring.IsKey(args[0]) { // which belongs into no address
			return nil, wrong("that is a key, not its prefix: its first eight characters are enough")
		}
		return c.RevokeKey(ctx, args[0], reason)
	})
}
