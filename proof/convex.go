package proof

import (
	"math"

	"github.com/kedge-opt/kedge/internal/interval"
)

// mostCurved is how many entries decisions may have for their Hessian to be looked at.
const mostCurved = 64

// convexity says what shows that the function is convex on the domain; "" where nothing does.
func (s *search) convexity() string {
	if s.f.Convex(s.domain) {
		return "sums and compositions of convex functions"
	}
	if s.n > mostCurved {
		return ""
	}
	jet, jets := s.enclose(s.domain, 2), interval.Jets{Variables: s.n, Order: 2}
	scale := make([]float64, s.n)
	for i := range scale {
		v := jet[jets.Hessian(i, i)]
		if !(v.Lo > 0) { // of what is flat bounds of eigenvalues are never quite 0
			return ""
		}
		scale[i] = 1 / math.Sqrt(v.Lo)
	}
	least := leastEigenvalue(s.n, func(i, k int) interval.Span {
		return jet[jets.Hessian(i, k)].Scale(scale[i]).Scale(scale[k])
	})
	if least < 0 {
		return ""
	}
	return "a Hessian without negative eigenvalues"
}
