package server_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/server"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/store"
)

// loud is a journal that falls over now and then, and says in its error what it was asked for.
type loud struct {
	session.Journal
	mu sync.Mutex
	n  int
}

func (l *loud) Decision(loop string, k int) ([]session.Event, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.n++; l.n%5 == 0 {
		panic(fmt.Sprintf("decision %d of %s", k, loop))
	}
	return l.Journal.Decision(loop, k)
}

// locked is a buffer for several goroutines.
type locked struct {
	mu sync.Mutex
	bytes.Buffer
}

func (l *locked) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Buffer.Write(b)
}

// A key is nowhere but in the reply that shows it: not in logs, replies, the database, its files or a backup, whatever goes wrong, and wherever
// in a request somebody puts it.
func TestKeysAreKeptSecret(t *testing.T) {
	w := evidence.For(t, evidence.Promise{Name: "service-secrets", Text: "mixed requests with a key, also failing, falling over, and with the key in addresses and other headers: in how many of log, replies, database, backup and metrics the key is; files that others could read", Short: "600 requests instead of 10,000"})
	times := 600
	if evidence.Whole() {
		times = 10_000
	}
	dir := filepath.Join(t.TempDir(), "data")
	j, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	var said locked
	limits := server.DefaultLimits()
	limits.KeyRate = 1e6
	own := server.New(server.Setup{Journal: &loud{Journal: j}, Clock: server.Wall(), Limits: limits, Log: slog.New(slog.NewJSONHandler(&said, nil))})
	web := httptest.NewServer(own)
	defer func() { own.Stop(); web.Close() }()
	s := &site{T: t, url: web.URL}
	s.create("shop", "live")
	key, _ := s.key(nil, allRights, "*")
	var replies bytes.Buffer
	fell := 0
	draw := rand.New(rand.NewPCG(1, 2))
	for range times {
		status, text := s.mixed(draw, key)
		replies.WriteString(text)
		if status == 500 {
			fell++
		}
	}
	if fell == 0 || !strings.Contains(said.String(), "fell over") {
		t.Fatalf("%d requests failed, and the log says %s", fell, &said)
	}
	if err := own.Finish(context.Background()); err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), "backup")
	if _, err := j.Backup(t.Context(), copied); err != nil {
		t.Fatal(err)
	}
	secret := []byte(key[20:]) // most of it is as bad
	w.Case(!bytes.Contains(replies.Bytes(), secret), "a reply has the key")
	w.Case(!bytes.Contains(said.Bytes(), secret), "the log has the key")
	for _, root := range []string{dir, copied} {
		info, err := os.Stat(root)
		w.Case(err == nil && info.Mode().Perm()&0o077 == 0, "others may look into %s: %v, %v", filepath.Base(root), info.Mode(), err)
		filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if !d.IsDir() {
				text, err := os.ReadFile(path)
				w.Case(err == nil && !bytes.Contains(text, secret), "%s has the key, or %v", filepath.Base(path), err)
			}
			return nil
		})
	}
}

// mixed sends a request of some kind.
func (s *site) mixed(draw *rand.Rand, key string) (int, string) {
	s.Helper()
	d := "/v1/loops/shop/decisions/1"
	kinds := []struct{ method, path, body string }{
		{"GET", "/v1/loops", ""}, {"GET", "/v1/keys", ""}, {"POST", "/v1/loops/shop/ask", ""}, {"GET", d, ""}, {"PUT", d + "/deployment", `{"u":[3]}`},
		{"PUT", d + "/batches/am", `{"p":[[1e999,2]]}`}, {"POST", d + "/close", `{`}, {"POST", "/v1/loops/shop/pause", `{"reason":"x"}`}, {"POST", "/v1/loops/shop/resume", `{"reason":"x"}`},
		{"DELETE", "/v1/keys/" + key, ""}, {"GET", "/v1/loops/" + key, ""}, {"GET", "/v1/loops/shop/log?after=" + key, ""}, {"GET", "/" + key, ""}, {"GET", "/metrics", ""},
		{"GET", "/v1/loops/shop/log", ""}, {"PUT", "/v1/loops/shop/spec", `{"spec":"` + key + `"}`}, {"POST", "/v1/keys", `{"rights":["` + key + `"],"loops":["*"]}`},
		{"POST", "/v1/loops", `{"name":"` + key + `","spec":"x"}`}, {"PUT", d + "/batches/" + key + "%2F", `{"p":[[1,2]]}`}, {"GET", "/problems/" + key, ""}, {"PATCH", "/v1/loops/" + key, ""},
	}
	k := kinds[draw.IntN(len(kinds))]
	r, _ := http.NewRequest(k.method, s.url+k.path, strings.NewReader(k.body))
	switch draw.IntN(6) {
	case 0:
		r.SetBasicAuth("kedge", key)
	case 1:
		r.Header.Set("Cookie", "key="+key)
	case 2:
		r.Header.Set("If-Match", key)
		fallthrough
	default:
		r.Header.Set("Authorization", "Bearer "+key)
	}
	if draw.IntN(8) == 0 {
		r.Header.Set("Last-Event-ID", key)
	}
	reply, err := (&http.Client{Timeout: 3 * time.Second, Transport: http.DefaultClient.Transport}).Do(r)
	if err != nil {
		s.Fatal(err)
	}
	defer reply.Body.Close()
	text, _ := io.ReadAll(reply.Body)
	return reply.StatusCode, string(text) + fmt.Sprint(reply.Header)
}
