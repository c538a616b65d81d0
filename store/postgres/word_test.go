package postgres

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/kedge-opt/kedge/session"
)

// An operator stops all loops twice under one word, through two servers at once: both answer the same, once it is done, and once only.
func TestStoppingAllThroughTwoServersIsOnce(t *testing.T) {
	url, ctx := emptied(t, running(t)), t.Context()
	all := []*replica{replicaOf(t, url), replicaOf(t, url)}
	if _, err := all[0].Create(ctx, "shop", shop, session.Live); err != nil {
		t.Fatal(err)
	}
	c, err := pgx.ConnectConfig(ctx, all[0].journal.config)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(ctx)
	if _, err := c.Exec(ctx, `BEGIN; SELECT FROM loops WHERE name = 'shop' FOR UPDATE`); err != nil { // nothing is written until both are under way
		t.Fatal(err)
	}
	var replies [2]string
	var replayed [2]bool
	var both sync.WaitGroup
	for i, r := range all {
		both.Go(func() {
			ask, _ := http.NewRequestWithContext(ctx, "POST", r.URL+"/v1/kill", strings.NewReader(`{"reason":"fire"}`))
			ask.Header.Set("Idempotency-Key", "word")
			reply, err := (&http.Client{Timeout: 20 * time.Second}).Do(ask)
			if err != nil {
				t.Error(err)
				return
			}
			defer reply.Body.Close()
			text, _ := io.ReadAll(reply.Body)
			replies[i], replayed[i] = reply.Status+" "+string(text), reply.Header.Get("Idempotency-Replayed") == "true"
		})
	}
	time.Sleep(500 * time.Millisecond)
	if _, err := c.Exec(ctx, `ROLLBACK`); err != nil {
		t.Fatal(err)
	}
	both.Wait()
	if !strings.HasPrefix(replies[0], "200") || strings.TrimSpace(replies[0]) != strings.TrimSpace(replies[1]) || replayed[0] == replayed[1] {
		t.Errorf("%s, replayed %t, and %s, replayed %t", replies[0], replayed[0], replies[1], replayed[1])
	}
}
