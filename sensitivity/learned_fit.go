package sensitivity

import (
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/dense"
	"github.com/kedge-opt/kedge/internal/rows"
)

// fit is a regression y ≈ θᵀf with forgetting, kept as its moments, and of Kalman also as coefficients with a covariance.
type fit struct {
	*layout
	config *Learning

	weight float64   // Σ of the weights of rows
	ff     []float64 // Σ ffᵀ
	fy     []float64 // Σ fyᵀ, one row a regressor
	yy     []float64 // Σ y², one an entry of the state
	theta  []float64 // θ, one row a regressor
	cov    []float64 // of the coefficients, for a noise of variance 1; of Kalman for the noise as it is
	noise  []float64 // variances of the residuals

	ring  []float64 // of Window: rows f and y, with their weights
	count int       // rows ever put there
	work  []float64
	lu    []float64
	vec   []float64
}

func newFit(l *layout, c *Learning) fit {
	q, s := l.features, l.s
	f := fit{layout: l, config: c, ff: make([]float64, q*q), fy: make([]float64, q*s), yy: make([]float64, s), theta: make([]float64, q*s),
		cov: make([]float64, q*q), noise: make([]float64, s), work: make([]float64, q*q), lu: make([]float64, s*(s+l.n)+s*s), vec: make([]float64, q)}
	if c.Method == Window {
		f.ring = make([]float64, int(math.Ceil(c.Memory))*(q+s+1))
	}
	f.reset()
	return f
}

// reset forgets everything.
func (r *fit) reset() {
	for _, x := range r.memory() {
		clear(x)
	}
	r.weight, r.count = 0, 0
	if r.config.Method == Kalman {
		for i := range r.features {
			r.cov[i*r.features+i] = r.config.Prior * r.config.Prior
		}
	}
}

// memory lists what rows have changed.
func (r *fit) memory() [][]float64 {
	return [][]float64{r.ff, r.fy, r.yy, r.theta, r.cov, r.noise, r.ring}
}

// forget lowers the weight of all rows so far by 1 − 1/memory. Of Kalman it lets coefficients walk: their variance grows by
// Drift² a turn while it is small, and never beyond that of the prior.
func (r *fit) forget(turn int) {
	if r.config.Method == Window {
		return
	}
	keep := 1 - 1/max(r.config.Memory, r.config.Share*float64(turn))
	r.weight *= keep
	rows.Scale(r.ff, keep)
	rows.Scale(r.fy, keep)
	rows.Scale(r.yy, keep)
	if r.config.Method == Kalman {
		prior := r.config.Prior * r.config.Prior
		walk := min(1, r.config.Drift*r.config.Drift/prior)
		rows.Scale(r.cov, 1-walk)
		for i := range r.features {
			r.cov[i*r.features+i] += float64(walk * prior)
		}
	}
}

// add takes a row that counts by a weight above 0, as if it were as many.
func (r *fit) add(f, y []float64, weight float64) {
	switch r.config.Method {
	case Window:
		size := r.features + r.s + 1
		slots := len(r.ring) / size
		slot := kedge.Row(r.ring, r.count%slots, size)
		copy(slot, f)
		copy(slot[r.features:], y)
		slot[size-1] = weight
		r.count++
		return
	case Kalman:
		r.filter(f, y, weight)
	}
	r.sum(f, y, weight)
}

// sum adds a row to the moments.
func (r *fit) sum(f, y []float64, weight float64) {
	r.weight += weight
	for i, x := range f {
		if x != 0 {
			rows.AddScaled(kedge.Row(r.ff, i, r.features), weight*x, f)
			rows.AddScaled(kedge.Row(r.fy, i, r.s), weight*x, y)
		}
	}
	for j, v := range y {
		r.yy[j] += float64(weight * v * v)
	}
}

// filter is the measurement update of the Kalman filter; all entries of the state have one noise, so they share a covariance.
func (r *fit) filter(f, y []float64, weight float64) {
	clear(r.vec)
	rows.AddMul(r.vec, r.cov, f)
	scale := 1 / (float64(r.config.Noise*r.config.Noise/weight) + rows.Dot(f, r.vec))
	miss := r.lu[:r.s]
	copy(miss, y)
	for i, x := range f {
		rows.AddScaled(miss, -x, kedge.Row(r.theta, i, r.s))
	}
	for i, x := range r.vec {
		rows.AddScaled(kedge.Row(r.theta, i, r.s), x*scale, miss)
		rows.AddScaled(kedge.Row(r.cov, i, r.features), -x*scale, r.vec)
	}
}

// solve finds coefficients, covariance and noise, unless too little was seen.
func (r *fit) solve() bool {
	if r.config.Method == Window {
		r.gather()
	}
	if r.weight < 2 || !rows.Finite(r.ff) || !rows.Finite(r.fy) {
		return false
	}
	if r.config.Method == Kalman {
		for j := range r.noise {
			r.noise[j] = 1
		}
		return true
	}
	return r.regress()
}

// gather makes the moments of the rows in the window.
func (r *fit) gather() {
	clear(r.ff)
	clear(r.fy)
	clear(r.yy)
	r.weight = 0
	size := r.features + r.s + 1
	for i := range min(r.count, len(r.ring)/size) {
		slot := kedge.Row(r.ring, i, size)
		r.sum(slot[:r.features], slot[r.features:size-1], slot[size-1])
	}
}

