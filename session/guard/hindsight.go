package guard

// Hindsight is what guardrails would have said of closes of the past.
type Hindsight struct {
	Closes       int     `json:"closes"`
	Pass         int     `json:"pass"`
	Fail         int     `json:"fail"`
	Inconclusive int     `json:"inconclusive"`
	Lacking      int     `json:"lacking,omitempty"` // closes whose people are gone
	Would        []Would `json:"would"`
}

// Would is what a guardrail would have done at a close that it did not pass.
type Would struct {
	K         int    `json:"k"`
	Guardrail string `json:"guardrail"`
	Verdict   string `json:"verdict"`
	Action    string `json:"action"` // none: it had not failed often enough
	Words     string `json:"words"`
}

// none is what a guardrail does that has not failed often enough.
const none = "none"

// Add counts a close.
func (h *Hindsight) Add(k int, rails []Judged) {
	worst := Pass
	for _, j := range rails {
		if j.Verdict == Pass && j.Acts == "" {
			continue
		}
		if worst != Fail && j.Verdict != Pass {
			worst = j.Verdict
		}
		one := Would{k, j.Name, j.Verdict, none, j.Words}
		if j.Acts != "" {
			one.Action = j.Acts
		}
		h.Would = append(h.Would, one)
	}
	h.Closes++
	switch worst {
	case Pass:
		h.Pass++
	case Fail:
		h.Fail++
	default:
		h.Inconclusive++
	}
}
