package client

import (
	"context"
	"time"

	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/session/word"
)

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
	if r.Epoch == "" {
		r.Epoch = l.Epoch()
	}
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
