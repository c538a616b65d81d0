package board

import "slices"

// Faults are faults of the service and of the laboratory, by what is promised there.
func Faults() []Planted {
	return slices.Concat(faultsOfRounds(), faultsOfTheStore(), faultsOfTheDoor(), faultsOfTheLaboratory(), faultsOfKernels())
}

// faultsOfRounds are in what is decided, and in what is read back of it.
func faultsOfRounds() []Planted {
	return []Planted{
		{Name: "a simulation rounds what is decided", Where: "command/service", Pack: "./command", Test: "TestServedRunsLeaveTheSameFolder", Lines: []string{
			"func (r *remote) Ask(dst []float64) { copy(dst, r.now.U) }", "func (r *remote) Ask(dst []float64) { copy(dst, r.now.U); dst[0] = float64(float32(dst[0])) }"}},
		{Name: "messages of a history that was replaced count", Where: "session", Pack: "./server", Test: "TestWaysOfADecision", Lines: []string{
			`if epoch != "" && epoch != l.epoch {`, `if epoch != "" && l.epoch == "" {`}},
		{Name: "a reply is not as it is described", Where: "server", Pack: "./server", Test: "TestARoundOverHTTP", Says: "not as /openapi.json describes it", Lines: []string{
			`reflect.Bool: "boolean"`, `reflect.Bool: "string"`}},
		{Name: "every ask opens a decision", Where: "session", Pack: "./server", Test: "TestAHundredAtOnce", Lines: []string{
			"if !l.current.current() {\n\t\tif err := l.open(); err != nil {", "if true {\n\t\tif err := l.open(); err != nil {"}},
		{Name: "a deployment that is told again is another", Where: "session", Pack: "./server", Test: "TestAHundredAtOnce", Lines: []string{
			"if was := d.Deployed; was != nil {", "if was := d.Deployed; was != nil && c.Correct {"}},
		{Name: "people who come too late count", Where: "session", Pack: "./server", Test: "TestWaysOfADecision", Lines: []string{
			"r.Late = d.State != IsOpen && d.State != IsDeployed", "r.Late = false"}},
		{Name: "a lapsed worker's people count", Where: "session", Pack: "./session", Test: "TestLeases", Lines: []string{
			"r.Late = d.State != IsOpen && d.State != IsDeployed", "r.Late = d.State == IsClosed"}},
		{Name: "a pause leaves what was not deployed", Where: "session", Pack: "./server", Test: "TestWaysOfADecision", Lines: []string{
			"if l.current.current() && !(c.To == Paused && l.current.State == IsDeployed) {", "if l.current.current() && c.To != Paused {"}},
		{Name: "batches count in the order in which they came", Where: "session", Pack: "./server", Test: "TestBatchesInAnyOrderAndFormat", Lines: []string{
			"i, _ := d.receipt(r.ID)", "i := len(d.Batches)"}},
		{Name: "lists may be as deep as they like", Where: "server", Pack: "./server", Test: "TestProblems", Lines: []string{
			"if deep(text, c.limits.Depth) {", "if deep(text, 1<<30) {"}},
		{Name: "gzip may unpack to anything", Where: "batch/unpack.go", Pack: "./server", Test: "TestHostileBodies", Lines: []string{
			"lim: intake.Limits{Bytes: math.MaxInt64, Ratio: lim.Ratio}", "lim: intake.Limits{Bytes: math.MaxInt64, Ratio: 1e6 * lim.Ratio}"}},
		{Name: "the rule stays where what is live is", Where: "session", Pack: "./server", Test: "TestPricesInCents", Lines: []string{
			"lead := l.plan.Live.Ahead()", "lead := 0.0"}},
		{Name: "the rule runs ahead of what is live", Where: "session", Pack: "./session", Test: "TestRefusedDecisions", Lines: []string{
			"return l.capped(u, basis)\n", "return u, basis, reasons\n"}},
		{Name: "what is live may be infeasible", Where: "session", Pack: "./server", Test: "TestInfeasiblePrices", Lines: []string{
			"tried := (d.Basis == Step || d.Basis == Again) && slices.Equal(c.U, d.U)", "tried := slices.Equal(c.U, d.U)"}},
		{Name: "clocks are believed", Where: "session", Pack: "./session", Test: "TestClocksThatJump", Lines: []string{
			"l.now, l.who, l.past, l.out = Later(now, l.at), actor, past, nil", "l.now, l.who, l.past, l.out = now, actor, past, nil"}},
		{Name: "a replay takes what is written for what comes out", Where: "session", Pack: "./store", Test: "TestReplaysFindWhatWasChanged", Lines: []string{
			"r.doubts.Add(w.Seq, w.Body, body)", "_ = body"}},
		{Name: "a replay does not say what it could not check", Where: "session", Pack: "./store", Test: "TestRetentionLeavesALoopThatGoesOn", Lines: []string{
			"r.recap.Lacking = append(r.recap.Lacking, t.k)", "_ = t.k"}},
		{Name: "people who are told of again count again", Where: "session/command.go", Pack: "./session", Test: "TestRandomScripts", Lines: []string{
			"if i, ok := d.receipt(c.ID); ok {", "if i, ok := d.receipt(c.ID); ok && d.Batches[i].Content != r.Content {"}},
		{Name: "a refusal is written down", Where: "session/loop.go", Pack: "./server", Test: "TestRandomCalls", Lines: []string{
			"reply, err = c.do(l)\n", "if reply, err = c.do(l); err != nil && l.seq > 0 {\n\t\tl.raise(0, \"refused\", err.Error())\n\t}\n"}},
		{Name: "a fork changes one decision late", Where: "session/fork", Pack: "./store", Test: "TestForksProposeTheSameUnlessSomethingChanges", Lines: []string{
			"e.K == f.AtK {", "e.K == f.AtK+1 {"}},
		{Name: "a fork is not fed with people", Where: "session/fork", Pack: "./store", Test: "TestForksProposeTheSameUnlessSomethingChanges", Lines: []string{
			"case session.Superseded, session.Raised,", "case session.Told, session.Superseded, session.Raised,"}},
	}
}

