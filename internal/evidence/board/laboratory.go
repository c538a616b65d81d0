package board

// faultsOfTheLaboratory are in what is computed, and in what is kept of it on the way.
func faultsOfTheLaboratory() []Planted {
	return []Planted{
		{Name: "what is just outside a ball is inside", Where: "set/ball.go", Pack: "./set", Test: "TestProjections", Lines: []string{
			"if b.distance(u) <= b.Radius {", "if b.distance(u) <= b.Radius*(1+4e-16) {"}},
		{Name: "sums follow the number of workers", Where: "steady/chunks.go", Pack: "./steady", Test: "TestWorkersAndRowsChangeNothing", Lines: []string{
			"part := kedge.Row(s.parts, first/chunk, s.width)", "part := kedge.Row(s.parts, hand, s.width)"}},
		{Name: "the composite rule forgets how people answer", Where: "online/gradient.go", Pack: "./loop", Test: "TestCompositeReachesTheOptimum", Lines: []string{
			"err = c.Sensitivity.PullRows(g, o.P, o.U, o.D, pull.X)", "err = c.Sensitivity.PullRows(make([]float64, len(g)), o.P, o.U, o.D, pull.X)"}},
		{Name: "a Lyapunov equation is solved once and roughly", Where: "internal/dense/lyapunov.go", Pack: "./certify", Test: "TestLyapunovResidual", Lines: []string{
			"const Rounds = 4", "const Rounds = 1", "0x1p-60*mat.Norm(sum, 2)", "0x1p-14*mat.Norm(sum, 2)"}},
		{Name: "exponentials are those of the standard library", Where: "internal/portable/exp.go", Pack: "./internal/portable", Test: "TestCorrectlyRounded", Lines: []string{
			"p, k := shortExp(whole(x))", "if x == x {\n\t\treturn math." + "Exp(x)\n\t}\n\tp, k := shortExp(whole(x))"}},
		{Name: "the place of a stream is not saved", Where: "stream/state.go", Pack: "./lab", Test: "TestCheckpointsSurviveAnyStop", Lines: []string{
			"\tf.Int(&s.used, 4)\n", ""}},
		{Name: "a cell is acknowledged before its result is sent", Where: "farm/deliver.go", Pack: "./farm", Test: "TestADeathWhileDeliveringLosesNothing", Lines: []string{
			"\tname, until := nuid.Next(), time.Now().Add(a.Hold)\n", "\tfor _, o := range bundle {\n\t\to.acknowledge()\n\t}\n\ta.pass(bundle)\n\tname, until := nuid.Next(), time.Now().Add(a.Hold)\n",
			"\ta.pass(bundle)\n\tfor _, o := range bundle {\n\t\to.acknowledge()\n\t}\n\treturn nil", "\treturn nil"}},
		{Name: "the seed of a cell knows how many keys are swept", Where: "problem/family", Pack: "./problem/family", Test: "TestCellsAreIndependentOfEachOther", Lines: []string{
			`stream.New(w.Seed, "cell", content)`, `stream.New(w.Seed+uint64(len(w.Keys)), "cell", content)`}},
		{Name: "a manifest may be on disk before its files", Where: "folder/commit.go", Pack: "./folder", Test: "TestAnyStopLeavesTheOldOrTheNew", Lines: []string{
			"\tif err := dir.Sync(\".\"); err != nil {\n\t\treturn err\n\t}\n\tif err := errors.Join(dir.Rename(path.Join(commitFolder,", "\tif err := errors.Join(dir.Rename(path.Join(commitFolder,"}},
		{Name: "a run that is resumed draws other numbers", Where: "stream/state.go", Pack: "./command", Test: "TestKilledRunsEndWithTheSameBytes", Lines: []string{
			"\tf.Int(&s.used, 4)\n", ""}},
		{Name: "all shards have the same cells", Where: "lab/sweep.go", Pack: "./lab", Test: "TestSweepTorture", Lines: []string{
			"i%s.Of == s.Index-1", "i%s.Of == 0"}},
		{Name: "a quotient has the slope of a product", Where: "formula/reverse.go", Pack: "./formula", Test: "TestRandomFormulas", Lines: []string{
			"case opDiv, opOver:\n\t\tpart := r.pair(n.op, g, y)", "case opDiv, opOver:\n\t\tpart := r.pair(opMul, g, y)"}},
		{Name: "a length of large numbers is infinite", Where: "set/ball.go", Pack: "./set", Test: "TestWildNumbers", Lines: []string{
			"return rows.Norm(u)", "return math.Sqrt(rows.Dot(u, u))"}},
		{Name: "a result may be packed anyhow", Where: "farm/pack.go", Pack: "./farm", Test: "TestMutatedResultsAreRefused", Lines: []string{
			"if err == nil && !bytes.Equal(again, archive) {", "if err == nil && len(again) > len(archive) {"}},
		{Name: "a cell that comes twice is not compared", Where: "folder/accept.go", Pack: "./farm", Test: "TestWrongBitIsFound", Lines: []string{
			"return summary, f.compare(id, m)", "return summary, nil"}},
		{Name: "a licence that nobody may pass on will do", Where: "internal/licence", Pack: "./internal/release", Test: "TestModulesHaveLicences", Lines: []string{
			`return slices.Contains([]string{"Apache-2.0",`, `return slices.Contains([]string{`}},
	}
}
