package client

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/kedge-opt/kedge/session"
)

// Watch visits the events of the loop after some event as they happen, each once and in order, until the context ends or visit fails. A
// stream that breaks is taken up again where it was.
func (l *Remote) Watch(ctx context.Context, after int, visit func(session.Event) error) error {
	for wait := l.wait; ; wait = min(2*wait, 2*time.Second) {
		was := after
		err := l.stream(ctx, &after, visit)
		var refused *Error
		var last *lastError
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.As(err, &last):
			return last.error
		case errors.As(err, &refused) && !refused.Retryable:
			return err
		}
		if after > was {
			wait = l.wait
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
	}
}

// lastError is one after which nothing is taken up again: what visit returned, or that there is no such address.
type lastError struct{ error }

// stream reads events until the stream ends.
func (l *Remote) stream(ctx context.Context, after *int, visit func(session.Event) error) error {
	r, err := l.request(ctx, "GET", l.path("/events"), message{})
	if err != nil {
		return &lastError{err}
	}
	r.Header.Set("Last-Event-ID", strconv.Itoa(*after))
	reply, err := l.http.Do(r)
	if err != nil {
		return err
	}
	defer reply.Body.Close()
	if reply.StatusCode/100 != 2 {
		text, _ := io.ReadAll(io.LimitReader(reply.Body, mostReply))
		return problemOf(reply, text)
	}
	lines := bufio.NewScanner(reply.Body)
	lines.Buffer(make([]byte, 64<<10), mostReply)
	var data []byte
	for lines.Scan() {
		name, value, _ := bytes.Cut(lines.Bytes(), []byte(":"))
		switch {
		case string(name) == "data":
			data = append(data, bytes.TrimPrefix(value, []byte(" "))...)
		case len(lines.Bytes()) == 0 && data != nil:
			var e session.Event
			err := json.Unmarshal(data, &e)
			if data = nil; err != nil {
				return fmt.Errorf("an event of the stream: %w", err)
			}
			if e.Seq <= *after { // a farewell has no number
				continue
			}
			if err := visit(e); err != nil {
				return &lastError{err}
			}
			*after = e.Seq
		}
	}
	return lines.Err()
}
