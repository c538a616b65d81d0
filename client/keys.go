package client

import (
	"context"
	"encoding/json"
	"net/url"

	"github.com/kedge-opt/kedge/server/keyring"
	"github.com/kedge-opt/kedge/session/kills"
)

// KeyWanted is what a key shall be for.
type KeyWanted = keyring.Wanted

// KeyMade is a key that was just made: the only time that it is shown.
type KeyMade keyring.Made

// CreateKey makes a key. It is sent once: a call that got no answer may have made one, which Keys then lists.
func (c *Client) CreateKey(ctx context.Context, w KeyWanted) (m KeyMade, err error) {
	body, err := json.Marshal(w)
	if err == nil {
		_, err = c.try(ctx, "POST", "/v1/keys", message{body, "application/json"}, &m)
	}
	return m, err
}

// Keys are all keys there ever were.
func (c *Client) Keys(ctx context.Context) ([]keyring.Account, error) {
	var list struct {
		Keys []keyring.Account `json:"keys"`
	}
	err := c.call(ctx, "GET", "/v1/keys", nil, &list)
	return list.Keys, err
}

// RevokeKey takes a key away, for good.
func (c *Client) RevokeKey(ctx context.Context, prefix, reason string) (a keyring.Account, err error) {
	return a, c.call(ctx, "DELETE", "/v1/keys/"+url.PathEscape(prefix), map[string]string{"reason": reason}, &a)
}

// AllKilled is what came of killing all loops.
type AllKilled kills.Killed

// KillAll has every loop of the key answer its safe decision.
func (c *Client) KillAll(ctx context.Context, reason string) (k AllKilled, err error) {
	return k, c.call(ctx, "POST", "/v1/kill", map[string]string{"reason": reason}, &k)
}
