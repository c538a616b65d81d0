package record

import (
	"slices"
	"strconv"

	"github.com/kedge-opt/kedge/problem/form"
)

// Asking is a key of the dynamics whose number is to be found from a log.
type Asking struct {
	Key  string
	Text string // as it was written
	Of   Question
}

// ranges are the keys of dynamics that a log can tell, with the range that each has by itself.
func ranges(kind string) map[string]string {
	switch kind {
	case "polarized":
		return map[string]string{"lambda": "? in [0, 1]", "sigma": "? in [0, inf]"}
	case "choice":
		return map[string]string{"lambda1": "? in [0, 1]", "lambda2": "? in [0, 1]", "epsilon": "? in [0, inf]"}
	}
	return nil
}

// Ask takes unknown numbers of dynamics out of a document, and puts others in their place for what is checked without them.
func Ask(root *form.Node, found *form.Mistakes) (*form.Node, []Asking) {
	of := root.Get("dynamics")
	if of == nil || !slices.ContainsFunc(of.Items, func(n *form.Node) bool { return IsUnknown(n.Text) }) {
		return root, nil
	}
	known := ""
	if n := of.Get("kind"); n != nil {
		known = n.Text
	}
	var asked []Asking
	root = root.Copied(-1)
	of = root.Get("dynamics")
	for i, key := range of.Keys {
		n := of.Items[i]
		usual, can := ranges(known)[key]
		if !IsUnknown(n.Text) || !can { // only a scalar has a text
			continue
		}
		q, fault := ReadUnknown(n.Text)
		within, _ := ReadUnknown(usual)
		q.Lower, q.Upper = max(q.Lower, within.Lower), min(q.Upper, within.Upper)
		if fault != "" || q.Shape != nil || q.fault() != "" {
			found.Wrong(n, "an unknown single number, as in "+strconv.Quote(usual))
		}
		asked = append(asked, Asking{key, n.Text, q})
		at := *n
		at.Text, at.Quoted = "0.25", false // lambda1 and lambda2 add up to less than 1
		of.Items[i] = &at
	}
	return root, asked
}

// Unask prints unknown numbers as they were written.
func Unask(root *form.Node, asked []Asking) *form.Node {
	for _, a := range asked {
		if of := root.Get("dynamics"); of != nil {
			of.Put(a.Key, form.FormulaText("").Write(a.Text))
		}
	}
	return root
}
