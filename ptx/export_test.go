package ptx

// Unused lists the operations that none of some lists has.
func Unused(lists ...*OpList) (left []int) {
	used := map[op]bool{}
	for _, c := range lists {
		for _, o := range c.list {
			used[o.op] = true
		}
	}
	for o := range opPlane + 1 {
		if !used[o] {
			left = append(left, int(o))
		}
	}
	return left
}
