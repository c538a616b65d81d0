package service

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"

	"github.com/kedge-opt/kedge/client"
	"github.com/kedge-opt/kedge/command/exit"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/spf13/cobra"
)

func newConverse(kinds *kind.Catalogue) *cobra.Command {
	r := &reach{kinds: kinds}
	c := &cobra.Command{
		Use: "converse LOOP", Short: "Drive a loop by lines of JSON over standard input and output", Args: cobra.ExactArgs(1),
		Long: `Drive a loop over standard input and output, so that a program in any language can: a line of JSON a message, a line of JSON a reply,
in the same order. A message has one key, what is wanted, and under it what the body of that call over HTTP has, with the number of
the decision as k and the name of a batch as batch:

  {"ask": {}}
  {"deploy": {"k": 1, "u": [5.1, 4.9]}}
  {"tell": {"k": 1, "batch": "morning", "p": [[7, 5]], "d": [[10, 8]]}}
  {"close": {"k": 1}}
  {"abandon": {"k": 1, "reason": "store closed"}}
  {"status": {}}

A reply has the same key, or error with type, status, title and detail, after which the conversation goes on. It ends with the input.`,
		Example: "  kedge converse shop --data shop-data\n  echo '{\"ask\": {}}' | kedge converse shop --server http://127.0.0.1:7070",
		RunE: func(c *cobra.Command, args []string) (err error) {
			remote, release, err := r.open(false)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, release()) }()
			return exit.Failure(converse(c.Context(), remote.Loop(args[0]), c.InOrStdin(), c.OutOrStdout()))
		},
	}
	r.offerPlace(c, "a data folder to work on without a service")
	return c
}

// converse answers lines.
func converse(ctx context.Context, loop *client.Remote, in io.Reader, out io.Writer) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 64<<10), mostLine)
	for n := 1; lines.Scan(); n++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		word, reply, err := respond(ctx, loop, lines.Bytes())
		if err != nil {
			var p *client.Error
			if !errors.As(err, &p) {
				p = &client.Error{Type: "/problems/malformed", Title: "The message cannot be read", Status: 400, Detail: fmt.Sprintf("line %d: %v", n, err)}
			}
			if word, reply = "error", nil; ctx.Err() != nil {
				return ctx.Err()
			}
			if reply, err = json.Marshal(p); err != nil {
				return err
			}
		}
		text, err := json.Marshal(map[string]json.RawMessage{word: reply})
		if err != nil {
			return err
		}
		if _, err := out.Write(append(text, '\n')); err != nil {
			return err
		}
	}
	return lines.Err()
}

// verbs are what can be wanted: how it goes over HTTP.
var verbs = map[string]struct {
	method, path string
	k, batch     bool // in the path
}{
	"ask": {"POST", "/ask", false, false}, "status": {"GET", "", false, false},
	"deploy": {"PUT", "/decisions/%d/deployment", true, false}, "tell": {"PUT", "/decisions/%d/batches/%s", true, true},
	"close": {"POST", "/decisions/%d/close", true, false}, "abandon": {"POST", "/decisions/%d/abandon", true, false},
}

// respond carries one message out.
func respond(ctx context.Context, loop *client.Remote, line []byte) (word string, reply json.RawMessage, err error) {
	var message map[string]map[string]json.RawMessage
	if err := json.Unmarshal(line, &message); err != nil {
		return "", nil, err
	}
	if len(message) != 1 {
		return "", nil, fmt.Errorf("a message has one key, not %d", len(message))
	}
	for w := range message {
		word = w
	}
	body := message[word]
	v, known := verbs[word]
	if !known {
		return "", nil, fmt.Errorf("%q is none of ask, deploy, tell, close, abandon and status", word)
	}
	var path []any
	if v.k {
		var k int
		if err := json.Unmarshal(body["k"], &k); err != nil || k < 1 {
			return "", nil, fmt.Errorf("%s needs k, the number of a decision", word)
		}
		delete(body, "k")
		path = append(path, k)
	}
	if v.batch {
		var name string
		if err := json.Unmarshal(body["batch"], &name); err != nil || name == "" {
			return "", nil, fmt.Errorf("%s needs batch, a name", word)
		}
		delete(body, "batch")
		path = append(path, url.PathEscape(name))
	}
	var text []byte
	if v.method != "GET" && len(body) > 0 {
		if text, err = json.Marshal(body); err != nil {
			return "", nil, err
		}
	}
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	reply, err = loop.Raw(limited, v.method, fmt.Sprintf(v.path, path...), text)
	return word, reply, err
}
