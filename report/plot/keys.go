package plot

import (
	"strings"

	"github.com/kedge-opt/kedge/internal/phrase"
)

// KeyLabel is words for a key of a spec on an axis: its last part, and in brackets whose it is.
func KeyLabel(key string) string {
	parts := strings.Split(key, ".")
	owner, rest := parts[0], parts[1:]
	if owner == "algorithms" && len(rest) > 1 {
		owner, rest = rest[0], rest[1:]
	}
	if len(rest) == 0 {
		return key
	}
	rest[len(rest)-1] = symbol(rest[len(rest)-1])
	return strings.ReplaceAll(strings.Join(rest, " "), "_", " ") + " (" + owner + ")"
}

// symbol is the letter that a key spells out, with its number as an index: lambda1 is λ₁.
func symbol(name string) string {
	letters := map[string]string{
		"alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "eta": "η", "kappa": "κ", "lambda": "λ", "mu": "μ",
		"nu": "ν", "rho": "ρ", "sigma": "σ", "tau": "τ", "theta": "θ",
	}
	word := strings.TrimRight(name, "0123456789")
	if letter, ok := letters[word]; ok {
		return letter + phrase.Lowered(name[len(word):])
	}
	return name
}

// indexed writes the place of an entry below the line: u_0 is u₀.
func indexed(name string) string {
	letter, place, _ := strings.Cut(name, "_")
	return letter + phrase.Lowered(place)
}
