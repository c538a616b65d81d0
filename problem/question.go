package problem

import (
	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/record"
)

// readUnknown reads what is said of numbers that a log is to tell.
func (l *Let) readUnknown(m *form.Mistakes, n *form.Node) bool {
	u, fault := record.ReadUnknown(n.Text)
	if fault != "" {
		m.Wrong(n, fault)
		return false
	}
	l.Unknown = &u
	return true
}

// stand are numbers in place of unknown ones, for what can be checked without them.
func (l *Let) stand() *formula.Value {
	x := l.Unknown.Start()
	if x == 0 && l.Unknown.Upper > 0 {
		x = min(0.5, l.Unknown.Upper/2) // nothing is divided by 0
	}
	data := make([]float64, l.Unknown.Entries())
	for i := range data {
		data[i] = x
	}
	return &formula.Value{Shape: l.Unknown.Shape, Data: data}
}
