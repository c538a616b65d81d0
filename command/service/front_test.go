package service

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/server"
)

// Whoever nobody meant to let in is kept out before anything listens.
func TestAddressesThatAreRefused(t *testing.T) {
	for _, c := range []struct {
		name string
		f    front
		key  bool
		want string // "": served
	}{
		{"loopback", front{listen: "127.0.0.1:7070"}, false, ""},
		{"loopback of IPv6", front{listen: "[::1]:7070"}, false, ""},
		{"localhost", front{listen: "localhost:7070"}, false, ""},
		{"socket", front{listen: "unix:/run/kedge"}, false, ""},
		{"socket without a path", front{listen: "unix:"}, false, "path of a socket"},
		{"no port", front{listen: "127.0.0.1"}, false, "HOST:PORT or unix:PATH"},
		{"everywhere without a key", front{listen: "0.0.0.0:7070", cert: "c", key: "k"}, false, "kedge key create --data d"},
		{"everywhere by no name", front{listen: ":7070", cert: "c", key: "k"}, false, "kedge key create --data d"},
		{"a name", front{listen: "kedge.example:7070", cert: "c", key: "k"}, false, "kedge key create --data d"},
		{"everywhere in the open", front{listen: "0.0.0.0:7070"}, true, "in the open"},
		{"everywhere in the open, IPv6", front{listen: "[::]:7070"}, true, "in the open"},
		{"everywhere by TLS", front{listen: "0.0.0.0:7070", cert: "c", key: "k"}, true, ""},
		{"half of TLS", front{listen: "127.0.0.1:7070", cert: "c"}, true, "belong together"},
		{"behind a proxy", front{listen: "10.0.0.5:7070", proxies: []string{"10.0.0.0/24"}, public: "https://kedge.example"}, true, ""},
		{"behind a proxy without a key", front{listen: "10.0.0.5:7070", proxies: []string{"10.0.0.0/24"}, public: "https://kedge.example"}, false, "kedge key create"},
		{"a proxy without a name", front{listen: "10.0.0.5:7070", proxies: []string{"10.0.0.0/24"}}, true, "belong together"},
		{"no network", front{listen: "10.0.0.5:7070", proxies: []string{"10.0.0.1"}, public: "https://kedge.example"}, true, "no network"},
		{"no address", front{listen: "10.0.0.5:7070", proxies: []string{"10.0.0.0/8"}, public: "kedge.example"}, true, "no address"},
		{"no port in the address", front{listen: "10.0.0.5:7070", proxies: []string{"10.0.0.0/8"}, public: "https://kedge.example:port"}, true, "--public-url https://kedge.example:port is no address"},
		{"no host in the address", front{listen: "10.0.0.5:7070", proxies: []string{"10.0.0.0/8"}, public: "https:///kedge"}, true, "no address"},
	} {
		err := c.f.read()
		if err == nil {
			err = c.f.check("--data d", c.key)
		}
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// The command itself refuses, and listens to nobody meanwhile.
func TestServeRefusesToStart(t *testing.T) {
	for _, c := range []struct{ listen, want string }{
		{"0.0.0.0:0", "kedge key create"},
		{"192.0.2.1:0", "kedge key create"},
		{"unix:" + t.TempDir() + "/missing/s", "no such file"},
	} {
		serve := newServe(kind.Standard())
		serve.SetArgs([]string{"--data", t.TempDir(), "--listen", c.listen, "--tls-cert", "", "--tls-key", ""})
		serve.SetOut(io.Discard)
		serve.SilenceErrors, serve.SilenceUsage = true, true
		if err := serve.ExecuteContext(t.Context()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.listen, err, c.want)
		}
	}
}

func TestNamesOfAService(t *testing.T) {
	f := front{listen: "10.0.0.5:7070", hosts: []string{"a.example"}, proxies: []string{"10.0.0.0/24"}, public: "https://b.example:8443/x"}
	if err := f.read(); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(f.names(nil), " "); got != "a.example 10.0.0.5 b.example" {
		t.Errorf("names %s", got)
	}
	for _, all := range []string{"0.0.0.0:7070", "[::]:7070", ":7070"} {
		if got := (&front{listen: all}).names(nil); len(got) > 0 {
			t.Errorf("%s, which stands for all addresses, is the name %q", all, got)
		}
	}
	if got := (&front{listen: "kedge.example:7070"}).names(nil); strings.Join(got, " ") != "kedge.example" {
		t.Errorf("names %q", got)
	}
}

// A service knows its names, its proxies, and whether these speak TLS: by how its public address begins. A certificate that is not there is an error.
func TestWhatAServiceIsToldOfItsFront(t *testing.T) {
	network := netip.MustParsePrefix("10.0.0.0/24")
	for _, c := range []struct {
		f       front
		hosts   string
		proxies []netip.Prefix
		isTLS   bool
	}{
		{front{listen: "unix:s"}, "", nil, false},
		{front{listen: "10.0.0.5:1", hosts: []string{"a.example"}}, "a.example 10.0.0.5", nil, false},
		{front{listen: "unix:s", proxies: []string{"10.0.0.9/24"}, public: "https://b.example"}, "b.example", []netip.Prefix{network}, true},
		{front{listen: "unix:s", proxies: []string{"10.0.0.9/24"}, public: "http://b.example:81"}, "b.example", []netip.Prefix{network}, false},
	} {
		var s server.Setup
		if err := c.f.read(); err != nil {
			t.Fatal(err)
		}
		if cert, err := c.f.furnish(&s); err != nil || cert != nil || strings.Join(s.Hosts, " ") != c.hosts || !slices.Equal(s.Proxies, c.proxies) || s.ProxyTLS != c.isTLS {
			t.Errorf("%+v: %v, %v, %q, %v, TLS %t", c.f, cert, err, s.Hosts, s.Proxies, s.ProxyTLS)
		}
	}
	if _, err := (&front{listen: "unix:s", cert: "none.pem", key: "none.pem"}).furnish(new(server.Setup)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no certificate: %v", err)
	}
}

// A socket is its owner's from the start; one that a dead process left is replaced, one in use and other files are not.
func TestSockets(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	ear, err := openSocket(path)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the socket is %v, %v", info.Mode(), err)
	}
	if _, err := openSocket(path); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("a second: %v", err)
	}
	ear.(*socket).Listener.Close() // as if the process had been killed
	if ear, err = openSocket(path); err != nil {
		t.Fatalf("after it was left behind: %v", err)
	}
	if err := ear.Close(); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(filepath.Dir(path)); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	deep := filepath.Join(filepath.Dir(path), strings.Repeat("d", 120)) // addresses of sockets have some 100 bytes
	if err := os.Mkdir(deep, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := openSocket(filepath.Join(deep, "s")); err == nil {
		t.Error("a socket has an address that is too long")
	}
	if left, _ := os.ReadDir(deep); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	os.WriteFile(path, []byte("mine"), 0o600)
	if _, err := openSocket(path); err == nil || !strings.Contains(err.Error(), "no socket") {
		t.Errorf("on a file: %v", err)
	}
}

