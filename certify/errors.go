package certify

import (
	"errors"
	"fmt"

	"github.com/kedge-opt/kedge"
)

// NotContractingError says that dynamics do not contract, so that no constant of the theory exists.
type NotContractingError struct {
	What  string  // what is too large, as in "spectral radius"
	Value float64 // at least 1
	Trait int     // whose it is, from 0; −1 when it is everybody's
}

func (e *NotContractingError) Error() string {
	if e.Trait < 0 {
		return fmt.Sprintf("not certified: %s %.6g, want less than 1", e.What, e.Value)
	}
	return fmt.Sprintf("not certified: %s %.6g at trait %d, want less than 1", e.What, e.Value, e.Trait)
}

// contracting says that dynamics do not contract where an error says that states do not settle; another it returns as it is.
func contracting(trait int, err error) error {
	var unstable *kedge.UnstableError
	if errors.As(err, &unstable) {
		return &NotContractingError{What: "spectral radius", Value: unstable.Rate, Trait: trait}
	}
	return err
}
