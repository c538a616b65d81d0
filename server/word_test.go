package server_test

import (
	"database/sql"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/server"
	"github.com/kedge-opt/kedge/store"
)

// An operator whose line is slow stops all loops twice under one word, the second time while the first is under way: both get the one reply, and the
// service goes on writing.
func TestStoppingAllTwiceAtOnceIsOnce(t *testing.T) {
	dir := t.TempDir()
	j, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	own := server.New(server.Setup{Journal: j, Clock: server.Wall(), Limits: server.DefaultLimits()})
	web := httptest.NewServer(own)
	t.Cleanup(func() { own.Stop(); web.Close(); j.Close() })
	s := &site{T: t, url: web.URL}
	s.create("shop", "live")
	other, err := sql.Open("sqlite", filepath.Join(dir, "kedge.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	other.SetMaxOpenConns(1)
	if _, err := other.Exec("BEGIN IMMEDIATE"); err != nil { // nothing is written until both are under way
		t.Fatal(err)
	}
	var replies [2]string
	var replayed [2]bool
	var both sync.WaitGroup
	for i := range replies {
		both.Go(func() { _, replies[i], replayed[i] = s.replays("/v1/kill", `{"reason":"fire"}`, "word") })
	}
	time.Sleep(500 * time.Millisecond)
	if _, err := other.Exec("ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	both.Wait()
	if replies[0] != replies[1] || replayed[0] == replayed[1] {
		t.Errorf("%s, replayed %t, and %s, replayed %t", replies[0], replayed[0], replies[1], replayed[1])
	}
	if err := j.Health(); err != nil {
		t.Error(err)
	}
	s.create("bank", "live")
}
