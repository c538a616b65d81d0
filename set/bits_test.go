package set

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"testing"

	"github.com/kedge-opt/kedge/internal/evidence"
)

// TestBitsOnAllTargets pins the bits of projections made with the sums of this package. The digests hold on every target,
// with and without fused multiply-add; they change with the method, never with the machine.
func TestBitsOnAllTargets(t *testing.T) {
	same := evidence.For(t, evidence.Promise{Name: "projections-bits", Text: "digests of projections over all sizes and scales that are other than on every target"})
	want := map[string]string{
		"capped, half full":   "590bf1d68f070071",
		"capped, nearly full": "76b4684249bc8879",
		"half-space":          "95cd72641401f11d",
	}
	for _, s := range subjects() {
		if _, ok := want[s.name]; !ok {
			continue
		}
		h := sha256.New()
		grid(s, func(c *sample) {
			for _, x := range c.project(c.y) {
				_ = binary.Write(h, binary.LittleEndian, math.Float64bits(x))
			}
		})
		got := hex.EncodeToString(h.Sum(nil)[:8])
		same.Case(got == want[s.name], "%s: digest %s, want %s", s.name, got, want[s.name])
	}
}
