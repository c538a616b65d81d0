package certify

import (
	"strings"
	"testing"
)

// A matrix with one entry that its mirror does not have is refused, wherever that is; the product of its factors is what was factored.
func TestFactorsAreOfSymmetricMatrices(t *testing.T) {
	q := []float64{4, 1, 0.5, 0.25, 1, 5, 1.5, 0.75, 0.5, 1.5, 6, 1.25, 0.25, 0.75, 1.25, 7}
	const n = 4
	u, err := factor(q, n)
	must(t, err)
	for i := range n {
		for j := range n {
			sum := 0.0
			for k := range n {
				sum += u.At(k, i) * u.At(k, j)
			}
			near(t, "an entry of UᵀU", sum, q[i*n+j], 1e-14)
			if i == j {
				continue
			}
			was := q[i*n+j]
			q[i*n+j] += 0.01
			if _, err := factor(q, n); err == nil || !strings.Contains(err.Error(), "want a symmetric matrix") {
				t.Errorf("entry %d, %d: %v", i, j, err)
			}
			q[i*n+j] = was
		}
	}
}
