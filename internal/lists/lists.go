// Package lists makes lists of lists.
package lists

// Of is what f finds for every entry of a list, nil for an empty one.
func Of[From, To any](list []From, f func(From) To) (out []To) {
	for _, one := range list {
		out = append(out, f(one))
	}
	return out
}

// Distinct keeps the first of equal entries.
func Distinct[T comparable](list []T) (out []T) {
	seen := map[T]bool{}
	for _, one := range list {
		if !seen[one] {
			seen[one], out = true, append(out, one)
		}
	}
	return out
}
