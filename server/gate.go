package server

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/kedge-opt/kedge/server/keyring"
	"github.com/kedge-opt/kedge/session"
)

// Keys reads the keys of the service, once. Without them nobody gets in.
func (s *Server) Keys() (*Keys, error) { return s.openKeys() }

// authorize finds out who sends a request and whether that key may send it.
func (c *call) authorize(r route) error {
	if r.Right == Anybody {
		return nil
	}
	keys, err := c.Keys()
	if err != nil {
		return problem(readOnly, "the keys cannot be read: "+err.Error())
	}
	c.keys = keys
	if err := c.identify(); err != nil {
		c.w.Header().Set("WWW-Authenticate", `Bearer realm="kedge"`)
		return err
	}
	switch ofLoop := strings.Contains(r.Path, "{loop}"); {
	case ofLoop && !c.who.Sees(c.loop): // in the words of a loop that is not there, and before anybody has looked
		return problem(session.NotFound, "there is no loop "+c.loop)
	case !c.who.May(r.Right):
		return problem(forbidden, "the key "+c.who.Prefix+" lacks the right: "+string(r.Right))
	case !ofLoop && !r.ownLoops && !c.who.Whole():
		return problem(forbidden, c.reach()+", and this call is about all")
	}
	return nil
}

// identify finds the key of a request. While there never was one, whoever reaches the service may do everything.
func (c *call) identify() error {
	if c.setup.Owner != "" {
		c.who = keyring.All(c.setup.Owner)
		return nil
	}
	if c.keys.ring.Empty() {
		if forwarded(c.Request) { // a proxy on this machine would let in everybody it reaches
			return problem(unauthenticated, "the request came through a proxy, and there is no key yet")
		}
		c.who = keyring.All("local")
		return nil
	}
	key, err := c.presented()
	if err != nil {
		return err
	}
	g, gone, err := c.keys.ring.Find(key, c.clock.Now())
	if err != nil {
		return problem(unauthenticated, err.Error())
	}
	c.who, c.gone = g, gone
	return nil
}

// cookieName is where the dashboard keeps a key; no script can read it.
const cookieName = "kedge_key"

// presented is the key that a request comes with: in its header, or in the cookie of the dashboard.
func (c *call) presented() (string, error) {
	header := c.Header.Get("Authorization")
	if header == "" {
		if cookie, err := c.Cookie(cookieName); err == nil && cookie.Value != "" {
			return cookie.Value, nil
		}
		return "", problem(unauthenticated, "the request has no key")
	}
	scheme, key, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return "", problem(unauthenticated, "the key comes as Authorization: Bearer kedge_…")
	}
	return strings.TrimSpace(key), nil
}

// spend takes a request from the quota of its key, and what it sends as it comes. Without a key there is none.
func (c *call) spend() error {
	if c.gone == nil {
		return nil
	}
	if wait := c.quotas.spend(c.who.Prefix, c.clock.Now(), &c.limits); wait > 0 {
		p := problem(tooMany, fmt.Sprintf("a key may send %g requests and %g bytes a second", c.limits.KeyRate, c.limits.KeyBytes))
		p.wait = wait
		return p
	}
	c.Request.Body = &counted{c.Request.Body, func(n int) { c.quotas.sent(c.who.Prefix, n) }}
	return nil
}

// counted is a body whose bytes are counted as they are read.
type counted struct {
	io.ReadCloser
	count func(n int)
}

func (b *counted) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.count(n)
	return n, err
}

// whileValid ends a request that goes on for long when its key does.
func (c *call) whileValid() (end context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(c.Context())
	if c.who.Expires != nil {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeoutCause(ctx, c.who.Expires.Sub(c.clock.Now()), keyring.ErrExpired)
		context.AfterFunc(ctx, stop)
	}
	if c.gone != nil {
		go func() {
			select {
			case <-c.gone:
				cancel(keyring.ErrRevoked)
			case <-ctx.Done():
			}
		}()
	}
	c.Request = c.WithContext(ctx)
	return func() { cancel(nil) }
}

// secure sets what keeps pages of the service from being misused, and everybody from keeping replies.
func secure(h http.Header) {
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; worker-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'")
}

// Finish saves what loops are, and writes down what no request may: when keys were last used.
func (s *Server) Finish(ctx context.Context) error {
	s.host.Rest()
	keys, err := s.Keys()
	if err != nil {
		return err
	}
	return keys.Save(ctx)
}
