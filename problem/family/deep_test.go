package family_test

import (
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/problem/family"
	"github.com/kedge-opt/kedge/problem/kind"
)

// A key that is nested as deep as no document can be is none of the spec; one that is a level less deep is looked for.
func TestKeysDeeperThanDocuments(t *testing.T) {
	for dots, isTooDeep := range map[int]bool{31: false, 32: true, 33: true} {
		key := strings.Repeat("a.", dots) + "a"
		_, err := family.Parse(kind.Standard(), "x.yaml", []byte("base: lq2\nover: {"+key+": [1]}\n"), nil)
		if err == nil || strings.Contains(err.Error(), "want a key of the spec, as in dynamics.lambda") != isTooDeep {
			t.Errorf("%d dots: %.200v", dots, err)
		}
	}
}
