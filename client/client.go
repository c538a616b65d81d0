// Package client talks to the decision service from Go.
//
//	loop := client.Open("http://127.0.0.1:7070").Loop("shop")
//	d, err := loop.Ask(ctx)
//	err = loop.Deploy(ctx, d.K, d.U)
//	err = loop.Tell(ctx, d.K, "morning", client.Answers{P: states, D: traits})
//	outcome, err := loop.Close(ctx, d.K)
//
// Every call can be repeated: the service knows decisions by their number and batches by their name. Calls that got no answer, or one by which the same
// may be taken later, are repeated here until the context ends.
package client

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/session/chronicle"
	"github.com/kedge-opt/kedge/session/guard"
	"github.com/kedge-opt/kedge/session/word"
)

// Client is a connection to a service.
type Client struct {
	address string
	http    *http.Client
	wait    time.Duration // before the first repeat
	key     string
	spool   string // a folder; empty: none
}

// With is something that a client is opened with.
type With func(*Client)

// Open is a client of the service at an address such as http://127.0.0.1:7070, or unix:PATH of a socket.
func Open(address string, settings ...With) *Client {
	lines := http.DefaultTransport.(*http.Transport).Clone()
	lines.MaxIdleConnsPerHost = 64 // callers at once keep their connections
	c := &Client{address: strings.TrimRight(address, "/"), http: &http.Client{Transport: lines, CheckRedirect: onlyAsSent}, wait: 50 * time.Millisecond}
	if path, ok := strings.CutPrefix(address, "unix:"); ok {
		c.address, lines.DialContext = "http://localhost", func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", path)
		}
	}
	for _, o := range settings {
		o(c)
	}
	return c
}

// onlyAsSent follows a service that has moved with what stays the message that was sent: a command that becomes a question is answered, and not done.
func onlyAsSent(next *http.Request, past []*http.Request) error {
	if next.Method != past[0].Method || len(past) >= 10 {
		return http.ErrUseLastResponse
	}
	return nil
}

// Over sends messages by a transport of one's own.
func Over(t http.RoundTripper) With { return func(c *Client) { c.http.Transport = t } }

// Wrap puts a transport around the one that messages go by.
func (c *Client) Wrap(around func(http.RoundTripper) http.RoundTripper) {
	t := c.http.Transport
	if t == nil {
		t = http.DefaultTransport
	}
	c.http.Transport = around(t)
}

// Key sends a key with every call.
func Key(key string) With { return func(c *Client) { c.key = strings.TrimSpace(key) } }

// Remote is one loop of a service. Its messages are for the epoch of its newest Ask: after a restore the service refuses them, because what they
// tell of never happened there.
type Remote struct {
	*Client
	Name  string
	epoch atomic.Value // of the newest offer
}

// Loop names a loop.
func (c *Client) Loop(name string) *Remote { return &Remote{Client: c, Name: name} }

// Epoch is that of the newest offer; none before the first.
func (l *Remote) Epoch() string {
	epoch, _ := l.epoch.Load().(string)
	return epoch
}

// Create makes a loop of a spec.
func (c *Client) Create(ctx context.Context, name, spec string, mode session.Mode) (s session.Status, err error) {
	return c.Make(ctx, LoopWanted{Name: name, Spec: spec, Mode: mode})
}

// LoopWanted is a loop that is to be made.
type LoopWanted struct {
	Name   string            `json:"name"`
	Spec   string            `json:"spec"`
	Mode   session.Mode      `json:"mode"`
	Labels map[string]string `json:"labels,omitempty"`
}

// Make makes a loop.
func (c *Client) Make(ctx context.Context, w LoopWanted) (s session.Status, err error) {
	return s, c.call(ctx, "POST", "/v1/loops", w, &s)
}

// Loops are the heads of all loops.
func (c *Client) Loops(ctx context.Context) ([]session.Tip, error) {
	var list struct {
		Loops []session.Tip `json:"loops"`
	}
	err := c.call(ctx, "GET", "/v1/loops", nil, &list)
	return list.Loops, err
}

// Status tells how the loop stands.
func (l *Remote) Status(ctx context.Context) (s session.Status, err error) {
	return s, l.call(ctx, "GET", l.path(""), nil, &s)
}

// Ask asks for the decision to deploy.
func (l *Remote) Ask(ctx context.Context) (a session.Offer, err error) {
	if err = l.call(ctx, "POST", l.path("/ask"), nil, &a); err == nil {
		l.epoch.Store(a.Epoch)
	}
	return a, err
}

// AskAfter waits up to some time for a decision after decision k, and answers the current one if there is none.
func (l *Remote) AskAfter(ctx context.Context, k int, wait time.Duration) (a session.Offer, err error) {
	if err = l.call(ctx, "POST", l.path("/ask"), map[string]any{"after_k": k, "wait": wait.String()}, &a); err == nil {
		l.epoch.Store(a.Epoch)
	}
	return a, err
}

