package server

import (
	"net/http"
	"strings"

	"github.com/kedge-opt/kedge/server/keyring"
	"github.com/kedge-opt/kedge/session/plan"
)

// login is the body of the call that makes a key a cookie.
type login struct {
	Key string `json:"key"`
}

// identity is who somebody is to the service.
type identity struct {
	Needed bool            `json:"needed"`        // there are keys, and nobody is let in without
	Key    string          `json:"key,omitempty"` // its prefix; empty: nobody
	Rights []keyring.Right `json:"rights"`
	Loops  []string        `json:"loops"`
}

// whoami tells who somebody is, whom nobody knows as well.
func whoami(c *call) (int, any, error) {
	keys, err := c.Keys()
	if err != nil {
		return 0, nil, problem(readOnly, "the keys cannot be read: "+err.Error())
	}
	c.keys = keys
	s := identity{Needed: !keys.ring.Empty() && c.setup.Owner == "", Rights: []keyring.Right{}, Loops: []string{}}
	if c.identify() == nil {
		s.Key, s.Rights, s.Loops = c.who.Prefix, c.who.Rights, c.who.Loops
	}
	return 200, s, nil
}

// enterKey keeps a key in a cookie of this site, for pages of this site alone.
func enterKey(c *call, b login) (int, any, error) {
	keys, err := c.Keys()
	if err != nil {
		return 0, nil, problem(readOnly, "the keys cannot be read: "+err.Error())
	}
	key := strings.TrimSpace(b.Key)
	g, _, err := keys.ring.Find(key, c.clock.Now())
	if err != nil {
		return 0, nil, problem(unauthenticated, err.Error())
	}
	http.SetCookie(c.w, c.cookie(key, 0))
	return 200, identity{Needed: true, Key: g.Prefix, Rights: g.Rights, Loops: g.Loops}, nil
}

// leaveKey forgets the cookie.
func leaveKey(c *call) (int, any, error) {
	http.SetCookie(c.w, c.cookie("", -1))
	return 200, struct{}{}, nil
}

// cookie is a cookie of the dashboard, secret but on the loopback in the open.
func (c *call) cookie(key string, age int) *http.Cookie {
	_, local := peerOf(c.Request)
	open := local && c.TLS == nil && !forwarded(c.Request)
	return &http.Cookie{Name: cookieName, Value: key, Path: "/", MaxAge: age, HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: !open}
}

// dashboardRoutes are the calls of the dashboard, and its files.
func dashboardRoutes(loop string) []route {
	return []route{
		{Method: "GET", Path: "/v1/overview", Right: MayRead, Says: "Loops in a line each, all or those in loops=a,b: mode, health, newest values, what is due; page_size, page_token.", Out: overview{}, ownLoops: true, asks: "page_size page_token loops", do: glances},
		{Method: "GET", Path: loop + "/terms", Right: MayRead, Says: "What the spec of a loop arranges: names, bounds, caps, deadlines, and the spec itself.", Out: terms{}, do: arranged},
		{Method: "GET", Path: loop + "/quantiles", Right: MayRead, Says: "How an entry of people's states moved over the newest decisions: entry, last.", Out: fan{}, asks: "entry last", do: quantiles},
		{Method: "GET", Path: loop + "/decisions/{k}/guess", Right: MayRead, Says: "What the model guesses: the newest people who answered, settled under the decision or under u=1,2,…, under what was live before it, and under what vanilla would have decided.", Out: plan.Forecast{}, asks: "u", do: about(guessed)},
		{Method: "GET", Path: loop + "/sensitivity", Right: MayRead, Says: "How settled people answer each entry of the decision, by the model, in the mean of the newest who answered.", Out: plan.Answering{}, do: answering},
		{Method: "GET", Path: "/v1/login", Says: "Who the sender is to the service, and whether a key is needed.", Out: identity{}, do: whoami},
		{Method: "POST", Path: "/v1/login", Says: "Keep a key in a cookie of the dashboard.", In: login{}, Out: identity{}, do: with(enterKey)},
		{Method: "DELETE", Path: "/v1/login", Says: "Forget that cookie.", Out: struct{}{}, do: leaveKey},
		{Method: "GET", Path: "/{$}", Says: "The dashboard.", do: func(c *call) (int, any, error) { return c.asset("index.html") }},
		{Method: "GET", Path: "/assets/{file}", Says: "A file of the dashboard.", do: func(c *call) (int, any, error) { return c.asset(c.PathValue("file")) }},
	}
}
