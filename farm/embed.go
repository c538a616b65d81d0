package farm

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/kedge-opt/kedge/folder"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// Embedded is a queue in this process.
type Embedded struct {
	Address Address // for workers
	URLFile string  // that holds it, with its secret
	server  *server.Server
	dir     string
}

// keepsake is what a queue that is begun again must have kept, so that its workers find it: its secret and its certificate.
type keepsake struct {
	Token       string `json:"token"`
	Certificate []byte `json:"certificate"`
	Key         []byte `json:"key"`
}

const (
	storeName = "store"
	keepName  = "keep.json"
	urlName   = "url"
	readyWait = 10 * time.Second
)

// Serve begins a queue on an address, with its files in a folder of its own. What an earlier one has left there is cleared, but for its secret and its
// certificate: the queue is filled from the folder of the sweep. Off the loopback it speaks TLS alone.
func Serve(dir, listen string) (*Embedded, error) {
	host, port, err := net.SplitHostPort(listen)
	number, err2 := strconv.Atoi(port)
	if err != nil || err2 != nil || number < 0 || number > 65535 {
		return nil, fmt.Errorf("--serve is %q, want an address, as in 127.0.0.1:4222 or 0.0.0.0:4222", listen)
	}
	if err := errors.Join(os.RemoveAll(filepath.Join(dir, storeName)), os.MkdirAll(dir, 0o700)); err != nil {
		return nil, err
	}
	kept, err := keep(dir)
	if err != nil {
		return nil, err
	}
	probe, err := net.Listen("tcp", listen) // whose error says more than the server's
	if err != nil {
		return nil, fmt.Errorf("--serve: %w", err)
	}
	probe.Close()
	if number == 0 {
		number = probe.Addr().(*net.TCPAddr).Port
	}
	o := &server.Options{
		ServerName: "kedge", Host: host, Port: number, NoLog: true, NoSigs: true, Authorization: kept.Token,
		JetStream: true, StoreDir: filepath.Join(dir, storeName), MaxPending: 256 << 20,
	}
	e := &Embedded{dir: dir, URLFile: filepath.Join(dir, urlName), Address: Address{scheme: "nats", host: net.JoinHostPort(nameOf(host), strconv.Itoa(number)), secret: kept.Token}}
	if !isLocal(host) {
		o.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{kept.pair()}}
		o.TLSTimeout = 10
		e.Address.scheme, e.Address.pin = "tls", pinOf(kept.Certificate)
	}
	return e, e.start(o)
}

func (e *Embedded) start(o *server.Options) (err error) {
	if e.server, err = server.NewServer(o); err != nil {
		return fmt.Errorf("--serve: %w", err)
	}
	ear := new(ear)
	e.server.SetLoggerV2(ear, false, false, false)
	e.server.Start()
	if !e.server.ReadyForConnections(readyWait) || !e.server.JetStreamEnabled() {
		e.server.Shutdown()
		return fmt.Errorf("--serve: the queue does not start: %v", ear.said.Load())
	}
	return folder.WriteFile(e.URLFile, func(w io.Writer) error {
		_, err := io.WriteString(w, e.Address.Text()+"\n")
		return err
	})
}

// ear remembers the last thing that a server complained of.
type ear struct{ said atomic.Value }

func (l *ear) Noticef(string, ...any)         {}
func (l *ear) Warnf(string, ...any)           {}
func (l *ear) Debugf(string, ...any)          {}
func (l *ear) Tracef(string, ...any)          {}
func (l *ear) Errorf(format string, v ...any) { l.said.Store(fmt.Sprintf(format, v...)) }
func (l *ear) Fatalf(format string, v ...any) { l.Errorf(format, v...) }

// nameOf is how others call this host.
func nameOf(host string) string {
	ip := net.ParseIP(host)
	if host != "" && (ip == nil || !ip.IsUnspecified()) {
		return host
	}
	if name, _ := os.Hostname(); name != "" {
		return name
	}
	return "127.0.0.1"
}

// call connects to it without a network.
func (e *Embedded) call(context.Context) (*nats.Conn, error) {
	return nats.Connect("", nats.InProcessServer(e.server), nats.Token(e.Address.secret), nats.Name(collector))
}

// Stop ends the queue. Once its sweep is finished nothing of it is kept.
func (e *Embedded) Stop(isFinished bool) error {
	e.server.Shutdown()
	e.server.WaitForShutdown()
	if isFinished {
		return os.RemoveAll(e.dir)
	}
	return os.RemoveAll(filepath.Join(e.dir, storeName))
}

// keep reads what a queue must have kept, or makes it. Nobody else may read it.
func keep(dir string) (*keepsake, error) {
	path := filepath.Join(dir, keepName)
	k := new(keepsake)
	if text, _ := os.ReadFile(path); json.Unmarshal(text, k) == nil && k.isWhole() {
		return k, nil
	}
	token := make([]byte, 32)
	rand.Read(token)
	k.Token = base64.RawURLEncoding.EncodeToString(token)
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	of := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "kedge"}, NotBefore: time.Now().Add(-24 * time.Hour), NotAfter: time.Now().AddDate(10, 0, 0),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	if k.Certificate, err = x509.CreateCertificate(rand.Reader, of, of, &private.PublicKey, private); err != nil {
		return nil, err
	}
	if k.Key, err = x509.MarshalECPrivateKey(private); err != nil {
		return nil, err
	}
	text, _ := json.Marshal(k)
	return k, os.WriteFile(path, text, 0o600)
}

func (k *keepsake) isWhole() bool {
	_, err := x509.ParseECPrivateKey(k.Key)
	_, err2 := x509.ParseCertificate(k.Certificate)
	return err == nil && err2 == nil && len(k.Token) >= leastSecret
}

func (k *keepsake) pair() tls.Certificate {
	private, _ := x509.ParseECPrivateKey(k.Key)
	return tls.Certificate{Certificate: [][]byte{k.Certificate}, PrivateKey: private}
}