// Round is a round in one message: what went live, who answered, the close, and the next ask. A part that is nil is left out.
type Round struct {
	K          int             `json:"k"`
	Epoch      string          `json:"epoch,omitempty"`
	Deployment *session.Deploy `json:"deployment,omitempty"`
	Name       string          `json:"batch_id,omitempty"`
	Batch      *Answers        `json:"batch,omitempty"`
	Close      *session.Close  `json:"close,omitempty"`
	Ask        bool            `json:"ask,omitempty"`
}

// Exchange carries a round out, all or nothing.
func (l *Remote) Exchange(ctx context.Context, r Round) (x session.Exchanged, err error) {
	r.Epoch = cmp.Or(r.Epoch, l.Epoch())
	if err = l.call(ctx, "POST", l.path("/exchange"), r, &x); err == nil && x.Next != nil {
		l.epoch.Store(x.Next.Epoch)
	}
	return x, err
}

// Explain says why a decision is what it is.
func (l *Remote) Explain(ctx context.Context, k int) (e session.Explanation, err error) {
	return e, l.call(ctx, "GET", l.path("/decisions/%d/explain", k), nil, &e)
}

// Health says how the loop is, in cards.
func (l *Remote) Health(ctx context.Context) (cards []word.Card, err error) {
	var list struct {
		Cards []word.Card `json:"cards"`
	}
	err = l.call(ctx, "GET", l.path("/health"), nil, &list)
	return list.Cards, err
}

// Deploy says what went live.
func (l *Remote) Deploy(ctx context.Context, k int, u []float64) (s session.Reached, err error) {
	return s, l.call(ctx, "PUT", l.path("/decisions/%d/deployment", k), session.Deploy{Epoch: l.Epoch(), U: u}, &s)
}

// Answers is people who answered, one a row.
type Answers struct {
	P  [][]float64 `json:"p"`
	D  [][]float64 `json:"d,omitempty"`
	W  []float64   `json:"w,omitempty"`
	ID []string    `json:"id,omitempty"`

	ObservedAt *time.Time `json:"observed_at,omitempty"`
	Epoch      string     `json:"epoch,omitempty"`
}

// tell sends a batch.
func (l *Remote) tell(ctx context.Context, k int, name string, b Answers) (r session.Received, err error) {
	return r, l.call(ctx, "PUT", l.path("/decisions/%d/batches/%s", k, url.PathEscape(name)), b, &r)
}

// TellAs tells people who answered as they lie in a file: lines of JSON or whatever else the service knows the media type of.
func (l *Remote) TellAs(ctx context.Context, k int, name, mediaType string, content []byte) (r session.Received, err error) {
	return r, l.send(ctx, "PUT", l.path("/decisions/%d/batches/%s?epoch=%s", k, url.PathEscape(name), url.QueryEscape(l.Epoch())), message{content, mediaType}, &r)
}

// Abandon gives a decision up.
func (l *Remote) Abandon(ctx context.Context, k int, reason string) (s session.Reached, err error) {
	return s, l.call(ctx, "POST", l.path("/decisions/%d/abandon", k), session.Abandon{Epoch: l.Epoch(), Reason: reason}, &s)
}

// Switch changes the mode by a word: pause, resume, kill, shadow or promote.
func (l *Remote) Switch(ctx context.Context, word, reason string) (s session.Switched, err error) {
	return s, l.call(ctx, "POST", l.path("/%s", word), map[string]string{"reason": reason}, &s)
}

// Approve lets a proposal be deployed.
func (l *Remote) Approve(ctx context.Context, k int, reason string) (s session.Reached, err error) {
	return s, l.call(ctx, "POST", l.path("/decisions/%d/approve", k), map[string]string{"reason": reason}, &s)
}

// Reject refuses a proposal.
func (l *Remote) Reject(ctx context.Context, k int, reason string) (s session.Reached, err error) {
	return s, l.call(ctx, "POST", l.path("/decisions/%d/reject", k), map[string]string{"reason": reason}, &s)
}

// Pin has the loop answer a decision whatever its rule says.
func (l *Remote) Pin(ctx context.Context, p session.SetPin) (s session.Status, err error) {
	return s, l.call(ctx, "PUT", l.path("/pin"), p, &s)
}

// Unpin lets the rule decide again.
func (l *Remote) Unpin(ctx context.Context) (s session.Status, err error) {
	return s, l.call(ctx, "DELETE", l.path("/pin"), nil, &s)
}

// RollBack goes back to what was deployed once.
func (l *Remote) RollBack(ctx context.Context, b session.RollBack) (r session.RolledTo, err error) {
	return r, l.call(ctx, "POST", l.path("/rollback"), b, &r)
}

// Archive ends the loop; its log stays.
func (l *Remote) Archive(ctx context.Context) (s session.Status, err error) {
	return s, l.call(ctx, "DELETE", l.path(""), nil, &s)
}

// Remove takes an archived loop out of the journal, for good; dry only says what would go.
func (l *Remote) Remove(ctx context.Context, reason string, dry bool) (r chronicle.Removal, err error) {
	return r, l.call(ctx, "DELETE", l.path("/log?dry_run=%t", dry), map[string]string{"reason": reason}, &r)
}

