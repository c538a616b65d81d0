package evidence

// plantedFaults are faults of the service, by what is promised there.
func plantedFaults() []plantedFault {
	return append(append(faultsOfRounds(), faultsOfTheStore()...), faultsOfTheDoor()...)
}

// faultsOfRounds are in what is decided, and in what is read back of it.
func faultsOfRounds() []plantedFault {
	return []plantedFault{
		{name: "a simulation rounds what is decided", where: "command/service", pack: "./command", test: "TestServedRunsLeaveTheSameFolder", lines: []string{
			"func (r *remote) Ask(dst []float64) { copy(dst, r.now.U) }", "func (r *remote) Ask(dst []float64) { copy(dst, r.now.U); dst[0] = float64(float32(dst[0])) }"}},
		{name: "messages of a history that was replaced count", where: "session", pack: "./command", test: "TestARunGoesOnAfterARestore", lines: []string{
			`if epoch != "" && epoch != l.epoch {`, `if epoch != "" && l.epoch == "" {`}},
		{name: "a reply is not as it is described", where: "server", pack: "./server", test: "TestARoundOverHTTP", says: "not as /openapi.json describes it", lines: []string{
			`return map[string]any{"type": "boolean"}`, `return map[string]any{"type": "string"}`}},
		{name: "every ask opens a decision", where: "session", pack: "./server", test: "TestAHundredAtOnce", lines: []string{
			"if !l.current.current() {\n\t\tif err := l.open(); err != nil {", "if true {\n\t\tif err := l.open(); err != nil {"}},
		{name: "a deployment that is told again is another", where: "session", pack: "./server", test: "TestAHundredAtOnce", lines: []string{
			"if was := d.Deployed; was != nil {", "if was := d.Deployed; was != nil && c.Correct {"}},
		{name: "people who come too late count", where: "session", pack: "./server", test: "TestWaysOfADecision", lines: []string{
			"r.Late = d.State != IsOpen && d.State != IsDeployed", "r.Late = false"}},
		{name: "a lapsed worker's people count", where: "session", pack: "./session", test: "TestLeases", lines: []string{
			"r.Late = d.State != IsOpen && d.State != IsDeployed", "r.Late = d.State == IsClosed"}},
		{name: "a pause leaves what was not deployed", where: "session", pack: "./server", test: "TestWaysOfADecision", lines: []string{
			"if l.current.current() && !(c.To == Paused && l.current.State == IsDeployed) {", "if l.current.current() && c.To != Paused {"}},
		{name: "batches count in the order in which they came", where: "session", pack: "./server", test: "TestBatchesInAnyOrderAndFormat", lines: []string{
			"i, _ := d.receipt(r.ID)", "i := len(d.Batches)"}},
		{name: "lists may be as deep as they like", where: "server", pack: "./server", test: "TestProblems", lines: []string{
			"if deep(text, c.limits.Depth) {", "if deep(text, 1<<30) {"}},
		{name: "gzip may unpack to anything", where: "batch/unpack.go", pack: "./server", test: "TestHostileBodies", lines: []string{
			"lim: intake.Limits{Bytes: math.MaxInt64, Ratio: lim.Ratio}", "lim: intake.Limits{Bytes: math.MaxInt64, Ratio: 1e6 * lim.Ratio}"}},
		{name: "the rule stays where what is live is", where: "session", pack: "./server", test: "TestPricesInCents", lines: []string{
			"lead := l.plan.Live.Ahead()", "lead := 0.0"}},
		{name: "the rule runs ahead of what is live", where: "session", pack: "./session", test: "TestRefusedDecisions", lines: []string{
			"return l.capped(u, basis)\n", "return u, basis, reasons\n"}},
		{name: "what is live may be infeasible", where: "session", pack: "./server", test: "TestInfeasiblePrices", lines: []string{
			"tried := (d.Basis == Step || d.Basis == Again) && slices.Equal(c.U, d.U)", "tried := slices.Equal(c.U, d.U)"}},
		{name: "clocks are believed", where: "session", pack: "./session", test: "TestClocksThatJump", lines: []string{
			"l.now, l.who, l.past, l.out = Later(now, l.at), actor, past, nil", "l.now, l.who, l.past, l.out = now, actor, past, nil"}},
		{name: "a replay takes what is written for what comes out", where: "session", pack: "./store", test: "TestReplaysFindWhatWasChanged", lines: []string{
			"r.doubts.Add(w.Seq, w.Body, body)", "_ = body"}},
		{name: "a replay does not say what it could not check", where: "session", pack: "./store", test: "TestRetentionLeavesALoopThatGoesOn", lines: []string{
			"r.recap.Lacking = append(r.recap.Lacking, one.K)", "_ = one.K"}},
		{name: "a fork changes one decision late", where: "session/fork", pack: "./store", test: "TestForksProposeTheSameUnlessSomethingChanges", lines: []string{
			"e.K == f.AtK && !f.changed", "e.K == f.AtK+1 && !f.changed"}},
		{name: "a fork is not fed with people", where: "session/fork", pack: "./store", test: "TestForksProposeTheSameUnlessSomethingChanges", lines: []string{
			"case session.Superseded, session.Raised,", "case session.Told, session.Superseded, session.Raised,"}},
	}
}

