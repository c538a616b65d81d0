package service

import (
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/server"
	"github.com/spf13/cobra"
)

// front is where a service can be reached, by whom and under which names.
type front struct {
	listen    string
	cert, key string
	hosts     []string
	proxies   []string
	public    string

	local    bool // only this machine reaches it
	networks []netip.Prefix
	url      *url.URL // public
}

func (f *front) offer(c *cobra.Command) {
	c.Flags().StringVar(&f.listen, "listen", DefaultAddress, "the address, or unix:PATH of a socket")
	c.Flags().StringVar(&f.cert, "tls-cert", "", "the file of the certificate and those it hangs on, as PEM; read again when it changes")
	c.Flags().StringVar(&f.key, "tls-key", "", "the file of its private key")
	c.Flags().StringSliceVar(&f.hosts, "host", nil, "a name that the service may be called by besides those of the loopback, of --listen, of --public-url and of the certificate")
	c.Flags().StringSliceVar(&f.proxies, "behind-proxy", nil, "the network of a proxy that ends TLS, as 10.0.0.0/24: others are refused, and X-Forwarded-* is believed from there alone")
	c.Flags().StringVar(&f.public, "public-url", "", "what people call the service behind the proxy, as https://kedge.example")
}

const socketScheme = "unix:"

// read reads what the flags say.
func (f *front) read() (err error) {
	if path, ok := strings.CutPrefix(f.listen, socketScheme); ok {
		if path == "" {
			return errors.New("--listen unix: wants the path of a socket, as unix:/run/kedge/socket")
		}
		f.local = true
	} else {
		host, _, err := net.SplitHostPort(f.listen)
		if err != nil {
			return fmt.Errorf("--listen %s: %w; an address is HOST:PORT or unix:PATH", f.listen, err)
		}
		f.local = host == "localhost" || net.ParseIP(host).IsLoopback()
	}
	if (f.cert == "") != (f.key == "") {
		return errors.New("--tls-cert and --tls-key belong together")
	}
	if (len(f.proxies) == 0) != (f.public == "") {
		return errors.New("--behind-proxy and --public-url belong together")
	}
	for _, text := range f.proxies {
		n, err := netip.ParsePrefix(text)
		if err != nil {
			return fmt.Errorf("--behind-proxy %s is no network, as 10.0.0.0/24", text)
		}
		f.networks = append(f.networks, n.Masked())
	}
	if f.public != "" {
		f.url, err = url.Parse(f.public)
		if err != nil || f.url.Host == "" || f.url.Scheme != "https" && f.url.Scheme != "http" {
			return fmt.Errorf("--public-url %s is no address, as https://kedge.example", f.public)
		}
	}
	return nil
}

// check refuses to let in whom nobody meant to let in. Without a key whoever reaches the address decides; without TLS whoever sees what passes
// has the keys.
func (f *front) check(where string, hasKey bool) error {
	switch {
	case !f.local && !hasKey:
		return fmt.Errorf("--listen %s: whoever reaches that address could decide, for there is no key; make one first: kedge key create %s --rights read,ask,tell,operate,admin", f.listen, where)
	case !f.local && f.cert == "" && len(f.proxies) == 0:
		return fmt.Errorf("--listen %s: keys would pass in the open; give --tls-cert and --tls-key, or --behind-proxy and --public-url where a proxy ends TLS", f.listen)
	}
	return nil
}

// furnish tells a service how it can be reached, and opens its certificate, if it has one.
func (f *front) furnish(s *server.Setup) (cert *certificate, err error) {
	if f.cert != "" {
		if cert, err = openCertificate(f.cert, f.key, s.Log); err != nil {
			return nil, err
		}
	}
	s.Hosts, s.Proxies, s.ProxyTLS = f.names(cert), f.networks, f.url != nil && f.url.Scheme == "https"
	return cert, nil
}

