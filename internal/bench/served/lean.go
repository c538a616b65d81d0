package served

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/kedge-opt/kedge/client"
	"github.com/kedge-opt/kedge/session"
)

// line is a connection to a service that sends messages written beforehand and looks at no more of a reply than it must: it runs on the cores
// of the service, whose work is to be measured and not that of a client.
type line struct {
	conn net.Conn
	in   *bufio.Reader
}

func dial(ctx context.Context, address string) (*line, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", strings.TrimPrefix(address, "http://"))
	if err != nil {
		return nil, err
	}
	return &line{conn, bufio.NewReader(conn)}, nil
}

// send sends a message and waits for its reply, which must be of the 2xx.
func (l *line) send(message []byte) error {
	if _, err := l.conn.Write(message); err != nil {
		return err
	}
	status, err := l.in.ReadSlice('\n')
	if err != nil {
		return err
	}
	first, length := string(bytes.TrimSpace(status)), -1
	for {
		header, err := l.in.ReadSlice('\n')
		if err != nil {
			return err
		}
		if len(header) <= 2 {
			break
		}
		if name, value, _ := bytes.Cut(header, []byte(":")); string(name) == "Content-Length" {
			if length, err = strconv.Atoi(string(bytes.TrimSpace(value))); err != nil {
				return err
			}
		}
	}
	if length < 0 {
		return fmt.Errorf("%s, and no length", first)
	}
	if code, ok := strings.CutPrefix(first, "HTTP/1.1 "); !ok || code[0] != '2' {
		text, err := io.ReadAll(io.LimitReader(l.in, int64(length)))
		return fmt.Errorf("%s: %s (%v)", first, text, err)
	}
	_, err = l.in.Discard(length)
	return err
}

// message is a request with a body.
func message(method, path string, body []byte) []byte {
	return fmt.Appendf(nil, "%s %s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", method, path, len(body), body)
}

// teller writes tells of one loop. Their people differ in one number, so that none of them is a repeat.
type teller struct {
	loop string
	body []byte
	at   int // where the digits of that number are
	told int
}

// freeDigits of a number are left to be filled in.
const freeDigits = "000000000"

func newTeller(loop string, salt int) (*teller, error) {
	a := answers(tellPeople, tellDim, salt)
	a.P[0][0] = 6
	body, err := json.Marshal(a)
	if err != nil {
		return nil, err
	}
	begin := []byte(`{"p":[[6`)
	if !bytes.HasPrefix(body, begin) {
		return nil, fmt.Errorf("people are written as %.20s", body)
	}
	body = fmt.Appendf(nil, "%s.%s%s", begin, freeDigits, body[len(begin):])
	return &teller{loop: loop, body: body, at: len(begin) + 1}, nil
}

// tell is the message that tells batch n of a decision.
func (t *teller) tell(k, n int) []byte {
	t.told++
	copy(t.body[t.at:], fmt.Appendf(nil, "%0*d", len(freeDigits), t.told))
	return message("PUT", fmt.Sprintf("/v1/loops/%s/decisions/%d/batches/b%d", t.loop, k, n), t.body)
}

// voice is a client of one loop that asks, deploys and closes as any does, and tells what was written beforehand.
type voice struct {
	*client.Remote
	*line
	*teller
}

// voices makes so many loops with a client each.
func voices(ctx context.Context, s *site, n int) ([]voice, error) {
	all, c := make([]voice, n), client.Open(s.address)
	for i := range all {
		loop := c.Loop(fmt.Sprintf("shop-%d", i))
		_, err := c.Create(ctx, loop.Name, shop(tellDim), session.Live)
		if err == nil {
			all[i], err = newVoice(ctx, s, loop, i)
		}
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// newVoice is a client of a loop, whose people are others than those of another salt.
func newVoice(ctx context.Context, s *site, loop *client.Remote, salt int) (v voice, err error) {
	l, err := dial(ctx, s.address)
	if err != nil {
		return v, err
	}
	t, err := newTeller(loop.Name, salt)
	return voice{loop, l, t}, err
}

// begin asks for a decision and deploys it.
func (v voice) begin(ctx context.Context) (k int, err error) {
	offer, err := v.Ask(ctx)
	if err == nil {
		_, err = v.Deploy(ctx, offer.K, offer.U)
	}
	return offer.K, err
}

// decision tells so many batches of one decision, or until the end, and closes it.
func (v voice) decision(ctx context.Context, most int, end time.Time, told *atomic.Int64) error {
	k, err := v.begin(ctx)
	if err != nil {
		return err
	}
	for n := 0; n < most && (n == 0 || time.Now().Before(end)); n++ {
		if err := v.send(v.tell(k, n)); err != nil {
			return err
		}
		told.Add(1)
	}
	_, err = v.Remote.Close(ctx, k)
	return err
}
