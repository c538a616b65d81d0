package problem

import (
	"errors"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/steady"
)

// SteadyBy returns Φ̃ of the whole population whose gradient counts what a given sensitivity says of the dynamics, for points where
// somebody comes to rest who knows less of the answer than there is. Individuals that see the crowd's mean are refused.
func (p *Problem) SteadyBy(answer func(kedge.Smooth) kedge.Sensitivity) (*steady.Objective, error) {
	if p.Social {
		return nil, errors.New("individuals see the mean of the crowd, so that no sensitivity of one alone says how they answer")
	}
	m := p.Model
	m.Sensitivity = answer(m.Smooth())
	return steady.New(m)
}
