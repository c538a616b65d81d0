package client

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/kedge-opt/kedge/internal/disk"
	"github.com/kedge-opt/kedge/session"
)

// Spool keeps batches in a folder until the service has acknowledged them, and the last good decision of every loop. One process has it at a time
// for a loop.
func Spool(dir string) With { return func(c *Client) { c.spool = dir } }

// SpooledError says that a batch is on the disk and not at the service yet: Flush sends it, and so does the next Tell or Close.
type SpooledError struct {
	File string
	Err  error // why it was not sent
}

func (e *SpooledError) Error() string {
	return fmt.Sprintf("kept in %s until the service takes it: %v", e.File, e.Err)
}

// Unwrap is why it was not sent.
func (e *SpooledError) Unwrap() error { return e.Err }

// spooled is a batch on the disk.
type spooled struct {
	K     int     `json:"k"`
	Name  string  `json:"name"`
	Batch Answers `json:"batch"`
}

// drawer is where the batches of a loop lie.
func (l *Remote) drawer() string { return filepath.Join(l.spool, url.PathEscape(l.Name)) }

// put keeps a batch, whole or not at all, through a power cut.
func (l *Remote) put(k int, name string, b Answers) (file string, err error) {
	if _, err := (disk.Disk{}).MakeAll(l.drawer()); err != nil {
		return "", err
	}
	file = filepath.Join(l.drawer(), fmt.Sprintf("%012d-%s.json", k, url.PathEscape(name)))
	if isOther(file, b) {
		return "", fmt.Errorf("batch %s of decision %d waits in %s with other people: Flush sends those; tell these under another name", name, k, file)
	}
	return file, writeJSON(file, spooled{k, name, b})
}

// isOther tells whether another batch waits in a file, whatever epoch it is of.
func isOther(file string, b Answers) bool {
	var before spooled
	if readJSON(file, &before) != nil {
		return false
	}
	before.Batch.Epoch = b.Epoch
	was, err := json.Marshal(before.Batch)
	now, fault := json.Marshal(b)
	return errors.Join(err, fault) == nil && !bytes.Equal(was, now)
}

func writeJSON(file string, v any) error {
	return disk.Disk{}.WriteFile(file, func(w io.Writer) error { return json.NewEncoder(w).Encode(v) })
}

// Tell tells people who answered, under a name of the batch. With a Spool they are on the disk first, and go once they are acknowledged.
func (l *Remote) Tell(ctx context.Context, k int, name string, b Answers) (r session.Received, err error) {
	b.Epoch = cmp.Or(b.Epoch, l.Epoch())
	if l.spool == "" {
		return l.tell(ctx, k, name, b)
	}
	file, err := l.put(k, name, b)
	if err != nil {
		return r, err
	}
	r, err = l.tell(ctx, k, name, b)
	return r, settle(file, err)
}

// Close has the loop learn from a decision, after the batches that wait in the spool.
func (l *Remote) Close(ctx context.Context, k int) (c session.Closing, err error) {
	if _, err := l.Flush(ctx); err != nil {
		return c, err
	}
	return c, l.call(ctx, "POST", l.path("/decisions/%d/close", k), session.Close{Epoch: l.Epoch()}, &c)
}

// settle decides what becomes of a batch that was sent: what is acknowledged goes, what is refused is set aside, and what got no answer stays, as does
// what was sent with a wrong key, which says nothing of the people.
func settle(file string, err error) error {
	var refused *Error
	switch {
	case err == nil:
		return os.Remove(file)
	case errors.As(err, &refused) && !refused.Retryable && refused.Status != http.StatusUnauthorized && refused.Status != http.StatusForbidden:
		return errors.Join(err, os.Rename(file, strings.TrimSuffix(file, ".json")+".refused"))
	}
	return &SpooledError{file, err}
}

// Flush sends the batches of the loop that wait on the disk, in the order of their decisions, and returns how many the service took. Those that it
// refuses are set aside under the ending .refused; where it refuses the key they all stay.
func (l *Remote) Flush(ctx context.Context) (sent int, err error) {
	entries, err := os.ReadDir(l.drawer()) // in the order of their names
	if errors.Is(err, fs.ErrNotExist) || l.spool == "" {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	var refused []error
	for _, e := range entries {
		if filepath.Ext(e.Name()) != ".json" {
			continue
		}
		file := filepath.Join(l.drawer(), e.Name())
		var s spooled
		if err := readJSON(file, &s); err != nil {
			return sent, errors.Join(append(refused, err)...)
		}
		_, err := l.tell(ctx, s.K, s.Name, s.Batch)
		err = settle(file, err)
		var waits *SpooledError
		switch {
		case errors.As(err, &waits):
			return sent, errors.Join(append(refused, err)...)
		case err != nil:
			refused = append(refused, err)
		default:
			sent++
		}
	}
	return sent, errors.Join(refused...)
}

func readJSON(file string, v any) error {
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, v)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

// Latest is a decision to deploy: what the service answers or, while it does not, the last that it answered.
type Latest struct {
	session.Offer
	Stale bool
	Age   time.Duration // of one that is stale
}

// Within is the decision if it is no older than that, and then the safe one, if the service ever named one.
func (k *Latest) Within(age time.Duration) []float64 {
	if k.Stale && k.Age > age && k.Safe != nil {
		return k.Safe
	}
	return k.U
}

// last is the newest offer on the disk.
type last struct {
	At    time.Time     `json:"at"`
	Offer session.Offer `json:"offer"`
}

func (l *Remote) lastFile() string { return filepath.Join(l.spool, url.PathEscape(l.Name)+".last") }

// Decide asks for the decision to deploy and answers the last good one, with its age, if the service does not answer for as long as patience. It
// needs a Spool; what the service refuses is an error.
func (l *Remote) Decide(ctx context.Context, patience time.Duration) (k Latest, err error) {
	if l.spool == "" {
		return k, errors.New("a client without a spool knows no last decision")
	}
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if k.Offer, err = l.Ask(limited); err == nil {
		if _, err := (disk.Disk{}).MakeAll(l.spool); err != nil {
			return k, err
		}
		return k, writeJSON(l.lastFile(), last{time.Now(), k.Offer})
	}
	var refused *Error
	if ctx.Err() != nil || errors.As(err, &refused) && !refused.Retryable {
		return k, err
	}
	var kept last
	if missing := readJSON(l.lastFile(), &kept); missing != nil {
		return k, errors.Join(err, missing)
	}
	l.epoch.Store(kept.Offer.Epoch)
	return Latest{kept.Offer, true, max(0, time.Since(kept.At))}, nil
}
