package certify

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
	switch k {
	case Radius:
		return row{"R", "‖u‖ of feasible decisions", "he2025, problem"}
	case Cone:
		return row{"ω★", "angle between a state and its trait, in degrees", "he2025, polarized dynamics"}
	case LfP:
		return row{"L_f^p", "f in the state, in ‖·‖_P", "he2025, contraction"}
	case LfU:
		return row{"L_f^u", "f in the decision", "he2025, contraction"}
	case LfD:
		return row{"L_f^d", "f in the trait", "he2025, contraction"}
	case PMin:
		return row{"λmin(P)", "smallest eigenvalue of the metric", "he2025, linear dynamics"}
	case PMax:
		return row{"λmax(P)", "largest eigenvalue of the metric", "he2025, linear dynamics"}
	case LhU:
		return row{"L_h^u", "steady state in the decision", "he2025, contraction"}
	case LhD:
		return row{"L_h^d", "steady state in the trait", "he2025, contraction"}
	case MhD:
		return row{"M_h^d", "sensitivity in the trait", "he2025, contraction"}
	}
	return objectiveEntry(k)
}

func objectiveEntry(k Key) row {
	switch k {
	case LPhiP:
		return row{"L_Φ^p", "loss in the state", "he2025, smooth objective"}
	case MPhiU:
		return row{"M_Φ^u", "∂Φ/∂u in the state", "he2025, smooth objective"}
	case MPhiP:
		return row{"M_Φ^p", "∂Φ/∂p in the state", "he2025, smooth objective"}
	case Lp:
		return row{"L_p", "gradient bias by V", "he2025, gradient bias"}
	case L:
		return row{"L", "gradient bias by W₁", "he2025, gradient bias"}
	case Rho1:
		return row{"ρ₁", "decay of V²", "he2025, distribution shift"}
	case Rho2:
		return row{"ρ₂", "growth of V² by steps", "he2025, distribution shift"}
	case LPsi:
		return row{"L_Ψ", "gradient bias by V, sensitivity at the sample", "he2025, transient polarized sensitivity"}
	case Smooth:
		return row{"L_Φ̃", "gradient of Φ̃", "he2025, smooth objective"}
	case V0:
		return row{"V₀", "distance from settled at the start", "he2025, coupling bound"}
	case Gap:
		return row{"Δ", "Φ̃(u₀) − Φ̃★", "he2025, gradient bound"}
	case Slope0:
		return row{"‖∇Φ̃(u₀)‖²", "gradient at the start, squared", "he2025, steady gradient"}
	}
	return noiseEntry(k)
}

func noiseEntry(k Key) row {
	switch k {
	case M:
		return row{"M", "variance of one gradient", "he2025, gradient variance"}
	case MV:
		return row{"M_V", "its growth with the gradient", "he2025, gradient variance"}
	case Kappa:
		return row{"κ", "M_V/n + 1", "he2025, second moment"}
	case SigmaMb:
		return row{"σ_mb", "scatter of a batch's gradient", "he2025, sub-Gaussian noise"}
	}
	return row{symbol: string(k)}
}
