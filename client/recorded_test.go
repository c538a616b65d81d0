package client_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/client"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/server"
	"github.com/kedge-opt/kedge/server/keyring"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/session/guard"
	"github.com/kedge-opt/kedge/store"
)

// clock stands still until it is told to go.
type clock struct{ now time.Time }

func (c *clock) Now() time.Time { return c.now }

// heard writes messages down on their way.
type heard struct {
	next http.RoundTripper
	list []string
}

func (h *heard) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body == nil {
		r.Body = http.NoBody
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	reply, err := h.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	h.list = append(h.list, fmt.Sprintf("%s %s %q %q %s: %d", r.Method, r.URL.RequestURI(), r.Header.Get("Content-Type"), r.Header.Get("Authorization"), bytes.TrimSpace(body), reply.StatusCode))
	return reply, nil
}

// unguessable are texts that are other ones every time.
var unguessable = regexp.MustCompile(`"(epoch|hash|request|prefix|state|content|build|key|created|last_used|next_in|revoked|at)":"[^"]*"|epoch=\w+|kedge_[\w-]+|in epoch \w+|[0-9a-f]{64}|"(age|seconds)":[0-9.e-]+|/v1/keys/[^ ]*|"bytes":\d+`)

// life is a service that is called, and what came of it.
type life struct {
	*testing.T
	ctx context.Context
	c   *client.Client
	now *clock
	h   heard
	got []string
}

// note writes down what was sent since, and what was made of the last reply.
func (v *life) note(what string, reply any, err error) {
	v.Helper()
	for _, line := range v.h.list {
		v.got = append(v.got, unguessable.ReplaceAllString(line, "…"))
	}
	v.h.list = nil
	text, wrong := json.Marshal(reply)
	if wrong != nil {
		v.Fatal(wrong)
	}
	v.got = append(v.got, fmt.Sprintf("%s: %.400s, %s", what, unguessable.ReplaceAllString(string(text), "…"), unguessable.ReplaceAllString(strings.ReplaceAll(fmt.Sprint(err), "\n", " / "), "…")))
}

// A life of a loop by all calls there are: what is sent, and what is made of the replies of a service, are what they were when this was recorded.
func TestCallsAsRecorded(t *testing.T) {
	now := &clock{time.Date(2026, 11, 16, 6, 0, 0, 0, time.UTC)}
	service := server.New(server.Setup{Journal: store.NewMemory(), Clock: now, Limits: server.DefaultLimits(), Build: "test"})
	defer service.Stop()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	v := &life{T: t, ctx: ctx, c: client.Inside(service), now: now}
	v.c.Wrap(func(next http.RoundTripper) http.RoundTripper { v.h.next = next; return &v.h })
	v.decides(v.c, v.c.Loop("shop"))
	v.operates(v.c.Loop("shop"))
	v.ends(v.c, v.c.Loop("shop"))
	evidence.AsRecorded(t, "testdata/calls.txt", v.got)
}

// decides makes loops, and has one decide.
func (v *life) decides(c *client.Client, l *client.Remote) {
	{
		s, err := c.Create(v.ctx, "shop", shop, session.Live)
		v.note("create", s, err)
		s, err = c.Make(v.ctx, client.LoopWanted{Name: "other", Spec: strings.Replace(shop, "cap: {norm: 0.5}", "cap: {norm: 0.5}, approval: always, guardrails: [{name: load, kind: external, most: 3}]", 1), Mode: session.Live, Labels: map[string]string{"team": "a"}})
		v.note("make", s, err)
		tips, err := c.Loops(v.ctx)
		v.note("loops", tips, err)
	}
	people := client.Answers{P: [][]float64{{7, 5}, {6.5, 5.25}}, D: [][]float64{{10, 8}, {9.5, 8}}}
	if l.Epoch() != "" {
		v.Error("an epoch before the first offer")
	}
	a, err := l.Ask(v.ctx)
	v.note("ask", a, err)
	if l.Epoch() == "" || l.Epoch() != a.Epoch {
		v.Errorf("epoch %q after an offer of %q", l.Epoch(), a.Epoch)
	}
	reached, err := l.Deploy(v.ctx, 1, a.U)
	v.note("deploy", reached, err)
	told, err := l.Tell(v.ctx, 1, "a-m", people)
	v.note("tell", told, err)
	told, err = l.TellAs(v.ctx, 1, "p.m", "application/x-ndjson", []byte("{\"p\":[7,5],\"d\":[10,8]}\n"))
	v.note("tell lines", told, err)
	v.now.now = v.now.now.Add(time.Hour)
	closing, err := l.Close(v.ctx, 1)
	v.note("close", closing, err)
	a, err = l.AskAfter(v.ctx, 1, time.Second)
	v.note("ask after", a, err)
	x, err := l.Exchange(v.ctx, client.Round{K: 2, Deployment: &session.Deploy{U: a.U}, Name: "all", Batch: &people, Close: &session.Close{}, Ask: true})
	v.note("exchange", x, err)
	x, err = l.Exchange(v.ctx, client.Round{K: 2, Epoch: "another", Deployment: &session.Deploy{U: a.U}})
	v.note("exchange of another epoch", x, err)
}