// names are those that the service goes by.
func (f *front) names(cert *certificate) (names []string) {
	names = append(names, f.hosts...)
	if !strings.HasPrefix(f.listen, socketScheme) {
		host, _, _ := net.SplitHostPort(f.listen)
		if ip := net.ParseIP(host); host != "" && (ip == nil || !ip.IsUnspecified()) {
			names = append(names, host)
		}
	}
	if f.url != nil {
		names = append(names, f.url.Hostname())
	}
	if cert != nil {
		names = append(names, cert.names()...)
	}
	return names
}

// open listens.
func (f *front) open() (net.Listener, error) {
	if path, ok := strings.CutPrefix(f.listen, socketScheme); ok {
		return openSocket(path)
	}
	return net.Listen("tcp", f.listen)
}

// shown is the address as people read it.
func (f *front) shown(scheme string, ear net.Listener) string {
	if strings.HasPrefix(f.listen, socketScheme) {
		return f.listen
	}
	return scheme + "://" + ear.Addr().String()
}

// openSocket makes a socket that its owner alone can use, from its first moment on: it is made in a folder of its own and moved.
func openSocket(path string) (net.Listener, error) {
	if info, err := os.Lstat(path); err == nil {
		if info.Mode()&os.ModeSocket == 0 {
			return nil, fmt.Errorf("%s is there, and no socket", path)
		}
		if c, err := net.Dial("unix", path); err == nil {
			c.Close()
			return nil, fmt.Errorf("%s is in use by another process", path)
		}
	}
	dir, err := os.MkdirTemp(filepath.Dir(path), ".kedge")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	made := filepath.Join(dir, "s")
	ear, err := net.Listen("unix", made)
	if err != nil {
		return nil, err
	}
	ear.(*net.UnixListener).SetUnlinkOnClose(false)
	if err = os.Chmod(made, 0o600); err == nil {
		err = os.Rename(made, path)
	}
	if err != nil {
		return nil, errors.Join(err, ear.Close())
	}
	return &socket{ear, path}, nil
}

// socket goes away with its listener.
type socket struct {
	net.Listener
	path string
}

func (s *socket) Close() error { return errors.Join(s.Listener.Close(), os.Remove(s.path)) }

// certificate is one of files that are read again when they change.
type certificate struct {
	cert, key string
	log       *slog.Logger

	mu    sync.Mutex
	now   *tls.Certificate
	state [2]fileState
	next  time.Time // when the files are looked at again
}

type fileState struct {
	size int64
	at   time.Time
}

// certificateEvery is how often the files of a certificate are looked at, at most.
const certificateEvery = time.Second

func openCertificate(cert, key string, log *slog.Logger) (*certificate, error) {
	c := &certificate{cert: cert, key: key, log: log}
	if err := c.load(); err != nil {
		return nil, fmt.Errorf("--tls-cert %s, --tls-key %s: %w", cert, key, err)
	}
	return c, nil
}

// look is how the files are.
func (c *certificate) look() (state [2]fileState) {
	for i, name := range []string{c.cert, c.key} {
		if info, err := os.Stat(name); err == nil {
			state[i] = fileState{info.Size(), info.ModTime()}
		}
	}
	return state
}

func (c *certificate) load() error {
	state := c.look()
	pair, err := tls.LoadX509KeyPair(c.cert, c.key)
	if err == nil {
		c.now, c.state = &pair, state
	}
	return err
}

// get is the certificate for a connection. Files that cannot be read, or are half written, leave it as it was.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := time.Now(); now.After(c.next) {
		c.next = now.Add(certificateEvery)
		if c.look() != c.state {
			if err := c.load(); err != nil {
				c.log.Error("the certificate cannot be read again; the old one goes on", "why", err)
			} else {
				c.log.Info("the certificate was read again")
			}
		}
	}
	return c.now, nil
}

// names are those of the certificate that stand for one host each.
func (c *certificate) names() []string {
	hosts := slices.DeleteFunc(slices.Clone(c.now.Leaf.DNSNames), func(name string) bool { return strings.HasPrefix(name, "*") })
	return append(hosts, lists.Of(c.now.Leaf.IPAddresses, net.IP.String)...)
}

// config is how TLS is spoken.
func (c *certificate) config() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: c.get}
}
