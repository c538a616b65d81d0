package service

import (
	"context"
	"strings"
	"time"

	"github.com/kedge-opt/kedge/client"
	"github.com/kedge-opt/kedge/internal/lists"
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
	c.AddCommand(commands(kinds, toCreateKey(), toListKeys(), toRevokeKey())...)
	return c
}

func toCreateKey() talk {
	var rights, loops []string
	var expires string
	return talk{
		use: "create", short: "Make a key, which is shown once", args: cobra.NoArgs, makes: true,
		long: `Make a key and print it, this once: the service keeps only what it hashes to. A key has some of the rights read, ask, tell, operate and
admin, each by itself, on loops by name or by how their names begin, and may expire.`,
		example: `  kedge key create --data shop-data --rights read,ask,tell,operate,admin
  kedge key create --rights ask,tell --loops 'shop-*' --expires 90d`,
		flags: func(c *cobra.Command) {
			c.Flags().StringSliceVar(&rights, "rights", nil, "some of read, ask, tell, operate, admin")
			c.Flags().StringSliceVar(&loops, "loops", []string{"*"}, "names of loops, or how names begin and a star")
			c.Flags().StringVar(&expires, "expires", "", "when the key ends: a time as 2027-01-31T00:00:00Z, or how long from now as 90d (default never)")
		},
		do: func(ctx context.Context, o order) (any, error) {
			w := client.KeyWanted{Loops: loops, Rights: lists.Of(rights, func(r string) keyring.Right { return keyring.Right(strings.TrimSpace(r)) })}
			if expires != "" {
				at, err := endOf(expires, time.Now())
				if err != nil {
					return nil, err
				}
				w.Expires = &at
			}
			return o.CreateKey(ctx, w)
		},
	}
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

func toListKeys() talk {
	return talk{
		use: "list", short: "List the keys", args: cobra.NoArgs, example: "  kedge key list --json",
		long: "List all keys there ever were, by their prefixes: their rights and loops, who made them and when, when they were last used, expire or were revoked.",
		do:   func(ctx context.Context, o order) (any, error) { return o.Keys(ctx) },
	}
}

func toRevokeKey() talk {
	return talk{
		use: "revoke PREFIX", short: "Take a key away, for good", args: cobra.ExactArgs(1), reasoned: true, example: `  kedge key revoke kedge_Ab --reason "left the team"`,
		long: "Take a key away, for good: from now on it opens nothing, and what it streams ends.",
		do: func(ctx context.Context, o order) (any, error) {
			if keyring.IsKey(o.args[0]) { // which belongs into no address
				return nil, wrong("that is a key, not its prefix: its first eight characters are enough")
			}
			return o.RevokeKey(ctx, o.args[0], o.reason)
		},
	}
}