// operates looks at a loop and interferes with it.
func (v *life) operates(l *client.Remote) {
	e, err := l.Explain(v.ctx, 2)
	v.note("explain", e, err)
	cards, err := l.Health(v.ctx)
	v.note("health", cards, err)
	a, err := l.Ask(v.ctx)
	v.note("ask again", a, err)
	reached, err := l.Abandon(v.ctx, 3, "rain")
	v.note("abandon", reached, err)
	d, err := l.Decision(v.ctx, 2)
	v.note("decision", d, err)
	d, err = l.Decision(v.ctx, 99)
	v.note("no decision", d, err)
	raw, err := l.Raw(v.ctx, "GET", "/decisions/3", nil)
	v.note("raw", raw, err)
	raw, err = l.Raw(v.ctx, "POST", "/rollback", []byte(`{"k":"x"}`))
	v.note("raw body", raw, err)
	list, err := l.Log(v.ctx, 12)
	v.note("log", len(list), err)
	s, err := l.Pin(v.ctx, session.SetPin{U: []float64{3, 4}, Reason: "sale"})
	v.note("pin", s, err)
	s, err = l.Unpin(v.ctx)
	v.note("unpin", s, err)
	r, err := l.RollBack(v.ctx, session.RollBack{K: 1, Reason: "back"})
	v.note("roll back", r, err)
	switched, err := l.Switch(v.ctx, "pause", "look")
	v.note("pause", switched, err)
}

// ends has it end, and others.
func (v *life) ends(c *client.Client, l *client.Remote) {
	hind, err := l.TryGuardrails(v.ctx, json.RawMessage(`[{"name":"m","of":"mean(p[0])","most":1}]`), 5)
	v.note("guardrails", hind, err)
	fork, err := l.Fork(v.ctx, "twin", 2, map[string]json.RawMessage{"algorithms.composite.step": json.RawMessage("0.01")}, true)
	v.note("fork", fork, err)
	var bundle bytes.Buffer
	err = l.Export(v.ctx, &bundle)
	v.note("export", bundle.Len(), err)
	err = c.Loop("nobody").Export(v.ctx, &bundle)
	v.note("export nobody", nil, err)
	made, err := c.Backup(v.ctx)
	v.note("backup", made.File, err)
	taken, err := c.Import(v.ctx, []byte("no tar"))
	v.note("import", taken.Loop, err)
	erased, err := l.Erase(v.ctx, "somebody")
	v.note("erase", erased, err)
	other := c.Loop("other")
	a, err := other.Ask(v.ctx)
	v.note("propose", a, err)
	reached, err := other.Approve(v.ctx, 1, "looked at")
	v.note("approve", reached, err)
	metric, err := other.Metric(v.ctx, 1, "load", guard.Metered{Value: 2, SE: 0.5})
	v.note("metric", metric, err)
	reached, err = other.Reject(v.ctx, 1, "no")
	v.note("reject", reached, err)
	s, err := other.Archive(v.ctx)
	v.note("archive", s, err)
	gone, err := other.Remove(v.ctx, "test", true)
	v.note("would remove", gone, err)
	gone, err = other.Remove(v.ctx, "test", false)
	v.note("remove", gone, err)
	killed, err := c.KillAll(v.ctx, "fire")
	v.note("kill all", killed, err)
	key, err := c.CreateKey(v.ctx, client.KeyWanted{Rights: []keyring.Right{keyring.Admin, keyring.Read}, Loops: []string{"*"}})
	v.note("key", key.Grant.Rights, err)
	client.Key(" " + key.Key + "\n")(c)
	keys, err := c.Keys(v.ctx)
	v.note("keys", len(keys), err)
	err = l.Export(v.ctx, &bundle)
	v.note("export with a key", nil, err)
	account, err := c.RevokeKey(v.ctx, key.Prefix, "lost")
	v.note("revoke", account.Rights, err)
	s, err = l.Status(v.ctx)
	v.note("status", s, err)
}