// newCertificate writes a certificate of the loopback with a serial number.
func newCertificate(t *testing.T, dir string, serial int64) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(serial), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), DNSNames: []string{"kedge.test", "*.test"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for name, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(name, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}

func TestCertificatesAreReadAgain(t *testing.T) {
	dir := t.TempDir()
	file, key := newCertificate(t, dir, 1)
	var said bytes.Buffer
	c, err := openCertificate(file, key, slog.New(slog.NewTextHandler(&said, nil)))
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join((&front{listen: "unix:x"}).names(c), " "); got != "kedge.test 127.0.0.1" {
		t.Errorf("names %s", got)
	}
	ear, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	web := &http.Server{Handler: http.NotFoundHandler(), TLSConfig: c.config(), ErrorLog: slog.NewLogLogger(slog.DiscardHandler, 0)}
	go web.ServeTLS(ear, "", "")
	defer web.Close()
	// serial is that of the certificate a connection of some version of TLS meets.
	serial := func(most uint16) (int64, error) {
		conn, err := tls.Dial("tcp", ear.Addr().String(), &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS10, MaxVersion: most})
		if err != nil {
			return 0, err
		}
		defer conn.Close()
		return conn.ConnectionState().PeerCertificates[0].SerialNumber.Int64(), nil
	}
	if n, err := serial(tls.VersionTLS13); n != 1 || err != nil {
		t.Errorf("certificate %d, %v", n, err)
	}
	if n, err := serial(tls.VersionTLS12); n != 1 || err != nil {
		t.Errorf("by TLS 1.2: certificate %d, %v", n, err)
	}
	if _, err := serial(tls.VersionTLS11); err == nil {
		t.Error("TLS 1.1 is spoken")
	}
	newCertificate(t, dir, 2)
	again := func() { // without waiting
		c.mu.Lock()
		c.next = time.Time{}
		c.mu.Unlock()
	}
	again()
	if n, err := serial(tls.VersionTLS13); n != 2 || err != nil {
		t.Errorf("after the files changed: certificate %d, %v", n, err)
	}
	os.WriteFile(file, []byte("half"), 0o600)
	again()
	if n, err := serial(tls.VersionTLS13); n != 2 || err != nil || !strings.Contains(said.String(), "cannot be read again") {
		t.Errorf("with half a file: certificate %d, %v; said %s", n, err, &said)
	}
	if _, err := openCertificate(file, key, slog.Default()); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("at the start half a file is %v", err)
	}
}
