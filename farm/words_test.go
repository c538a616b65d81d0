package farm

import (
	"archive/tar"
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/evidence"
)

// Addresses are read, or refused in words, as when this was recorded; what is shown of one never has its secret, and its text reads back to itself.
func TestAddressesAsRecorded(t *testing.T) {
	token, pin := strings.Repeat("s", 43), strings.Repeat("ab", 32)
	var got []string
	for _, text := range []string{
		"", "nats://", "nats://127.0.0.1", "nats://127.0.0.1:1", "nats://127.0.0.1/", "nats://127.0.0.1/x", "nats://127.0.0.1#x", "nats://localhost:5", "nats://[::1]", "nats://[::1]:7", "nats://127.9.9.9", "http://127.0.0.1", "127.0.0.1:4222",
		"nats://secret@127.0.0.1", "nats://name:secret@127.0.0.1", "nats://:secret@127.0.0.1", "nats://name:@127.0.0.1", "nats://127.0.0.1?pin=" + pin, "tls://127.0.0.1?pin=" + pin, "tls://127.0.0.1?pin=" + strings.ToUpper(pin), "tls://127.0.0.1?pin=ab", "tls://127.0.0.1?pin=" + pin[1:] + "x",
		"tls://127.0.0.1?pin=" + pin + "ab", "tls://127.0.0.1?other=1", "nats://example.org", "tls://example.org", "tls://" + token[1:] + "@example.org", "tls://" + token + "@example.org", "tls://" + token + "@example.org:99?pin=" + pin, "tls://name:" + token + "@10.0.0.1", "nats://" + token + "@10.0.0.1", "tls://a b@example.org", "nats://127.0.0.1:x",
	} {
		a, err := ParseAddress(text)
		line := fmt.Sprintf("%q: %v", text, err)
		if err == nil {
			line = fmt.Sprintf("%q: %v, local %t, %s", text, a, a.IsLocal(), a.Text())
			if back, err := ParseAddress(a.Text()); err != nil || back != a {
				t.Errorf("%s reads back as %v, %v", a.Text(), back, err)
			}
		}
		got = append(got, line)
	}
	evidence.AsRecorded(t, "testdata/addresses.txt", got)
	file := filepath.Join(t.TempDir(), "url")
	if err := os.WriteFile(file, []byte(" nats://secret@127.0.0.1:9\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if a, err := ParseAddress("@" + file); err != nil || a.Text() != "nats://secret@127.0.0.1:9" {
		t.Errorf("%v, %v", a, err)
	}
	for size, isLong := range map[int]bool{4096: false, 4097: true} {
		if err := os.WriteFile(file, fmt.Appendf(nil, "%-*s", size, "nats://secret@127.0.0.1:9"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ParseAddress("@" + file); isLong != (err != nil) || isLong && !strings.Contains(err.Error(), "has more than 4096 bytes") {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
	for _, odd := range []string{file + "-missing", filepath.Dir(file)} {
		if _, err := ParseAddress("@" + odd); err == nil || !strings.HasPrefix(err.Error(), "the queue: ") {
			t.Error(err)
		}
	}
}

// Bundles are taken apart, or refused in words, as when this was recorded.
func TestBundlesAsRecorded(t *testing.T) {
	var got []string
	many := strings.TrimSuffix(strings.Repeat("a-", mostBundled), "-")
	for _, c := range [][3]string{
		{"kedge.x.result.a", `[{"cell":"a","kind":"cell","bytes":3}]`, "abc"}, {"kedge.x.result.a-b", `[{"cell":"a","bytes":1},{"cell":"b","bytes":2}]`, "abc"}, {"kedge.x.result.a-b", `[{"cell":"a","bytes":0},{"cell":"b","bytes":0}]`, ""},
		{"kedge.x.result.a", `[`, ""}, {"kedge.x.result.a", `[]`, ""}, {"kedge.x.result.a-b", `[{"cell":"a","bytes":1}]`, "a"}, {"kedge.x.result.a", `[{"cell":"b","bytes":1}]`, "a"}, {"kedge.x.result.a", `[{"cell":"a","bytes":-1}]`, "a"},
		{"kedge.x.result.a", `[{"cell":"a","bytes":2}]`, "a"}, {"kedge.x.result.a", `[{"cell":"a","bytes":1}]`, "ab"}, {"kedge.x.result.a", `[{"cell":"a","bytes":1,"parcel":{}}]`, "a"}, {"kedge.x.result.a", `[{"cell":"a","bytes":0,"under":"u","parcel":{}}]`, ""},
		{"a", `[{"cell":"a","bytes":1}]`, "a"}, {"x." + many, "[" + strings.TrimSuffix(strings.Repeat(`{"cell":"a"},`, mostBundled), ",") + "]", ""}, {"x." + many + "-a", "[" + strings.TrimSuffix(strings.Repeat(`{"cell":"a"},`, mostBundled+1), ",") + "]", ""},
	} {
		list, bodies, err := unbundle(c[0], c[1], []byte(c[2]))
		got = append(got, fmt.Sprintf("%.40s %.60s %q: %d results, %.80q, %v", c[0], c[1], c[2], len(list), bodies, err))
	}
	evidence.AsRecorded(t, "testdata/bundles.txt", got)
}

// What is packed comes back, and anything else is refused: a file too few, one too many, another name, more behind the end.
func TestPacking(t *testing.T) {
	files := map[string][]byte{}
	for i, name := range folder.CellNames() {
		files[name] = []byte(strings.Repeat("x", i*300))
	}
	archive, err := pack(files)
	if err != nil {
		t.Fatal(err)
	}
	back, err := unpack(archive)
	if err != nil || fmt.Sprint(back) != fmt.Sprint(files) {
		t.Errorf("%v", err)
	}
	for size, want := range map[int]string{len(archive) - 511: "bytes of", len(archive): "bytes of", len(archive) + 512: "bytes of"} { // of which there are 512 less
		if _, err := unpack(resized(bytes.Clone(archive), 0, uint64(size))); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("a file that says that it has %d bytes: %v", size, err)
		}
	}
	few := map[string][]byte{folder.CellNames()[0]: nil}
	short, err := pack(few)
	if err != nil {
		t.Fatal(err)
	}
	var link bytes.Buffer
	w := tar.NewWriter(&link)
	if err := errors.Join(w.WriteHeader(&tar.Header{Typeflag: tar.TypeSymlink, Name: folder.CellNames()[0], Linkname: "x"}), w.Close()); err != nil {
		t.Fatal(err)
	}
	for want, archive := range map[string][]byte{
		"a result holds \"" + folder.CellNames()[0] + "\", want": link.Bytes(),
		"a result of 1 files": short, "a result of 0 files": nil, "otherwise than kedge does": append(archive[:len(archive):len(archive)], 0), "unexpected EOF": archive[:700],
		"a result holds \"other": renamed(bytes.Clone(short), 0, "other"),
	} {
		if _, err := unpack(archive); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// What is packed has no times and no owners, and anybody may read it.
func TestPackedFilesAreNobodys(t *testing.T) {
	archive, err := pack(map[string][]byte{folder.CellNames()[0]: []byte("x")})
	if err != nil {
		t.Fatal(err)
	}
	h, err := tar.NewReader(bytes.NewReader(archive)).Next()
	if err != nil || h.Mode != 0o644 || h.Uid != 0 || h.Gid != 0 || h.Uname+h.Gname != "" || h.ModTime.Unix() != 0 {
		t.Errorf("%+v, %v", h, err)
	}
}

// A queue that is begun again has its secret and its certificate, which nobody else may read; one that cannot be read is made anew.
func TestKeepsakes(t *testing.T) {
	dir := t.TempDir()
	first, err := keep(dir)
	if err != nil {
		t.Fatal(err)
	}
	again, err := keep(dir)
	if err != nil || again.Token != first.Token || string(again.Certificate) != string(first.Certificate) || string(again.Key) != string(first.Key) {
		t.Errorf("another the second time, %v", err)
	}
	path := filepath.Join(dir, keepName)
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	c, err := x509.ParseCertificate(first.Certificate)
	if err != nil || c.Subject.CommonName != "kedge" || !c.NotBefore.Before(c.NotAfter) || len(first.Token) != leastSecret {
		t.Errorf("%v, %v", c, err)
	}
	if begun, over := time.Since(c.NotBefore)-24*time.Hour, time.Now().AddDate(10, 0, 0).Sub(c.NotAfter); begun.Abs() > time.Hour || over.Abs() > time.Hour {
		t.Errorf("from %v until %v, want from a day ago for ten years", c.NotBefore, c.NotAfter)
	}
	if pair := first.pair(); len(pair.Certificate) != 1 || pair.PrivateKey == nil {
		t.Errorf("%v", pair)
	}
	for name, k := range map[string]keepsake{"no token": {first.Token[1:], first.Certificate, first.Key}, "no certificate": {first.Token, nil, first.Key}, "no key": {first.Token, first.Certificate, nil}} {
		if k.isWhole() {
			t.Errorf("%s is whole", name)
		}
	}
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if anew, err := keep(dir); err != nil || anew.Token == first.Token || !anew.isWhole() {
		t.Errorf("%v", err)
	}
	if _, err := keep(filepath.Join(dir, "missing")); err == nil {
		t.Error("it is kept nowhere")
	}
	a := Address{pin: pinOf(first.Certificate)}
	with := func(c ...*x509.Certificate) error {
		return a.tls().VerifyConnection(tls.ConnectionState{PeerCertificates: c})
	}
	if with(c) != nil || with() == nil || with(&x509.Certificate{Raw: []byte("other")}) == nil || (Address{}).tls().InsecureSkipVerify || (Address{}).tls().MinVersion != tls.VersionTLS13 {
		t.Error("a pin is not held")
	}
}

// What is said of sweeps and workers, and what a queue cannot listen on, by hand.
func TestWordsOfQueues(t *testing.T) {
	if got := (&NoSweepError{"a", nil}).Error(); got != "the queue has no sweep" {
		t.Error(got)
	}
	if got := (&NoSweepError{"a", []string{"b", "c"}}).Error(); got != `the queue has no sweep "a"; it has b, c` {
		t.Error(got)
	}
	s := WorkerState{At: []AtWork{{Sweep: "x", Cell: "1"}, {Sweep: "y", Cell: "2"}}}
	if !s.has("x", "1") || !s.has("y", "2") || s.has("x", "2") || s.has("z", "1") {
		t.Error("who is at what")
	}
	host, _ := os.Hostname()
	for name, want := range map[string]string{"example.org": "example.org", "127.0.0.1": "127.0.0.1", "0.0.0.0": host, "::": host, "": host} {
		if got := nameOf(name); got != want {
			t.Errorf("%q is called %q, want %q", name, got, want)
		}
	}
	for _, listen := range []string{"", "x", "127.0.0.1", "127.0.0.1:x", "127.0.0.1:-1", "127.0.0.1:65536"} {
		if _, err := Serve(t.TempDir(), listen); err == nil || !strings.Contains(err.Error(), "want an address") {
			t.Errorf("%q: %v", listen, err)
		}
	}
}
