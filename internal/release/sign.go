package release

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// The files that a release is checked by. The signature is raw, as openssl pkeyutl -rawin reads it.
const (
	sumsFile = "SHA256SUMS"
	signFile = "SHA256SUMS.sig"
)

// NewKey makes a key to sign releases with: a file that only its owner may read, and beside it, with .pub, what anybody may have to check
// signatures. Files that are there stay as they are.
func NewKey(path string) error {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	open, err2 := x509.MarshalPKIXPublicKey(public)
	if err := errors.Join(err, err2); err != nil {
		return err
	}
	for _, f := range []struct {
		path, kind string
		bytes      []byte
		mode       fs.FileMode
	}{{path, "PRIVATE KEY", secret, 0o600}, {path + ".pub", "PUBLIC KEY", open, 0o644}} {
		file, err := os.OpenFile(f.path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, f.mode)
		if err != nil {
			return err
		}
		if err := errors.Join(pem.Encode(file, &pem.Block{Type: f.kind, Bytes: f.bytes}), file.Close()); err != nil {
			return err
		}
	}
	return nil
}

// readKey reads an ed25519 key, the one block of a file in PEM.
func readKey[Key any](path, kind string, parse func(der []byte) (any, error)) (own Key, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return own, err
	}
	block, _ := pem.Decode(text)
	if block == nil || block.Type != kind {
		return own, fmt.Errorf("%s is no %s in PEM: go run ./cmd/release key FILE makes one", path, strings.ToLower(kind))
	}
	key, err := parse(block.Bytes)
	if err != nil {
		return own, fmt.Errorf("%s: %w", path, err)
	}
	own, ok := key.(Key)
	if !ok {
		return own, fmt.Errorf("%s is no ed25519 key", path)
	}
	return own, nil
}

// sign signs the checksums by the key of a file that nobody else may read.
func sign(path string, sums []byte) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("%s may be read by others (mode %v): chmod 600 it, or make another key if they may have read it", path, info.Mode().Perm())
	}
	key, err := readKey[ed25519.PrivateKey](path, "PRIVATE KEY", x509.ParsePKCS8PrivateKey)
	if err != nil {
		return nil, err
	}
	return ed25519.Sign(key, sums), nil
}

// Vetted is what Verify found.
type Vetted struct {
	Files   []string // whose checksums are right
	Missing []string // that are listed and not here
}

// Verify checks the files of a release: the signature of their checksums by a public key, then the checksum of every file that is here.
func Verify(dir, public string) (c Vetted, err error) {
	key, err := readKey[ed25519.PublicKey](public, "PUBLIC KEY", x509.ParsePKIXPublicKey)
	if err != nil {
		return c, err
	}
	sums, err := os.ReadFile(filepath.Join(dir, sumsFile))
	if err != nil {
		return c, err
	}
	signature, err := os.ReadFile(filepath.Join(dir, signFile))
	if err != nil {
		return c, err
	}
	if !ed25519.Verify(key, sums, signature) {
		return c, fmt.Errorf("%s is not signed by %s: do not use what it lists", filepath.Join(dir, sumsFile), public)
	}
	for line := range strings.Lines(string(sums)) {
		want, name, found := strings.Cut(strings.TrimSpace(line), "  ")
		if !found || !filepath.IsLocal(name) {
			return c, fmt.Errorf("%s has the line %q", sumsFile, line)
		}
		text, err := os.ReadFile(filepath.Join(dir, name))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			c.Missing = append(c.Missing, name)
		case err != nil:
			return c, err
		case fmt.Sprintf("%x", sha256.Sum256(text)) != want:
			return c, fmt.Errorf("%s has another checksum than %s says: do not use it", filepath.Join(dir, name), sumsFile)
		default:
			c.Files = append(c.Files, name)
		}
	}
	if len(c.Files) == 0 {
		return c, fmt.Errorf("%s has none of the files that %s lists", dir, sumsFile)
	}
	return c, nil
}
