package server

import (
	"context"
	"slices"
	"time"

	"github.com/kedge-opt/kedge/server/keyring"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/session/chronicle"
)

// Keys are those of a service, written down in its journal: what they are follows from the log alone.
type Keys struct {
	ring      *keyring.Ring
	chronicle *chronicle.Chronicle
}

// OpenKeys reads the keys of a journal.
func OpenKeys(ctx context.Context, j session.Journal, c session.Clock) (*Keys, error) {
	k := &Keys{ring: keyring.New()}
	var err error
	k.chronicle, err = chronicle.Open(ctx, j, c, session.OfServer, func(e session.Event) error {
		return k.ring.Fold(string(e.Kind), e.At, e.Actor, e.Body)
	})
	return k, err
}

// Create makes a key for what is asked for.
func (k *Keys) Create(ctx context.Context, actor string, g keyring.Grant) (made keyring.Made, err error) {
	err = k.chronicle.Write(ctx, actor, func(now time.Time) (chronicle.Notice, error) {
		if err := g.Check(now); err != nil {
			return chronicle.Notice{}, &session.Refusal{Type: session.Malformed, Detail: err.Error()}
		}
		if g.Expires != nil {
			g.Expires = new(g.Expires.UTC())
		}
		key, creation, err := k.ring.Draw(g)
		if err != nil {
			return chronicle.Notice{}, &session.Refusal{Type: session.TooLarge, Detail: err.Error()}
		}
		made = keyring.Made{Key: key, Grant: creation.Grant}
		return chronicle.Notice{Kind: keyring.KeyCreated, Ref: "k/" + creation.Prefix, Body: creation}, nil
	})
	return made, err
}

// Revoke takes a key away, for good: from now on it opens nothing. The same again changes nothing.
func (k *Keys) Revoke(ctx context.Context, actor, prefix, reason string) (keyring.Account, error) {
	was, ok := k.ring.Get(prefix)
	switch {
	case !ok:
		return was, noKey(prefix)
	case was.Revoked != nil:
		return was, nil
	}
	err := k.chronicle.Write(ctx, actor, func(time.Time) (chronicle.Notice, error) {
		return chronicle.Notice{Kind: keyring.KeyRevoked, Body: keyring.Revocation{Prefix: prefix, Reason: reason}}, nil
	})
	now, _ := k.ring.Get(prefix)
	return now, err
}

func noKey(prefix string) error {
	return &session.Refusal{Type: session.NotFound, Detail: "there is no key " + prefix}
}

// List is all keys there ever were.
func (k *Keys) List() []keyring.Account { return k.ring.List() }

// Save writes down when keys were last used, which no request does: looking at something changes nothing.
func (k *Keys) Save(ctx context.Context) error {
	used := k.ring.Unwritten()
	if len(used) == 0 {
		return nil
	}
	return k.chronicle.Write(ctx, "server", func(time.Time) (chronicle.Notice, error) {
		return chronicle.Notice{Kind: keyring.KeysUsed, Body: used}, nil
	})
}

// keyList is all keys that a key may see.
type keyList struct {
	Keys []keyring.Account `json:"keys"`
}

func createKey(c *call, b keyring.Wanted) (int, any, error) {
	if c.Header.Get("Idempotency-Key") != "" {
		return 0, nil, problem(session.Malformed, "a key is shown once, so that this call cannot be repeated under an Idempotency-Key")
	}
	g := keyring.Grant{Rights: b.Rights, Loops: b.Loops, Expires: b.Expires}
	if !c.who.Covers(g) { // else whoever has some loops could give all to himself
		return 0, nil, problem(forbidden, c.reach()+"; it can give others no more than that")
	}
	made, err := c.keys.Create(c.Context(), c.who.Prefix, g)
	return 201, made, err
}

func listKeys(c *call) (int, any, error) {
	all := slices.DeleteFunc(c.keys.List(), func(r keyring.Account) bool { return !c.who.Covers(r.Grant) })
	return 200, keyList{append([]keyring.Account{}, all...)}, nil
}

func revokeKey(c *call, b reasoned) (int, any, error) {
	prefix := c.PathValue("prefix")
	if r, ok := c.keys.ring.Get(prefix); ok && !c.who.Covers(r.Grant) {
		return 0, nil, noKey(prefix)
	}
	r, err := c.keys.Revoke(c.Context(), c.who.Prefix, prefix, b.Reason)
	return 200, r, err
}
