package loop_test

import (
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/loop"
)

// Traits go by their names and units where they have some, and by their numbers where not.
func TestTraitsGoByTheirNames(t *testing.T) {
	list := loop.NewTraits(3, []kedge.Called{{Name: "income", Unit: "EUR"}, {}}).Columns()
	for i, want := range []kedge.Column{
		{Name: "trait_income", Label: "mean income in the sample", Unit: "EUR"},
		{Name: "trait_1", Label: "mean of trait 1 in the sample"},
		{Name: "trait_2", Label: "mean of trait 2 in the sample"},
	} {
		if got := list[i]; got.Name != want.Name || got.Label != want.Label || got.Unit != want.Unit {
			t.Errorf("trait %d is the column %q, %q in %q, want %q, %q in %q", i, got.Name, got.Label, got.Unit, want.Name, want.Label, want.Unit)
		}
	}
}