// faultsOfTheStore are in what is kept.
func faultsOfTheStore() []Planted {
	return []Planted{
		{Name: "events are acknowledged before they are written", Where: "store/commit.go", Pack: "./command", Test: "TestKilledServicesLoseNothing", Lines: []string{
			"return func() error { return <-r.done }", "return func() error { return nil }",
			"\t\"slices\"\n", "\t\"slices\"\n\t\"time\"\n", "s.Timed(events, func() {", "time.Sleep(20 * time.Millisecond) // as a disk takes\n\ts.Timed(events, func() {"}},
		{Name: "the newest events are not in a backup", Where: "store/backup.go", Pack: "./command", Test: "TestKilledServicesLoseNothing", Lines: []string{
			"db.SetMaxOpenConns(1)", "db.SetMaxOpenConns(1)\n\tdb.ExecContext(ctx, `DELETE FROM events WHERE pos > (SELECT max(pos) - 100 FROM events)`)"}},
		{Name: "a database that is held by another is the end", Where: "store", Pack: "./command", Test: "TestPausedServicesGoOn", Lines: []string{
			`{"busy_timeout", "5000", "5000"}`, `{"busy_timeout", "50", "50"}`, "case isBusy(err):", "case isBusy(err) && s == nil:"}},
		{Name: "a full disk is the end", Where: "store/fault.go", Pack: "./store", Test: "TestAFullDiskIsSurvived", Lines: []string{
			"case isFull(err):", "case isFull(err) && s == nil:"}},
		{Name: "after a failed sync all goes on", Where: "store/fault.go", Pack: "./store", Test: "TestAFailedSyncIsTheEnd", Lines: []string{
			"return s.fail(err)\n}", "return err\n}"}},
		{Name: "a service goes on after a failed sync", Where: "command/service/serve.go", Pack: "./command", Test: "TestServicesEndWhenASyncFails", Lines: []string{
			"case <-failed:\n\t\t\treturn exit.Failure(journal.Health())", "case <-failed:\n\t\t\tfailed = nil"}},
		{Name: "nobody looks at hashes", Where: "session", Pack: "./store", Test: "TestTheChainSeesWhatTheDatabaseDoesNot", Lines: []string{
			"case e.Chained(loop, prev) != e.Hash:", "case e.Chained(loop, prev) == Hash{}:"}},
		{Name: "nobody looks at people who are kept", Where: "store/check.go", Pack: "./store", Test: "TestRotIsNoticed", Lines: []string{
			"\treturn w.people(e)\n}", "\treturn nil\n}"}},
		{Name: "a database may tear its pages", Where: "store/postgres/postgres.go", Pack: "./store/postgres", Test: "TestWeakSettingsAreRefused", Lines: []string{
			"if !slices.Contains(s.want, is) {", `if !slices.Contains(s.want, is) && s.name != "full_page_writes" {`}},
		{Name: "a migration is not one step", Where: "store/migrate.go", Pack: "./store", Test: "TestKilledMigrationsAreOldOrNew", Lines: []string{
			`if _, err := tx.Exec(text + fmt.Sprintf("\nPRAGMA user_version = %d;", number)); err != nil {`,
			"tx.Rollback()\n\tif _, err := s.write.Exec(text + fmt.Sprintf(\"\\nPRAGMA user_version = %d;\", number)); err == nil {\n\t\treturn nil\n\t} else if err != nil {"}},
		{Name: "a folder may be open twice", Where: "store/sqlite.go", Pack: "./command", Test: "TestASecondServiceIsRefused", Lines: []string{
			"if s.lock, err = s.dir.Lock(lockFile); err != nil {", "if err != nil {"}},
		{Name: "a newer schema is opened", Where: "store/migrate.go", Pack: "./command", Test: "TestANewerSchemaIsRefused", Lines: []string{
			"if number > schemaNumber {", "if number < 0 {"}},
	}
}

