package problem

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"

	"github.com/kedge-opt/kedge/problem/form"
)

func isSum(text string) bool {
	b, err := hex.DecodeString(text)
	return err == nil && len(b) == sha256.Size
}

// sums is a mapping of names of files to what they hold.
func sums() form.Codec[map[string]string] {
	const want = "a mapping of files to SHA-256"
	return form.Codec[map[string]string]{
		Want: want, Schema: form.Schema{Type: form.Types{"object"}},
		Read: func(m *form.Mistakes, n *form.Node) (map[string]string, bool) {
			list := map[string]string{}
			for i, name := range n.Keys {
				if !isSum(n.Items[i].Text) {
					m.Wrong(n.Items[i], "64 hexadecimal digits")
				}
				list[name] = n.Items[i].Text
			}
			if n.Shape != form.Mapping {
				m.Wrong(n, want)
			}
			return list, n.Shape == form.Mapping
		},
		Write: func(list map[string]string) *form.Node {
			out := &form.Node{Shape: form.Mapping}
			for _, name := range slices.Sorted(maps.Keys(list)) {
				out.Put(name, &form.Node{Shape: form.Scalar, Text: list[name], Quoted: true})
			}
			return out
		},
	}
}

// contentOf is a digest of a spec in which files stand by what they hold, where that is known.
func contentOf(s *Spec, sum func(name string) string) string {
	tree := s.tree()
	tree.EachFile(func(name *form.Node) {
		if is := sum(name.Text); is != "" {
			name.Text = "sha256:" + is
		}
	})
	digest := sha256.Sum256(tree.YAML())
	return hex.EncodeToString(digest[:])
}

// sum returns what a file holds that a cell names, "" where nobody can tell: then it is known by its name, and its cell will fail.
func (w *Sweep) sum(name string) string {
	if is, known := w.Inputs[name]; known {
		return is
	}
	is := w.stated[name]
	if w.Sum != nil {
		is, _ = w.Sum(name)
	}
	if is != "" {
		w.Inputs[name] = is
	}
	return is
}

// changed reports files that hold something else than the sweep says.
func (w *Sweep) changed(m *form.Mistakes) {
	for _, name := range slices.Sorted(maps.Keys(w.stated)) {
		if is := w.Inputs[name]; is != "" && is != w.stated[name] {
			m.Report(form.Place{File: w.file}, "inputs", "inputs: %s holds other bytes (SHA-256 %.12s) than the sweep was begun with (%.12s); put them back, or take its line out of inputs for another sweep",
				name, is, w.stated[name])
		}
	}
}

// fix keeps what the files hold, so that cells stay what they are.
func (w *Sweep) fix() {
	w.Sum, w.stated = nil, nil
	if len(w.Inputs) > 0 {
		w.stated = w.Inputs
	}
}
