package torture

import (
	"os"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/internal/evidence/board"
)

// Every fault that is planted is noticed by the test of what it breaks. Without KEDGE_TORTURE=1 it is only seen to that the lines in which they are
// planted are there.
func TestPlantedFaultsAreNoticed(t *testing.T) {
	row := evidence.For(t, evidence.Promise{Name: "service-faults", Text: "faults planted one by one in the code of service and laboratory: not noticed by the test of what they break", Short: "only a look whether the lines to plant them in are there"})
	const root = "../.."
	module := os.DirFS(root)
	rack, err := NewRack(root, false)
	if err != nil {
		t.Fatal(err)
	}
	defer rack.Close()
	for _, p := range board.Faults() {
		t.Run(strings.ReplaceAll(p.Name, " ", "-"), func(t *testing.T) {
			if !evidence.Whole() {
				_, err := p.Find(module)
				there := board.HasTest(module, p.Pack, p.Test)
				row.Case(err == nil && there, "%v; %s has the test %s: %t", err, p.Pack, p.Test, there)
				return
			}
			f, err := rack.Try(t.Context(), Ordeal{Fault: &p})
			row.Case(err == nil && f.Verdict == Caught, "%s: %s does not notice it (%s, %v):\n%s", p.Name, p.Test, f.Verdict, err, f.Said)
		})
	}
}
