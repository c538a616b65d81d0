package server

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/session/chronicle"
)

// do carries a command out, after a kill of the loop that could not be written down before.
func (c *call) do(status int, command session.Command) (int, any, error) {
	waits := c.kills.Write(c.Context(), c.loop)
	if waits != nil && goesOn(command) { // from before the kill
		return 0, nil, waits
	}
	return c.carry(status, command)
}

// goesOn tells whether a command has a loop answer its rule.
func goesOn(command session.Command) bool {
	switch c := command.(type) {
	case session.Switch:
		return c.To != session.Killed
	case session.Exchange:
		return c.Ask
	}
	return false
}

// carry carries a command out; once, if the sender gave the request a word, and not at all if it is only to be tried.
func (c *call) carry(status int, command session.Command) (int, any, error) {
	if c.dry {
		reply, err := c.host.Try(c.Context(), c.loop, c.who.Prefix, command)
		return 200, reply, err
	}
	word, err := c.word()
	if err != nil {
		return 0, nil, err
	}
	if word != "" {
		command = session.Once{Word: word, Request: c.request(command), Of: command}
	}
	reply, err := c.host.Do(c.Context(), c.loop, c.who.Prefix, command)
	return status, c.replayed(reply), err
}

// isOnce tells whether a call takes a word under which it is carried out once. All others can be repeated as they are.
func (r route) isOnce() bool { return r.Method == http.MethodPost && r.Right == Operate }

// mostWord is how long an Idempotency-Key may be.
const mostWord = 255

// word is the Idempotency-Key of a request, empty if there is none.
func (c *call) word() (string, error) {
	word := strings.Trim(c.Header.Get("Idempotency-Key"), `"`)
	if word == "" || !c.row.isOnce() {
		return "", nil
	}
	if len(word) > mostWord || strings.ContainsFunc(word, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", problem(session.Malformed, fmt.Sprintf("an Idempotency-Key is up to %d letters, digits and signs of ASCII", mostWord))
	}
	return word, nil
}

// sent is what was sent under the word of the request before; nil: nothing.
func (c *call) sent(loop string) (was *session.Event, word string, err error) {
	if word, err = c.word(); err != nil || word == "" {
		return nil, "", err
	}
	was, err = c.journal.Find(loop, 0, session.OnceRef(word))
	return was, word, err
}

// request is what is asked for, so that something else under the same word is noticed.
func (c *call) request(what any) session.Hash {
	text, _ := json.Marshal(what) // which came as JSON
	return sha256.Sum256(fmt.Appendf(nil, "%s %s\n%s", c.Method, c.URL.Path, text))
}

// replayed is a reply, which says so if it was given before.
func (c *call) replayed(reply any) any {
	if r, ok := reply.(session.Replayed); ok {
		c.w.Header().Set("Idempotency-Replayed", "true")
		return r.Reply
	}
	return reply
}

// killing is the body of the event: what was asked for, and what came of it.
type killing struct {
	Reason string `json:"reason,omitempty"`
	*session.GivenReply
}

// allKilled is the kind of that event.
const allKilled = session.Kind("all-killed")

// killAll kills every loop of the key. One that cannot be killed keeps none of the others from it.
func killAll(c *call, b reasoned) (int, any, error) {
	was, word, err := c.sent(session.OfServer)
	if err != nil {
		return 0, nil, err
	}
	request := c.request(b)
	if was != nil {
		reply, err := session.Repeated(was, word, request)
		return 200, c.replayed(reply), err
	}
	ref := ""
	if word != "" {
		ref = session.OnceRef(word)
	}
	all, err := c.journal.Loops(c.Context())
	if err != nil {
		return 0, nil, err
	}
	all = slices.DeleteFunc(all, func(t session.Tip) bool { return !c.sees(t.Loop) })
	ctx := context.WithoutCancel(c.Context()) // who asks and leaves still means all
	names := lists.Of(all, func(t session.Tip) string { return t.Loop })
	reply := c.kills.KillAll(ctx, c.who.Prefix, b.Reason, names)
	text, err := json.Marshal(reply)
	if err != nil {
		return 0, nil, err
	}
	err = c.keys.chronicle.Write(c.Context(), c.who.Prefix, func(time.Time) (chronicle.Notice, error) {
		if was, _, err = c.sent(session.OfServer); was != nil || err != nil { // it was sent twice at once, and the other was first
			return chronicle.Notice{}, cmp.Or(err, errTwice)
		}
		return chronicle.Notice{Kind: allKilled, Ref: ref, Body: killing{b.Reason, &session.GivenReply{Request: request, Reply: text}}}, nil
	})
	if err == errTwice {
		reply, err := session.Repeated(was, word, request)
		return 200, c.replayed(reply), err
	}
	return 200, reply, err
}

var errTwice = errors.New("it was sent twice")
