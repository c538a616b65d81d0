package kind

import (
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/problem/form"
)

// DelayedRiskMethod does what RepeatedRiskMethod does once the crowd has settled under the decision before.
type DelayedRiskMethod struct{ RepeatedRiskMethod }

// Word implements [form.Kind].
func (*DelayedRiskMethod) Word() form.Option {
	return form.Choice("delayed-risk", "Takes the decision that is best for the crowd once it has settled under the one before.", "u⁺ = argmin Φ(p, ·) after holding u")
}

// Facts implements [Method].
func (*DelayedRiskMethod) Facts() Facts {
	return Facts{
		Title: "Delayed repeated risk minimization", Assembly: "Retrain, Wait: Hold", Needs: fromSamples(), Limit: online.Stable, Held: online.Stable,
		Proven: weak + ", and " + contracting, Asks: Conditions{StronglyConvex: true}, Source: "[brown2022]", Step: Share, Hold: 10,
	}
}

// Usual implements [ComparedMethod].
func (*DelayedRiskMethod) Usual(s Scales) []form.Setting { return usual("hold", s.Hold) }
