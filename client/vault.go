package client

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/session/plan"
)

// Backup has the service copy everything, and check the copy.
func (c *Client) Backup(ctx context.Context) (b session.BackupMade, err error) {
	return b, c.call(ctx, "POST", "/v1/backup", nil, &b)
}

// ForkMade is a fork. Its guesses are those of the model: what people would have done nobody knows.
type ForkMade struct {
	session.Status
	Guesses []plan.Guess `json:"guesses,omitempty"`
}

// Fork makes a loop in the shadow of all that happened to this one, from decision k on with other values of some keys; simulate adds what the model
// guesses that people would have done.
func (l *Remote) Fork(ctx context.Context, name string, k int, set map[string]json.RawMessage, simulate bool) (f ForkMade, err error) {
	return f, l.call(ctx, "POST", l.path("/fork"), map[string]any{"name": name, "at_k": k, "set": set, "simulate": simulate}, &f)
}

// Erase drops the batches that hold somebody.
func (l *Remote) Erase(ctx context.Context, who string) (done session.Compaction, err error) {
	return done, l.call(ctx, "POST", l.path("/erase"), map[string]any{"who": who}, &done)
}

// Import takes in the loop of a bundle, a tar.
func (c *Client) Import(ctx context.Context, bundle []byte) (s session.Status, err error) {
	return s, c.send(ctx, "POST", "/v1/loops/import", message{bundle, "application/x-tar"}, &s)
}

// Export writes all of the loop, as a tar.
func (l *Remote) Export(ctx context.Context, w io.Writer) error {
	r, err := l.request(ctx, "GET", l.path("/export"), message{})
	if err != nil {
		return err
	}
	reply, err := l.http.Do(r)
	if err != nil {
		return err
	}
	defer reply.Body.Close()
	if reply.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(reply.Body, mostReply))
		return problemOf(reply, text)
	}
	n, err := io.Copy(w, reply.Body)
	if err == nil && reply.ContentLength >= 0 && n != reply.ContentLength {
		err = fmt.Errorf("the bundle ends after %d of %d bytes", n, reply.ContentLength)
	}
	return err
}
