package kedge_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
)

// Names may have their units behind them, and columns their words.
func TestNamesAndUnits(t *testing.T) {
	for text, want := range map[string]kedge.Called{"apples in EUR": {"apples", "EUR"}, "apples": {Name: "apples"}, "price  in  EUR in all ": {"price", "EUR in all"}, " in kg": {"", "kg"}} {
		if got := kedge.CalledBy(text); got != want {
			t.Errorf("%q is %+v, want %+v", text, got, want)
		}
	}
	one := kedge.Called{Name: "apples", Unit: "EUR"}
	list := []kedge.Called{{Name: "pears"}, one}
	if one.In("3") != "3 EUR" || list[0].In("3") != "3" || kedge.CalledAt(list, 1) != one || kedge.CalledAt(list, 2) != (kedge.Called{}) || kedge.CalledAt(nil, 0) != (kedge.Called{}) {
		t.Error("units of entries")
	}
	for _, n := range []kedge.Names{{Symbol: "x"}, {Decision: list}, {State: list}, {Trait: list}, {Value: one}} {
		if !n.Given() {
			t.Errorf("%+v names nothing", n)
		}
	}
	if (kedge.Names{}).Given() {
		t.Error("nothing names something")
	}
	c := kedge.Column{Label: "loss", Symbols: "Φ", Unit: "EUR"}
	plain := kedge.Column{Label: "loss", Symbols: "Φ"}
	if c.Axis() != "loss, in EUR" || c.ChartAxis() != "Φ, in EUR" || plain.Axis() != "loss" || plain.ChartAxis() != "Φ" {
		t.Errorf("axes %q, %q, %q, %q", c.Axis(), c.ChartAxis(), plain.Axis(), plain.ChartAxis())
	}
	if said := fmt.Sprint(kedge.Neither, kedge.Smaller, kedge.Larger); strings.TrimSpace(said) != "Smaller is better. Larger is better." {
		t.Errorf("%q", said)
	}
}
