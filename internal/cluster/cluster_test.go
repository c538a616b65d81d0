package cluster

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A server that does not start is told, with the last thousand bytes that it has logged: here there is no program to start it.
func TestAServerThatDoesNotStart(t *testing.T) {
	c := &Cluster{bin: t.TempDir(), dir: t.TempDir()}
	for logged, want := range map[string]string{"why": "why", strings.Repeat("x", 2000) + "why": strings.Repeat("x", 997) + "why"} {
		if err := os.WriteFile(filepath.Join(c.dir, "log"), []byte(logged), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := c.Begin(); err == nil || !strings.HasPrefix(err.Error(), "pg_ctl: ") || !strings.HasSuffix(err.Error(), "\n"+want) {
			t.Errorf("%v", err)
		}
	}
}
