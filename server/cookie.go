package server

import (
	"net/http"
	"strings"
)

// cookieName is where the dashboard keeps a key; no script can read it.
const cookieName = "kedge_key"

// cookie is a cookie of the dashboard, secret but on the loopback in the open.
func (c *call) cookie(key string, age int) *http.Cookie {
	_, local := peerOf(c.Request)
	open := local && c.TLS == nil && !forwarded(c.Request)
	return &http.Cookie{Name: cookieName, Value: key, Path: "/", MaxAge: age, HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: !open}
}

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