// regress solves (Σffᵀ + ridge)θ = Σfyᵀ. The ridge is what the prior says beside the noise, σ²/Prior². The noise is that of the
// solution, so it is solved again until the noise falls no further.
func (r *fit) regress() bool {
	noise := rows.Sum(r.noise)
	if noise == 0 {
		noise = rows.Sum(r.yy) / r.weight
	}
	for range 6 {
		if !r.shrink(noise / float64(r.s) / (r.config.Prior * r.config.Prior)) {
			return false
		}
		r.residuals()
		was := noise
		if noise = rows.Sum(r.noise); noise > was/4 {
			break
		}
	}
	return true
}

// shrink solves with a ridge, which rounding wants to be at least 2⁻⁴³ of the largest moment.
func (r *fit) shrink(ridge float64) bool {
	q := r.features
	for i := range q {
		ridge = max(ridge, r.ff[i*q+i]*0x1p-43)
	}
	if ridge == 0 {
		return false
	}
	copy(r.work, r.ff)
	for i := range q {
		r.work[i*q+i] += ridge
	}
	if !dense.InvertDefinite(r.cov, r.work, q) {
		return false
	}
	clear(r.theta)
	for i := range q {
		row := kedge.Row(r.theta, i, r.s)
		for k, x := range kedge.Row(r.cov, i, q) {
			rows.AddScaled(row, x, kedge.Row(r.fy, k, r.s))
		}
	}
	return true
}

// residuals finds the variances Σ(y − θᵀf)²/(weight − regressors), never below what rounding makes of Σy².
func (r *fit) residuals() {
	free := max(1, r.weight-float64(r.features))
	for j, total := range r.yy {
		left := total
		for i := range r.features {
			left -= float64(r.theta[i*r.s+j] * r.fy[i*r.s+j])
		}
		r.noise[j] = max(left, total*0x1p-46) / free
	}
}

// gain writes G to dst and returns how far it can be trusted.
func (r *fit) gain(dst []float64) float64 {
	n, s := r.n, r.s
	for k := range len(dst) / (n * s) {
		at := r.at
		if k > 0 { // of Conditional: Gₖ follow
			at = r.features - r.t*n + (k-1)*n
		}
		for i := range n {
			for j := range s {
				dst[(k*s+j)*n+i] = r.theta[(at+i)*s+j]
			}
		}
	}
	spread := rows.Sum(r.noise)
	if r.lagged > 0 {
		var ok bool
		if spread, ok = r.settle(dst); !ok {
			return math.NaN()
		}
	}
	return r.trust(dst[:n*s], spread)
}

// settle replaces B by (I−A)⁻¹B and returns the variance Σⱼσⱼ²‖(I−A)⁻¹eⱼ‖² to which the noise of one solution is amplified.
func (r *fit) settle(g []float64) (spread float64, ok bool) {
	n, s := r.n, r.s
	width := n + s
	m := r.lu[:s*s]
	right := r.lu[s*s : s*s+s*width]
	for j := range s {
		for i := range s {
			m[j*s+i] = -r.theta[(n+i)*s+j]
		}
		m[j*s+j]++
		copy(right[j*width:], kedge.Row(g, j, n))
		clear(right[j*width+n : (j+1)*width])
		right[j*width+n+j] = 1
	}
	if scale := rows.MaxAbs(m); !(dense.Eliminate(m, right, s, dense.First) > scale*0x1p-40) {
		return 0, false
	}
	for j := range s {
		copy(kedge.Row(g, j, n), right[j*width:])
		for i, x := range right[j*width+n : (j+1)*width] {
			spread += float64(x * x * r.noise[i])
		}
	}
	return spread, true
}

// trust compares the expected error of the answers Gx with the answers themselves, over the decisions x that were deployed:
// E‖δG x‖² = spread·tr(TᵀCT·Σxxᵀ) with the covariance C of a coefficient and T = [I; G], whose second part belongs to A.
func (r *fit) trust(g []float64, spread float64) float64 {
	n, q := r.n, r.features
	prior := r.config.Prior * r.config.Prior
	unit := rows.Sum(r.noise) / float64(r.s)
	answer, failure, known := 0.0, 0.0, 0.0
	image, through := r.vec[:n+r.lagged], r.lu[:n+r.lagged]
	for i := range n {
		excited := kedge.Row(r.ff, r.at+i, q)[r.at : r.at+n]
		clear(image)
		copy(image, excited)
		rows.AddMul(image[n:], g[:r.lagged*n], excited)
		for j := range r.s {
			answer += float64(rows.Dot(g[j*n:(j+1)*n], excited) * g[j*n+i])
		}
		clear(through)
		through[i] = 1
		for j := range r.lagged {
			through[n+j] = g[j*n+i]
		}
		for j, x := range through {
			failure += float64(x * rows.Dot(kedge.Row(r.cov, r.at+j, q)[r.at:r.at+n+r.lagged], image))
		}
		known += 1 - min(1, r.cov[(r.at+i)*q+r.at+i]*unit/prior)
	}
	if !(answer > 0) {
		return 0
	}
	return max(0, 1-math.Sqrt(max(0, spread*failure/answer))) * max(0, known) / float64(n)
}