// faultsOfTheDoor are in who gets in, how, and what gets out.
func faultsOfTheDoor() []Planted {
	return []Planted{
		{Name: "a stream begins an event early", Where: "server", Pack: "./server", Test: "TestStreamsResume", Lines: []string{
			"f.all(after)", "f.all(max(0, after-1))"}},
		{Name: "a ring has gaps", Where: "server/hub", Pack: "./server/hub", Test: "TestRingsHaveNoGaps", Lines: []string{
			"if e.Seq != r.next() || err != nil {", "if err != nil {"}},
		{Name: "who has fallen out of a ring goes on with it", Where: "server/hub", Pack: "./server", Test: "TestStreamsResume", Lines: []string{
			"\treturn nil, r.changed, true\n", "\treturn r.events, r.changed, len(r.events) == 0\n"}},
		{Name: "who stops is cut off", Where: "command/service/serve.go", Pack: "./command", Test: "TestServiceStops", Lines: []string{
			"\tinside.leave(hint)\n", "", "if err := web.Shutdown(rest); err != nil {", "if err := web.Close(); err != nil || rest == nil {"}},
		{Name: "a second signal is not heard", Where: "command/main.go", Pack: "./command", Test: "TestASecondSignalEndsTheService", Lines: []string{
			"signal.Stop(heard) // a second Ctrl-C ends the process at once, however soon it comes after what the first one does", ""}},
		{Name: "a loop is anybody's", Where: "server", Pack: "./server", Test: "TestMatrixOfRights", Lines: []string{
			"case ofLoop && !c.who.Sees(c.loop):", `case ofLoop && c.loop == "":`}},
		{Name: "a revoked key goes on", Where: "server/keyring", Pack: "./command", Test: "TestKeysOfAService", Lines: []string{
			"case h.Revoked != nil:", "case h.Revoked != nil && h.Revoked.IsZero():"}},
		{Name: "keys may be left out", Where: "server", Pack: "./command", Test: "TestKeysOfAService", Lines: []string{
			"if c.keys.ring.Empty() {", `if c.keys.ring.Empty() || c.Header.Get("Authorization") == "" {`}},
		{Name: "problems repeat keys", Where: "server", Pack: "./server", Test: "TestKeysAreKeptSecret", Lines: []string{
			"keyring.Hide(r.URL.Path), keyring.Hide(p.Detail)", "r.URL.Path, p.Detail"}},
		{Name: "the log has keys", Where: "server", Pack: "./server", Test: "TestKeysAreKeptSecret", Lines: []string{
			"c.Log = slog.New(discreet{c.Log.Handler()})", "", `s.log.Error("a request fell over", "path", r.URL.Path,`, `s.log.Error("a request fell over", "path", r.Header.Get("Authorization"),`}},
		{Name: "pages of other sites may send", Where: "server", Pack: "./server", Test: "TestPagesOfOtherSites", Lines: []string{
			"cross.Handler(missing(mux))", "missing(mux)"}},
		{Name: "any name will do", Where: "server", Pack: "./server", Test: "TestPagesOfOtherSites", Lines: []string{
			"!slices.Contains(s.names, name)", `!slices.Contains(s.names, name) && name == ""`}},
		{Name: "looking changes something", Where: "server", Pack: "./server", Test: "TestPagesOfOtherSites", Lines: []string{
			"c.who, c.gone = g, gone", "c.who, c.gone = g, gone\n\tc.keys.Save(c.Context())"}},
		{Name: "the service calls somebody", Where: "command/service/serve.go", Pack: "./command", Test: "TestServiceCallsNobody", Lines: []string{
			`notify("READY=1")`, "notify(\"READY=1\")\n\tnet.DialTimeout(\"udp\", \"192.0.2.1:9\", time.Second)"}},
		{Name: "everybody is let in without a key", Where: "command/service/front.go", Pack: "./command", Test: "TestAddressesInTheOpenAreRefused", Lines: []string{
			"case !f.local && !hasKey:", "case !f.local && !hasKey && f.listen == \"\":"}},
		{Name: "keys pass in the open", Where: "command/service/front.go", Pack: "./command", Test: "TestAddressesInTheOpenAreRefused", Lines: []string{
			`case !f.local && f.cert == "" && len(f.proxies) == 0:`, `case !f.local && f.cert == "-" && len(f.proxies) == 0:`}},
		{Name: "addresses are checked once somebody listens", Where: "command/service/serve.go", Pack: "./command/service", Test: "TestServeRefusesToStart", Lines: []string{
			"if err := f.check(at.flag(), len(keys.List()) > 0); err != nil {", "if err := f.check(at.flag(), len(keys.List()) >= 0); err != nil {"}},
		{Name: "an address that stands for all is a name", Where: "command/service/front.go", Pack: "./command/service", Test: "TestNamesOfAService", Lines: []string{
			"(ip == nil || !ip.IsUnspecified())", "(ip == nil || ip.IsUnspecified())"}},
		{Name: "who gives up keeps a place", Where: "server", Pack: "./server", Test: "TestGivingUpAtTheLastMomentKeepsNoPlace", Lines: []string{
			"if !waits && <-own == nil {", "if !waits && <-own == nil && t == nil {"}},
		{Name: "headers may take their time", Where: "server", Pack: "./server", Test: "TestSlowClients", Lines: []string{
			"ReadHeaderTimeout: s.limits.Header,", "ReadHeaderTimeout: time.Minute,"}},
		{Name: "bodies may have any length", Where: "server", Pack: "./server", Test: "TestHostileBodies", Lines: []string{
			"from: http.MaxBytesReader(c.w, c.Request.Body, most)", "from: http.MaxBytesReader(c.w, c.Request.Body, 1<<40)"}},
		{Name: "whoever gives up keeps his place", Where: "server/server.go", Pack: "./server", Test: "TestRequestsLeaveNothingBehind", Lines: []string{
			"defer c.turns.leave()", "defer func() {\n\t\t\tif c.Context().Err() == nil {\n\t\t\t\tc.turns.leave()\n\t\t\t}\n\t\t}()"}},
		{Name: "answers that are not read to their end stay open", Where: "store/read.go", Pack: "./server", Test: "TestRequestsLeaveNothingBehind", Lines: []string{
			"defer found.Close()\n\tfor found.Next() {", "for found.Next() {"}},
		{Name: "every call is remembered", Where: "server/server.go", Pack: "./server", Test: "TestMemoryStaysWhereItIs", Lines: []string{
			"// serve answers a route.", "var everyCall sync.Map\n\n// serve answers a route.",
			"defer func() { s.held.Add(-c.held) }()", "everyCall.Store(c, true)\n\t\tdefer func() { s.held.Add(-c.held) }()"}},
		{Name: "any number of requests may wait", Where: "server/turns.go", Pack: "./server", Test: "TestMoreLoadThanCanBeServed", Lines: []string{
			"if t.waiting >= t.room {", "if t.waiting >= 1000*t.room {"}},
		{Name: "a refusal for load does not say when to come again", Where: "server/problem.go", Pack: "./server", Test: "TestMoreLoadThanCanBeServed", Lines: []string{
			"p.Status == 429 || p.Status == 503 ||", "p.Status == 429 ||"}},
		{Name: "a service writes beside its folder", Where: "command/service/serve.go", Pack: "./command", Test: "TestServiceNeedsFewRights", Lines: []string{
			"log, err := logger(c.ErrOrStderr(), form)", "os.WriteFile(filepath.Join(os.TempDir(), \"kedge.pid\"), nil, 0o600)\n\t\t\tlog, err := logger(c.ErrOrStderr(), form)"}},
		{Name: "all wait in one line", Where: "server", Pack: "./server", Test: "TestKeysTakeTurns", Lines: []string{
			"own, err := t.queue(key)\n", "key = \"all\"\n\town, err := t.queue(key)\n"}},
		{Name: "a key may send what it likes", Where: "server", Pack: "./server", Test: "TestOneKeyDoesNotStarveAnother", Lines: []string{
			"case own.requests < 1:", "case own.requests < -1e9:"}},
		{Name: "a spec may name files", Where: "session/plan/plan.go", Pack: "./server", Test: "TestHostileSpecs", Lines: []string{
			"\t\"math\"\n", "\t\"math\"\n\t\"os\"\n", "return nil, &fs.PathError{", "return os.Open(name)\n\treturn nil, &fs.PathError{"}},
	}
}
