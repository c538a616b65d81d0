package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// kedge runs the command to its end and returns what it said, also on the standard error.
func (s *serving) kedge(env []string, args ...string) (said string, ok bool) {
	s.Helper()
	c, complaint := process(s.T, args...)
	c.Env = append(c.Environ(), env...)
	out, err := c.Output()
	return string(out) + complaint.String(), err == nil
}

// The first key is made on the folder. From then on nobody gets in without one, and a key that is revoked stays so when the service is killed
// at that moment.
func TestKeysOfAService(t *testing.T) {
	s := newServing(t)
	spec := filepath.Join(t.TempDir(), "shop.yaml")
	if err := os.WriteFile(spec, []byte(shopSpec), 0o600); err != nil {
		t.Fatal(err)
	}
	at := []string{"--server", "http://" + s.address}
	if said, ok := s.kedge(nil, append([]string{"loop", "create", "shop", spec}, at...)...); !ok {
		t.Fatal(said)
	}
	if said, ok := s.kedge(nil, "key", "create", "--data", s.data, "--rights", "admin"); ok || !strings.Contains(said, "in use") {
		t.Errorf("on the folder of a service that runs: %s", said)
	}
	s.cmd.Process.Kill()
	s.cmd.Wait()
	if said, ok := s.kedge(nil, "key", "create", "--data", s.data, "--rights", "admin,root"); ok || !strings.Contains(said, `no right "root"`) {
		t.Errorf("a right that is not: %s", said)
	}
	admin := s.made("key", "create", "--data", s.data, "--rights", "admin,read")
	s.start()
	if said, ok := s.kedge(nil, append([]string{"ask", "shop"}, at...)...); ok || !strings.Contains(said, "no key") {
		t.Errorf("without a key: %s", said)
	}
	file := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, []byte(admin+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	asks := s.made(append([]string{"key", "create", "--rights", "ask", "--loops", "sh*", "--expires", "1h", "--key-file", file}, at...)...)
	if said, ok := s.kedge([]string{"KEDGE_KEY=" + asks}, append([]string{"ask", "shop"}, at...)...); !ok {
		t.Errorf("with a key: %s", said)
	}
	begun := time.Now()
	if said, ok := s.kedge([]string{"KEDGE_KEY=" + admin}, append([]string{"key", "revoke", asks[:8]}, at...)...); !ok {
		t.Errorf("revoke: %s", said)
	}
	s.cmd.Process.Kill()
	s.cmd.Wait()
	s.start()
	if said, ok := s.kedge([]string{"KEDGE_KEY=" + asks}, append([]string{"ask", "shop"}, at...)...); ok || !strings.Contains(said, "revoked") {
		t.Errorf("a revoked key, %v later: %s", time.Since(begun), said)
	}
	said, ok := s.kedge([]string{"KEDGE_KEY=" + admin}, append([]string{"key", "list"}, at...)...)
	if !ok || !strings.Contains(said, asks[:8]) || strings.Contains(said, asks) || strings.Contains(said, admin) {
		t.Errorf("list: %s", said)
	}
	s.cmd.Process.Kill()
	s.cmd.Wait()
	if said, ok := s.kedge(nil, "kill", "--all", "--reason", "test", "--data", s.data); !ok || !strings.Contains(said, "safe decisions: 1") {
		t.Errorf("kill of all: %s", said)
	}
	if said, ok := s.kedge(nil, "kill", "--data", s.data); ok || !strings.Contains(said, "name of a loop, or --all") {
		t.Errorf("kill of nothing: %s", said)
	}
	s.start()
	if said, ok := s.kedge(nil, append([]string{"key", "revoke", admin}, at...)...); ok || strings.Contains(said, admin) {
		t.Errorf("a whole key in place of its prefix: %s", said)
	}
}

// made is a key that a command made.
func (s *serving) made(args ...string) string {
	s.Helper()
	said, ok := s.kedge(nil, append(args, "--json")...)
	var m struct{ Key string }
	if err := json.Unmarshal([]byte(said), &m); !ok || err != nil || len(m.Key) != 49 {
		s.Fatalf("kedge %s: %s", args, said)
	}
	return m.Key
}
