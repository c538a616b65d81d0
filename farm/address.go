// Package farm lets the cells of a sweep be computed on many hosts. A queue (NATS JetStream, embedded or a server that is there) hands cells to workers and
// their results to a collector, which alone writes the folder. The folder is the record and the queue is not: what the queue loses is asked for again, what
// it repeats is compared, and the bytes are those of one process.
package farm

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/kedge-opt/kedge/internal/plain"
	"github.com/nats-io/nats.go"
)

// Address is where a queue is and how it is entered.
type Address struct {
	scheme, host string // with the port
	name, secret string // a user and a password, or a token alone
	pin          string // SHA-256 of the server's certificate, "" if an authority vouches for it
}

// AddressError says what is wrong with the address of a queue. It never holds the address itself, which may have a secret.
type AddressError struct{ Why string }

func (e *AddressError) Error() string {
	return "the queue: " + e.Why + "; want nats://TOKEN@127.0.0.1:4222, off the loopback tls://TOKEN@HOST:4222?pin=SHA256, or @FILE that holds it"
}

const (
	usualPort   = "4222"
	leastSecret = 43 // letters of base64 that 256 bits take
	mostAddress = 4 << 10
)

// ParseAddress reads the address of a queue, or the file that holds it, as in @FILE. Off the loopback it wants TLS and a secret of 256 bits.
func ParseAddress(text string) (Address, error) {
	if file, isFile := strings.CutPrefix(text, "@"); isFile {
		all, err := plain.ReadFile(file, mostAddress)
		if err != nil {
			return Address{}, fmt.Errorf("the queue: %w", err)
		}
		text = strings.TrimSpace(string(all))
	}
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" || u.Path != "" && u.Path != "/" || u.Fragment != "" {
		return Address{}, &AddressError{"its address cannot be read"}
	}
	a := Address{scheme: u.Scheme, host: u.Host}
	if u.Port() == "" {
		a.host = net.JoinHostPort(u.Hostname(), usualPort)
	}
	if u.User != nil {
		a.secret = u.User.Username()
		if password, ok := u.User.Password(); ok {
			a.name, a.secret = a.secret, password
		}
	}
	a.pin = strings.ToLower(u.Query().Get("pin"))
	return a, a.check(u.Query())
}

func (a Address) check(query url.Values) error {
	for key := range query {
		if key != "pin" {
			return &AddressError{fmt.Sprintf("its address has %q, which means nothing", key)}
		}
	}
	sum, err := hex.DecodeString(a.pin)
	switch {
	case a.scheme != "nats" && a.scheme != "tls":
		return &AddressError{fmt.Sprintf("its address begins with %q", a.scheme)}
	case a.pin != "" && (err != nil || len(sum) != sha256.Size):
		return &AddressError{"pin is no SHA-256"}
	case a.pin != "" && a.scheme != "tls":
		return &AddressError{"a pin is of a certificate, which tls:// alone has"}
	case a.IsLocal():
		return nil
	case a.scheme != "tls":
		return &AddressError{"off the loopback its address must begin with tls://"}
	case len(a.secret) < leastSecret:
		return &AddressError{"off the loopback it must have a token of 256 bits"}
	}
	return nil
}

// IsLocal tells whether the queue is on the loopback.
func (a Address) IsLocal() bool {
	name, _, _ := net.SplitHostPort(a.host)
	return isLocal(name)
}

func isLocal(host string) bool {
	return host == "localhost" || net.ParseIP(host).IsLoopback()
}

// String is the address without its secret.
func (a Address) String() string { return a.scheme + "://" + a.host }

// Text is the address with its secret, as ParseAddress reads it.
func (a Address) Text() string {
	u := url.URL{Scheme: a.scheme, Host: a.host}
	switch {
	case a.name != "":
		u.User = url.UserPassword(a.name, a.secret)
	case a.secret != "":
		u.User = url.User(a.secret)
	}
	if a.pin != "" {
		u.RawQuery = url.Values{"pin": {a.pin}}.Encode()
	}
	return u.String()
}

// call connects to the queue. Where it is patient it tries until the context is done, and whenever a connection is lost it is made anew.
func (a Address) call(ctx context.Context, who string, patient bool, more ...nats.Option) (*nats.Conn, error) {
	list := append([]nats.Option{
		nats.Name(who), nats.MaxReconnects(-1), nats.ReconnectWait(250 * time.Millisecond), nats.ReconnectJitter(250*time.Millisecond, 250*time.Millisecond),
		nats.Timeout(5 * time.Second), nats.ReconnectBufSize(-1), nats.PingInterval(5 * time.Second), nats.MaxPingsOutstanding(3), nats.NoCallbacksAfterClientClose(), nats.IgnoreDiscoveredServers(),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}),
	}, more...)
	switch {
	case a.name != "":
		list = append(list, nats.UserInfo(a.name, a.secret))
	case a.secret != "":
		list = append(list, nats.Token(a.secret))
	}
	if a.scheme == "tls" {
		list = append(list, nats.Secure(a.tls()))
	}
	for {
		nc, err := nats.Connect(a.String(), list...)
		if err == nil {
			return nc, nil
		}
		err = fmt.Errorf("the queue %v cannot be reached: %w", a, err)
		if !patient || errors.Is(err, nats.ErrAuthorization) {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(500 * time.Millisecond):
		}
	}
}

// tls wants the certificate that is pinned, or else one that an authority vouches for.
func (a Address) tls() *tls.Config {
	c := &tls.Config{MinVersion: tls.VersionTLS13}
	if a.pin == "" {
		return c
	}
	c.InsecureSkipVerify = true // names and authorities say nothing: the bytes are known
	c.VerifyConnection = func(s tls.ConnectionState) error {
		if len(s.PeerCertificates) == 0 || pinOf(s.PeerCertificates[0].Raw) != a.pin {
			return errors.New("the certificate is not the pinned one")
		}
		return nil
	}
	return c
}

func pinOf(certificate []byte) string {
	sum := sha256.Sum256(certificate)
	return hex.EncodeToString(sum[:])
}