// Decision is one of the past, or the current one.
func (l *Remote) Decision(ctx context.Context, k int) (d session.Decision, err error) {
	return d, l.call(ctx, "GET", l.path("/decisions/%d", k), nil, &d)
}

// Raw sends a message as it stands, and returns the reply as it stands.
func (l *Remote) Raw(ctx context.Context, method, path string, body []byte) (reply json.RawMessage, err error) {
	m := message{content: body}
	if body != nil {
		m.mediaType = "application/json"
	}
	return reply, l.send(ctx, method, l.path("%s", path), m, &reply)
}

// Log is what happened after an event, up to a page of the service.
func (l *Remote) Log(ctx context.Context, after int) (list []session.Event, err error) {
	return list, l.call(ctx, "GET", l.path("/log?after=%d", after), nil, &list)
}

// Metric tells a number that a guardrail of the kind external waits for.
func (l *Remote) Metric(ctx context.Context, k int, name string, number guard.Metered) (v session.MetricVerdict, err error) {
	return v, l.call(ctx, "PUT", l.path("/decisions/%d/metrics/%s", k, url.PathEscape(name)), session.TellMetric{Epoch: l.Epoch(), Metered: number}, &v)
}

// TryGuardrails tries guardrails, a list as live.guardrails of a spec has it in JSON, on the last closes of the loop.
func (l *Remote) TryGuardrails(ctx context.Context, rails json.RawMessage, last int) (h guard.Hindsight, err error) {
	return h, l.call(ctx, "POST", l.path("/guardrails/test"), map[string]any{"guardrails": rails, "last": last}, &h)
}

func (l *Remote) path(format string, args ...any) string {
	return "/v1/loops/" + url.PathEscape(l.Name) + fmt.Sprintf(format, args...)
}

// mostReply is how much of a reply is read.
const mostReply = 64 << 20

// message is a body.
type message struct {
	content   []byte
	mediaType string // empty: none
}

// call sends JSON until there is an answer.
func (c *Client) call(ctx context.Context, method, path string, in, out any) error {
	var m message
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return err
		}
		m = message{text, "application/json"}
	}
	return c.send(ctx, method, path, m, out)
}

// send sends a message until there is an answer.
func (c *Client) send(ctx context.Context, method, path string, m message, out any) error {
	for wait := c.wait; ; wait = min(2*wait, 2*time.Second) {
		again, err := c.try(ctx, method, path, m, out)
		if err == nil || !again {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w; at last: %w", ctx.Err(), err)
		case <-time.After(wait):
		}
	}
}

// try sends a message once, and tells whether it is worth while to send it again.
func (c *Client) try(ctx context.Context, method, path string, m message, out any) (again bool, err error) {
	r, err := c.request(ctx, method, path, m)
	if err != nil {
		return false, err
	}
	reply, err := c.http.Do(r)
	if err != nil {
		return ctx.Err() == nil, err
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(io.LimitReader(reply.Body, mostReply))
	if err != nil {
		return true, err
	}
	if reply.StatusCode/100 == 2 {
		return false, json.Unmarshal(text, out)
	}
	p := problemOf(reply, text)
	return p.Retryable, p
}

// request is a message on its way.
func (c *Client) request(ctx context.Context, method, path string, m message) (*http.Request, error) {
	r, err := http.NewRequestWithContext(ctx, method, c.address+path, bytes.NewReader(m.content))
	if err != nil {
		return nil, err
	}
	if m.mediaType != "" {
		r.Header.Set("Content-Type", m.mediaType)
	}
	if c.key != "" {
		r.Header.Set("Authorization", "Bearer "+c.key)
	}
	return r, nil
}

// problemOf is what a reply says that is none. A gateway that does not reach the service answers in its own words, and the same message may be taken later.
func problemOf(reply *http.Response, text []byte) *Error {
	later := []int{http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout}
	p := &Error{Status: reply.StatusCode, Title: reply.Status, Retryable: slices.Contains(later, reply.StatusCode)}
	if to := reply.Header.Get("Location"); reply.StatusCode/100 == 3 && to != "" {
		p.Detail = "the service has moved to " + to
	}
	json.Unmarshal(text, p)
	return p
}

// IsProblem tells whether an error is a problem of some type that the service answered, as in stale-epoch.
func IsProblem(err error, kind string) bool {
	var e *Error
	return errors.As(err, &e) && e.Type == "/problems/"+kind
}

// Error is what the service answers instead of a reply.
type Error struct {
	Type      string          `json:"type"`
	Title     string          `json:"title"`
	Status    int             `json:"status"`
	Detail    string          `json:"detail"`
	Retryable bool            `json:"retryable"`
	Errors    []session.Fault `json:"errors"`
}

func (e *Error) Error() string {
	text := e.Title
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	for _, one := range e.Errors {
		if one.Detail != e.Detail { // of one mistake that is all there is to say
			text += "\n" + one.Detail
		}
	}
	return text
}
