package certify

import (
	"math"

	"github.com/kedge-opt/kedge/internal/phrase"
)

// Known says how a number is known; the larger, the weaker.
type Known int

const (
	// Proof is a closed form or a computation whose error is rounding.
	Proof Known = iota
	// Assumed was told, not found.
	Assumed
	// Estimate was sampled or searched for; the truth may be worse.
	Estimate
	// Unknown marks what there is no number for.
	Unknown
)

// String returns the word in lower case.
func (k Known) String() string { return [...]string{"proof", "assumed", "estimate", "unknown"}[k] }

// MarshalText writes the word.
func (k Known) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// Key names a constant.
type Key string

// The constants, by the names they have in JSON.
const (
	Radius  Key = "R"
	Cone    Key = "cone"
	LfP     Key = "L_f_p"
	LfU     Key = "L_f_u"
	LfD     Key = "L_f_d"
	PMin    Key = "P_min"
	PMax    Key = "P_max"
	LhU     Key = "L_h_u"
	LhD     Key = "L_h_d"
	MhD     Key = "M_h_d"
	LPhiP   Key = "L_Phi_p"
	MPhiU   Key = "M_Phi_u"
	MPhiP   Key = "M_Phi_p"
	Lp      Key = "L_p"
	L       Key = "L"
	Rho1    Key = "rho1"
	Rho2    Key = "rho2"
	LPsi    Key = "L_Psi"
	Smooth  Key = "L_obj"
	V0      Key = "V0"
	Gap     Key = "gap"
	Slope0  Key = "gradient0"
	M       Key = "M"
	MV      Key = "M_V"
	Kappa   Key = "kappa"
	SigmaMb Key = "sigma_mb"
)

// Constant is a number of the theory and how it is known.
type Constant struct {
	Key   Key
	Value float64
	Known Known
	How   string // the formula, or how it was sampled
}

// Symbol returns the constant as the paper writes it.
func (c Constant) Symbol() string { return entry(c.Key).symbol }

// Meaning says in a few words what the constant bounds.
func (c Constant) Meaning() string { return entry(c.Key).meaning }

// Source returns the key of the equation or assumption in docs/REFERENCES.md, as in "he2025, contraction".
func (c Constant) Source() string { return entry(c.Key).source }

// row is what is known of a constant before its value.
type row struct{ symbol, meaning, source string }

func entry(k Key) row {
	table := map[Key]row{
		Radius:  {"R", "‖u‖ of feasible decisions", "he2025, problem"},
		Cone:    {"ω★", "angle between a state and its trait, in degrees", "he2025, polarized dynamics"},
		LfP:     {"L_f^p", "f in the state, in ‖·‖_P", "he2025, contraction"},
		LfU:     {"L_f^u", "f in the decision", "he2025, contraction"},
		LfD:     {"L_f^d", "f in the trait", "he2025, contraction"},
		PMin:    {"λmin(P)", "smallest eigenvalue of the metric", "he2025, linear dynamics"},
		PMax:    {"λmax(P)", "largest eigenvalue of the metric", "he2025, linear dynamics"},
		LhU:     {"L_h^u", "steady state in the decision", "he2025, contraction"},
		LhD:     {"L_h^d", "steady state in the trait", "he2025, contraction"},
		MhD:     {"M_h^d", "sensitivity in the trait", "he2025, contraction"},
		LPhiP:   {"L_Φ^p", "loss in the state", "he2025, smooth objective"},
		MPhiU:   {"M_Φ^u", "∂Φ/∂u in the state", "he2025, smooth objective"},
		MPhiP:   {"M_Φ^p", "∂Φ/∂p in the state", "he2025, smooth objective"},
		Lp:      {"L_p", "gradient bias by V", "he2025, gradient bias"},
		L:       {"L", "gradient bias by W₁", "he2025, gradient bias"},
		Rho1:    {"ρ₁", "decay of V²", "he2025, distribution shift"},
		Rho2:    {"ρ₂", "growth of V² by steps", "he2025, distribution shift"},
		LPsi:    {"L_Ψ", "gradient bias by V, sensitivity at the sample", "he2025, transient polarized sensitivity"},
		Smooth:  {"L_Φ̃", "gradient of Φ̃", "he2025, smooth objective"},
		V0:      {"V₀", "distance from settled at the start", "he2025, coupling bound"},
		Gap:     {"Δ", "Φ̃(u₀) − Φ̃★", "he2025, gradient bound"},
		Slope0:  {"‖∇Φ̃(u₀)‖²", "gradient at the start, squared", "he2025, steady gradient"},
		M:       {"M", "variance of one gradient", "he2025, gradient variance"},
		MV:      {"M_V", "its growth with the gradient", "he2025, gradient variance"},
		Kappa:   {"κ", "M_V/n + 1", "he2025, second moment"},
		SigmaMb: {"σ_mb", "scatter of a batch's gradient", "he2025, sub-Gaussian noise"},
	}
	if r, ok := table[k]; ok {
		return r
	}
	return row{symbol: string(k)}
}

// Constants are those of the assumptions, in the order in which they are derived, and the contraction metric they refer to.
type Constants struct {
	List   []Constant `json:"constants"`
	Metric []float64  `json:"P,omitempty"` // P of ‖x‖_P² = xᵀPx, row-major; nil is the identity
}

// Get returns a constant. One that is not there is NaN and unknown.
func (c *Constants) Get(k Key) Constant {
	for _, x := range c.List {
		if x.Key == k {
			return x
		}
	}
	return Constant{Key: k, Value: math.NaN(), Known: Unknown}
}

// Value returns the value of a constant, NaN when it is not there.
func (c *Constants) Value(k Key) float64 { return c.Get(k).Value }

// put appends a constant.
func (c *Constants) put(k Key, value float64, known Known, how string) {
	c.List = append(c.List, Constant{Key: k, Value: value, Known: known, How: how})
}

// derive appends a constant that follows from others and is as well known as the weakest of them.
func (c *Constants) derive(k Key, value float64, how string, from ...Key) {
	c.put(k, value, c.weakest(from...), how)
}

// weakest returns how well the least known of some constants is known.
func (c *Constants) weakest(keys ...Key) Known {
	known := Proof
	for _, k := range keys {
		known = max(known, c.Get(k).Known)
	}
	return known
}

// missing says which constants of a bound there is no number for; it is empty where there is one for each.
func (c *Constants) missing(bias Key) string {
	var list []string
	for _, k := range boundedBy(bias) {
		if math.IsNaN(c.Value(k)) {
			list = append(list, c.Get(k).Symbol())
		}
	}
	switch len(list) {
	case 0:
		return ""
	case 1:
		return list[0] + " is not known"
	}
	return phrase.Enumerate(list) + " are not known"
}

// boundedBy are the constants that the bounds of gradients take, with that of the bias.
func boundedBy(bias Key) []Key { return []Key{bias, Smooth, Rho1, Rho2, V0, Gap, M, MV} }

// biasByV names the constant of the gradient's bias by V, which is another where the sensitivity is taken at sampled states.
func (c *Constants) biasByV() Key {
	if c.Get(LPsi).Known != Unknown {
		return LPsi
	}
	return Lp
}

// addIdentity puts the eigenvalues of P = I.
func (c *Constants) addIdentity() {
	c.put(PMin, 1, Proof, "P = I")
	c.put(PMax, 1, Proof, "P = I")
}

// product is a·b with 0·∞ = 0: a slope without bound does no harm where what it multiplies does not change at all.
func product(a, b float64) float64 {
	if a == 0 || b == 0 {
		return 0
	}
	return a * b
}