// faultsOfTheStore are in what is kept.
func faultsOfTheStore() []plantedFault {
	return []plantedFault{
		{name: "events are acknowledged before they are written", where: "store/commit.go", pack: "./command", test: "TestKilledServicesLoseNothing", lines: []string{
			"return func() error { return <-r.done }", "return func() error { return nil }"}},
		{name: "the newest events are not in a backup", where: "store/backup.go", pack: "./command", test: "TestKilledServicesLoseNothing", lines: []string{
			"db.SetMaxOpenConns(1)", "db.SetMaxOpenConns(1)\n\tdb.ExecContext(ctx, `DELETE FROM events WHERE pos > (SELECT max(pos) - 100 FROM events)`)"}},
		{name: "a database that is held by another is the end", where: "store", pack: "./command", test: "TestPausedServicesGoOn", lines: []string{
			`{"busy_timeout", "5000", "5000"}`, `{"busy_timeout", "50", "50"}`, "case isBusy(err):", "case isBusy(err) && len(all) < 0:"}},
		{name: "a full disk is the end", where: "store/commit.go", pack: "./store", test: "TestAFullDiskIsSurvived", lines: []string{
			"case isFull(err):", "case isFull(err) && len(all) < 0:"}},
		{name: "after a failed sync all goes on", where: "store/commit.go", pack: "./store", test: "TestAFailedSyncIsTheEnd", lines: []string{
			"return s.fail(err)\n}", "return err\n}"}},
		{name: "a service goes on after a failed sync", where: "command/service/serve.go", pack: "./command", test: "TestServicesEndWhenASyncFails", lines: []string{
			"case <-failed:\n\t\t\treturn Exit{journal.Health(), codeFailed}", "case <-failed:\n\t\t\tfailed = nil"}},
		{name: "nobody looks at hashes", where: "session", pack: "./store", test: "TestTheChainSeesWhatTheDatabaseDoesNot", lines: []string{
			"case e.Chained(loop, prev) != e.Hash:", "case e.Chained(loop, prev) == Hash{}:"}},
		{name: "a migration is not one step", where: "store/migrate.go", pack: "./store", test: "TestKilledMigrationsAreOldOrNew", lines: []string{
			`if _, err := tx.Exec(text + fmt.Sprintf("\nPRAGMA user_version = %d;", number)); err != nil {`,
			"tx.Rollback()\n\tif _, err := s.write.Exec(text + fmt.Sprintf(\"\\nPRAGMA user_version = %d;\", number)); err == nil {\n\t\treturn nil\n\t} else if err != nil {"}},
		{name: "a folder may be open twice", where: "store/sqlite.go", pack: "./command", test: "TestASecondServiceIsRefused", lines: []string{
			"if s.lock, err = s.dir.Lock(lockFile); err != nil {", "if err != nil {"}},
		{name: "a newer schema is opened", where: "store/migrate.go", pack: "./command", test: "TestANewerSchemaIsRefused", lines: []string{
			"if number > schemaNumber {", "if number < 0 {"}},
	}
}

