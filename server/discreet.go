package server

import (
	"context"
	"log/slog"

	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/server/keyring"
)

// discreet is a log without keys, also where somebody sent one as part of an address.
type discreet struct{ slog.Handler }

func (d discreet) Handle(ctx context.Context, r slog.Record) error {
	out := slog.NewRecord(r.Time, r.Level, keyring.Hide(r.Message), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		out.AddAttrs(quiet(a))
		return true
	})
	return d.Handler.Handle(ctx, out)
}

func (d discreet) WithAttrs(all []slog.Attr) slog.Handler {
	return discreet{d.Handler.WithAttrs(lists.Of(all, quiet))}
}

func (d discreet) WithGroup(name string) slog.Handler { return discreet{d.Handler.WithGroup(name)} }

// quiet is an attribute without keys.
func quiet(a slog.Attr) slog.Attr {
	if text := a.Value.Resolve().String(); keyring.IsKey(text) {
		return slog.String(a.Key, keyring.Hide(text))
	}
	return a
}
