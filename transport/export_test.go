package transport

// OnePass and Careful are the two ways of W1, for tests that compare them.
func OnePass(a, b []float64) (float64, bool) {
	w, _, ok, _ := onePass(a, b, b)
	return w, ok
}
func Careful(a, b []float64) (float64, error) { return careful(a, b) }
