package board

// faultsOfKernels are in what a GPU is told to compute, which tests evaluate on the CPU.
func faultsOfKernels() []Planted {
	const where, pack, test = "ptx", "./ptx", "TestListsHaveTheBitsOfTheirTwins"
	return []Planted{
		{Name: "a product on the GPU is fused", Where: where, Pack: pack, Test: test, Lines: []string{
			"lanes[i%4] = c.Add(lanes[i%4], c.Mul(x[i], y[i]))", "lanes[i%4] = c.FMA(x[i], y[i], lanes[i%4])"}},
		{Name: "lanes on the GPU are joined in order", Where: where, Pack: pack, Test: test, Lines: []string{
			"return c.Add(c.Add(lanes[0], lanes[2]), c.Add(lanes[1], lanes[3]))", "return c.Add(c.Add(c.Add(lanes[0], lanes[1]), lanes[2]), lanes[3])"}},
		{Name: "a norm that overflows on the GPU raises no flag", Where: where, Pack: pack, Test: test, Lines: []string{
			"\tc.Flag(c.Not(c.Within(square, 1e-280, 1e280)))\n", ""}},
		{Name: "a comparison on the GPU is turned", Where: where, Pack: pack, Test: test, Lines: []string{
			"return c.plain(opLess, truth, x, y)", "return c.plain(opLess, truth, y, x)"}},
	}
}
