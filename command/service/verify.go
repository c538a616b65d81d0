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
		one, check := VerifiedLog{Path: path}, store.Verify
		if isDatabase(path) {
			one.Path, one.Kind, check = shownAddress(path), inDatabase, verifyDatabase
		} else if one.Kind = store.WhatIs(path); one.Kind == store.Other {
			others = append(others, path)
			continue
		}
		if one.Audit, err = check(ctx, path); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", one.Path, err)
		}
		logs = append(logs, one)
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
	text := fmt.Sprintf("%s, %s, %s", phrase.Count(a.Loops, "chain"), phrase.Count(a.Events, "event"), phrase.Count(a.Blobs, "batch or state", "batches and states"))
	if a.Dropped > 0 {
		text += fmt.Sprintf("; %s dropped, as the log says", phrase.Count(a.Dropped, "batch or state", "batches and states"))
	}
	if a.Anchors > 0 {
		text += fmt.Sprintf("; %s of the server found", phrase.Count(a.Anchors, "note"))
	}
	return text
}

// copied says what became of a copy.
func copied(line func(string, ...any), reply any) {
	switch r := reply.(type) {
	case session.BackupMade:
		line("%s: %s and %s, checked", phrase.Safe(r.File), phrase.Count(r.Loops, "chain"), phrase.Count(r.Events, "event"))
	case store.Audit:
		line("restored %s; every loop begins another epoch", counts(r))
	case store.Repaired:
		line("checked %s", counts(r.Audit))
		line("%s worked out again, %s removed", phrase.Count(r.States, "state"), phrase.Count(r.Orphans, "left-over file"))
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
		line("loop %s %s: %s and %s", r.Loop, verb, phrase.Count(r.Events, "event"), phrase.Count(r.Batches, "batch", "batches"))
		line("its anchor is event %d, %s", r.Seq, r.Hash)
	case session.Compaction:
		line("%s with %s dropped", phrase.Count(r.Blobs, "batch", "batches"), phrase.Count(r.Rows, "person", "people"))
	case replay.Recap:
		line("loop %s: %s and %s come out the same; %s taken as written", r.Loop, phrase.Count(r.Decided, "event"), phrase.Count(r.Closes-len(r.Lacking), "close"), phrase.Count(r.Events-r.Decided, "event"))
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