// faultsOfTheDoor are in who gets in, how, and what gets out.
func faultsOfTheDoor() []plantedFault {
	return []plantedFault{
		{name: "a stream begins an event early", where: "server", pack: "./server", test: "TestStreamsResume", lines: []string{
			"f.all(after)", "f.all(max(0, after-1))"}},
		{name: "a ring has gaps", where: "server/hub", pack: "./server/hub", test: "TestRingsHaveNoGaps", lines: []string{
			"if e.Seq != r.next() || err != nil ||", "if err != nil ||"}},
		{name: "who has fallen out of a ring goes on with it", where: "server/hub", pack: "./server", test: "TestStreamsResume", lines: []string{
			"\treturn nil, r.changed, true\n", "\treturn r.events, r.changed, len(r.events) == 0\n"}},
		{name: "who stops is cut off", where: "command/service/serve.go", pack: "./command", test: "TestServiceStops", lines: []string{
			"\tinside.leave(hint)\n", "", "if err := web.Shutdown(rest); err != nil {", "if err := web.Close(); err != nil || rest == nil {"}},
		{name: "a second signal is not heard", where: "command/main.go", pack: "./command", test: "TestASecondSignalEndsTheService", lines: []string{
			"context.AfterFunc(ctx, stop) // a second Ctrl-C ends the process at once", ""}},
		{name: "a loop is anybody's", where: "server", pack: "./server", test: "TestMatrixOfRights", lines: []string{
			"case ofLoop && !c.who.Sees(c.loop):", `case ofLoop && c.loop == "":`}},
		{name: "a revoked key goes on", where: "server/keyring", pack: "./command", test: "TestKeysOfAService", lines: []string{
			"case h.Revoked != nil:", "case h.Revoked != nil && h.Revoked.IsZero():"}},
		{name: "keys may be left out", where: "server", pack: "./command", test: "TestKeysOfAService", lines: []string{
			"if c.keys.ring.Empty() {", `if c.keys.ring.Empty() || c.Header.Get("Authorization") == "" {`}},
		{name: "problems repeat keys", where: "server", pack: "./server", test: "TestKeysAreKeptSecret", lines: []string{
			"keyring.Hide(r.URL.Path), keyring.Hide(p.Detail)", "r.URL.Path, p.Detail"}},
		{name: "the log has keys", where: "server", pack: "./server", test: "TestKeysAreKeptSecret", lines: []string{
			"s.log = slog.New(discreet{s.log.Handler()})\n", "", `s.log.Error("a request fell over", "path", r.URL.Path,`, `s.log.Error("a request fell over", "path", r.Header.Get("Authorization"),`}},
		{name: "pages of other sites may send", where: "server", pack: "./server", test: "TestPagesOfOtherSites", lines: []string{
			"cross.Handler(missing(mux))", "missing(mux)"}},
		{name: "any name will do", where: "server", pack: "./server", test: "TestPagesOfOtherSites", lines: []string{
			"!slices.Contains(s.names, name)", `!slices.Contains(s.names, name) && name == ""`}},
		{name: "looking changes something", where: "server", pack: "./server", test: "TestPagesOfOtherSites", lines: []string{
			"c.who, c.gone = g, gone", "c.who, c.gone = g, gone\n\tc.keys.Save(c.Context())"}},
		{name: "the service calls somebody", where: "command/service/serve.go", pack: "./command", test: "TestServiceCallsNobody", lines: []string{
			`notify("READY=1")`, "notify(\"READY=1\")\n\tnet.DialTimeout(\"udp\", \"192.0.2.1:9\", time.Second)"}},
		{name: "everybody is let in without a key", where: "command/service/front.go", pack: "./command", test: "TestAddressesInTheOpenAreRefused", lines: []string{
			"case !f.local && !hasKey:", "case !f.local && !hasKey && f.listen == \"\":"}},
		{name: "keys pass in the open", where: "command/service/front.go", pack: "./command", test: "TestAddressesInTheOpenAreRefused", lines: []string{
			`case !f.local && f.cert == "" && len(f.proxies) == 0:`, `case !f.local && f.cert == "-" && len(f.proxies) == 0:`}},
		{name: "addresses are checked once somebody listens", where: "command/service/serve.go", pack: "./command/service", test: "TestServeRefusesToStart", lines: []string{
			"if err := f.check(at.flag(), len(keys.List()) > 0); err != nil {", "if err := f.check(at.flag(), len(keys.List()) >= 0); err != nil {"}},
		{name: "an address that stands for all is a name", where: "command/service/front.go", pack: "./command/service", test: "TestNamesOfAService", lines: []string{
			"(ip == nil || !ip.IsUnspecified())", "(ip == nil || ip.IsUnspecified())"}},
		{name: "who gives up keeps a place", where: "server", pack: "./server", test: "TestGivingUpAtTheLastMomentKeepsNoPlace", lines: []string{
			"if !waits && <-own.called == nil {", "if !waits && <-own.called == nil && t == nil {"}},
		{name: "headers may take their time", where: "server", pack: "./server", test: "TestSlowClients", lines: []string{
			"ReadHeaderTimeout: s.limits.Header,", "ReadHeaderTimeout: time.Minute,"}},
		{name: "bodies may have any length", where: "server", pack: "./server", test: "TestHostileBodies", lines: []string{
			"from: http.MaxBytesReader(c.w, c.Request.Body, most)", "from: http.MaxBytesReader(c.w, c.Request.Body, 1<<40)"}},
		{name: "all wait in one line", where: "server", pack: "./server", test: "TestKeysTakeTurns", lines: []string{
			"own, err := t.queue(key)\n", "key = \"all\"\n\town, err := t.queue(key)\n"}},
		{name: "a key may send what it likes", where: "server", pack: "./server", test: "TestOneKeyDoesNotStarveAnother", lines: []string{
			"case own.requests < 1:", "case own.requests < -1e9:"}},
		{name: "a spec may name files", where: "session/plan/plan.go", pack: "./server", test: "TestHostileSpecs", lines: []string{
			"\t\"math\"\n", "\t\"math\"\n\t\"os\"\n", "return nil, &fs.PathError{", "return os.Open(name)\n\treturn nil, &fs.PathError{"}},
	}
}
