package service

import (
	"context"
	"fmt"

	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/session/replay"
	"github.com/kedge-opt/kedge/store"
	"github.com/kedge-opt/kedge/store/postgres"
)

// VerifiedLog is a data folder, a backup or a bundle that is as it was written.
type VerifiedLog struct {
	Path string        `json:"-"`
	Kind store.Holding `json:"kind"`
	store.Audit
}

// VerifyLogs checks what among some paths holds loops, and returns the others.
func VerifyLogs(ctx context.Context, paths []string) (others []string, logs []VerifiedLog, err error) {
	for _, path := range paths {
		if isDatabase(path) {
			found, err := verifyDatabase(ctx, path)
			if err != nil {
				return nil, nil, fmt.Errorf("%s: %w", shownAddress(path), err)
			}
			logs = append(logs, VerifiedLog{shownAddress(path), inDatabase, found})
			continue
		}
		kind := store.WhatIs(path)
		if kind == store.Other {
			others = append(others, path)
			continue
		}
		found, err := store.Verify(ctx, path)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", path, err)
		}
		logs = append(logs, VerifiedLog{path, kind, found})
	}
	return others, logs, nil
}

// inDatabase is what is verified in a database.
const inDatabase store.Holding = "database"

func verifyDatabase(ctx context.Context, address string) (store.Audit, error) {
	j, err := postgres.Look(ctx, address)
	if err != nil {
		return store.Audit{}, err
	}
	defer j.Close()
	return store.Check(ctx, j)
}

// ByPath puts what was found out about all paths together.
func ByPath[T any](others map[string]T, logs []VerifiedLog) map[string]any {
	all := map[string]any{}
	for path, one := range others {
		all[path] = one
	}
	for _, one := range logs {
		all[one.Path] = one
	}
	return all
}

// Words say what was checked.
func (v VerifiedLog) Words() string { return string(v.Kind) + ": " + counts(v.Audit) }

func counts(a store.Audit) string {
	text := fmt.Sprintf("%s, %s, %s", plural(a.Loops, "chain"), plural(a.Events, "event"), plural(a.Blobs, "batch or state", "batches and states"))
	if a.Dropped > 0 {
		text += fmt.Sprintf("; %s dropped, as the log says", plural(a.Dropped, "batch or state", "batches and states"))
	}
	if a.Anchors > 0 {
		text += fmt.Sprintf("; %s of the server found", plural(a.Anchors, "note"))
	}
	return text
}

func plural(n int, one string, many ...string) string {
	if n == 1 {
		return "1 " + one
	}
	if len(many) > 0 {
		return fmt.Sprintf("%d %s", n, many[0])
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// copied says what became of a copy.
func copied(line func(string, ...any), reply any) {
	switch r := reply.(type) {
	case session.BackupMade:
		line("%s: %s and %s, checked", phrase.Safe(r.File), plural(r.Loops, "chain"), plural(r.Events, "event"))
	case store.Audit:
		line("restored %s; every loop begins another epoch", counts(r))
	case store.Repaired:
		line("checked %s", counts(r.Audit))
		line("%s worked out again, %s removed", plural(r.States, "state"), plural(r.Orphans, "left-over file"))
		if r.Lost > 0 {
			line("%d acknowledged events are gone", r.Lost)
		}
	case exported:
		line("loop %s is in %s", r.Loop, phrase.Safe(r.File))
	case removal:
		verb := "is removed"
		if r.DryRun {
			verb = "would be removed"
		}
		line("loop %s %s: %s and %s", r.Loop, verb, plural(r.Events, "event"), plural(r.Batches, "batch", "batches"))
		line("its anchor is event %d, %s", r.Seq, r.Hash)
	case session.Compaction:
		line("%s with %s dropped", plural(r.Blobs, "batch", "batches"), plural(r.Rows, "person", "people"))
	case replay.Recap:
		line("loop %s: %s and %s come out the same; %s taken as written", r.Loop, plural(r.Decided, "event"), plural(r.Closes-len(r.Lacking), "close"), plural(r.Events-r.Decided, "event"))
		if len(r.Lacking) > 0 {
			line("people were dropped, so that these decisions could not be closed again: %s", spans(r.Lacking))
		}
	}
}

// spans writes numbers as 1–4, 7.
func spans(list []int) (text string) {
	for i := 0; i < len(list); {
		j := i
		for j+1 < len(list) && list[j+1] == list[j]+1 {
			j++
		}
		if text != "" {
			text += ", "
		}
		text += fmt.Sprint(list[i])
		if j > i {
			text += fmt.Sprint("–", list[j])
		}
		i = j + 1
	}
	return text
}
