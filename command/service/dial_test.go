package service

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/spf13/cobra"
)

// Every command that has --server sends the key of the variable, and that of --key-file in its place, with every request.
func TestEveryCommandSendsTheKey(t *testing.T) {
	var requests, foreign atomic.Int32
	var key atomic.Value
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if requests.Add(1); r.Header.Get("Authorization") != "Bearer "+key.Load().(string) {
			foreign.Add(1)
		}
		w.WriteHeader(401)
	}))
	defer web.Close()
	dir := t.TempDir()
	file := func(name string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("kedge_filed\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	stand := map[string]string{ // for arguments
		"LOOP": "shop", "NAME": "shop", "[LOOP]": "shop", "K": "1", "U...": "3", "K|safe|baseline": "safe", "PREFIX": "kedge_Ab",
		"SPEC": file("spec.yaml"), "BUNDLE": file("bundle.tar"), "OUT": filepath.Join(dir, "out"), "BATCH": "am", "[FILE]": file("am.ndjson"), "[OUT]": "",
	}
	rails := filepath.Join(dir, "guardrails.yaml")
	if err := os.WriteFile(rails, []byte("- {name: churn, of: 'mean(p[0])', most: 1}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	stand["FILE"] = rails
	keyFile, commands := file("key"), 0
	var walk func(c *cobra.Command, path []string)
	walk = func(c *cobra.Command, path []string) {
		for _, below := range c.Commands() {
			walk(below, append(path[:len(path):len(path)], below.Name()))
		}
		if c.Flags().Lookup("server") == nil {
			return
		}
		args := []string{"--server", web.URL}
		for _, word := range strings.Fields(c.Use)[1:] {
			value, known := stand[word]
			if !known {
				t.Errorf("%s: nothing stands for %s", path, word)
			}
			if value != "" {
				args = append(args, value)
			}
		}
		if c.Flags().Lookup("who") != nil {
			args = append(args, "--who", "c81")
		}
		if c.Name() == "remove" {
			args = append(args, "--reason", "x")
		}
		commands++
		for want, more := range map[string][]string{"kedge_of_variable": nil, "kedge_filed": {"--key-file", keyFile}} {
			key.Store(want)
			before := requests.Load()
			root := &cobra.Command{Use: "kedge", SilenceErrors: true, SilenceUsage: true}
			root.AddCommand(Commands(kind.Standard())...)
			root.SetArgs(append(append(path[:len(path):len(path)], args...), more...))
			root.SetOut(io.Discard)
			root.SetErr(io.Discard)
			root.SetIn(strings.NewReader(`{"ask":{}}` + "\n"))
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			err := root.ExecuteContext(ctx)
			cancel()
			if requests.Load() == before || foreign.Swap(0) > 0 {
				t.Errorf("kedge %s sent %d requests, some without the key %s: %v", strings.Join(path, " "), requests.Load()-before, want, err)
			}
		}
	}
	t.Setenv(keyVariable, "kedge_of_variable")
	for _, c := range Commands(kind.Standard()) {
		walk(c, []string{c.Name()})
	}
	if commands < 25 {
		t.Errorf("%d commands have --server", commands)
	}
}

// Of the file of a key 4 KiB are read: a key that begins in the last byte of them is sent, and one that begins after them is not there.
func TestHowMuchOfAKeyFileIsRead(t *testing.T) {
	for blanks, isThere := range map[int]bool{4095: true, 4096: false} {
		d := Dial{"http://127.0.0.1:1", filepath.Join(t.TempDir(), "key")}
		if err := os.WriteFile(d.keyFile, []byte(strings.Repeat(" ", blanks)+"k"), 0o600); err != nil {
			t.Fatal(err)
		}
		if c, err := d.Open(); (err == nil) != isThere || (c != nil) != isThere || err != nil && !strings.HasSuffix(err.Error(), ": the file is empty") {
			t.Errorf("after %d blanks: %v", blanks, err)
		}
	}
}
