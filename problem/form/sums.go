package form

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
)

func isSum(text string) bool {
	b, err := hex.DecodeString(text)
	return err == nil && len(b) == sha256.Size
}

// Sums is a mapping of names of files to what they hold.
func Sums() Codec[map[string]string] {
	const want = "a mapping of files to SHA-256"
	return Codec[map[string]string]{
		Want: want, Schema: Schema{Type: Types{"object"}},
		Read: func(m *Mistakes, n *Node) (map[string]string, bool) {
			list := map[string]string{}
			for i, name := range n.Keys {
				if !isSum(n.Items[i].Text) {
					m.Wrong(n.Items[i], "64 hexadecimal digits")
				}
				list[name] = n.Items[i].Text
			}
			if n.Shape != Mapping {
				m.Wrong(n, want)
			}
			return list, n.Shape == Mapping
		},
		Write: func(list map[string]string) *Node {
			out := &Node{Shape: Mapping}
			for _, name := range slices.Sorted(maps.Keys(list)) {
				out.Put(name, &Node{Shape: Scalar, Text: list[name], Quoted: true})
			}
			return out
		},
	}
}
