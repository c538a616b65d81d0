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

// A life of a loop by all calls there are: what is sent, and what is made of the replies of a service, are what they were when this was recorded.
func TestCallsAsRecorded(t *testing.T) {
	now := &clock{time.Date(2026, 11, 16, 6, 0, 0, 0, time.UTC)}
	service := server.New(server.Setup{Journal: store.NewMemory(), Clock: now, Limits: server.DefaultLimits(), Build: "test"})
	defer service.Stop()
	c := client.Inside(service)
	h := &heard{}
	c.Wrap(func(next http.RoundTripper) http.RoundTripper { h.next = next; return h })
	l := c.Loop("shop")
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	got := []string{}
	note := func(what string, reply any, err error) {
		t.Helper()
		for _, line := range h.list {
			got = append(got, unguessable.ReplaceAllString(line, "…"))
		}
		h.list = nil
		text, wrong := json.Marshal(reply)
		if wrong != nil {
			t.Fatal(wrong)
		}
		got = append(got, fmt.Sprintf("%s: %.400s, %s", what, unguessable.ReplaceAllString(string(text), "…"), unguessable.ReplaceAllString(strings.ReplaceAll(fmt.Sprint(err), "\n", " / "), "…")))
	}
	{
		s, err := c.Create(ctx, "shop", shop, session.Live)
		note("create", s, err)
		s, err = c.Make(ctx, client.LoopWanted{Name: "other", Spec: strings.Replace(shop, "cap: {norm: 0.5}", "cap: {norm: 0.5}, approval: always, guardrails: [{name: load, kind: external, most: 3}]", 1), Mode: session.Live, Labels: map[string]string{"team": "a"}})
		note("make", s, err)
		tips, err := c.Loops(ctx)
		note("loops", tips, err)
	}
	people := client.Answers{P: [][]float64{{7, 5}, {6.5, 5.25}}, D: [][]float64{{10, 8}, {9.5, 8}}}
	if l.Epoch() != "" {
		t.Error("an epoch before the first offer")
	}
	a, err := l.Ask(ctx)
	note("ask", a, err)
	if l.Epoch() == "" || l.Epoch() != a.Epoch {
		t.Errorf("epoch %q after an offer of %q", l.Epoch(), a.Epoch)
	}
	reached, err := l.Deploy(ctx, 1, a.U)
	note("deploy", reached, err)
	told, err := l.Tell(ctx, 1, "a-m", people)
	note("tell", told, err)
	told, err = l.TellAs(ctx, 1, "p.m", "application/x-ndjson", []byte("{\"p\":[7,5],\"d\":[10,8]}\n"))
	note("tell lines", told, err)
	now.now = now.now.Add(time.Hour)
	closing, err := l.Close(ctx, 1)
	note("close", closing, err)
	a, err = l.AskAfter(ctx, 1, time.Second)
	note("ask after", a, err)
	x, err := l.Exchange(ctx, client.Round{K: 2, Deployment: &session.Deploy{U: a.U}, Name: "all", Batch: &people, Close: &session.Close{}, Ask: true})
	note("exchange", x, err)
	x, err = l.Exchange(ctx, client.Round{K: 2, Epoch: "another", Deployment: &session.Deploy{U: a.U}})
	note("exchange of another epoch", x, err)
	e, err := l.Explain(ctx, 2)
	note("explain", e, err)
	cards, err := l.Health(ctx)
	note("health", cards, err)
	reached, err = l.Abandon(ctx, 3, "rain")
	note("abandon", reached, err)
	d, err := l.Decision(ctx, 2)
	note("decision", d, err)
	d, err = l.Decision(ctx, 99)
	note("no decision", d, err)
	raw, err := l.Raw(ctx, "GET", "/decisions/3", nil)
	note("raw", raw, err)
	raw, err = l.Raw(ctx, "POST", "/rollback", []byte(`{"k":"x"}`))
	note("raw body", raw, err)
	list, err := l.Log(ctx, 12)
	note("log", len(list), err)
	s, err := l.Pin(ctx, session.SetPin{U: []float64{3, 4}, Reason: "sale"})
	note("pin", s, err)
	s, err = l.Unpin(ctx)
	note("unpin", s, err)
	r, err := l.RollBack(ctx, session.RollBack{K: 1, Reason: "back"})
	note("roll back", r, err)
	switched, err := l.Switch(ctx, "pause", "look")
	note("pause", switched, err)
	hind, err := l.TryGuardrails(ctx, json.RawMessage(`[{"name":"m","of":"mean(p[0])","most":1}]`), 5)
	note("guardrails", hind, err)
	fork, err := l.Fork(ctx, "twin", 2, map[string]json.RawMessage{"algorithms.composite.step": json.RawMessage("0.01")}, true)
	note("fork", fork, err)
	var bundle bytes.Buffer
	err = l.Export(ctx, &bundle)
	note("export", bundle.Len(), err)
	err = c.Loop("nobody").Export(ctx, &bundle)
	note("export nobody", nil, err)
	erased, err := l.Erase(ctx, "somebody")
	note("erase", erased, err)
	other := c.Loop("other")
	a, err = other.Ask(ctx)
	note("propose", a, err)
	reached, err = other.Approve(ctx, 1, "looked at")
	note("approve", reached, err)
	v, err := other.Metric(ctx, 1, "load", guard.Metered{Value: 2, SE: 0.5})
	note("metric", v, err)
	reached, err = other.Reject(ctx, 1, "no")
	note("reject", reached, err)
	s, err = other.Archive(ctx)
	note("archive", s, err)
	gone, err := other.Remove(ctx, "test", true)
	note("would remove", gone, err)
	gone, err = other.Remove(ctx, "test", false)
	note("remove", gone, err)
	killed, err := c.KillAll(ctx, "fire")
	note("kill all", killed, err)
	key, err := c.CreateKey(ctx, client.KeyWanted{Rights: []keyring.Right{keyring.Admin, keyring.Read}, Loops: []string{"*"}})
	note("key", key.Grant.Rights, err)
	client.Key(" " + key.Key + "\n")(c)
	keys, err := c.Keys(ctx)
	note("keys", len(keys), err)
	err = l.Export(ctx, &bundle)
	note("export with a key", nil, err)
	account, err := c.RevokeKey(ctx, key.Prefix, "lost")
	note("revoke", account.Rights, err)
	s, err = l.Status(ctx)
	note("status", s, err)
	evidence.AsRecorded(t, "testdata/calls.txt", got)
}
