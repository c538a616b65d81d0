package kind

import (
	"fmt"
	"strconv"

	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/problem/form"
)

// Scales is what usual settings are scaled by where methods are compared. All methods have the same.
type Scales struct {
	Turns, Batch, Entries int
	Curvature             float64 // greatest of Φ̃ at the optimum
	Radius                float64 // from the first decision to the optimum
	Contraction           float64 // of the crowd in a turn
	Hold                  int     // turns that decisions are held: until the crowd has settled, or as somebody says
}

// Epochs is how many deployments of growing length fit into the turns.
func (s Scales) Epochs() int {
	rhythm, turns, n := online.Settling{Contraction: s.Contraction}, 0, 0
	for turns < s.Turns {
		turns += rhythm.Turns(n)
		n++
	}
	return n
}

// Part is a part of the way to the optimum.
func (s Scales) Part(of float64) float64 { return Rounded(s.Radius / of) }

// Rounded is a number with three digits, so that it can be written down.
func Rounded(x float64) float64 {
	y, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 3, 64), 64)
	return y
}

// near are the settings of methods that try decisions near their own, and hold them.
func (s Scales) near() []form.Setting { return usual("delta", s.Part(10), "hold", s.Hold) }

// epochs are the settings of methods in epochs that know gradients.
func (s Scales) epochs() []form.Setting {
	return usual("contraction", s.Contraction, "delay", max(1, s.Epochs()/8))
}

// smoothed lets steps diminish and averages the later half of the iterates, for methods whose noise is their own.
func smoothed(steps int) []form.Setting {
	return usual("schedule", "diminishing", "delay", 50, "power", 0.6, "average", max(1, steps/2))
}

// usual lists settings: keys, each with its value.
func usual(list ...any) (settings []form.Setting) {
	for i := 0; i < len(list); i += 2 {
		settings = append(settings, form.Setting{Key: list[i].(string), Value: fmt.Sprint(list[i+1])})
	}
	return settings
}
