package family

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"

	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/form"
)

// contentOf is a digest of a spec in which files stand by what they hold, where that is known.
func contentOf(s *problem.Spec, sum func(name string) string) string {
	tree := s.Tree()
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
	w.sums.Lock()
	defer w.sums.Unlock()
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
